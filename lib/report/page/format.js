/* format.js - texts and numbers as people read them.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */

/* An element with attributes and children. Texts become text nodes, never markup. */
function make(tag, attributes, ...children)
{
	const e = document.createElement(tag);

	for (const [name, value] of Object.entries(attributes || {}))
		if (name === "part")
			e.style.setProperty("--part", value);
		else if (name.startsWith("on"))
			e.addEventListener(name.slice(2), value);
		else if (value !== undefined && value !== null && value !== false)
			e.setAttribute(name, value === true ? "" : value);
	e.append(...children.filter((c) => c !== undefined && c !== null && c !== ""));
	return e;
}

/* ---- texts ---- */

/* Control characters, and characters that are invisible or change the direction of others. */
const INVISIBLE = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\uffff]/g;

function pictured(c)
{
	const code = c.charCodeAt(0);

	if (c === "\n")
		return "\u21b5";
	return code >= 0xfffc ? "\ufffd" : "\u27e8U+" + code.toString(16).toUpperCase().padStart(4, "0") + "\u27e9";
}

/* The text with a sign for each such character: "⟨U+001B⟩", and an arrow for the end of a line. */
function visible(text)
{
	return text.replace(INVISIBLE, pictured);
}

/* The same, but lines and tabs stay: where a text has room. */
function visibleLines(text)
{
	return text.replace(INVISIBLE, (c) => (c === "\n" || c === "\t" ? c : pictured(c)));
}

function isHalf(text, i)
{
	const code = text.charCodeAt(i);

	return code >= 0xdc00 && code < 0xe000;
}

/* At most n characters: the middle is left out, since names differ at their ends, too. */
function shorten(text, n)
{
	if (text.length <= n)
		return text;
	let head = Math.ceil((n - 1) * 0.62), tail = text.length - (n - 1 - head);
	if (isHalf(text, head))
		head--;
	if (isHalf(text, tail))
		tail++;
	return text.slice(0, head) + "\u2026" + text.slice(tail);
}

/* At most n characters of a text, invisible ones with their signs: for places with little room. */
function brief(text, n)
{
	return visible(shorten(text, n));
}

/* Lines of at most n characters. */
function lines(text, n, most)
{
	const all = [], shown = brief(text, n * most);

	for (let i = 0; i < shown.length; i += n)
		all.push(shown.slice(i, i + n));
	return all;
}

/* ---- numbers ---- */

function thousands(digits)
{
	const [whole, rest] = digits.split(".");

	return whole.replace(/\B(?=(\d{3})+$)/g, ",") + (rest === undefined ? "" : "." + rest);
}

function significant(x)
{
	const size = Math.abs(x);

	if (x !== 0 && (size < 1e-3 || size >= 1e15))
		return x.toExponential(3);
	return x.toFixed(Math.min(20, Math.max(0, x === 0 ? 0 : 3 - Math.floor(Math.log10(size)))));
}

/* Rounds as tl-show does: the column says how (rounded.h). */
function rounded(column, x, text)
{
	if (column.asWritten)
		return text + column.suffix;
	const scaled = x * column.scale;
	if (column.decimals < 0)
		return significant(scaled) + column.suffix;
	const least = Math.pow(10, -column.decimals);
	if (scaled !== 0 && Math.abs(scaled) < least / 2)
		return (scaled > 0 ? "<" : ">-") + least.toFixed(column.decimals) + column.suffix;
	const digits = scaled.toFixed(column.decimals);
	return (column.thousands ? thousands(digits) : digits) + column.suffix;
}

/* The text of a table's cell for a field of a sheet. */
function shownField(column, text)
{
	return isNumeric(column) && text !== "" ? rounded(column, Number(text), text) : visible(text);
}

function isNumeric(column)
{
	return column.suffix !== undefined;
}

/* A number that stands alone, with about four digits. */
function plainNumber(text)
{
	if (!/^-?\d+(\.\d+)?(e[-+]?\d+)?$/.test(text))
		return visible(text);
	const x = Number(text), size = Math.abs(x);
	if (Number.isInteger(x))
		return thousands(String(x));
	return size < 1e-3 || size >= 1e15 ? x.toExponential(2) : thousands(x.toFixed(size < 10 ? 3 : size < 100 ? 2 : 1));
}

function bytes(x)
{
	const names = ["B", "kB", "MB", "GB", "TB"];
	let i = 0;

	for (; x >= 1000 && i < names.length - 1; i++)
		x /= 1000;
	return x.toFixed(i && x < 100 ? (x < 10 ? 2 : 1) : 0) + " " + names[i];
}
