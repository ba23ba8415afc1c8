/* shapes.js - what each chart looks like. A function xConfig(chart, sheet, l, room) gives Chart.js's
 * configuration of a chart with the colours l that is `room` pixels wide, and two members more: `high`,
 * its height in pixels, and `said`, a text for people who do not see the chart.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */

const SHAPES = {
	parts: partsConfig, devices: partsConfig, bars: barsConfig, histogram: histogramConfig, roofline: rooflineConfig,
	steps: stepsConfig, named: barsConfig, heat: heatConfig, peak: barsConfig, path: partsConfig, curve: curveConfig, areas: curveConfig,
	step_times: stepTimesConfig, bandwidth: bandwidthConfig,
};

/* ---- parts: a stacked bar, or one for each device ---- */

const MOST_GROUPS = 64;

/* The columns that tell the bars of a chart apart: all but those of the parts' names, times and shares, and what tells rows of a
 * part apart. */
function groupColumns(chart, sheet)
{
	const isGroup = (c) => chart.shape !== "path" && c.unit !== "percent" && c.unit !== "time" && c.name !== chart.x && c.name !== "cause";

	return sheet.columns.map((c, i) => i).filter((i) => isGroup(sheet.columns[i]));
}

/* One bar of those of several devices: their mean. */
function meanOf(groups, partCount)
{
	const mean = (k) => groups.reduce((sum, g) => sum + (g.sums[k] || 0), 0) / groups.length, sums = [];

	for (let k = 0; k < partCount; k++)
		if (groups.some((g) => k in g.sums))
			sums[k] = mean(k);
	return { label: "", sums };
}

/* The bars: each has a label and its parts, in the order of the chart. */
function partsOf(chart, sheet)
{
	const x = columnOf(sheet, chart.x), y = columnOf(sheet, chart.y), others = groupColumns(chart, sheet);
	const groups = new Map(), add = (a, b) => (a || 0) + b;

	for (const row of rowsOf(sheet)) {
		const label = others.filter((i) => row[i] !== "").map((i) => sheet.columns[i].name.replace(/_pid$/, "") + " " + row[i]).join(", ");
		const k = chart.parts.indexOf(row[x]), sums = (groups.get(label) || groups.set(label, { label, sums: [] }).get(label)).sums;
		if (k >= 0 && row[y] !== "")
			sums[k] = add(sums[k], Number(row[y]));
	}
	const all = [...groups.values()].filter((g) => g.sums.length), isMean = chart.shape === "parts" && columnOf(sheet, "device") >= 0;
	return (isMean && all.length ? [meanOf(all, chart.parts.length)] : all).slice(0, MOST_GROUPS).map((g) => ({
		label: g.label, total: g.sums.reduce(add, 0), parts: g.sums.map((value) => ({ value, text: shownField(sheet.columns[y], String(value)) })),
	}));
}

/* "3.5 ms, 51.2 %" of a part; "" if the bar has no such part. */
function partText(group, k)
{
	const part = group.parts[k];

	return part ? part.text + (group.total > 0 ? ", " + (part.value / group.total * 100).toFixed(1) + " %" : "") : "";
}

function partsConfig(chart, sheet, l, room)
{
	const groups = partsOf(chart, sheet), one = groups.length === 1, options = commonOptions(l);
	const colors = [...l.parts, ...l.idle, l.line]; /* in the order of chart_list.h */
	const names = chart.parts;
	const used = names.map((name, k) => k).filter((k) => groups.some((g) => g.parts[k]));
	const label = (k) => names[k].replace(/_time$/, "").replace(/_/g, " ") + (one ? "  " + partText(groups[0], k) : "");
	const series = (k, n) => ({
		label: label(k), data: groups.map((g) => (g.parts[k] ? g.parts[k].value : 0)), maxBarThickness: one ? 46 : 24,
		backgroundColor: colors[chart.colors[k]], borderColor: l.paper,
		borderWidth: { left: n ? 1 : 0, right: 0, top: 0, bottom: 0 },
	});

	options.indexAxis = "y";
	options.scales = {
		x: axis(l, chart.bottom, { maxTicksLimit: 10 }, { stacked: true, max: Math.max(...groups.map((g) => g.total)) || undefined }),
		y: axis(l, "", { color: l.ink, autoSkip: false }, { stacked: true, display: !one, ...NO_GRID }),
	};
	options.plugins.legend.display = true;
	options.plugins.tooltip.callbacks = {
		title: (t) => (one ? "" : visible(groups[t[0].dataIndex].label)),
		label: (t) => names[used[t.datasetIndex]] + ": " + partText(groups[t.dataIndex], used[t.datasetIndex]),
	};
	return {
		type: "bar", options, data: { labels: groups.map((g) => brief(g.label, 40)), datasets: used.map(series) },
		high: (room < 700 ? 180 : 90) + (used.length > 6 ? 40 : 0) + (one ? 60 : 30 * groups.length),
		said: groups.map((g) => (g.label ? brief(g.label, 40) + ": " : "") +
			used.filter((k) => g.parts[k]).map((k) => names[k] + " " + partText(g, k)).join("; ")).join(". "),
	};
}

