/* main.js - the frame of the page: what is shown, the address, keys, themes, print.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */

/* ---- addresses: #sheet=NAME&q=SEARCH&sort=COLUMN&dir=asc&columns=0,3&f.COLUMN=FILTER&rows=N,N&row=N ---- */

/* row: its details are open; rows: only these are shown; both are numbers from 0. */
function addressOf(sheet, filters, row, rows)
{
	const p = new URLSearchParams({ sheet });

	for (const [name, filter] of Object.entries(filters || {}))
		p.set("f." + name, filter);
	if (rows)
		p.set("rows", rows.join());
	if (row !== undefined)
		p.set("row", row);
	return "#" + p;
}

function go(address)
{
	location.hash = address;
}

/* Makes the address say what is looked at, without a new entry in the browser's history. */
function keepAddress()
{
	const p = new URLSearchParams({ sheet: view.sheet.name }), usual = usualColumns(view.sheet);

	if (view.search)
		p.set("q", view.search);
	if (view.sort >= 0) {
		p.set("sort", view.sheet.columns[view.sort].name);
		p.set("dir", view.descending ? "desc" : "asc");
	}
	for (const [i, filter] of view.filters)
		p.set("f." + view.sheet.columns[i].name, filter);
	if (view.rows)
		p.set("rows", [...view.rows].join());
	if (usual.join() !== view.columns.join())
		p.set("columns", view.columns.join());
	history.replaceState(null, "", "#" + p);
}

function numbersOf(p, name)
{
	return (p.get(name) || "").split(",").filter((c) => c !== "").map(Number);
}

/* Sets what is looked at from an address. */
function readAddress(p, sheet)
{
	const columns = numbersOf(p, "columns").filter((c) => c in sheet.columns);
	const sort = p.has("sort") ? columnOf(sheet, p.get("sort")) : -1;

	Object.assign(view, { sheet, search: p.get("q") || "", filters: new Map(), sort, descending: p.get("dir") !== "asc",
		chosen: -1, closed: new Set(), columns: columns.length ? columns : usualColumns(sheet), widths: [],
		rows: p.has("rows") ? new Set(numbersOf(p, "rows")) : null });
	for (const [name, filter] of p)
		if (name.startsWith("f.") && columnOf(sheet, name.slice(2)) >= 0)
			view.filters.set(columnOf(sheet, name.slice(2)), filter);
}

function showSheet(p, sheet)
{
	document.getElementById("summary").hidden = true;
	document.getElementById("sheet").hidden = false;
	document.getElementById("sheet-name").textContent = visible(sheet.name);
	document.getElementById("sheet-help").textContent = sheet.help + (sheet.filter ? " (" + sheet.filter + ")" : "");
	readAddress(p, sheet);
	document.getElementById("search").value = view.search;
	toggleColumnMenu(false);
	closeDetails();
	updateOrder();
	drawTable();
	grid().scrollTop = 0;
	if (p.has("row")) {
		choose(view.order.indexOf(Number(p.get("row"))));
		openDetails();
	}
}

function show()
{
	const p = new URLSearchParams(location.hash.slice(1)), sheet = findSheet(p.get("sheet"));

	for (const a of document.querySelectorAll("#nav a"))
		if (a.dataset.sheet === (sheet ? sheet.name : "")) {
			a.setAttribute("aria-current", "page");
			a.scrollIntoView({ block: "nearest", inline: "nearest" });
		} else {
			a.removeAttribute("aria-current");
		}
	document.body.classList.toggle("of-sheet", Boolean(sheet)); /* paper is wide then */
	if (sheet) {
		showSheet(p, sheet);
		return;
	}
	document.getElementById("sheet").hidden = true;
	showSummary();
	view.sheet = null;
}

function drawNav()
{
	const groups = [...new Set(index.sheets.map((s) => s.filter))];
	const link = (href, name, n, sheet) => make("li", {},
		make("a", { href, title: visible(name), "data-sheet": sheet }, make("span", {}, visible(name)), make("span", {}, n)));
	const sheets = (group) => index.sheets.filter((s) => s.filter === group)
		.map((s) => link(addressOf(s.name), s.name, thousands(String(s.rows)), s.name));

	document.getElementById("nav").replaceChildren(make("ul", {}, link("#", "Summary", "", "")),
		...groups.flatMap((g) => [make("h2", {}, g || "other sheets"), make("ul", {}, ...sheets(g))]));
}

/* ---- light and dark ---- */

const THEMES = { auto: "\u25d0 auto", light: "\u2600 light", dark: "\u263e dark" };

