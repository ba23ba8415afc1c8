/* summary.js - what the trace is, and the numbers people look at first.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */

/* Rows of the sheet overview as objects; none without that sheet. */
function overviewRows()
{
	const sheet = findSheet("overview");

	if (!sheet || ["section", "item", "value", "unit"].some((name) => columnOf(sheet, name) < 0))
		return [];
	return rowsOf(sheet).map((row) => ({ section: field(sheet, row, "section"), item: field(sheet, row, "item"),
		value: field(sheet, row, "value"), unit: field(sheet, row, "unit"), sheet: field(sheet, row, "sheet") }));
}

function factOf(facts, section, item)
{
	const fact = facts.find((f) => f.section === section && f.item === item);

	return fact ? fact.value : "";
}

/* ---- cards ---- */

/* A headline: "largest operator: aten::mm" has a name; "% of total_time" is a share of something. */
function headlineCard(f)
{
	const [, label, name] = f.item.match(/^([^:(]*): ([^]*)$/) || [, f.item, ""];
	const [, unit, of] = f.unit.match(/^([^ ,]*),? ?([^]*)$/), isShare = unit === "%", known = findSheet(f.sheet);
	const part = Math.max(0, Math.min(100, Number(f.value)));

	return make(known ? "a" : "div",
		{ class: "card", href: known ? addressOf(f.sheet) : undefined, title: name ? brief(name, 1500) : undefined },
		make("span", { class: "label" }, visible(label)),
		make("span", { class: "value" }, isShare ? Number(f.value).toFixed(1) : plainNumber(f.value),
			make("small", {}, visible(unit))),
		name ? make("span", { class: "name" }, brief(name, 90)) : "",
		of ? make("span", { class: "of" }, visible(of)) : "",
		isShare ? make("div", { class: "meter" }, make("i", { part: part + "%" })) : "");
}

function countCard(facts, item, label)
{
	const value = factOf(facts, "trace", item), fact = facts.find((f) => f.section === "trace" && f.item === item);

	if (value === "" || value === "0")
		return "";
	return make("div", { class: "card" }, make("span", { class: "label" }, label),
		make("span", { class: "value" }, plainNumber(value), make("small", {}, fact.unit === "ms" ? "ms" : "")));
}

/* A card for each phase of the sheet phase_summary. */
function phaseCards()
{
	const sheet = findSheet("phase_summary"), name = "Percentage (%)";

	if (!sheet || columnOf(sheet, name) < 0)
		return [];
	return rowsOf(sheet).filter((row) => field(sheet, row, name) !== "").slice(0, 4).map((row) => headlineCard({
		item: "in phase " + field(sheet, row, "phase"), value: field(sheet, row, name),
		unit: "% of the operators' kernel time", sheet: sheet.name,
	}));
}

function cards(facts)
{
	const headlines = facts.filter((f) => f.section === "headline").map(headlineCard);
	const all = [
		countCard(facts, "first event to last", "span of the trace"), countCard(facts, "kernels", "kernels"),
		countCard(facts, "steps", "steps"), ...headlines, ...phaseCards(),
	].filter((c) => c);

	return all.length ? make("div", { class: "cards" }, ...all) : "";
}

/* Rows of cards are as long as each other, or nearly so: as few rows as there is room for. */
function spreadCards()
{
	const box = document.querySelector(".cards"), n = box ? box.children.length : 0;

	if (!n || !box.clientWidth)
		return;
	const fit = Math.max(1, Math.floor((box.clientWidth + 12) / 162)), rows = Math.ceil(n / fit); /* as in page.css */
	box.style.setProperty("--columns", Math.ceil(n / rows));
}

/* ---- facts ---- */

function factValue(f)
{
	const isText = ["software", "tool", "job"].includes(f.section) || /\bid\b|name|file/.test(f.item);

	if (f.unit.startsWith("bytes"))
		return [bytes(Number(f.value)), make("small", {}, "  " + thousands(f.value) + " " + visible(f.unit))];
	return [isText ? visible(f.value) : plainNumber(f.value), f.unit ? make("small", {}, " " + visible(f.unit)) : ""];
}

function factBoxes(facts)
{
	const sections = [...new Set(facts.map((f) => f.section))].filter((s) => s !== "headline" && s !== "left out");

	const entry = (f) => [make("dt", {}, visible(f.item)), make("dd", {}, ...factValue(f))];
	const box = (s) => make("div", { class: "box" }, make("h2", {}, visible(s)),
		make("dl", {}, ...facts.filter((f) => f.section === s).flatMap(entry)));

	return make("div", { class: "boxes" }, ...sections.map(box));
}

function remarks(facts)
{
	const all = facts.filter((f) => f.section === "left out");
	const entry = (f) => make("li", {}, make("b", {}, visible(f.item)), ": " + visible(f.value + (f.unit ? " " + f.unit : "")));

	if (!all.length)
		return "";
	return make("div", { class: "remarks" }, make("h2", {}, "What was left out, and warnings"),
		make("ul", {}, ...all.map(entry)));
}

function sheetList()
{
	const entry = (s) => [
		make("dt", {}, make("a", { href: addressOf(s.name) }, visible(s.name))),
		make("dd", { class: "n" }, counted(s.rows, "row")), make("dd", { class: "help" }, visible(s.help)),
	];

	return make("div", { class: "box sheet-list" }, make("h2", {}, "Sheets"), make("dl", {}, ...index.sheets.flatMap(entry)));
}

/* ---- the page's head ---- */

function drawHead(facts)
{
	const file = factOf(facts, "trace", "file"), gpu = factOf(facts, "gpu", "name"), rank = factOf(facts, "job", "rank");
	const world = factOf(facts, "job", "world size"), span = factOf(facts, "trace", "first event to last");
	const gpus = facts.filter((f) => f.section === "gpu" && f.item === "name").length;
	const kind = findSheet("ranks_overview") ? "GPU job report" : "GPU trace report";
	const known = (text) => text !== "" && text !== "not in the trace";
	const parts = [
		known(gpu) ? brief(gpu, 80) + (gpus > 1 ? " and others" : "") : "",
		known(rank) ? "rank " + visible(rank) + (known(world) ? " of " + visible(world) : "") : "",
		span ? plainNumber(span) + " ms" : "",
		visible(factOf(facts, "trace", "profiler")), visible(factOf(facts, "trace", "begins")),
		"tl-tools " + visible(factOf(facts, "tool", "tl-tools") || index.version),
	].filter((p) => p);

	if (file) {
		const name = visible(file.replace(/^.*\//, ""));
		document.getElementById("title").textContent = shorten(name, 120);
		document.getElementById("title").title = brief(file, 1000);
		document.title = shorten(name, 80) + " \u2013 " + kind;
	} else {
		document.title = document.getElementById("title").textContent = kind;
	}
	document.getElementById("facts").replaceChildren(...parts.map((p) => make("span", {}, p)));
}

/* Shows the summary. It is made when it is first shown, so that a page that opens with a sheet appears
 * sooner. */
function showSummary()
{
	const summary = document.getElementById("summary");

	summary.hidden = false; /* charts measure their place */
	if (summary.firstChild) {
		spreadCards();
		return;
	}
	const facts = overviewRows(), box = make("div", { class: "charts" });
	const all = [findingsBlock(), cards(facts), remarks(facts), box, ranksTable(), facts.length ? factBoxes(facts) : "", sheetList()];
	summary.append(...all.filter((e) => e));
	spreadCards();
	drawCharts(box);
}