/* ---- the rows of one device ---- */

/* Of a curve or a peak: of the first device by name, but the host if there is no other; all if rows have no device. */
function chartRows(chart, sheet)
{
	const device = columnOf(sheet, "device"), process = columnOf(sheet, "process"), all = rowsOf(sheet);

	if (device < 0 || !["curve", "areas", "peak"].includes(chart.shape))
		return all;
	const names = [...new Set(all.map((row) => row[device]))].sort(), name = names.find((n) => n !== "CPU") || names[0];
	const first = all.find((row) => row[device] === name);
	return all.filter((row) => row[device] === name && row[process] === first[process]);
}

/* The subtitle with the device, if several are in the sheet. */
function subtitleOf(chart, sheet)
{
	const device = columnOf(sheet, "device"), rows = chartRows(chart, sheet);

	const other = rows.length < sheet.rows && device >= 0 ? "; of " + rows[0][device] + ", others in the table" : "";
	return chart.subtitle + other + (chart.shape === "curve" && findSheet("memory_steps") ? "; broken lines: steps begin" : "");
}

/* ---- bars ---- */

/* What the numbers of a column are multiplied by before they are shown. */
function scaleOf(column)
{
	return column.asWritten ? 1 : column.scale;
}

/* What a row is called: "host busy, aten::copy_, zoom, head" of several columns. Of a Python frame its function stands alone;
 * a number has its column's name before it; what is usual stands nowhere: a gap between device events, the only device. */
function barNamer(chart, sheet)
{
	const x = columnOf(sheet, chart.x), columns = chart.parts.map((name) => columnOf(sheet, name)).filter((i) => i >= 0);
	const device = columnOf(sheet, "device"), one = new Set(rowsOf(sheet).map((row) => row[device])).size < 2;
	const part = (row, i) => (i === device ? (one ? "" : "device " + row[i]) :
		row[i] === "between" ? "" : /^\d+$/.test(row[i]) ? sheet.columns[i].name.replace(/_/g, " ") + " " + row[i] : row[i].replace(/^.*\(\d+\): /, ""));

	return chart.parts.length ? (row) => columns.map((i) => part(row, i)).filter((text) => text).join(", ") : (row) => row[x];
}

