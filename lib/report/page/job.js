/* job.js - the ranks of a job: a table of them, their pages, and bandwidth by group and size of messages.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */

/* ---- ranks ---- */

const MOST_RANKS = 16; /* in the summary; the sheet has all */

/* The page of a rank, if the column names a rank of the job, and its page stood beside this one; undefined: none. */
function pageOfRank(sheet, column, text)
{
	const name = "rank" + text + ".html";

	if (!/^ranks_(?!overview$)/.test(sheet.name) || !/(^|_)rank$/.test(column) || !index.rankPages.includes(name))
		return undefined;
	return name;
}

/* The ranks for which others wait longest, by the sheets that are there; "" without them. */
function ranksTable()
{
	const sheet = findSheet("ranks_communication"), steps = findSheet("ranks_summary"), causes = findSheet("ranks_causes");
	const shown = [[sheet, ["rank", "caused_wait_ms", "wait_ms"]], [causes, ["loss_ms", "more_ms", "slow_in", "slow_kernel"]],
		[steps, ["own_excess_ms", "steps_slowest", "steps_outlier", "worst_step", "slow_cause"]]]
		.flatMap(([of, names]) => (of ? names.filter((name) => columnOf(of, name) >= 0).map((name) => ({ of, name, column: of.columns[columnOf(of, name)] })) : []));
	const byRank = (of) => new Map(of ? [...rowsOf(of)].reverse().map((row) => [field(of, row, "rank"), row]) : []);
	const rows = new Map([[steps, byRank(steps)], [causes, byRank(causes)]]);

	if (!sheet || columnOf(sheet, "rank") < 0)
		return "";
	const cell = (c, row) => {
		const text = row ? field(c.of, row, c.name) : "", page = pageOfRank(c.of, c.name, text), value = shownField(c.column, text);
		return make("td", { class: isNumeric(c.column) ? "number" : "", title: visible(text) },
			page ? make("a", { href: page }, value) : isNumeric(c.column) ? value : brief(text, 40));
	};
	const line = (row) => make("tr", {}, ...shown.map((c) => cell(c, c.of === sheet ? row : rows.get(c.of).get(field(sheet, row, "rank")))));
	const head = shown.map((c) => make("th", { scope: "col", class: isNumeric(c.column) ? "number" : "" }, ...breakable(c.name)));
	return make("section", { class: "box ranks" },
		make("header", {}, make("h2", {}, "Ranks"), make("a", { href: addressOf(sheet.name) }, "all " + counted(sheet.rows, "rank"))),
		make("div", { class: "wide" }, make("table", {}, make("thead", {}, make("tr", {}, ...head)),
			make("tbody", {}, ...rowsOf(sheet).slice(0, MOST_RANKS).map(line)))));
}

/* ---- bandwidth ---- */

/* Groups that the job loses time by. */
function slowGroups()
{
	return new Set(objectsOf("ranks_causes", "cause", "Process Group Name").filter((c) => c.cause === "group").map((c) => c["Process Group Name"]));
}

/* A point for each row: a colour for each collective, groups that findings name in one of their own. */
function bandwidthConfig(chart, sheet, l)
{
	const slow = slowGroups(), options = commonOptions(l), of = (row, name) => field(sheet, row, name), tint = (k) => l.colors[[0, 2, 3, 4, 1, 7][k % 6]];
	const points = rowsOf(sheet).map((row, at) => ({ row, at, x: Number(of(row, chart.x)), y: Number(of(row, chart.y)) })).filter((p) => p.x > 0 && p.y > 0);
	const isSlow = (p) => slow.has(of(p.row, "Process Group Name")) && Number(of(p.row, "slow_by_pct")) > 0, what = (p) => of(p.row, "Collective name");
	const names = [...new Set(points.map(what))], sizes = [...new Set(points.map((p) => p.x))].sort((a, b) => a - b), pct = (p) => shownNumber(sheet, p.row, "slow_by_pct");
	const said = (p) => visible(of(p.row, "Process Group Name")) + ", " + visible(what(p)) + ", " + shownNumber(sheet, p.row, chart.x) + " MiB: " + shownNumber(sheet, p.row, chart.y) +
		" GB/s" + (of(p.row, chart.parts[0]) ? ", others alike " + shownNumber(sheet, p.row, chart.parts[0]) + " GB/s, slower by " + pct(p) : "");
	const series = (label, color, data, radius) => ({ label, data, backgroundColor: color + "b8", borderColor: color, pointRadius: radius, pointHoverRadius: radius + 2 });
	const usual = points.filter((p) => of(p.row, chart.parts[0])).map((p) => ({ ...p, y: Number(of(p.row, chart.parts[0])) }));

	options.scales = {
		x: axis(l, chart.bottom, { maxRotation: 0, callback: (v) => shownField(sheet.columns[columnOf(sheet, chart.x)], String(v)) }, { type: "logarithmic", min: sizes[0] / 1.5, max: sizes[sizes.length - 1] * 1.5,
			afterBuildTicks(a) { a.ticks = sizes.filter((x, k) => k % Math.ceil(sizes.length / 12) === 0).map((value) => ({ value })); } }),
		y: axis(l, chart.side, {}, { beginAtZero: true }),
	};
	options.plugins.legend.display = true;
	options.plugins.legend.labels.usePointStyle = true;
	options.plugins.tooltip.callbacks = { title: () => "", label: (t) => said(t.raw) };
	options.onClick = (e, hits, c) => {
		if (hits.length)
			go(addressOf(sheet.name, {}, c.data.datasets[hits[0].datasetIndex].data[hits[0].index].at));
	};
	const datasets = [series("slow: " + brief([...slow].join(", "), 60), l.colors[5], points.filter(isSlow), 7),
		...names.map((name, k) => series(visible(name), tint(k), points.filter((p) => !isSlow(p) && what(p) === name), 4)),
		{ ...series("others alike", l.soft, usual, 9), pointStyle: "line" }].filter((s) => s.data.length);
	return {
		type: "scatter", options, data: { datasets }, high: 320,
		said: counted(points.length, "row") + (slow.size ? "; slow: " + points.filter(isSlow).slice(0, 8).map(said).join("; ") : ""),
	};
}
