/* table.js - a sheet as a table: only the rows in sight are elements of the page.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */

const ROW = 26;         /* pixels, as in page.css */
const MARGIN = 12;      /* rows above and below those in sight */
const PRINTED = 500;    /* rows on paper */
const NUMBER_HELP = ">10  >=10  <5  =3  !=3  10..20, in the unit that is shown";
const TEXT_HELP = "text in it;  =text: all of it;  !text: not in it";

/* The sheet that is looked at, and how. The address of the page (its part behind '#') says the same. */
const view = { sheet: null, search: "", filters: new Map(), sort: -1, descending: false, columns: [], chosen: -1,
	order: [], widths: [], printed: false, rows: null,
	closed: new Set() /* rows of a tree whose parts are hidden */ };

const grid = () => document.getElementById("grid");

/* ---- which rows and columns ---- */

function usualColumns(sheet)
{
	return sheet.columns.map((c, i) => i).filter((i) => !sheet.columns[i].folded);
}

function updateOrder()
{
	view.order = passing(view.sheet, view.search, view.filters).filter((r) => !view.rows || view.rows.has(r));
	if (view.sort >= 0)
		sortRows(view.sheet, view.order, view.sort, view.descending);
	if (isTree())
		view.order = openRows(view.order);
}

function longestWord(name)
{
	return Math.max(...name.split(/[\s_/]/).map((w) => w.length));
}

/* About how many pixels a character of a table is wide. */
function characterWidth()
{
	if (!characterWidth.known)
		characterWidth.known = Math.max(5, textWidth(ALPHABET) / 45 * 13 / 12);
	return characterWidth.known;
}

/* The width of a column that nobody has dragged, in pixels. */
function usualWidth(column, i)
{
	const header = Math.max(longestWord(column.name) + 1, Math.min(column.name.length, 14)) + 2;
	let text = Math.min(column.width, i === 0 || /(^|Kernel |_)name$|^title$/.test(column.name) ? 52 : 34);

	if (isNumeric(column)) {
		const x = column.largest;
		text = column.asWritten ? column.width : rounded(column, x, String(x)).length + 1;
	}
	const pixels = Math.round(Math.max(5, header, text) * characterWidth()) + 18 + (i === 0 ? treeWidth(view.sheet) : 0);
	/* on the screen of a telephone a text has half of the width */
	return isNumeric(column) ? pixels : Math.min(pixels, Math.max(120, Math.round(innerWidth / 2)));
}

/* ---- the header ---- */

/* A name that may break behind '_' and '/'. */
function breakable(name)
{
	const parts = visible(name).match(/[^_/]*[_/]?/g).filter((p) => p);

	return parts.flatMap((p, k) => (k ? [make("wbr"), p] : [p]));
}

function headerCell(i, k)
{
	const column = view.sheet.columns[i], sorted = view.sort === i;
	const th = make("th", { scope: "col", class: (isNumeric(column) ? "number" : "text") + (k ? "" : " first"),
		"aria-sort": sorted ? (view.descending ? "descending" : "ascending") : undefined, "data-column": i });

	if (view.printed) { /* browsers do not repeat buttons on each page */
		th.append(visible(column.name));
		return th;
	}
	th.append(make("button", { type: "button", title: (column.text ? column.text + "\n" : "") + "Sort by " + brief(column.name, 200), onclick: () => sortBy(i) },
		make("span", {}, ...breakable(column.name)),
		make("span", { class: "arrow", "aria-hidden": "true" }, !sorted ? "" : view.descending ? "\u25bc" : "\u25b2")));
	th.append(make("div", { class: "grip", title: "Drag to change the width", onpointerdown: (e) => dragWidth(e, i),
		ondblclick: () => { view.widths[i] = 0; drawTable(); } }));
	return th;
}

function filterCell(i, k)
{
	const column = view.sheet.columns[i], filter = view.filters.get(i) || "";
	const numeric = isNumeric(column);
	const input = make("input", { type: "text", value: filter, spellcheck: "false", autocomplete: "off",
		"aria-label": "Filter " + brief(column.name, 100), placeholder: numeric ? ">, <, a..b" : "filter",
		title: numeric ? NUMBER_HELP : TEXT_HELP, "data-column": i });

	input.addEventListener("input", () => setFilter(i, input.value, input));
	markFilter(input, column);
	return make("th", { class: k ? undefined : "first" }, input);
}

function markFilter(input, column)
{
	input.classList.toggle("active", input.value !== "");
	input.classList.toggle("wrong", input.value !== "" && !filterTest(input.value, column));
}

function columnWidth(i)
{
	return view.widths[i] || usualWidth(view.sheet.columns[i], i);
}

