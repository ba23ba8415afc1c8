/* charts.js - the charts of the summary, drawn by Chart.js.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */

/* Colours that people with any colour vision tell apart (after Okabe and Ito), lighter ones on dark ground. */
const COLORS = {
	light: ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#7a7a7a", "#a69500"],
	dark: ["#4aa3df", "#f0b43c", "#2fc49a", "#e2a0c6", "#93d4fa", "#ff8a57", "#a9a9a9", "#e3d84f"],
};
const IDLE = { light: ["#c3c9d1", "#aab2bc", "#c3c9d1"], dark: ["#4b5563", "#5d6878", "#4b5563"] };

const charts = []; /* those that are drawn */

function look(printed)
{
	const dark = !printed && isDark(), style = getComputedStyle(document.documentElement);
	const value = (name, paper) => (printed ? paper : style.getPropertyValue(name).trim());

	return { colors: dark ? COLORS.dark : COLORS.light, idle: dark ? IDLE.dark : IDLE.light, ink: value("--ink", "#000"),
		soft: value("--soft", "#444"), line: value("--line", "#ccc"), paper: value("--paper", "#fff"), dark };
}

function field(sheet, row, name)
{
	const i = columnOf(sheet, name);

	return i < 0 ? "" : row[i];
}

function shownNumber(sheet, row, name)
{
	const i = columnOf(sheet, name);

	return i < 0 || row[i] === "" ? "" : shownField(sheet.columns[i], row[i]);
}

/* ---- what all charts share ---- */

function axis(l, title, more)
{
	return { grid: { color: l.line, drawBorder: false }, ticks: { color: l.soft, font: { size: 12 } },
		title: { display: title !== "", text: title, color: l.soft, font: { size: 12 } }, ...more };
}

function commonOptions(l)
{
	return {
		animation: false, responsive: true, maintainAspectRatio: false, layout: { padding: 0 },
		plugins: {
			legend: { display: false, position: "bottom", labels: { color: l.ink, boxWidth: 12, boxHeight: 12, font: { size: 12 } } },
			tooltip: { displayColors: false, bodyFont: { size: 12 }, titleFont: { size: 12 }, padding: 9,
				backgroundColor: l.dark ? "#e8edf4" : "#1a2230", titleColor: l.dark ? "#12161d" : "#fff", bodyColor: l.dark ? "#12161d" : "#fff" },
		},
	};
}

/* Texts that a plugin writes at the end of bars: series.data has numbers, series.ends the texts. */
const barEnds = {
	id: "barEnds",
	afterDatasetsDraw(chart) {
		const series = chart.data.datasets[0], c = chart.ctx;
		if (!series || !series.ends)
			return;
		c.save();
		c.font = "12px " + Chart.defaults.font.family;
		c.textBaseline = "middle";
		chart.getDatasetMeta(0).data.forEach((bar, i) => {
			c.fillStyle = chart.options.paperOfEnds; /* over the lines of the grid */
			c.fillRect(bar.x + 3, bar.y - 8, c.measureText(series.ends[i]).width + 6, 16);
			c.fillStyle = chart.options.inkOfEnds;
			c.fillText(series.ends[i], bar.x + 6, bar.y);
		});
		c.restore();
	},
};

const ALPHABET = "0123456789 abcdefghijklmnopqrstuvwxyz_ ABCDEF"; /* 45 characters */

/* In pixels, of a text of 12 pixels. */
function textWidth(text)
{
	const c = textWidth.context || (textWidth.context = document.createElement("canvas").getContext("2d"));

	c.font = "12px " + getComputedStyle(document.body).fontFamily;
	return c.measureText(text).width;
}

/* The text, shortened to so many pixels. */
function fitting(text, pixels)
{
	let n = Math.min(text.length, Math.floor(pixels / 4));

	while (n > 8 && textWidth(brief(text, n)) > pixels)
		n--;
	return brief(text, n);
}

