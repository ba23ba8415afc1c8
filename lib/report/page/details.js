/* details.js - one row of a sheet with all its fields in full.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */

const LONG = 120; /* characters; longer texts are set in a fixed-width face */

function filterButton(i, text)
{
	if (isNumeric(view.sheet.columns[i]) || text === "" || text.length > 1000)
		return "";
	return make("button", { type: "button", title: "Only rows with this text", onclick: () => {
		view.filters.set(i, "=" + text);
		if (!view.columns.includes(i))
			view.columns = [...view.columns, i].sort((a, b) => a - b);
		updateOrder();
		closeDetails();
		drawTable();
		keepAddress();
	} }, "filter");
}

function detail(i, text)
{
	const column = view.sheet.columns[i];
	const dd = make("dd", { class: text.length > LONG ? "code" : undefined, tabindex: text.length > 600 ? "0" : undefined });

	if (isNumeric(column) && text !== "") {
		const shown = shownField(column, text);
		dd.append(shown, shown === text ? "" : make("small", {}, "  (" + text + ")"));
	} else {
		dd.append(text === "" ? make("small", {}, "empty") : visibleLines(text));
	}
	return [make("dt", {}, make("span", {}, visible(column.name)), filterButton(i, text)), dd];
}

/* Other sheets with a column of the same name as the first one of this sheet, filtered by the
 * row's text. */
function lookUps(text)
{
	const name = view.sheet.columns[0].name;
	const others = index.sheets.filter((s) => s !== view.sheet && columnOf(s, name) >= 0);

	if (isNumeric(view.sheet.columns[0]) || name === "section" || !others.length || text === "" || text.length > 1000)
		return [];
	return [make("dt", {}, make("span", {}, "The same in other sheets")),
		make("dd", { class: "links" }, ...others.map((s) => make("a", { href: addressOf(s.name, { [name]: "=" + text }) }, visible(s.name))))];
}

function openDetails()
{
	const panel = document.getElementById("details"), at = view.chosen;
	const row = rowsOf(view.sheet)[view.order[at]];
	const step = (n, label, sign) => make("button", { type: "button", "aria-label": label, onclick: () => choose(at + n) }, sign);

	if (!row)
		return;
	panel.replaceChildren(
		make("header", {}, make("h3", {}, "Row " + thousands(String(at + 1)) + " of " + thousands(String(view.order.length))),
			step(-1, "Previous row", "\u2191"), step(1, "Next row", "\u2193"),
			make("button", { type: "button", "aria-label": "Close", onclick: () => { closeDetails(); grid().focus(); } }, "\u2715")),
		make("dl", {}, ...row.flatMap((text, i) => detail(i, text)), ...lookUps(row[0])));
	panel.hidden = false;
	panel.scrollTop = 0;
}

function closeDetails()
{
	document.getElementById("details").hidden = true;
}