function dragWidth(event, i)
{
	const start = event.clientX, width = columnWidth(i), grip = event.target;
	const move = (e) => {
		view.widths[i] = Math.max(40, width + e.clientX - start);
		applyWidths();
	};

	event.preventDefault();
	grip.setPointerCapture(event.pointerId);
	grip.addEventListener("pointermove", move);
	grip.addEventListener("pointerup", () => {
		grip.removeEventListener("pointermove", move);
		drawRows();
	}, { once: true });
}

function applyWidths()
{
	const table = grid().querySelector("table");

	view.columns.forEach((i, k) => { table.querySelectorAll("col")[k].style.width = columnWidth(i) + "px"; });
	table.style.width = view.columns.reduce((sum, i) => sum + columnWidth(i), 0) + "px";
}

/* ---- the body ---- */

function addBar(td, column, text)
{
	const x = Number(text), full = column.largest > 100 ? column.largest : 100;

	if (column.unit !== "percent" || text === "" || !(x >= 0))
		return;
	td.classList.add("bar");
	td.classList.toggle("second", Boolean(column.roof));
	td.style.setProperty("--part", Math.min(1, x / full).toFixed(4));
}

/* Where a cell leads: to the sheet that it names, and the row there if the next column says which; from a finding to its
 * evidence. undefined: nowhere. */
function linkOf(row, i)
{
	const { name, columns } = view.sheet, text = row[i], column = columns[i].name, at = columnOf(view.sheet, "row");

	if (column === "sheet" && findSheet(text))
		return at < 0 ? addressOf(text) : addressOf(text, {}, undefined, [Number(row[at]) - 1]);
	if (name === "findings" && column === "id" && text !== "")
		return findSheet("finding_evidence") && addressOf("finding_evidence", { id: "=" + text });
	return pageOfRank(view.sheet, column, text);
}

function bodyCell(row, i, k)
{
	const column = view.sheet.columns[i], text = row[i];
	const td = make("td", { class: (isNumeric(column) ? "number" : column.width > 16 ? "long" : "") + (k ? "" : " first") });

	if (isNumeric(column)) {
		const link = linkOf(row, i), shown = shownField(column, text);
		td.append(link ? make("a", { href: link }, shown) : shown);
		td.title = visible(text);
		addBar(td, column, text);
	} else if (linkOf(row, i)) {
		td.append(make("a", { href: linkOf(row, i) }, visible(text)));
	} else {
		const room = view.printed ? 70 : Math.max(6, Math.floor((columnWidth(i) - 16) / characterWidth()));
		td.textContent = brief(text, room);
		if (text.length > room)
			td.title = brief(text, 1500);
	}
	return td;
}

function bodyRow(at)
{
	const r = view.order[at], row = rowsOf(view.sheet)[r];
	const tr = make("tr", { "data-at": at, "aria-rowindex": at + 3, class: at === view.chosen ? "chosen" : undefined });

	view.columns.forEach((i, k) => tr.append(bodyCell(row, i, k)));
	if (isTree() && view.columns[0] === 0)
		addTree(tr.firstChild, r);
	return tr;
}

function space(rows)
{
	const td = make("td", { colspan: view.columns.length });

	td.style.setProperty("--high", rows * ROW + "px");
	return make("tr", { class: "space", "aria-hidden": "true" }, td);
}

/* Makes the rows in sight. */
function drawRows()
{
	const g = grid(), body = g.querySelector("tbody"), n = view.order.length;
	let from = Math.max(0, Math.floor(g.scrollTop / ROW) - MARGIN);
	let to = Math.min(n, Math.ceil((g.scrollTop + g.clientHeight) / ROW) + MARGIN);

	if (!body)
		return;
	if (view.printed) {
		from = 0;
		to = Math.min(n, PRINTED);
	}
	const rows = from ? [space(from)] : [];
	for (let at = from; at < to; at++)
		rows.push(bodyRow(at));
	if (to < n && !view.printed)
		rows.push(space(n - to));
	body.replaceChildren(...rows);
}

function counted(n, what)
{
	return thousands(String(n)) + " " + what + (n === 1 ? "" : "s");
}

function drawCount()
{
	const n = view.order.length, all = view.sheet.rows, hidden = view.sheet.columns.length - view.columns.length;
	const share = shareColumn(view.sheet), rows = rowsOf(view.sheet);
	let text = n === all ? counted(all, "row") : thousands(String(n)) + " of " + counted(all, "row");

	if (view.rows)
		text += " (Reset: all)";
	if (n !== all && share >= 0)
		text += ", together " + view.order.reduce((sum, r) => sum + Number(rows[r][share]), 0).toFixed(2) + " %";
	if (hidden)
		text += ", " + hidden + " of " + view.sheet.columns.length + " columns hidden";
	if (view.printed && n > PRINTED)
		text += "; the first " + PRINTED + " are printed";
	document.getElementById("count").textContent = text;
}