/* ---- parts: a stacked bar, or one for each device ---- */

const MOST_GROUPS = 64;

/* What tells the bars of a chart apart: columns besides those of the parts, their time and share. */
function groupColumns(chart, sheet)
{
	return sheet.columns.map((c, i) => i).filter((i) => !["percent", "time"].includes(sheet.columns[i].unit) && sheet.columns[i].name !== chart.x);
}

/* The bars: each has a label and its parts, in the order of the chart. */
function partsOf(chart, sheet)
{
	const x = columnOf(sheet, chart.x), y = columnOf(sheet, chart.y), others = groupColumns(chart, sheet), groups = new Map();

	for (const row of rowsOf(sheet)) {
		const label = others.map((i) => sheet.columns[i].name.replace(/_pid$/, "") + " " + row[i]).join(", "), k = chart.parts.indexOf(row[x]);
		if (!groups.has(label))
			groups.set(label, { label, total: 0, parts: [] });
		if (k >= 0 && row[y] !== "") {
			groups.get(label).total += Number(row[y]);
			groups.get(label).parts[k] = { value: Number(row[y]), text: shownField(sheet.columns[y], row[y]) };
		}
	}
	return [...groups.values()].filter((g) => g.parts.length).slice(0, MOST_GROUPS);
}

function partColor(l, name, k)
{
	return /idle/.test(name) ? l.idle[/macro/.test(name) ? 1 : 0] : [l.colors[0], l.colors[5], l.colors[1], l.colors[3]][k % 4];
}

function partsConfig(chart, sheet, l, room)
{
	const groups = partsOf(chart, sheet), options = commonOptions(l), one = groups.length === 1, most = Math.max(...groups.map((g) => g.total));
	const share = (g, k) => (g.total > 0 ? (g.parts[k].value / g.total * 100).toFixed(1) + " %" : "");
	const used = chart.parts.map((name, k) => k).filter((k) => groups.some((g) => g.parts[k]));
	const label = (k) => chart.parts[k].replace(/_time$/, "").replace(/_/g, " ") + (one ? "  " + groups[0].parts[k].text + "  (" + share(groups[0], k) + ")" : "");

	options.indexAxis = "y";
	options.scales = { x: axis(l, chart.bottom, { stacked: true, max: most || undefined, ticks: { color: l.soft, maxTicksLimit: 10 } }),
		y: axis(l, "", { stacked: true, display: !one, grid: { display: false, drawBorder: false }, ticks: { color: l.ink, autoSkip: false } }) };
	options.plugins.legend.display = true;
	options.plugins.tooltip.callbacks = { title: (t) => (one ? "" : visible(groups[t[0].dataIndex].label)),
		label: (t) => { const g = groups[t.dataIndex], k = used[t.datasetIndex]; return `${chart.parts[k]}: ${g.parts[k].text}, ${share(g, k)}`; } };
	return {
		type: "bar", options,
		data: { labels: groups.map((g) => brief(g.label, 40)), datasets: used.map((k, n) => ({ label: label(k), data: groups.map((g) => (g.parts[k] ? g.parts[k].value : 0)),
			backgroundColor: partColor(l, chart.parts[k], k), borderColor: l.paper, borderWidth: { left: n ? 1 : 0, right: 0, top: 0, bottom: 0 }, maxBarThickness: one ? 46 : 24 })) },
		high: (room < 700 ? 180 : 90) + (one ? 60 : 30 * groups.length),
		said: groups.map((g) => (g.label ? brief(g.label, 40) + ": " : "") + used.filter((k) => g.parts[k]).map((k) => chart.parts[k] + " " + g.parts[k].text + ", " + share(g, k)).join("; ")).join(". "),
	};
}

/* ---- bars ---- */

