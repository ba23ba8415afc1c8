/* findings.js - what to do first: the sheets of tl-findings above all else. Its texts are the cells of these sheets.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */

const MOST_FINDINGS = 6;

/* The sheet of findings: of a trace, or of a job. */
function findingsName()
{
	return ["findings", "ranks_overview"].find(findSheet);
}

/* Rows of a sheet with these columns as objects; none without the sheet or one of the columns. */
function objectsOf(name, ...columns)
{
	const sheet = findSheet(name);

	if (!sheet || columns.some((c) => columnOf(sheet, c) < 0))
		return [];
	return rowsOf(sheet).map((row) => Object.fromEntries(columns.map((c) => [c, field(sheet, row, c)])));
}

/* The address of the rows that a finding comes from; undefined: the page does not have them. */
function evidenceAddress(id)
{
	const rows = objectsOf("finding_evidence", "id", "sheet", "row").filter((e) => e.id === id);

	if (!rows.length || !findSheet(rows[0].sheet))
		return undefined;
	return addressOf(rows[0].sheet, {}, undefined, rows.map((e) => Number(e.row) - 1));
}

/* The rows that a finding comes from, how sure it is and what the advice takes. */
function smallPrint(f)
{
	const address = evidenceAddress(f.id), text = brief(f.evidence, 160);
	const words = [f.confidence && "confidence: " + f.confidence, f.effort && "effort: " + f.effort].filter((w) => w);

	if (!text && !words.length)
		return "";
	return make("p", { class: "small" }, address ? make("a", { href: address }, text) : text,
		...words.map((w) => make("span", {}, visible(w))));
}

function stakeOf(f)
{
	const sheet = findSheet(findingsName()), shown = (name) => shownField(sheet.columns[columnOf(sheet, name)], f[name]);
	const share = Math.max(0, Math.min(100, Number(f["Percent of window (%)"])));

	if (f.effect === "limit")
		return make("div", { class: "stake" }, make("strong", { title: "what is limited takes so long" }, shown("device_ms")), " ", make("span", {}, "a limit"));
	return make("div", { class: "stake" }, make("strong", { title: "at stake" }, shown("at_stake_ms")), " ",
		make("span", {}, shown("Percent of window (%)")), make("div", { class: "meter" }, make("i", { part: share + "%" })),
		Number(f.device_ms) > 2 * Number(f.at_stake_ms) ? make("p", { class: "small" }, "on the device " + shown("device_ms")) : "");
}

/* Says the row that nothing was found, or that nothing could be judged? */
function isSilent(f)
{
	return f.severity === "none" || f.severity === "unknown";
}

function findingItem(f)
{
	return make("li", { class: f.severity },
		isSilent(f) ? "" : stakeOf(f),
		make("div", { class: "says" },
			make("h3", {}, visible(f.title)),
			f.what_to_do ? make("p", { class: "do" }, visible(f.what_to_do)) : "",
			smallPrint(f),
			f.slice_command ? make("details", {}, make("summary", {}, "See it in Perfetto"), make("code", {}, visible(f.slice_command))) : "",
			f.also ? make("details", {}, make("summary", {}, "Also about this time"), make("p", {}, visible(f.also))) : ""));
}

/* What is wrong with the recording itself. */
function healthStrip(all)
{
	const entry = (f) => make("li", {}, make("b", {}, visible(f.title)), " ", visible(f.what_to_do), smallPrint(f));

	return all.length ? make("div", { class: "remarks health" }, make("ul", {}, ...all.map(entry))) : "";
}

/* What the recorded time went to, causes of one class together, the mean of the devices: "kernels 45.6 %, idle 53.2 %". Shares of
 * findings and headlines are of the same time. */
function windowText()
{
	const sums = new Map(), share = (part, all) => (part / all * 100).toFixed(1) + " %";
	let all = 0;

	for (const e of objectsOf("ledger", "class", "time_ms")) {
		sums.set(e.class, (sums.get(e.class) || 0) + Number(e.time_ms));
		all += Number(e.time_ms);
	}
	const unrecorded = sums.get("unrecorded") || 0, recorded = all - unrecorded;
	const parts = [...sums].filter(([name, sum]) => name !== "unrecorded" && sum >= recorded * 0.0005);
	if (!(recorded > 0))
		return "";
	return "The recorded time: " + parts.map(([name, sum]) => visible(name) + " " + share(sum, recorded)).join(", ") +
		(unrecorded ? "; unrecorded: " + share(unrecorded, all) + " of the whole time" : "");
}

/* "GPU work: 63 % fp32 products without tensor cores, 9 % optimizer; 37 % rated", as tl-findings says it. */
function workText()
{
	const whole = (x) => Number(x.percent).toFixed(0) + " % ", work = objectsOf("gpu_work", "work", "percent").slice(0, 5);
	const rated = objectsOf("judged", "part", "percent").find((p) => p.part === "rated") || { percent: 0 };

	return work.length ? "GPU work: " + work.filter((w) => Number(w.percent) >= 3).map((w) => whole(w) + visible(w.work)).join(", ") +
		"; " + whole(rated) + "rated" : "";
}

/* open: without a finding people must see that not asked is not fine. */
function unaskedList(open)
{
	const all = objectsOf("findings_unasked", "rule", "why"), reasons = [...new Set(all.map((u) => u.why))];
	const rules = (why) => all.filter((u) => u.why === why).map((u) => u.rule).join(", ");

	if (!all.length)
		return "";
	return make("details", { class: "unasked", open }, make("summary", {}, "Could not be asked: " + counted(all.length, "rule")),
		make("ul", {}, ...reasons.map((why) => make("li", {}, visible(why) + ": ", make("span", {}, visible(rules(why)))))));
}

/* The block of findings, or "" without their sheet. */
function findingsBlock()
{
	const name = findingsName(), has = (column) => columnOf(findSheet(name) || { columns: [] }, column) >= 0;
	const all = objectsOf(name, "rank", "severity", "title", "at_stake_ms", "Percent of window (%)", "confidence", "effort",
		"evidence", "what_to_do", "also", "id", ...["effect", "device_ms", "slice_command"].filter(has));
	const ranked = all.filter((f) => Number(f.rank) > 0), job = all.find((f) => f.severity === "job");
	const window = job ? visible(job.title) : windowText(), work = workText();

	if (!all.length)
		return "";
	return make("section", { class: "box findings" },
		make("header", {}, make("div", {}, make("h2", {}, "What to do first"),
			window ? make("p", {}, window) : "", work ? make("p", {}, work) : ""),
			make("a", { href: addressOf(name) }, ranked.length > MOST_FINDINGS ? "all " + counted(ranked.length, "finding") : "table")),
		healthStrip(all.filter((f) => f.severity === "health")),
		make("ol", {}, ...ranked.slice(0, MOST_FINDINGS).map(findingItem)),
		unaskedList(ranked.every(isSilent)));
}
