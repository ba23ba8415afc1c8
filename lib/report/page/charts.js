/* charts.js - the charts of the summary, drawn by Chart.js: what all of them share. shapes.js has
 * what each looks like.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */

/* Colours that people with any colour vision tell apart (after Okabe and Ito), lighter on dark ground. */
const COLORS = {
	light: ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#7a7a7a", "#a69500"],
	dark: ["#4aa3df", "#f0b43c", "#2fc49a", "#e2a0c6", "#93d4fa", "#ff8a57", "#a9a9a9", "#e3d84f"],
};
/* Of parts, in the order of chart_list.h: the device's work, what it waits for in reds, the host's in greens, loading, waits. */
const PARTS = {
	light: ["#0072b2", "#d55e00", "#e69f00", "#cc79a7", "#e6bcd3", "#8f4f78", "#009e73", "#7ccbb3", "#a69500", "#d6cc6b", "#7b4a12",
		"#56b4e9", "#a5d7f3", "#7a7a7a"],
	dark: ["#4aa3df", "#ff8a57", "#f0b43c", "#e2a0c6", "#8f5577", "#f3d3e5", "#2fc49a", "#1c7a60", "#e3d84f", "#8f8736", "#c08a4e",
		"#93d4fa", "#4f7f9c", "#a9a9a9"],
};
const IDLE = { light: ["#c3c9d1", "#aab2bc"], dark: ["#4b5563", "#5d6878"] };
const LONG_NAME = 50; /* characters; half of the names in a chart are longer */

const charts = []; /* the charts that are drawn */

/* The colours of the page, or of paper. */
function look(printed)
{
	const dark = !printed && isDark(), style = getComputedStyle(document.documentElement);
	const value = (name, paper) => (printed ? paper : style.getPropertyValue(name).trim());

	return {
		dark, colors: dark ? COLORS.dark : COLORS.light, parts: dark ? PARTS.dark : PARTS.light, idle: dark ? IDLE.dark : IDLE.light,
		ink: value("--ink", "#000"), soft: value("--soft", "#444"), line: value("--line", "#ccc"), paper: value("--paper", "#fff"),
	};
}

/* ---- fields of a row by name ---- */

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

/* ---- axes, tooltips, texts ---- */

/* An axis for Chart.js. ticks, more: options of the texts at the axis, and of the axis, besides the usual. */
function axis(l, title, ticks, more)
{
	return {
		grid: { color: l.line, drawBorder: false }, ticks: { color: l.soft, font: { size: 12 }, ...ticks },
		title: { display: title !== "", text: title, color: l.soft, font: { size: 12 } }, ...more,
	};
}

const NO_GRID = { grid: { display: false, drawBorder: false } };

function commonOptions(l)
{
	const legend = { color: l.ink, boxWidth: 12, boxHeight: 12, font: { size: 12 } };
	const tip = l.dark ? { ground: "#e8edf4", text: "#12161d" } : { ground: "#1a2230", text: "#fff" };

	return {
		animation: false, responsive: true, maintainAspectRatio: false,
		plugins: {
			legend: { display: false, position: "bottom", labels: legend },
			tooltip: {
				displayColors: false, bodyFont: { size: 12 }, titleFont: { size: 12 }, padding: 9,
				backgroundColor: tip.ground, titleColor: tip.text, bodyColor: tip.text,
			},
		},
	};
}

/* Writes texts at the end of bars: the series has them as `ends`. */
const barEnds = {
	id: "barEnds",
	afterDatasetsDraw(chart) {
		const series = chart.data.datasets[0], c = chart.ctx;
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

/* The width of a text that is set in 12 pixels, in pixels. */
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

/* ---- drawing ---- */

function canDraw(chart, sheet)
{
	const y = columnOf(sheet, chart.y);

	if (["steps", "step_times", "bandwidth"].includes(chart.shape))
		return sheet.rows > 1;
	if (chart.shape === "heat")
		return heatCells(chart, sheet).most > 0;
	if (chart.shape === "path")
		return partsOf(chart, sheet).length > 0;
	if (chart.shape === "curve" || chart.shape === "areas")
		return linesOf(chart, sheet).length > 0 && rowsOf(sheet).length > 1;
	if (chart.shape === "parts")
		return partsOf(chart, sheet).some((g) => g.parts[0]);
	if (chart.shape === "devices")
		return partsOf(chart, sheet).length > 1;
	return rowsOf(sheet).some((row) => row[y] !== "");
}

/* Does the chart take the whole width of the page? Charts with long names do. */
function isWide(chart, sheet)
{
	const x = columnOf(sheet, chart.x);

	if (chart.shape !== "bars")
		return chart.shape !== "histogram";
	const lengths = rowsOf(sheet).slice(0, chart.most).map((row) => row[x].length).filter((n) => n);
	return lengths.sort((a, b) => a - b)[lengths.length >> 1] > LONG_NAME;
}

function figure(chart, sheet)
{
	return make("figure", {},
		make("figcaption", {},
			make("div", {}, make("h2", {}, chart.title), make("p", {}, visible(subtitleOf(chart, sheet)))),
			make("a", { href: addressOf(sheet.name) }, "table")),
		make("div", { class: "canvas" }));
}

function drawChart(box, chart, sheet, printed)
{
	const frame = box.querySelector(".canvas"), onPaper = isWide(chart, sheet) ? 1000 : 490;
	const config = SHAPES[chart.shape](chart, sheet, look(printed), printed ? onPaper : frame.clientWidth || 600);
	const canvas = make("canvas", {
		role: "img", "aria-label": chart.title + ": " + config.said, width: onPaper, height: config.high,
	});

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
	const all = index.charts.map((chart) => ({ chart, sheet: findSheet(chart.sheet) }))
		.filter((c) => canDraw(c.chart, c.sheet))
		.filter((c, i, drawn) => drawn.findIndex((d) => d.chart.title === c.chart.title) === i);
	const wide = all.filter((c) => isWide(c.chart, c.sheet));
	const isFirst = (c) => ["parts", "devices", "steps", "named", "path", "heat", "bandwidth"].includes(c.chart.shape);
	const place = (c, to) => {
		c.box = figure(c.chart, c.sheet);
		to.append(c.box);
		c.drawn = drawChart(c.box, c.chart, c.sheet, false);
		charts.push(c);
	};

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
