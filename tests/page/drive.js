/* drive.js - uses a page of tl-html as people do, and says what it then shows: a line "NAME: VALUE"
 * each, in the element `out` of drive.html, which holds the page in a frame.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
"use strict";

const frame = document.getElementById("page");
const said = [];

function say(name, value)
{
	said.push(name + ": " + value);
}

const wait = (ms) => new Promise((done) => setTimeout(done, ms));
const page = () => frame.contentDocument;
const one = (selector) => page().querySelector(selector);
const all = (selector) => [...page().querySelectorAll(selector)];

function cells(column)
{
	return all(`#grid tbody tr[data-at] td:nth-child(${column})`).map((td) => td.textContent).join("|");
}

function key(name, target)
{
	target.dispatchEvent(new frame.contentWindow.KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true }));
}

async function type(input, text)
{
	input.value = text;
	input.dispatchEvent(new frame.contentWindow.Event("input", { bubbles: true }));
	await wait(200);
}

async function open(hash)
{
	frame.contentWindow.location.hash = hash;
	await wait(200);
}

/* Pixels of a canvas that are not transparent. */
function painted(canvas)
{
	const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
	let n = 0;

	for (let i = 3; i < data.length; i += 4)
		n += data[i] > 0;
	return n;
}

async function driveSummary()
{
	say("title", one("#title").textContent);
	say("cards", all(".card .label").map((e) => e.textContent).join("|"));
	const rows = Object.values(Object.groupBy(all(".card"), (e) => e.offsetTop)).map((r) => r.length);
	say("cards of the first and the last row differ by one at most in each row", rows.length > 1 && rows[0] - rows.at(-1) < rows.length);
	say("charts", all("figure h2").map((e) => e.textContent).join("|"));
	say("charts painted", all("canvas").every((c) => painted(c) > 500));
	say("alternative of the first chart", all("canvas").length ? one("canvas").getAttribute("aria-label") : "");
	say("sheets", all("#nav a").map((a) => a.dataset.sheet || "(summary)").join("|"));
}

async function driveFindings()
{
	const text = (selector) => all(selector).map((e) => e.textContent).join("|");
	const hash = () => decodeURIComponent(frame.contentWindow.location.hash);

	say("first of the summary", one("#summary h2").textContent);
	say("time of the window", one(".findings header p").textContent);
	say("health", text(".findings .health li"));
	say("findings", text(".findings ol h3"));
	say("first finding", [".stake", ".do", ".small a", "details p"].map((s) => one(".findings ol li " + s).textContent).join("|"));
	say("its bar", one(".findings .meter i").style.getPropertyValue("--part"));
	say("shares stand above their bars", all(".findings .stake").every((stake) =>
		stake.querySelector("span").getBoundingClientRect().bottom <= stake.querySelector(".meter").getBoundingClientRect().top));
	say("all findings", one(".findings header a").getAttribute("href") + " " + one(".findings header a").textContent);
	say("not asked", text(".findings .unasked summary, .findings .unasked li"));
	await open(one(".findings ol .small a").getAttribute("href"));
	say("evidence", one("#sheet-name").textContent + " " + cells(1) + " " + one("#count").textContent);
	await type(one("#search"), "a");
	await type(one("#search"), "");
	say("address of evidence", hash());
	one("#reset").click();
	say("evidence of a reset", cells(1));
	await open("#sheet=findings");
	await open(all("#grid tbody a").map((a) => a.getAttribute("href"))[1]);
	say("from a finding", hash());
	await open(one("#grid tbody a").getAttribute("href"));
	say("from the evidence", hash());
	await open("");
}

function chartOf(title)
{
	const figure = all("figure").find((f) => f.querySelector("h2").textContent === title);

	return frame.contentWindow.Chart.getChart(figure.querySelector("canvas"));
}

/* The tooltip of the i-th element of a chart's series. Chart.js answers the mouse with the next
 * frame, and in virtual time none is drawn. */
function tip(title, series, i)
{
	const chart = chartOf(title), at = chart.getDatasetMeta(series).data[i].getCenterPoint();

	chart.tooltip.setActiveElements([{ datasetIndex: series, index: i }], at);
	chart.update();
	return [].concat(chart.tooltip.title || [], (chart.tooltip.body || []).flatMap((b) => b.lines)).join("|");
}