function barsConfig(chart, sheet, l, room)
{
	const nameOf = barNamer(chart, sheet), x = columnOf(sheet, chart.x), y = columnOf(sheet, chart.y), column = sheet.columns[y], share = shareColumn(sheet);
	const rows = chartRows(chart, sheet).slice(0, chart.most).filter((row) => row[y] !== "" && row[x] !== "");
	const shareText = (row) => (share >= 0 && row[share] !== "" ? "  " + Number(row[share]).toFixed(1) + " %" : "");
	const ends = rows.map((row) => shownField(column, row[y]) + shareText(row));
	const widest = Math.max(0, ...ends.map(textWidth)), options = commonOptions(l);

	options.indexAxis = "y";
	Object.assign(options, { inkOfEnds: l.soft, paperOfEnds: l.paper, layout: { padding: { right: widest + 12 } } });
	options.scales = {
		x: axis(l, column.suffix.trim() || chart.bottom, { maxTicksLimit: 7 }, { beginAtZero: true }),
		y: axis(l, "", { color: l.ink, autoSkip: false, crossAlign: "far" }, NO_GRID),
	};
	options.plugins.tooltip.callbacks = {
		title: (t) => lines(nameOf(rows[t[0].dataIndex]), 90, 8),
		label: (t) => ends[t.dataIndex],
	};
	options.onClick = (e, hits) => {
		if (hits.length)
			go(addressOf(chart.sheet, { [chart.x]: "=" + rows[hits[0].index][x] }));
	};
	options.onHover = (e, hits) => { e.native.target.style.cursor = hits.length ? "pointer" : ""; };
	const series = {
		data: rows.map((row) => Number(row[y]) * scaleOf(column)), ends, maxBarThickness: 18, categoryPercentage: 0.92,
		barPercentage: 0.86, backgroundColor: l.colors[chart.roof ? 2 : 0],
	};
	const names = rows.map((row) => fitting(nameOf(row), Math.max(70, (room - widest) * 0.47)));
	return {
		type: "bar", options, plugins: [barEnds], data: { labels: names, datasets: [series] }, high: 58 + 23 * rows.length,
		said: rows.map((row, i) => brief(nameOf(row), 60) + " " + ends[i]).join("; "),
	};
}

/* ---- histogram ---- */

function histogramConfig(chart, sheet, l, room)
{
	const x = columnOf(sheet, chart.x), y = columnOf(sheet, chart.y), end = columnOf(sheet, "bin_end");
	const rows = rowsOf(sheet), number = (row, i) => significant(Number(row[i])), options = commonOptions(l);
	const bin = (row) => number(row, x) + (end < 0 ? "" : " to " + number(row, end)) + " " + chart.bottom;

	options.scales = {
		x: axis(l, chart.bottom, { maxTicksLimit: Math.floor(room / 70), maxRotation: 0 }, NO_GRID),
		y: axis(l, chart.side, { precision: 0 }, { beginAtZero: true }),
	};
	options.plugins.tooltip.callbacks = {
		title: (t) => bin(rows[t[0].dataIndex]),
		label: (t) => counted(t.raw, chart.side.replace(/s$/, "")),
	};
	const series = { data: rows.map((row) => Number(row[y])), backgroundColor: l.colors[0], categoryPercentage: 1, barPercentage: 0.96 };
	return {
		type: "bar", options, data: { labels: rows.map((row) => number(row, x)), datasets: [series] }, high: 280,
		said: rows.map((row) => bin(row) + ": " + row[y]).join("; "),
	};
}

/* ---- roofline ---- */

const ROOF = "roof "; /* columns of the sheet that begin with it draw the roofs */

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
		const of = all[Number(field(sheet, row, "unified_perf_summary row")) - 2]; /* 2: the first row */
		return {
			x: Number(row[x]), y: Number(row[y]), row, of, unified, category: of ? field(unified, of, "op category") : "",
			us: of ? Number(field(unified, of, "Kernel Time (µs)_sum")) : 0,
		};
	});
}

function rooflineTip(sheet, p)
{
	const number = (name) => Number(field(sheet, p.row, name)), spec = visible(field(sheet, p.row, "Compute Spec"));
	const tip = [
		`${significant(p.y)} TFLOP/s at ${significant(p.x)} FLOP/byte`,
		`${number("Pct Roofline").toFixed(1)} % of the roof, ${significant(number("Roofline TFLOPS/s"))} TFLOP/s (${spec})`,
	];

	if (p.of) {
		const time = shownNumber(p.unified, p.of, "Kernel Time (µs)_sum");
		const calls = counted(Number(field(p.unified, p.of, "operation_count")), "call");
		tip.push(`kernel time ${time}, ${calls}, ${visible(p.category)}`);
	}
	return tip;
}

function roofLines(sheet, l)
{
	const x = columnOf(sheet, ROOF + "FLOPS/Byte"), rows = x < 0 ? [] : rowsOf(sheet).filter((row) => row[x] !== "");
	const dashes = [[], [8, 4], [3, 3], [10, 3, 3, 3], [1, 3], [14, 4]];
	const roofs = sheet.columns.map((c, i) => i).filter((i) => i !== x && sheet.columns[i].name.startsWith(ROOF));

	return roofs.map((i, k) => ({
		type: "line", label: visible(sheet.columns[i].name), isRoof: true,
		data: rows.map((row) => ({ x: Number(row[x]), y: Number(row[i]) })),
		borderColor: l.soft, backgroundColor: "transparent", borderWidth: 2, borderDash: dashes[k % dashes.length],
		pointStyle: "line", pointRadius: 0, pointHitRadius: 0,
	}));
}

