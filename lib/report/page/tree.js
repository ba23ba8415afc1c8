/* tree.js - a sheet whose rows have a depth, each row before those in it: a tree, of which parts can be closed.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */

const INDENT = 16; /* pixels of a level, as in page.css */

/* Is the first column a tree? Only in the sheet's own order, and with all rows, are rows below the one that they are in. */
function isTree()
{
	return columnOf(view.sheet, "depth") >= 0 && view.sort < 0 && !view.search && !view.filters.size && !view.rows;
}

function depthOf(r)
{
	const row = rowsOf(view.sheet)[r];

	return row ? Number(row[columnOf(view.sheet, "depth")]) : -1;
}

/* The pixels that indents take in the first column; at most those of twelve. */
function treeWidth(sheet)
{
	const depth = sheet.columns[columnOf(sheet, "depth")];

	return depth ? 18 + INDENT * Math.min(12, depth.largest) : 0;
}

/* The rows that are in no closed one. */
function openRows(order)
{
	let hidden = Infinity; /* the least depth of rows that are in a closed one */

	return order.filter((r) => {
		const depth = depthOf(r), shown = depth < hidden;
		if (shown)
			hidden = view.closed.has(r) ? depth + 1 : Infinity;
		return shown;
	});
}

/* Opens or closes a row; the chosen one stays. closed: undefined for the other than it is. */
function fold(r, closed)
{
	if (!isTree() || depthOf(r + 1) <= depthOf(r) || view.closed.has(r) === closed)
		return;
	if (!view.closed.delete(r))
		view.closed.add(r);
	const chosen = view.order[view.chosen];
	updateOrder();
	view.chosen = view.order.indexOf(chosen);
	drawRows();
	drawCount();
}

/* Makes the first cell of a row one of a tree. */
function addTree(td, r)
{
	const closed = view.closed.has(r), has = depthOf(r + 1) > depthOf(r);

	td.style.setProperty("--depth", depthOf(r));
	td.classList.add("tree");
	td.prepend(has ? make("button", { type: "button", "aria-expanded": String(!closed), "aria-label": closed ? "Open" : "Close",
		onclick: (e) => { e.stopPropagation(); fold(r); } }, closed ? "\u25b8" : "\u25be") : make("span", {}));
}