function barsConfig(chart, sheet, l, room)
{
	const x = columnOf(sheet, chart.x), y = columnOf(sheet, chart.y), column = sheet.columns[y];
	const rows = rowsOf(sheet).slice(0, chart.most).filter((row) => row[y] !== "" && row[x] !== "");
	const values = rows.map((row) => Number(row[y]) * (column.asWritten ? 1 : column.scale));
	const share = sheet.columns.findIndex((c) => /^(Percentage \(%\)|Percent of (total|kernels) time \(%\))$/.test(c.name));
	const ends = rows.map((row) => shownField(column, row[y]) + (share >= 0 && row[share] !== "" ? "  " + Number(row[share]).toFixed(1) + " %" : ""));
	const options = commonOptions(l), widest = Math.max(0, ...ends.map(textWidth));
	const names = rows.map((row) => fitting(row[x], Math.max(70, (room - widest) * 0.47)));

	options.indexAxis = "y";
	Object.assign(options, { inkOfEnds: l.soft, paperOfEnds: l.paper });
	options.layout.padding = { right: widest + 12 };
	options.scales = { x: axis(l, column.suffix.trim() || chart.bottom, { beginAtZero: true, ticks: { color: l.soft, maxTicksLimit: 7 } }),
		y: axis(l, "", { grid: { display: false, drawBorder: false }, ticks: { color: l.ink, autoSkip: false, crossAlign: "far" } }) };
	options.plugins.tooltip.callbacks = { title: (t) => lines(rows[t[0].dataIndex][x], 90, 8), label: (t) => ends[t.dataIndex] };
	options.onClick = (e, hits) => { if (hits.length) go(addressOf(chart.sheet, { [chart.x]: "=" + rows[hits[0].index][x] })); };
	options.onHover = (e, hits) => { e.native.target.style.cursor = hits.length ? "pointer" : ""; };
	return {
		type: "bar", options, plugins: [barEnds],
		data: { labels: names, datasets: [{ data: values, ends, backgroundColor: l.colors[/roofline/i.test(chart.title) ? 2 : 0], maxBarThickness: 18, categoryPercentage: 0.92, barPercentage: 0.86 }] },
		high: 58 + 23 * rows.length, said: rows.map((row, i) => brief(row[x], 60) + " " + ends[i]).join("; "),
	};
}

/* ---- histogram ---- */

function histogramConfig(chart, sheet, l)
{
	const x = columnOf(sheet, chart.x), y = columnOf(sheet, chart.y), end = columnOf(sheet, "bin_end"), rows = rowsOf(sheet);
	const options = commonOptions(l), bin = (row) => significant(Number(row[x])) + (end < 0 ? "" : " to " + significant(Number(row[end])));

	options.scales = { x: axis(l, chart.bottom, { grid: { display: false, drawBorder: false }, ticks: { color: l.soft, maxTicksLimit: 12, maxRotation: 0 } }),
		y: axis(l, chart.side, { beginAtZero: true, ticks: { color: l.soft, precision: 0 } }) };
	options.plugins.tooltip.callbacks = { title: (t) => bin(rows[t[0].dataIndex]) + " " + chart.bottom, label: (t) => counted(t.raw, chart.side.replace(/s$/, "")) };
	return {
		type: "bar", options,
		data: { labels: rows.map((row) => significant(Number(row[x]))), datasets: [{ data: rows.map((row) => Number(row[y])), backgroundColor: l.colors[0], categoryPercentage: 1, barPercentage: 0.96 }] },
		high: 280, said: rows.map((row) => bin(row) + " " + chart.bottom + ": " + row[y]).join("; "),
	};
}

/* ---- roofline ---- */

const ROOF = "roof ";

function powerOfTen(x)
{
	const e = Math.log10(x);

	if (Math.abs(e - Math.round(e)) > 1e-9)
		return "";
	return x >= 1e-3 && x < 1e6 ? thousands(String(Number(x.toPrecision(1)))) : "1e" + Math.round(e);
}

/* The operators of the chart's sheet, each with its row of unified_perf_summary, which has its
 * category and time. */
