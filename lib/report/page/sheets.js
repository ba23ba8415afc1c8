/* sheets.js - the sheets of the page: rows, sorting, filters, CSV.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */

const index = { sheets: [], charts: [] };
const parsed = new Map(); /* sheet -> rows */

function readIndex()
{
	Object.assign(index, JSON.parse(document.getElementById("index").textContent));
	index.sheets.forEach((s, i) => {
		s.id = "sheet-" + i;
		if (!s.filter && s.columns.some((c) => c.name.startsWith("param: ")))
			Object.assign(s, { filter: "tl-roofline", help: "operators of this family and their parameters" });
	});
}

function findSheet(name)
{
	return index.sheets.find((s) => s.name === name);
}

function columnOf(sheet, name)
{
	return sheet.columns.findIndex((c) => c.name === name);
}

/* The column with the share that each row has of the whole, or -1. */
function shareColumn(sheet)
{
	return sheet.columns.findIndex((c) => c.share);
}

/* The rows of a sheet, each an array of texts. They are parsed when they are first asked for. */
function rowsOf(sheet)
{
	if (!parsed.has(sheet)) {
		const element = document.getElementById(sheet.id);
		const { rows, texts } = JSON.parse(element.textContent);
		for (const row of rows) /* a number stands for a text that rows may repeat */
			for (let i = 0; i < row.length; i++)
				if (typeof row[i] === "number")
					row[i] = texts[row[i]];
		parsed.set(sheet, rows);
		element.remove();
	}
	return parsed.get(sheet);
}

/* ---- filters ---- */

function inside(text)
{
	const wanted = text.toLowerCase();

	return (field) => field.toLowerCase().includes(wanted);
}

/* The test of a filter on a column of texts: "part", "=all of it", "!part". */
function textTest(filter)
{
	if (filter.startsWith("="))
		return (field) => visible(field) === filter.slice(1) || field === filter.slice(1);
	if (filter.startsWith("!") && filter.length > 1) {
		const has = inside(filter.slice(1));
		return (field) => !has(field);
	}
	return inside(filter);
}

/* The test of a filter on a column of numbers: ">1", "<=2", "=3", "!=4", "1..2", "5"; null: the text is
 * none of these. Numbers are in the unit that the column shows. */
function numberTest(filter, column)
{
	const tests = {
		">": (a, b) => a > b, ">=": (a, b) => a >= b, "<": (a, b) => a < b, "<=": (a, b) => a <= b,
		"=": (a, b) => a === b, "!=": (a, b) => a !== b,
	};
	const number = "\\s*(-?[\\d,]*\\.?\\d+(?:e[-+]?\\d+)?)\\s*";
	const value = (digits) => Number(digits.replace(/,/g, "")) / (column.asWritten ? 1 : column.scale);
	let m = filter.match(new RegExp("^" + number + "\\.\\." + number + "$", "i"));

	if (m) {
		const least = value(m[1]), most = value(m[2]);
		return (field) => field !== "" && Number(field) >= least && Number(field) <= most;
	}
	m = filter.match(new RegExp("^(>=|<=|!=|>|<|=)" + number + "$", "i"));
	if (m) {
		const test = tests[m[1]], to = value(m[2]);
		return (field) => field !== "" && test(Number(field), to);
	}
	if (filter.match(new RegExp("^" + number + "$", "i"))) { /* digits that stand in the number as shown */
		const wanted = filter.trim().replace(/,/g, "");
		const shown = (field) => rounded(column, Number(field), field).replace(/,/g, "");
		return (field) => field !== "" && (field.startsWith(wanted) || shown(field).startsWith(wanted));
	}
	return null;
}

function filterTest(filter, column)
{
	return isNumeric(column) ? numberTest(filter.trim(), column) : textTest(filter);
}

/* The numbers of the rows that pass the search, words that must all stand somewhere in the row, and
 * the filters, a map from the number of a column to its filter. */
function passing(sheet, search, filters)
{
	const rows = rowsOf(sheet), tests = [];
	const words = search.toLowerCase().split(/\s+/).filter((w) => w);

	for (const [i, filter] of filters) {
		const test = filterTest(filter, sheet.columns[i]);
		if (test)
			tests.push((row) => test(row[i]));
	}
	if (words.length)
		tests.push((row) => {
			const text = row.join("\t").toLowerCase();
			return words.every((w) => text.includes(w));
		});
	const found = [];
	for (let r = 0; r < rows.length; r++)
		if (tests.every((test) => test(rows[r])))
			found.push(r);
	return found;
}

/* ---- order ---- */

/* Sorts numbers of rows by a column: empty fields last, equal ones in the sheet's order. */
function sortRows(sheet, order, i, descending)
{
	const rows = rowsOf(sheet), sign = descending ? -1 : 1;

	if (isNumeric(sheet.columns[i])) {
		const keys = new Float64Array(rows.length);
		for (const r of order)
			keys[r] = rows[r][i] === "" ? sign * Infinity : Number(rows[r][i]);
		order.sort((a, b) => (keys[a] === keys[b] ? a - b : sign * (keys[a] < keys[b] ? -1 : 1)));
	} else {
		const keys = rows.map((row) => row[i]);
		order.sort((a, b) => {
			const x = keys[a], y = keys[b];
			if (x === y)
				return a - b;
			if (x === "" || y === "")
				return x === "" ? 1 : -1;
			return sign * (x < y ? -1 : 1);
		});
	}
}

/* ---- CSV ---- */

function csvField(text)
{
	return /[",\n\r]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;
}

/* The fields as the sheet has them, not rounded. */
function csvOf(sheet, order, columns)
{
	const rows = rowsOf(sheet), out = [columns.map((i) => csvField(sheet.columns[i].name)).join(",")];

	for (const r of order)
		out.push(columns.map((i) => csvField(rows[r][i])).join(","));
	return out.join("\n") + "\n";
}

function saveText(name, type, text)
{
	const url = URL.createObjectURL(new Blob([text], { type }));
	const link = make("a", { href: url, download: name.replace(/[^\w.-]+/g, "_") });

	document.body.append(link);
	link.click();
	link.remove();
	setTimeout(() => URL.revokeObjectURL(url), 10000);
}
