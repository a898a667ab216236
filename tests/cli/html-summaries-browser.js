// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// html-summaries-browser.js BROWSER PROFILE PAGE REPORT FILE: checks the page of summaries in a browser.
// Prints what is wrong; exits with 1.
"use strict";
const { execFileSync } = require("child_process");
const { check, evaluate, openPage, press, run, send, shoot } = require("./browser.js");
const [report, file] = process.argv.slice(5);

const json = (view, ...more) => JSON.parse(execFileSync(report, [view, "--format=json", ...more, file],
	{ maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"] }));

// Every cell of every table has the value of the JSON, and every column its definition.
async function checkTables() {
	for (const name of await evaluate("Object.keys(tableNames)")) {
		const rows = json(name)[name];
		await evaluate(`setState({ view: "${name}", sort: "", q: "" })`);
		const shown = await evaluate(`[...document.querySelectorAll("#table tbody tr")].map((line) =>
			[...line.querySelectorAll("td")].map((cell) => [cell.dataset.key, cell.dataset.value]))`);
		check(shown.length === Math.min(rows.length, await evaluate(`findTable("${name}", "${name}").rows.length`)),
			name + ": " + shown.length + " rows of " + rows.length);
		shown.forEach((cells, i) => cells.forEach(([key, value]) => check(value === (rows[i][key] === null ? ""
			: String(rows[i][key])), name + ", row " + i + ", " + key + ": " + value)));
		const undefinedColumns = await evaluate(`shownTable("${name}").columns.filter((column) =>
			column.type !== "bound" && !column.legend).map((column) => column.key)`);
		check(undefinedColumns.length === 0, name + ": columns without a definition: " + undefinedColumns);
		const marked = await evaluate(`document.querySelector("#table tbody")?.textContent.includes("\\u2264")`);
		const bound = rows.slice(0, shown.length).some((row) => row.live_upper_bound);
		check(Boolean(marked) === bound, name + ": upper bounds: " + marked);
	}
}

async function checkUse() {
	await evaluate(`setState({ view: "sites", sort: "", q: "" });
		document.querySelector("#table button[data-key=live_bytes]").click()`);
	const column = (key) => evaluate(`[...document.querySelectorAll("#table td[data-key=${key}]")]
		.map((cell) => cell.dataset.value)`);
	const values = (await column("live_bytes")).map(Number);
	check(values.every((value, i) => !i || values[i - 1] >= value), "sort: not descending");
	check((await evaluate("location.hash")).includes("sort=-live_bytes"), "sort: not in the address");
	check(await evaluate("document.activeElement.dataset.key") === "live_bytes", "sort: the focus");
	const name = (await column("function"))[0];
	await evaluate("document.getElementById('search').focus()");
	await send("Input.insertText", { text: name.slice(0, 6) });
	const found = await column("function");
	check(found.length > 0 && found.every((one) => one.toLowerCase().includes(name.slice(0, 6).toLowerCase())),
		"search: " + found.join(", "));
	await openPage(await evaluate("location.hash"));
	check((await column("function")).join() === found.join(), "a link to a search");
	await evaluate("setState({ q: '', sort: '', view: 'caches' })");
	if (await evaluate("document.querySelector('#grew a.site') !== null")) {
		const grown = await evaluate("document.querySelector('#grew a.site').textContent");
		await evaluate("document.querySelector('#grew a.site').focus()");
		await press("Enter", 13);
		check((await column("function")).includes(grown), "the link to " + grown);
		check(await evaluate("document.activeElement.id") === "table-sites", "the link: focus");
	}
	await evaluate("setState({ q: '' }); document.querySelector('#complete a')?.focus()");
	if (await evaluate("document.activeElement.dataset.jump === 'sure-title'")) {
		await press("Enter", 13);
		check(await evaluate("document.activeElement.id") === "sure-title", "the link to How sure");
	}
}

async function checkTree() {
	for (const measure of ["live", "allocated"]) {
		const totals = json("flame", "--bytes=" + measure).flame_totals;
		await evaluate(`setState({ measure: "${measure}", zoom: "" })`);
		const root = await evaluate(`(({ bytes, objects, bound }) => ({ bytes, objects, bound }))(
			treeOfRows(rowsOf(views["flame-${measure}"].tables[0])))`);
		check(root.bytes === totals.bytes && root.objects === totals.objects && root.bound === totals.upper_bound,
			"tree: " + JSON.stringify(root));
	}
	await evaluate("document.querySelector('[role=treeitem][tabindex=\"0\"]').focus()");
	await press("ArrowDown", 40);
	await press("ArrowDown", 40);
	await press("Enter", 13);
	const hash = await evaluate("location.hash"), zoomed = await evaluate("document.getElementById('zoom-text').value");
	check(/zoom=/.test(hash), "tree: " + hash);
	await openPage(hash);
	check(await evaluate("document.getElementById('zoom-text').value") === zoomed, "a link to a node");
	await evaluate("document.querySelector('[role=treeitem][tabindex=\"0\"]').focus()");
	await press("Escape", 27);
	check(!(await evaluate("location.hash")).includes("zoom"), "tree: Escape");
}

// The slider reads each point; the picture has its gaps and losses.
async function checkTime() {
	const rows = json("timeline").timeline, points = await evaluate("points");
	const look = (name) => evaluate(`document.querySelectorAll("#time .${name}").length`);
	check(await look("gap") === points.filter((point, i) => (i && point.from_ns > points[i - 1].to_ns ? 1 : 0) +
		(point.uncovered_ns ? 1 : 0)).length, "time: " + await look("gap") + " gaps");
	check((await look("loss") > 0) === rows.some((row) => row.lost), "time: " + await look("loss") + " bands of losses");
	check(await evaluate("countVaries") === (new Set(rows.map((row) => row.summaries)).size > 1), "time: summaries");
	if (points.length < 2)
		return;
	await evaluate("setState({ at: '' }); document.getElementById('point').focus()");
	await press("Home", 36);
	check(/at=0/.test(await evaluate("location.hash")), "slider: " + await evaluate("location.hash"));
	const text = await evaluate("document.getElementById('point-text').value");
	if (points.length === rows.length)
		check(text.includes(rows[0].allocations.toLocaleString("en-US") + " allocation"), "slider: " + text);
	await press("ArrowRight", 39);
	check(await evaluate("document.getElementById('point-text').value") !== text, "slider: ArrowRight");
	await openPage("#at=0");
	check(await evaluate("document.getElementById('point-text').value") === text, "a link to a point");
	const box = await evaluate(`(() => { const svg = document.querySelector("#time [role=img]");
		svg.scrollIntoView({ block: "center" });
		const box = svg.getBoundingClientRect(); return [box.right - 15, box.top + 60]; })()`);
	for (const type of ["mousePressed", "mouseReleased"])
		await send("Input.dispatchMouseEvent", { type, x: box[0], y: box[1], button: "left", clickCount: 1 });
	check(await evaluate("chosenPoint()") >= Math.floor(0.98 * (points.length - 1)), "click: " + await evaluate("location.hash"));
}

// The headline has the hosts, what grew, the live bytes, and what is missing.
async function checkHeadline() {
	const { summaries, totals } = json("summary"), [grown] = json("leaks", "-l", "1").leaks;
	const head = await evaluate("document.querySelector('header').textContent");
	check(head.includes(summaries.hosts[0]), "headline: no host");
	check(await evaluate("capital(liveSum())") && head.includes(await evaluate("liveSum()")), "headline: live");
	check(!grown || head.includes(grown.function), "headline: what grew");
	check((await evaluate("liveSum()")).startsWith("at most") === totals.live_upper_bound, "headline: the bound");
	const missing = summaries.missing || summaries.lost || summaries.skipped || summaries.uncounted;
	check(!missing || await evaluate("document.querySelector('#complete.warning') !== null"), "headline: missing");
	for (const text of await evaluate("warningsOf(views.summaries.lines)"))
		check(head.includes(text), "headline: " + text);
	check(summaries.live_hosts === summaries.hosts.length ||
		head.includes("of " + summaries.live_hosts + " of " + summaries.hosts.length.toLocaleString("en-US") + " host"),
		"headline: hosts of the live objects");
	check((await evaluate("document.querySelectorAll('.estimate').length") === 2) === (summaries.sampling !== null),
		"estimates");
}

async function checkWidths() {
	for (const width of [480, 1280]) {
		await send("Emulation.setDeviceMetricsOverride", { width, height: 800, deviceScaleFactor: 1, mobile: false });
		await openPage("");
		check(await evaluate("document.documentElement.scrollWidth") <= width, "wider than " + width + " pixels: " +
			await evaluate("document.documentElement.scrollWidth"));
		await shoot(String(width));
	}
}

async function main() {
	await openPage("");
	const elements = await evaluate(`[document.querySelectorAll("body img, body iframe, body object, body link").length,
		[...document.querySelectorAll("script")].filter((one) => !one.type).length,
		document.querySelectorAll("h2").length]`);
	check(elements.join() === "0,1,5", "elements: " + elements);
	await checkHeadline();
	await checkTables();
	await checkUse();
	await checkTree();
	await checkTime();
	await checkWidths();
}

run(main);