/* A series for each category; the area of a point is its time. */
function roofSeries(points, l)
{
	const shapes = ["circle", "rectRot", "triangle", "rect", "star", "crossRot"];
	const most = Math.max(1e-9, ...points.map((p) => p.us));
	const radius = (least) => (c) => least + (c.raw ? 10 * Math.sqrt(c.raw.us / most) : 0);

	return [...new Set(points.map((p) => p.category))].map((category, k) => ({
		label: visible(category) || "operators", data: points.filter((p) => p.category === category),
		pointStyle: shapes[Math.floor(k / l.colors.length) % shapes.length], pointRadius: radius(3.5), pointHoverRadius: radius(5),
		backgroundColor: l.colors[k % l.colors.length] + "b8", borderColor: l.colors[k % l.colors.length], borderWidth: 1,
	}));
}

function rooflineConfig(chart, sheet, l)
{
	const points = rooflinePoints(chart, sheet), roofs = roofLines(sheet, l), options = commonOptions(l);
	const highest = Math.max(...roofs.flatMap((s) => s.data.map((p) => p.y)), ...points.map((p) => p.y));
	const log = (title, more) => axis(l, title, { callback: powerOfTen, maxRotation: 0 }, { type: "logarithmic", ...more });

	options.scales = { x: log(chart.bottom, {}), y: log(chart.side, { suggestedMax: highest * 1.6 }) };
	options.plugins.legend.display = true;
	options.plugins.legend.labels.usePointStyle = true;
	options.interaction = { mode: "nearest", intersect: true };
	options.plugins.tooltip.filter = (t) => !t.dataset.isRoof;
	options.plugins.tooltip.callbacks = {
		title: (t) => (t.length ? lines(t[0].raw.row[0], 90, 6) : ""),
		label: (t) => rooflineTip(sheet, t.raw),
	};
	options.onClick = (e, hits, c) => {
		const p = hits.length && c.data.datasets[hits[0].datasetIndex].data[hits[0].index];
		if (p && p.of)
			go(addressOf("unified_perf_summary", {}, Number(field(sheet, p.row, "unified_perf_summary row")) - 2));
	};
	return {
		type: "scatter", options, data: { datasets: [...roofs, ...roofSeries(points, l)] }, high: 460,
		said: counted(points.length, "operator") + " below their roofs; the sheet " + sheet.name + " has the numbers",
	};
}

/* ---- steps ---- */

const PHASE_COLORS = { Prefill: 0, Decode: 1, Mixed: 2, Unknown: 6 };

function stepTip(sheet, row)
{
	const number = (name) => Number(field(sheet, row, name)), has = (name) => field(sheet, row, name) !== "";
	const tokens = (name, kind) => (has(name) ? counted(number(name), kind + " token") : "");
	const phase = visible(field(sheet, row, "phase"));

	return [
		phase && phase + (has("confidence") ? ", confidence " + visible(field(sheet, row, "confidence")) : ""),
		[tokens("prefill_tokens", "prefill"), tokens("decode_tokens", "decode")].filter((t) => t).join(", "),
		"GPU busy " + shownNumber(sheet, row, "gpu_busy_us") + ", idle " + shownNumber(sheet, row, "gpu_idle_us"),
		"starts at " + shownNumber(sheet, row, "start_us") + ", takes " + shownNumber(sheet, row, "duration_us"),
		counted(number("kernel_count"), "kernel") +
			(has("top_category") ? ", most of it " + visible(field(sheet, row, "top_category")) : ""),
	].filter((line) => line);
}

/* The phases of the steps, those with a colour first. */
function phasesOf(rows, phase)
{
	const all = [...new Set(rows.map((row) => row[phase] || ""))], known = Object.keys(PHASE_COLORS);

	return [...known.filter((p) => all.includes(p)), ...all.filter((p) => !known.includes(p))];
}

