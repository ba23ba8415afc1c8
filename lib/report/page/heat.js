/* heat.js - a cell for each row of a sheet, at the place that two of its columns say, in the colour of a third one: ranks and steps,
 * ranks and ranks. However many cells there are, they are one picture of a pixel each.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */

const HEAT_ROW = 22, MOST_HEAT_HIGH = 640; /* pixels: of a row of cells, of all of them */

/* Numbers in their order, before texts. */
function byNumber(a, b)
{
	return (a === "") - (b === "") || Number(a) - Number(b) || (a < b ? -1 : a > b ? 1 : 0);
}

/* Where each value of an axis stands. */
function placesOf(rows, column)
{
	const names = [...new Set(rows.map((row) => row[column]))].sort(byNumber);

	return { names, at: new Map(names.map((name, i) => [name, i])) };
}

/* The cells: their sums by place, the rows that they come from, and the greatest sum. Rows without a value, and what is not above 0,
 * leave a cell empty. */
function heatCells(chart, sheet)
{
	if (sheet.heat)
		return sheet.heat;
	const rows = rowsOf(sheet), x = columnOf(sheet, chart.x), y = columnOf(sheet, chart.y), z = columnOf(sheet, chart.parts[0]);
	if (x < 0 || y < 0 || z < 0)
		return { most: 0 };
	const across = placesOf(rows, x), down = placesOf(rows, y);
	const sums = new Float64Array(across.names.length * down.names.length), from = new Map();
	rows.forEach((row, i) => {
		const k = down.at.get(row[y]) * across.names.length + across.at.get(row[x]);
		sums[k] += Number(row[z]) || 0;
		from.set(k, i);
	});
	sheet.heat = { across: across.names, down: down.names, sums, from, most: sums.reduce((a, b) => Math.max(a, b), 0), column: sheet.columns[z] };
	return sheet.heat;
}

function channels(color)
{
	const c = document.createElement("canvas").getContext("2d");

	c.fillStyle = color;
	c.fillRect(0, 0, 1, 1);
	return c.getImageData(0, 0, 1, 1).data;
}

/* The picture of the cells, from the colour of the ground to the one of the greatest value. */
function heatPicture(cells, l)
{
	const picture = make("canvas", { width: cells.across.length, height: cells.down.length }), c = picture.getContext("2d");
	const data = c.createImageData(picture.width, picture.height), low = channels(l.line), high = channels(l.colors[5]);

	cells.sums.forEach((sum, k) => {
		const part = Math.max(0, sum) / cells.most;
		for (let i = 0; i < 3; i++)
			data.data[4 * k + i] = low[i] + (high[i] - low[i]) * part;
		data.data[4 * k + 3] = cells.from.has(k) ? 255 : 0;
	});
	c.putImageData(data, 0, 0);
	return picture;
}

/* The cell below the pointer; undefined: none. */
function cellAt(chart, cells, e)
{
	const { x, y } = chart.scales, at = [x.getValueForPixel(e.x), y.getValueForPixel(e.y)].map((v) => Math.floor(v + 0.5));
	const inside = at[0] >= 0 && at[1] >= 0 && at[0] < cells.across.length && at[1] < cells.down.length;
	const k = at[1] * cells.across.length + at[0];

	return inside && cells.from.has(k) ? { k, across: cells.across[at[0]], down: cells.down[at[1]] } : undefined;
}

function heatConfig(chart, sheet, l)
{
	const cells = heatCells(chart, sheet), picture = heatPicture(cells, l), options = commonOptions(l);
	const shown = (k) => shownField(cells.column, String(cells.sums[k]));
	const saidOf = (c) => chart.bottom + " " + visible(c.across) + ", " + chart.side + " " + visible(c.down) + ": " + shown(c.k);
	const scale = (title, names) => axis(l, title, { callback: (v) => visible(names[v] || ""), precision: 0, maxRotation: 0 },
		{ type: "linear", min: -0.5, max: names.length - 0.5, ...NO_GRID, afterBuildTicks(a) {
			const every = Math.max(1, Math.ceil(names.length / 24));
			a.ticks = names.map((n, i) => ({ value: i })).filter((t) => t.value % every === 0);
		} });
	const worst = cells.sums.indexOf(cells.most), wide = cells.across.length;

	options.scales = { x: scale(chart.bottom + "   (strongest colour: " + shown(worst) + ")", cells.across), y: { ...scale(chart.side, cells.down), reverse: true } };
	options.plugins.tooltip.enabled = false;
	options.events = ["mousemove", "click"];
	options.onHover = (e, hits, c) => {
		const cell = cellAt(c, cells, e);
		c.canvas.title = cell ? saidOf(cell) : "";
	};
	options.onClick = (e, hits, c) => {
		const cell = cellAt(c, cells, e);
		if (cell)
			go(addressOf(sheet.name, {}, cells.from.get(cell.k)));
	};
	const drawn = {
		id: "heat",
		beforeDatasetsDraw(c) {
			const a = c.chartArea;
			c.ctx.imageSmoothingEnabled = false;
			c.ctx.drawImage(picture, a.left, a.top, a.right - a.left, a.bottom - a.top);
		},
	};
	return {
		type: "scatter", options, plugins: [drawn], data: { datasets: [{ data: [] }] },
		high: 70 + Math.min(MOST_HEAT_HIGH, HEAT_ROW * cells.down.length),
		said: "the most: " + saidOf({ k: worst, across: cells.across[worst % wide], down: cells.down[Math.floor(worst / wide)] }),
	};
}