function isDark()
{
	const theme = document.documentElement.dataset.theme;

	return theme === "dark" || (theme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
}

function setTheme(theme)
{
	document.documentElement.dataset.theme = theme;
	document.getElementById("theme").textContent = THEMES[theme];
	try {
		localStorage.setItem("tl-html-theme", theme);
	} catch (e) { /* not kept where pages may keep nothing */ }
}

function firstTheme()
{
	try {
		return localStorage.getItem("tl-html-theme") in THEMES ? localStorage.getItem("tl-html-theme") : "auto";
	} catch (e) {
		return "auto";
	}
}

function nextTheme()
{
	const names = Object.keys(THEMES);

	setTheme(names[(names.indexOf(document.documentElement.dataset.theme) + 1) % names.length]);
	redrawCharts(false);
}

/* ---- keys ---- */

/* Goes to the sheet before (-1) or behind (1) this one. Before the first one is the summary. */
function besideSheet(step)
{
	const at = index.sheets.indexOf(view.sheet), next = index.sheets[at + step];

	if (next || at + step === -1)
		go(next ? addressOf(next.name) : "");
}

function gridKey(e)
{
	const page = Math.max(1, Math.floor(grid().clientHeight / ROW) - 3);
	const to = { ArrowDown: view.chosen + 1, ArrowUp: view.chosen - 1, PageDown: view.chosen + page, PageUp: view.chosen - page,
		Home: 0, End: view.order.length - 1 }[e.key];

	if (e.target !== grid() && !grid().contains(e.target))
		return false;
	if (e.target.tagName === "INPUT" && (e.key !== "ArrowDown" && e.key !== "ArrowUp"))
		return false;
	if (to !== undefined && !e.ctrlKey && !e.metaKey && !e.altKey) {
		if (e.target !== grid())
			grid().focus({ preventScroll: true });
		choose(to);
		return true;
	}
	if ((e.key === "ArrowLeft" || e.key === "ArrowRight") && e.target === grid() && view.chosen >= 0 && isTree()) {
		fold(view.order[view.chosen], e.key === "ArrowLeft");
		return true;
	}
	if (e.key === "Enter" && e.target === grid() && view.chosen >= 0) {
		openDetails();
		return true;
	}
	return false;
}

function onKey(e)
{
	const typing = e.target.tagName === "INPUT" && e.target.type !== "checkbox";

	if (e.key === "Escape" && view.sheet) {
		const wasOpen = !document.getElementById("details").hidden;
		toggleColumnMenu(false);
		closeDetails();
		if (wasOpen)
			grid().focus();
		return;
	}
	if (view.sheet && gridKey(e)) {
		e.preventDefault();
		return;
	}
	if (typing || e.ctrlKey || e.metaKey || e.altKey)
		return;
	if (e.key === "/" && view.sheet) {
		e.preventDefault();
		document.getElementById("search").focus();
	} else if (e.key === "]" || e.key === "[") {
		besideSheet(e.key === "]" ? 1 : -1);
	}
}

/* ---- start ---- */

function onGridClick(e)
{
	const tr = e.target.closest("tbody tr[data-at]");

	if (!tr || e.target.closest("a, button") || String(getSelection()))
		return;
	choose(Number(tr.dataset.at));
	openDetails();
	grid().focus({ preventScroll: true });
}

function listen()
{
	const on = (id, event, f) => document.getElementById(id).addEventListener(event, f);
	let typed = 0;

	on("theme", "click", nextTheme);
	on("search", "input", (e) => {
		clearTimeout(typed);
		typed = setTimeout(() => { view.search = e.target.value; refilter(); }, 60);
	});
	on("columns-button", "click", () => toggleColumnMenu(document.getElementById("columns").hidden));
	on("export", "click", () =>
		saveText(view.sheet.name + ".csv", "text/csv", csvOf(view.sheet, view.order, view.columns)));
	on("reset", "click", resetView);
	on("grid", "click", onGridClick);
	on("grid", "scroll", drawRows);
	document.addEventListener("keydown", onKey);
	document.addEventListener("click", (e) => {
		if (view.sheet && e.target.isConnected && !e.target.closest(".menu"))
			toggleColumnMenu(false);
	});
	window.addEventListener("hashchange", show);
	window.addEventListener("resize", () => (view.sheet ? drawRows() : spreadCards()));
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => redrawCharts(false));
	window.addEventListener("beforeprint", () => setPrinted(true));
	window.addEventListener("afterprint", () => setPrinted(false));
}

function setPrinted(printed)
{
	view.printed = printed;
	if (view.sheet) {
		drawTable();
	} else {
		redrawCharts(printed);
	}
}

function start()
{
	setTheme(firstTheme());
	readIndex();
	drawNav();
	drawHead(overviewRows());
	listen();
	show();
}