/* A bar for each step: GPU busy in the colour of the phase, idle above it. */
function stepsConfig(chart, sheet, l)
{
	const rows = rowsOf(sheet), column = sheet.columns[columnOf(sheet, chart.y)], phase = columnOf(sheet, "phase");
	const phases = phasesOf(rows, phase), options = commonOptions(l);
	const value = (row, name) => Number(field(sheet, row, name)) * scaleOf(column);
	const color = (p, k) => l.colors[p in PHASE_COLORS ? PHASE_COLORS[p] : 3 + k % 3];
	const series = (label, backgroundColor, data) => ({
		label, backgroundColor, data, stack: "step", categoryPercentage: 1, barPercentage: rows.length > 200 ? 1 : 0.85,
	});
	const busy = phases.map((p, k) => series(visible(p) || "no phase", color(p, k),
		rows.map((row) => ((row[phase] || "") === p ? value(row, chart.y) : 0))));

	options.scales = {
		x: axis(l, chart.bottom, { maxTicksLimit: 16, maxRotation: 0 }, { stacked: true, ...NO_GRID }),
		y: axis(l, column.suffix.trim(), {}, { stacked: true, beginAtZero: true }),
	};
	options.plugins.legend.display = true;
	options.interaction = { mode: "index", intersect: false };
	options.plugins.tooltip.filter = (t, i) => i === 0;
	const title = (row) => "step " + visible(field(sheet, row, "step")) + "  " + brief(field(sheet, row, "name"), 80);
	options.plugins.tooltip.callbacks = {
		title: (t) => (t.length ? title(rows[t[0].dataIndex]) : ""),
		label: (t) => stepTip(sheet, rows[t.dataIndex]),
	};
	options.onClick = (e, hits) => { if (hits.length) go(addressOf(chart.sheet, {}, hits[0].index)); };
	return {
		type: "bar", options, high: 300,
		data: {
			labels: rows.map((row) => visible(field(sheet, row, chart.x))),
			datasets: [...busy, series("GPU idle", l.idle[0], rows.map((row) => value(row, "gpu_idle_us")))],
		},
		said: phases.map((p) => counted(rows.filter((row) => row[phase] === p).length, "step") + " " + brief(p, 40)).join(", "),
	};
}

/* ---- times of steps ---- */

/* A bar for each step of the program; those that are slow, and those that cannot be compared, stand out. */
function stepTimesConfig(chart, sheet, l)
{
	const rows = rowsOf(sheet), column = sheet.columns[columnOf(sheet, chart.y)], options = commonOptions(l);
	const mark = (row) => field(sheet, row, "mark"), value = (row) => Number(field(sheet, row, chart.y)) * scaleOf(column);
	const kinds = [["", "step", l.colors[0]], ["slow", "slow step", l.colors[5]], ["first", "first step", l.idle[1]], ["cut", "cut short", l.idle[0]]]
		.filter((k) => rows.some((row) => mark(row) === k[0]));
	const tip = (row) => [
		shownNumber(sheet, row, chart.y) + (mark(row) ? ", " + mark(row) : ""),
		"GPU busy " + shownNumber(sheet, row, "busy_ms") + ", idle " + shownNumber(sheet, row, "idle_ms"),
		field(sheet, row, "slow_in") && "slow in " + visible(field(sheet, row, "slow_in")) + ", by " + shownNumber(sheet, row, "slow_in_ms"),
	].filter((line) => line);

	options.scales = {
		x: axis(l, chart.bottom, { maxTicksLimit: 16, maxRotation: 0 }, { stacked: true, ...NO_GRID }),
		y: axis(l, column.suffix.trim(), {}, { stacked: true, beginAtZero: true }),
	};
	options.plugins.legend.display = true;
	options.interaction = { mode: "index", intersect: false };
	options.plugins.tooltip.filter = (t, i) => i === 0;
	options.plugins.tooltip.callbacks = {
		title: (t) => (t.length ? "step " + visible(field(sheet, rows[t[0].dataIndex], "step")) : ""),
		label: (t) => tip(rows[t.dataIndex]),
	};
	options.onClick = (e, hits) => { if (hits.length) go(addressOf(chart.sheet, {}, hits[0].index)); };
	return {
		type: "bar", options, high: 240,
		data: {
			labels: rows.map((row) => visible(field(sheet, row, chart.x))),
			datasets: kinds.map(([kind, label, backgroundColor]) => ({
				label, backgroundColor, stack: "step", maxBarThickness: 60, categoryPercentage: 1, barPercentage: rows.length > 200 ? 1 : 0.85,
				data: rows.map((row) => (mark(row) === kind ? value(row) : 0)),
			})),
		},
		said: kinds.map(([kind, label]) => counted(rows.filter((row) => mark(row) === kind).length, label)).join(", "),
	};
}