/* Makes the table again, with its header. */
function drawTable()
{
	const g = grid(), left = g.scrollLeft, focus = document.activeElement, at = focus ? focus.dataset.column : undefined;
	const header = make("tr", { "aria-rowindex": 1 }, ...view.columns.map(headerCell));
	const filters = make("tr", { "aria-rowindex": 2 }, ...view.columns.map(filterCell));
	const table = make("table", { "aria-rowcount": view.order.length + 2, "aria-labelledby": "sheet-name" },
		make("colgroup", {}, ...view.columns.map(() => make("col"))),
		make("thead", {}, header, filters), make("tbody"));

	g.replaceChildren(table);
	if (!view.order.length)
		g.append(make("p", { class: "nothing" }, view.sheet.rows ? "No row passes the filters." : "This sheet has no rows."));
	applyWidths();
	g.scrollLeft = left;
	drawRows();
	drawCount();
	if (at !== undefined && focus.tagName === "INPUT") {
		const again = g.querySelector(`input[data-column="${at}"]`);
		if (again)
			again.focus();
	}
}

/* After a filter or the search has changed: the header stays, so that typing goes on. */
function refilter()
{
	updateOrder();
	view.chosen = -1;
	closeDetails();
	grid().scrollTop = 0;
	const nothing = grid().querySelector(".nothing");
	if (nothing)
		nothing.remove();
	if (!view.order.length)
		grid().append(make("p", { class: "nothing" }, "No row passes the filters."));
	drawRows();
	drawCount();
	keepAddress();
}

/* ---- sorting, filtering, choosing ---- */

/* Numbers begin with the largest, texts with A; then the other way round; then the sheet's order. */
function sortBy(i)
{
	const first = isNumeric(view.sheet.columns[i]);

	if (view.sort !== i) {
		view.sort = i;
		view.descending = first;
	} else if (view.descending === first) {
		view.descending = !first;
	} else {
		view.sort = -1;
	}
	updateOrder();
	view.chosen = -1;
	closeDetails();
	grid().scrollTop = 0;
	drawTable();
	const button = grid().querySelector(`th[data-column="${i}"] button`);
	if (button)
		button.focus({ preventScroll: true });
	keepAddress();
}

function setFilter(i, text, input)
{
	if (text === "")
		view.filters.delete(i);
	else
		view.filters.set(i, text);
	markFilter(input, view.sheet.columns[i]);
	refilter();
}

function setColumns(columns)
{
	view.columns = columns.length ? columns : [0];
	drawTable();
	keepAddress();
}

/* Chooses a row and brings it into sight. */
function choose(at)
{
	const g = grid(), head = g.querySelector("thead").offsetHeight;

	if (!view.order.length)
		return;
	view.chosen = Math.max(0, Math.min(view.order.length - 1, at));
	const top = view.chosen * ROW;
	if (top < g.scrollTop)
		g.scrollTop = top;
	else if (top + ROW > g.scrollTop + g.clientHeight - head)
		g.scrollTop = top + ROW - g.clientHeight + head;
	drawRows();
	if (!document.getElementById("details").hidden)
		openDetails();
}

function columnBox(i)
{
	const box = make("input", { type: "checkbox", checked: view.columns.includes(i), onchange: () => {
		const chosen = new Set(view.columns);
		if (box.checked)
			chosen.add(i);
		else
			chosen.delete(i);
		setColumns([...chosen].sort((a, b) => a - b));
	} });

	return make("label", {}, box, brief(view.sheet.columns[i].name, 120));
}

function fillColumnMenu()
{
	const all = view.sheet.columns.map((c, i) => i);
	const set = (columns) => {
		setColumns(columns);
		fillColumnMenu();
	};
	const button = (text, columns) => make("button", { type: "button", onclick: () => set(columns) }, text);

	document.getElementById("columns").replaceChildren(
		make("div", { class: "row" },
			button("All", all), button("Usual", usualColumns(view.sheet)), button("First only", [0])),
		...all.map(columnBox));
}

function toggleColumnMenu(open)
{
	const menu = document.getElementById("columns");

	menu.hidden = !open;
	document.getElementById("columns-button").setAttribute("aria-expanded", String(open));
	if (open)
		fillColumnMenu();
}

function resetView()
{
	Object.assign(view, { search: "", sort: -1, descending: false, chosen: -1, widths: [], rows: null });
	view.columns = usualColumns(view.sheet);
	view.filters.clear();
	document.getElementById("search").value = "";
	closeDetails();
	updateOrder();
	drawTable();
	keepAddress();
}