function rooflinePoints(chart, sheet)
{
	const x = columnOf(sheet, chart.x), y = columnOf(sheet, chart.y), unified = findSheet("unified_perf_summary");
	const all = unified ? rowsOf(unified) : [];

	return rowsOf(sheet).filter((row) => row[x] !== "" && row[y] !== "").map((row) => {
		const of = all[Number(field(sheet, row, "unified_perf_summary row")) - 2];
		return { x: Number(row[x]), y: Number(row[y]), row, of, category: of ? field(unified, of, "op category") : "", unified,
			us: of ? Number(field(unified, of, "Kernel Time (µs)_sum")) : 0 };
	});
}

function rooflineTip(sheet, p)
{
	const tip = [`${significant(p.y)} TFLOP/s at ${significant(p.x)} FLOP/byte`,
		`${Number(field(sheet, p.row, "Pct Roofline")).toFixed(1)} % of the roof, ${significant(Number(field(sheet, p.row, "Roofline TFLOPS/s")))} TFLOP/s (${visible(field(sheet, p.row, "Compute Spec"))})`];

	if (p.of)
		tip.push(`kernel time ${shownNumber(p.unified, p.of, "Kernel Time (µs)_sum")}, ${counted(Number(field(p.unified, p.of, "operation_count")), "call")}, ${visible(p.category)}`);
	return tip;
}

function roofLines(sheet, l)
{
	const x = columnOf(sheet, ROOF + "FLOPS/Byte"), rows = x < 0 ? [] : rowsOf(sheet).filter((row) => row[x] !== "");
	const dashes = [[], [8, 4], [3, 3], [10, 3, 3, 3], [1, 3], [14, 4]];

	return sheet.columns.map((c, i) => i).filter((i) => i !== x && sheet.columns[i].name.startsWith(ROOF)).map((i, k) => ({
		type: "line", label: visible(sheet.columns[i].name), data: rows.map((row) => ({ x: Number(row[x]), y: Number(row[i]) })),
		borderColor: l.soft, backgroundColor: "transparent", borderWidth: 2, borderDash: dashes[k % dashes.length], pointStyle: "line", pointRadius: 0, pointHitRadius: 0, isRoof: true,
	}));
}

function rooflineConfig(chart, sheet, l)
{
	const points = rooflinePoints(chart, sheet), options = commonOptions(l), most = Math.max(1e-9, ...points.map((p) => p.us));
	const roofs = roofLines(sheet, l), categories = [...new Set(points.map((p) => p.category))];
	const shapes = ["circle", "rectRot", "triangle", "rect", "star", "crossRot"];
	const log = (title) => axis(l, title, { type: "logarithmic", ticks: { color: l.soft, callback: powerOfTen, maxRotation: 0 } });

	const highest = Math.max(...roofs.flatMap((s) => s.data.map((p) => p.y)), ...points.map((p) => p.y));

	options.scales = { x: log(chart.bottom), y: log(chart.side) };
	options.scales.y.suggestedMax = highest * 1.6;
	options.plugins.legend.display = true;
	options.plugins.legend.labels.usePointStyle = true;
	options.interaction = { mode: "nearest", intersect: true };
	options.plugins.tooltip.filter = (t) => !t.dataset.isRoof;
	options.plugins.tooltip.callbacks = { title: (t) => (t.length ? lines(t[0].raw.row[0], 90, 6) : ""), label: (t) => rooflineTip(sheet, t.raw) };
	options.onClick = (e, hits, c) => {
		const p = hits.length && c.data.datasets[hits[0].datasetIndex].data[hits[0].index];
		if (p && p.of)
			go(addressOf("unified_perf_summary", {}, Number(field(sheet, p.row, "unified_perf_summary row")) - 2));
	};
	const series = categories.map((category, k) => ({
		label: visible(category) || "operators", data: points.filter((p) => p.category === category), pointStyle: shapes[Math.floor(k / 8) % 6],
		backgroundColor: l.colors[k % 8] + "b8", borderColor: l.colors[k % 8], borderWidth: 1,
		pointRadius: (c) => (c.raw ? 3.5 + 10 * Math.sqrt(c.raw.us / most) : 4), pointHoverRadius: (c) => (c.raw ? 5 + 10 * Math.sqrt(c.raw.us / most) : 5),
	}));
	return { type: "scatter", options, data: { datasets: [...roofs, ...series] }, high: 460,
		said: counted(points.length, "operator") + " below their roofs; the sheet " + sheet.name + " has the numbers" };
}