/* ---- curves ---- */

const MOST_STEPS = 100; /* vertical lines */

/* The columns that have a line. */
function linesOf(chart, sheet)
{
	const rows = chartRows(chart, sheet);

	return chart.parts.filter((name) => columnOf(sheet, name) >= 0 && rows.some((row) => Number(field(sheet, row, name)) > 0));
}

/* Vertical lines where steps begin. */
const stepLines = {
	id: "stepLines",
	beforeDatasetsDraw(chart) {
		const area = chart.chartArea, c = chart.ctx;
		c.save();
		c.strokeStyle = chart.options.inkOfSteps;
		c.setLineDash([4, 4]);
		c.beginPath();
		for (const at of chart.options.steps) {
			const x = chart.scales.x.getPixelForValue(at);
			c.moveTo(x, area.top);
			c.lineTo(x, area.bottom);
		}
		c.stroke();
		c.restore();
	},
};

/* Times as since 1970, which snapshots have, are shown from the first one on. */
function curveConfig(chart, sheet, l)
{
	const rows = chartRows(chart, sheet), x = sheet.columns[columnOf(sheet, chart.x)], y = sheet.columns[columnOf(sheet, chart.y)];
	const first = Number(field(sheet, rows[0], chart.x)), from = first > 1e12 ? first : 0, options = commonOptions(l);
	const time = (us) => (Number(us) - from) * (from ? 1e-3 : scaleOf(x)), filled = chart.shape === "areas";
	const steps = findSheet("memory_steps"), named = steps && !from ? chartRows(chart, steps) : [];
	const series = (name, k) => ({
		label: name.replace(/_bytes$/, "").replace(/_/g, " "), stepped: true, fill: filled ? (k ? "-1" : "origin") : false,
		data: rows.map((row) => ({ x: time(field(sheet, row, chart.x)), y: Number(field(sheet, row, name)) * scaleOf(y) })),
		borderColor: l.colors[k % l.colors.length], backgroundColor: l.colors[k % l.colors.length] + (filled ? "b8" : ""),
		borderWidth: filled ? 0 : 1.5, pointRadius: 0, pointHitRadius: 4,
	});
	const lines = linesOf(chart, sheet), datasets = lines.map(series);

	options.scales = {
		x: axis(l, chart.bottom + (from ? ", ms" : ", " + x.suffix.trim()), { maxTicksLimit: 12, maxRotation: 0 },
			{ type: "linear", min: time(first), max: time(field(sheet, rows[rows.length - 1], chart.x)) }),
		y: axis(l, y.suffix.trim(), {}, { stacked: filled, beginAtZero: true }),
	};
	Object.assign(options, {
		inkOfSteps: l.soft, interaction: { mode: "index", axis: "x", intersect: false }, parsing: false, normalized: true,
		steps: [...new Set(named.map((row) => field(steps, row, "start_us")).filter((us) => us))].slice(0, MOST_STEPS).map(time)
			.filter((at) => at >= options.scales.x.min),
	});
	options.plugins.legend.display = true;
	options.plugins.tooltip.callbacks = {
		title: (t) => (t.length ? significant(t[0].parsed.x) + " " + (from ? "ms" : x.suffix.trim()) : ""),
		label: (t) => t.dataset.label + " " + shownNumber(sheet, rows[t.dataIndex], lines[t.datasetIndex]),
	};
	const most = (name) => rows.reduce((a, row) => (Number(field(sheet, row, name)) > Number(field(sheet, a, name)) ? row : a), rows[0]);
	return {
		type: "line", options, data: { datasets }, plugins: [stepLines], high: 300,
		said: lines.map((name) => "most " + name.replace(/_/g, " ") + " " + shownNumber(sheet, most(name), name)).join("; "),
	};
}