function click(title, series, i)
{
	const chart = chartOf(title), at = chart.getDatasetMeta(series).data[i].getCenterPoint(), box = chart.canvas.getBoundingClientRect();

	chart.canvas.dispatchEvent(new frame.contentWindow.MouseEvent("click", { bubbles: true, clientX: box.left + at.x, clientY: box.top + at.y }));
}

async function driveCharts()
{
	if (!frame.contentWindow.Chart)
		return;
	say("tip of a part", tip("Where the time goes", 0, 0));
	say("tip of idle time", tip("Idle time by what the host did", 0, 1));
	say("tip of a device", tip("Where the time of each device goes", 1, 1));
	say("tip of an operator", tip("Kernel time of the largest operators", 0, 0));
	say("tip of a point", tip("Largest operators against the roof", 1, 0));
	say("tip of a step", tip("Steps", 0, 1));
	say("labels of steps", chartOf("Steps").data.datasets.map((d) => d.label).join("|"));
	click("Kernel time of the largest operators", 0, 0);
	await wait(200);
	say("share of the operator", one("#count").textContent.replace(/^.*together/, "together"));
	say("click on an operator", one("#sheet-name").textContent + " " + one("#count").textContent);
	await open("");
}

/* The rows in sight of a tree, each with its depth and whether it is open. */
function treeRows()
{
	return all("#grid tbody tr[data-at]").map((tr) => tr.firstChild.style.getPropertyValue("--depth") + " " + tr.firstChild.textContent).join("|");
}

async function driveTree()
{
	const press = (n) => all("#grid td.tree button")[n].click();

	await open("#sheet=tree");
	say("tree", treeRows());
	press(1);
	say("a part closed", treeRows() + ", " + one("#count").textContent);
	key("ArrowDown", one("#grid"));
	key("ArrowLeft", one("#grid"));
	say("all of it closed", treeRows());
	key("ArrowRight", one("#grid"));
	say("opened again", treeRows());
	press(1);
	await type(one("#search"), "Linear");
	say("a tree that is searched", cells(1) + " " + all("#grid td.tree").length);
	await open("");
}

async function drivePaper()
{
	await open("#sheet=large");
	frame.contentWindow.dispatchEvent(new frame.contentWindow.Event("beforeprint"));
	say("rows on paper", all("#grid tbody tr").length + ", " + one("#count").textContent);
	frame.contentWindow.dispatchEvent(new frame.contentWindow.Event("afterprint"));
	say("rows after it", all("#grid tbody tr").length < 200);
	await open("");
	frame.contentWindow.dispatchEvent(new frame.contentWindow.Event("beforeprint"));
	say("charts on paper", all("canvas").every((c) => painted(c) > 500));
	frame.contentWindow.dispatchEvent(new frame.contentWindow.Event("afterprint"));
	one("#theme").click();
	one("#theme").click();
	say("theme", page().documentElement.dataset.theme + " " + frame.contentWindow.getComputedStyle(page().body).backgroundColor);
	say("charts in the dark", all("canvas").every((c) => painted(c) > 500));
}

async function driveTable()
{
	await open("#sheet=table");
	say("rows", cells(1));
	say("columns", all("#grid thead tr:first-child th").map((th) => th.textContent).join("|"));
	say("numbers have units", cells(3));
	one('#grid th[data-column="1"] button').click();
	say("sorted by number", cells(1));
	say("direction", one('#grid th[data-column="1"]').getAttribute("aria-sort"));
	one('#grid th[data-column="1"] button').click();
	say("sorted the other way", cells(1));
	one('#grid th[data-column="1"] button').click();
	say("sheet's order again", cells(1));
	one('#grid th[data-column="0"] button').click();
	say("sorted by text", cells(1));
	one("#reset").click();
	await type(one('#grid input[data-column="1"]'), ">2");
	say("number filter", cells(1) + " (" + one("#count").textContent + ")");
	await type(one('#grid input[data-column="1"]'), "2..9");
	say("range filter", cells(1));
	await type(one('#grid input[data-column="1"]'), "");
	await type(one('#grid input[data-column="2"]'), ">1.4");
	say("filter in the unit shown", cells(1));
	await type(one('#grid input[data-column="1"]'), "> x");
	say("wrong filter is marked", one('#grid input[data-column="1"]').classList.contains("wrong"));
	one("#reset").click();
	await type(one('#grid input[data-column="0"]'), "!BET");
	say("text filter", cells(1));
	one("#reset").click();
	await type(one("#search"), "gamma 9");
	say("search", cells(1));
	say("address", decodeURIComponent(frame.contentWindow.location.hash));
	one("#reset").click();
	await wait(100);
}