/* ---- steps ---- */

const PHASES = ["Prefill", "Decode", "Mixed", "Unknown"];

function stepTip(sheet, row)
{
	const tip = [], add = (text) => { if (text) tip.push(text); };
	const tokens = (name) => (field(sheet, row, name) === "" ? "" : counted(Number(field(sheet, row, name)), name.replace(/_tokens$/, "") + " token"));

	add(visible(field(sheet, row, "phase")) + (field(sheet, row, "confidence") === "" ? "" : ", confidence " + visible(field(sheet, row, "confidence"))));
	add([tokens("prefill_tokens"), tokens("decode_tokens")].filter((t) => t).join(", "));
	add("GPU busy " + shownNumber(sheet, row, "gpu_busy_us") + ", idle " + shownNumber(sheet, row, "gpu_idle_us"));
	add("starts at " + shownNumber(sheet, row, "start_us") + ", takes " + shownNumber(sheet, row, "duration_us"));
	add(counted(Number(field(sheet, row, "kernel_count")), "kernel") + ", most of it " + visible(field(sheet, row, "top_category")));
	return tip;
}

/* A bar for each step: GPU busy in the colour of the phase, idle above it. */
function stepsConfig(chart, sheet, l)
{
	const rows = rowsOf(sheet), y = columnOf(sheet, chart.y), column = sheet.columns[y], idle = columnOf(sheet, "gpu_idle_us");
	const phase = columnOf(sheet, "phase"), options = commonOptions(l), scale = column.asWritten ? 1 : column.scale;
	const known = PHASES.filter((p) => rows.some((row) => row[phase] === p));
	const others = [...new Set(rows.map((row) => row[phase]))].filter((p) => !PHASES.includes(p));
	const value = (row, i) => (i < 0 || row[i] === "" ? 0 : Number(row[i]) * scale);
	const series = (label, color, data) => ({ label, data, backgroundColor: color, categoryPercentage: 1, barPercentage: rows.length > 200 ? 1 : 0.85, stack: "step" });

	options.scales = { x: axis(l, chart.bottom, { stacked: true, grid: { display: false, drawBorder: false }, ticks: { color: l.soft, maxTicksLimit: 16, maxRotation: 0 } }),
		y: axis(l, column.suffix.trim(), { stacked: true, beginAtZero: true, ticks: { color: l.soft } }) };
	options.plugins.legend.display = true;
	options.interaction = { mode: "index", intersect: false };
	options.plugins.tooltip.filter = (t, i) => i === 0;
	options.plugins.tooltip.callbacks = { title: (t) => (t.length ? "step " + visible(field(sheet, rows[t[0].dataIndex], "step")) + "  " + brief(field(sheet, rows[t[0].dataIndex], "name"), 80) : ""),
		label: (t) => stepTip(sheet, rows[t.dataIndex]) };
	options.onClick = (e, hits) => { if (hits.length) go(addressOf(chart.sheet, {}, hits[0].index)); };
	return {
		type: "bar", options,
		data: { labels: rows.map((row) => visible(row[columnOf(sheet, chart.x)])), datasets: [
			...[...known, ...others].map((p, k) => series(visible(p) || "no phase", [0, 1, 2, 6][PHASES.indexOf(p)] === undefined ? l.colors[3 + k % 5] : l.colors[[0, 1, 2, 6][PHASES.indexOf(p)]],
				rows.map((row) => (row[phase] === p ? value(row, y) : 0)))),
			series("GPU idle", l.idle[0], rows.map((row) => value(row, idle)))] },
		high: 300, said: [...known, ...others].map((p) => counted(rows.filter((row) => row[phase] === p).length, "step") + " " + brief(p, 40)).join(", "),
	};
}