async function driveColumnsAndExport()
{
	let csv = null;

	frame.contentWindow.URL.createObjectURL = (blob) => { csv = blob; return "blob:"; };
	frame.contentWindow.HTMLAnchorElement.prototype.click = () => {};
	one("#columns-button").click();
	all("#columns input")[1].click();
	say("columns left", all("#grid thead tr:first-child th").map((th) => th.textContent).join("|"));
	one('#grid th[data-column="0"] button').click();
	one("#export").click();
	say("csv", JSON.stringify(await csv.text()));
	one("#reset").click();
	say("columns again", all("#grid thead tr:first-child th").length);
}

async function driveKeys()
{
	const grid = one("#grid");

	grid.focus();
	key("ArrowDown", grid);
	key("ArrowDown", grid);
	say("chosen", one("#grid tr.chosen").dataset.at);
	key("Enter", grid);
	say("details", all("#details dd").slice(0, 2).map((e) => e.textContent).join("|"));
	key("End", grid);
	say("details follow", one("#details h3").textContent);
	key("Escape", grid);
	say("details closed", one("#details").hidden);
	key("/", page().body);
	say("focus", page().activeElement.id);
}

async function driveLargeSheet()
{
	const grid = one("#grid");

	await open("#sheet=large");
	say("large", one("#count").textContent + ", few elements: " + (all("#grid tbody tr").length < 200));
	grid.scrollTop = grid.scrollHeight;
	grid.dispatchEvent(new frame.contentWindow.Event("scroll")); /* no frames are drawn in virtual time */
	await wait(200);
	say("last row", all("#grid tbody tr[data-at]").pop().firstChild.textContent);
	await open("#sheet=large&sort=n&dir=desc&f.name=" + encodeURIComponent("=row 7"));
	say("large filtered", cells(1) + " " + cells(2));
}

async function driveHostile()
{
	await open("#sheet=hostile");
	say("hostile names", JSON.stringify(all("#grid tbody tr[data-at] td:first-child").map((td) => td.textContent)));
	say("long name whole", await (async () => {
		await open("#sheet=hostile&row=5");
		return one("#details dd").textContent.length;
	})());
	say("elements from texts", all("b, img, svg").filter((e) => e.closest("#grid, #details, #nav, #summary")
		&& !e.closest(".remarks")).length);
	say("scripts ran", String(frame.contentWindow.hacked));
}

/* Last: it makes the browser complain. */
async function drivePolicy()
{
	const broken = [];

	page().addEventListener("securitypolicyviolation", (e) => broken.push(e.effectiveDirective));
	const script = page().createElement("script");
	script.textContent = "window.hacked = 1";
	page().body.append(script);
	const image = page().createElement("img");
	image.src = "https://localhost:9/x.png";
	page().body.append(image);
	const style = page().createElement("style");
	style.textContent = "body { color: red }";
	page().head.append(style);
	await frame.contentWindow.fetch("https://localhost:9/").catch(() => {});
	await wait(100);
	say("policy forbids", broken.map((d) => d.replace(/-elem$/, "")).sort().join("|"));
	say("foreign script ran", String(frame.contentWindow.hacked));
}

async function drive()
{
	try {
		for (const step of [driveSummary, driveFindings, driveCharts, driveTable, driveColumnsAndExport, driveKeys, driveLargeSheet,
			driveHostile, driveTree, drivePaper, drivePolicy])
			await step();
		say("finished", "without an error");
	} catch (e) {
		say("finished", e.stack);
	}
	document.getElementById("out").textContent = said.join("\n");
}

frame.addEventListener("load", drive, { once: true });
frame.src = "page.html";