/* ---- all of them ---- */

const SHAPES = { parts: partsConfig, devices: partsConfig, bars: barsConfig, histogram: histogramConfig, roofline: rooflineConfig, steps: stepsConfig };
const LONG_NAME = 50; /* characters; half of the names in a chart are longer */

function canDraw(chart, sheet)
{
	if (chart.shape === "steps" && sheet.rows < 2)
		return false;
	if (chart.shape === "parts" || chart.shape === "devices")
		return partsOf(chart, sheet).some((g) => g.parts[0]) && (chart.shape === "parts" || partsOf(chart, sheet).length > 1);
	const y = columnOf(sheet, chart.y);
	return rowsOf(sheet).some((row) => row[y] !== "");
}

/* Has the chart the whole width? Long names need it. */
function isWide(chart, sheet)
{
	const x = columnOf(sheet, chart.x);

	if (chart.shape !== "bars")
		return chart.shape !== "histogram";
	const lengths = rowsOf(sheet).slice(0, chart.most).map((row) => row[x].length).filter((n) => n).sort((a, b) => a - b);
	return lengths[lengths.length >> 1] > LONG_NAME;
}

function figure(chart, sheet)
{
	return make("figure", {},
		make("figcaption", {}, make("div", {}, make("h2", {}, chart.title), make("p", {}, visible(chart.subtitle))),
			make("a", { href: addressOf(sheet.name) }, "table")),
		make("div", { class: "canvas" }));
}

function drawChart(box, chart, sheet, printed)
{
	const frame = box.querySelector(".canvas"), onPaper = isWide(chart, sheet) ? 1000 : 490;
	const config = SHAPES[chart.shape](chart, sheet, look(printed), printed ? onPaper : frame.clientWidth || 600);
	const canvas = make("canvas", { role: "img", "aria-label": chart.title + ": " + config.said, width: onPaper, height: config.high });

	frame.style.height = config.high + "px";
	frame.replaceChildren(canvas);
	if (printed)
		Object.assign(config.options, { responsive: false, devicePixelRatio: 2 });
	return new Chart(canvas, config);
}

/* Draws the charts into the box: wide ones, and two columns of the others, each chart where there is
 * room first. */
function drawCharts(box)
{
	if (typeof Chart === "undefined") {
		if (index.charts.length)
			box.replaceWith(make("p", { class: "note" }, "No charts: tl-html was built without Chart.js."));
		return;
	}
	Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
	const halves = [make("div", { class: "half" }), make("div", { class: "half" })];
	const all = index.charts.map((chart) => ({ chart, sheet: findSheet(chart.sheet) })).filter((c) => canDraw(c.chart, c.sheet));
	const place = (c, to) => {
		c.box = figure(c.chart, c.sheet);
		to.append(c.box);
		c.drawn = drawChart(c.box, c.chart, c.sheet, false);
		charts.push(c);
	};
	const wide = all.filter((c) => isWide(c.chart, c.sheet)), isFirst = (c) => ["parts", "devices", "steps"].includes(c.chart.shape);

	wide.filter(isFirst).forEach((c) => place(c, box));
	box.append(make("div", { class: "halves" }, ...halves));
	for (const c of all.filter((h) => !wide.includes(h)))
		place(c, halves[halves[1].offsetHeight < halves[0].offsetHeight ? 1 : 0]);
	wide.filter((c) => !isFirst(c)).forEach((c) => place(c, box));
}

/* Draws them again, in the colours of paper or of the screen. */
function redrawCharts(printed)
{
	for (const c of charts) {
		c.drawn.destroy();
		c.drawn = drawChart(c.box, c.chart, c.sheet, printed);
	}
}
