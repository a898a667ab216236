// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// html-browser.js BROWSER PROFILE PAGE REPORT CAPTURE: checks the page of a capture in a browser. Prints
// what is wrong; exits with 1.
"use strict";
const { execFileSync } = require("child_process");
const { check, checkFind, checkWidths, evaluate, openPage, press, run, send, shoot } = require("./browser.js");
const [report, capture] = process.argv.slice(5);

async function drag(from, to) {
	const box = await evaluate(`(() => { document.querySelector(".brush").scrollIntoView({block: "center"});
		const box = document.querySelector(".brush").getBoundingClientRect();
		return [box.left, box.top, box.width, box.height]; })()`);
	const at = (share) => ({ x: box[0] + box[2] * share, y: box[1] + box[3] / 2, button: "left" });
	await send("Input.dispatchMouseEvent", { type: "mousePressed", clickCount: 1, ...at(from) });
	await send("Input.dispatchMouseEvent", { type: "mouseMoved", buttons: 1, ...at((from + to) / 2) });
	await send("Input.dispatchMouseEvent", { type: "mouseMoved", buttons: 1, ...at(to) });
	await send("Input.dispatchMouseEvent", { type: "mouseReleased", clickCount: 1, ...at(to) });
}

// Every cell of every table has the value of the data.
const compareTables = `(() => {
	const wrong = [];
	let cells = 0;
	for (const name of tableViews) {
		setState({ view: name, sort: "", q: "", span: "" });
		const data = name === "gaps" ? { tables: [findTable("spans", "gaps")] } : views[name];
		const shown = [...document.querySelectorAll("#table .scroll table")];
		for (const table of (data.tables || []).filter((one) => one.rows.length)) {
			const lines = [...shown.shift().querySelectorAll("tbody tr")];
			if (lines.length !== table.rows.length)
				wrong.push(name + ": " + lines.length + " rows");
			lines.forEach((line, i) => line.querySelectorAll("td").forEach((cell) => {
				const value = table.rows[i][table.columns.findIndex((one) => one.key === cell.dataset.key)];
				cells++;
				if (cell.dataset.value !== (value === null ? "" : String(value)))
					wrong.push(name + ", row " + i + ", " + cell.dataset.key);
			}));
		}
	}
	return { wrong: wrong.slice(0, 5), cells };
})()`;

const column = (key) => `[...document.querySelectorAll("#table table:first-of-type td[data-key=${key}]")]
	.map((cell) => cell.dataset.value)`;

async function checkTables() {
	const compared = await evaluate(compareTables);
	check(compared.wrong.length === 0, "tables: " + compared.wrong.join("; "));
	check(compared.cells > 20, "tables: only " + compared.cells + " cells");
	await evaluate(`setState({ view: "sites", sort: "", q: "" });
		document.querySelector("#table button[data-key=live_bytes]").click()`);
	const values = (await evaluate(column("live_bytes"))).map(Number);
	check(values.every((value, i) => !i || values[i - 1] >= value), "sort: not descending");
	check((await evaluate("location.hash")).includes("sort=-live_bytes"), "sort: not in the address");
	check(await evaluate(`document.querySelector("#table th[aria-sort=descending] button").dataset.key`) ===
		"live_bytes", "sort: aria-sort");
	const site = await evaluate("findTable('sites', 'sites').rows[0][0]");
	await evaluate("document.getElementById('search').focus()");
	await send("Input.insertText", { text: site.slice(0, 8) });
	const found = await evaluate(column("site"));
	check(found.length > 0 && found.every((name) => name.toLowerCase().includes(site.slice(0, 8).toLowerCase())),
		"search: " + found.join(", "));
	await evaluate("setState({ q: '', sort: '' })");
}

// The verdict is that of the data; each table shows its order; a mark of the peak is not below the areas;
// live numbers that a finding is about have a mark, which is explained.
async function checkMarks() {
	const totals = await evaluate("views.summary.totals"), loss = await evaluate("views.summary.loss");
	const verdict = await evaluate("document.getElementById('sure-title').nextSibling.textContent");
	const words = [["Exact: ", !loss.lost && !loss.skipped && !loss.skipped_partial &&
		!loss.unobserved.length && !totals.live_error_objects],
		["Lost " + loss.lost + " and skipped " + loss.skipped, loss.lost + loss.skipped > 0 && !totals.unknown],
		["too high", totals.live_error_objects > 0 && totals.live_error_objects === totals.live_maybe_freed_objects],
		["may be wrong by up to", totals.live_error_objects !== totals.live_maybe_freed_objects]];
	for (const [text, isThere] of await evaluate("Boolean(views.summary.estimates)") ? [] : words)
		check(verdict.includes(text) === isThere, "verdict: " + text + ": " + verdict);
	check((await evaluate("document.querySelector('header').textContent")).includes(verdict), "verdict at the top");
	await evaluate("setState({ view: 'sites', sort: '', q: '', span: '' })");
	const order = await evaluate("document.querySelector('#table th[aria-sort=descending] button').dataset.key");
	check(order === "bytes_allocated", "the order of the sites: " + order);
	check(await evaluate(`(() => { const mark = document.querySelector("#time svg .peak");
		const bottoms = [...document.querySelectorAll("#time .area")].map((area) => area.getBBox().y);
		return !mark || mark.getBBox().y <= Math.min(...bottoms) + 0.1; })()`), "the mark of the peak is below an area");
	const marks = await evaluate(`(() => { const table = findTable("sites", "sites"), found = liveFindings("site");
		const live = table.rows.filter((row) => found.has(row[0])).flatMap((row) =>
			row.filter((value, i) => table.columns[i].type === "live" && value));
		return [found.size, document.querySelectorAll("#table td.found").length, live.length]; })()`);
	check(marks[1] === marks[2], "findings, marks of live figures, live figures to mark: " + marks);
	check(await evaluate("document.querySelector('#table').textContent.includes('\\u2020')") === (marks[2] > 0),
		"the meaning of the mark");
}

async function checkSpan() {
	await drag(0.2, 0.6);
	const hash = await evaluate("location.hash");
	check(/span=\d+-\d+/.test(hash), "brush: " + hash);
	const shown = await evaluate(`({ span: chosenSpan(), option: spanOption(chosenSpan()),
		text: document.getElementById("span-text").value, total: totalOf(chosenSpan()) })`);
	const json = JSON.parse(execFileSync(report, ["sites", "-i", capture, "--format=json", shown.option],
		{ maxBuffer: 1 << 28 }));
	check(json.totals.allocations === shown.total.allocations, "span: allocations");
	check(json.totals.frees === shown.total.frees, "span: frees");
	check(json.totals.bytes_allocated === shown.total.bytes_allocated, "span: bytes");
	const heap = JSON.parse(execFileSync(report, ["sites", "-i", capture, "--format=json",
		"--at=" + shown.option.split(",")[1]], { maxBuffer: 1 << 28 }));
	check(heap.totals.live_bytes === shown.total.live_bytes, "span: live bytes at its end");
	const rows = await evaluate(column("bytes_allocated"));
	check(rows.map(Number).reduce((sum, value) => sum + value, 0) === shown.total.bytes_allocated,
		"span: the table of sites");
	check(shown.text.startsWith("Span "), "span: " + shown.text);

	// the link shows the same
	await openPage(hash);
	check(await evaluate("document.getElementById('span-text').value") === shown.text, "a link to a span");

	// without a pointer
	await evaluate("setState({ span: '' }); document.getElementById('span-begin').focus()");
	await press("ArrowRight", 39);
	check((await evaluate("chosenSpan()"))[0] === 1, "slider: " + await evaluate("location.hash"));
	check((await evaluate("document.activeElement.getAttribute('aria-valuetext')")).length > 0, "aria-valuetext");
	await evaluate("document.getElementById('whole').click()");
	check(!(await evaluate("location.hash")).includes("span"), "the whole capture");
}

async function checkTree() {
	await evaluate("setState({ measure: 'allocated', zoom: '' })");
	await evaluate("document.querySelector('[role=treeitem][tabindex=\"0\"]').focus()");
	await press("ArrowDown", 40);
	await press("ArrowDown", 40);
	await press("Enter", 13);
	const hash = await evaluate("location.hash");
	check(/zoom=/.test(hash), "tree: " + hash);
	const zoomed = await evaluate("document.getElementById('zoom-text').value");
	check(await evaluate("document.activeElement.getAttribute('aria-label')") === zoomed, "tree: focus");
	await openPage(hash);
	check(await evaluate("document.getElementById('zoom-text').value") === zoomed, "a link to a node");
	const total = await evaluate("findTree(chosenSpan()).root.bytes");
	check(total === await evaluate("views['flame-allocated'].flame_totals.bytes"), "tree: " + total);
	const processes = await evaluate("findTree(chosenSpan()).root.children.map((node) => node.name)");
	const names = JSON.parse(execFileSync(report, ["sites", "-i", capture, "--by=comm", "--format=json"],
		{ maxBuffer: 1 << 28 })).sites.map((row) => row.comm === null ? "(no comm)" : row.comm);
	check(processes.length > 0 && processes.every((name) => names.includes(name) || /[^ -~]|\\|[;:]/.test(name)),
		"tree: not processes: " + processes.filter((name) => !names.includes(name)));
	await evaluate("setState({ zoom: '' })");
	await checkFind(await evaluate("findTree(chosenSpan()).root.children[0].children[0].name"),
		/^Found( among the largest bars)?: \d+ bars?, with .*\([\d.]+ %\)\.$/);
	await evaluate("setState({ zoom: pathText(findTree(chosenSpan()).root.children[0]) })");
	await evaluate("document.querySelector('[role=treeitem][tabindex=\"0\"]').focus()");
	await press("Escape", 27);
	check(!(await evaluate("location.hash")).includes("zoom"), "tree: Escape");
}

// The row of the site, alone in its table, where a link or a button has led to.
async function checkPlace(what, key) {
	check(await evaluate("document.activeElement.id") === "table-" + key, what + ": the focus is on " +
		await evaluate("document.activeElement.outerHTML.slice(0, 80)"));
}

async function checkLinks() {
	await evaluate("document.querySelector('#contents a[data-jump=sure-title]').click()");
	check(await evaluate("document.activeElement.textContent") === "How sure", "contents: How sure");
	if (await evaluate("document.querySelector('header .warning') !== null")) {
		const before = await evaluate("location.hash");
		await evaluate("document.activeElement.blur(); document.querySelector('header .warning a').focus()");
		await press("Enter", 13);
		check(await evaluate("document.activeElement.id") === "sure-title", "the link to How sure");
		check(await evaluate("location.hash") === before, "the link to How sure: " + await evaluate("location.hash"));
	}
	const openAll = (open) => evaluate(`document.querySelectorAll("details").forEach((one) => { one.open = ${open}; })`);
	await openAll(true);
	for (const place of [".finding a.site", "#overview td a.site", "#overview li a.site"]) {
		const name = await evaluate(`document.querySelector("${place}")?.textContent`);
		if (!name)
			continue;
		await evaluate(`setState({ view: "caches", sort: "", q: "" });
			document.querySelector("${place}").focus()`);
		await press("Enter", 13);
		const rows = await evaluate(column("site"));
		check(rows.includes(name) && rows.every((row) => row.includes(name)), place + ": " + rows);
		await checkPlace(place, "sites");
		const hash = await evaluate("location.hash");
		check(hash === await evaluate(`document.querySelector("${place}").getAttribute("href")`) ||
			hash === "#q=" + new URLSearchParams({ q: name }).toString().slice(2), place + ": " + hash);
	}
	await openAll(false);
	await evaluate(`setState({ q: "" });
		[...document.querySelectorAll("#overview button")].find((one) => one.textContent.startsWith("Sizes")).click()`);
	if (await evaluate("Boolean(findTable('sizes', 'class_sites'))"))
		await checkPlace("the button of the sizes", "class_sites");
	await evaluate("setState({ view: 'sites' })");
}

// Each finding has the sentence of its kind, below the heading of its certainty.
async function checkFindings() {
	const wrong = await evaluate(`[...document.querySelectorAll(".finding")].filter((one) =>
		!one.querySelector("p").textContent ||
		one.querySelector("p").textContent !== views.findings.kinds[one.querySelector("h4").textContent.split(",")[0]])
		.length`);
	check(wrong === 0, "findings: " + wrong + " without an explanation");
	const mixed = await evaluate(`[...document.querySelectorAll(".finding")].filter((one) => {
		let title = one.closest("details") || one;
		while (title.tagName !== "H3")
			title = title.previousElementSibling;
		return !one.classList.contains(title.textContent.split(":")[0].toLowerCase());
	}).length`);
	check(mixed === 0, "findings: " + mixed + " below another heading");
	await checkFolded();
}

// Only certain findings are in sight; the others are folded below their number, and why they are possible.
async function checkFolded() {
	if (await evaluate("Boolean(views.findings.refused)"))
		return;
	const seen = await evaluate(`[...document.querySelectorAll(".finding, #overview li")].filter((one) =>
		/^[a-z-]+, (possible|legal): /.test(one.textContent) && one.checkVisibility()).length`);
	check(seen === 0, "findings: " + seen + " that are not certain are in sight");
	const totals = JSON.parse(execFileSync(report, ["findings", "--possible", "-i", capture, "--format=json"],
		{ maxBuffer: 1 << 28 })).findings;
	for (const certainty of ["possible", "legal"]) {
		const rows = totals.filter((row) => row.certainty === certainty);
		const texts = await evaluate(`[...document.querySelectorAll("summary")].map((one) => one.textContent)
			.filter((text) => text.includes(" ${certainty} finding"))`);
		check(texts.length === (rows.length ? 2 : 0), "findings: " + certainty + ": " + texts);
		const cases = rows.reduce((sum, row) => sum + row.count, 0), plain = (text) => text.replace(/,/g, "");
		for (const text of texts)
			check(plain(text).startsWith(rows.length + " " + certainty + " finding") && plain(text).includes(" in " + cases + " case") &&
				(certainty === "legal" || text.includes("not certain because: ")), "findings: " + text);
	}
}

async function checkColumns() {
	const wrong = await evaluate(`tableViews.filter((name) => name !== "gaps" && views[name].tables).flatMap((name) => {
		setState({ view: name, sort: "", q: "", columns: "" });
		return views[name].tables.filter((table) => table.rows.length && table.sort).map((table) => {
			const key = sortColumn(table.sort);
			const scroll = document.getElementById("table-" + table.key).nextElementSibling;
			return !table.columns.some((one) => one.key === key) ||
				scroll.querySelector("td[data-key=" + key + "]") ? "" : name + ": " + key;
		}).filter((text) => text);
	})`);
	check(wrong.length === 0, "columns: the sort column is hidden: " + wrong);
	const has = (key) => evaluate(`document.querySelector("#table td[data-key=${key}]") !== null`);
	await evaluate("setState({ view: 'sites', columns: '' })");
	check(!await has("address"), "columns: the address is shown");
	const address = await evaluate("rowsOf(findTable('sites', 'sites'))[0].address");
	await evaluate(`setState({ q: "${address}" })`);
	check((await evaluate(column("site"))).length === 1, "columns: the search does not find " + address);
	await evaluate("setState({ q: '' }); document.getElementById('columns').click()");
	check(await has("address"), "columns: the address is hidden");
	check((await evaluate("location.hash")).includes("columns=all"), "columns: not in the address");
	await evaluate("document.getElementById('columns').click()");
}

async function checkAdvice() {
	const best = await evaluate(`rowsOf(findTable("sizes", "class_sites")).filter((row) => row.saves_bytes)
		.sort((a, b) => b.saves_bytes - a.saves_bytes)[0]?.advice`);
	const shown = await evaluate(`document.querySelector("#overview .advice")?.textContent`);
	check(!best || (shown || "").includes(best), "advice: " + best + " is not in: " + shown);
}

async function main() {
	const time = await openPage("");
	console.log("opened in " + time + " ms");
	const elements = await evaluate(`[document.querySelectorAll("body img, body iframe, body object, body link").length,
		[...document.querySelectorAll("script")].filter((one) => !one.type).length,
		document.querySelectorAll("h2").length]`);
	check(elements.join() === "0,1,8", "elements: " + elements);
	await shoot("first");
	// the largest growth, or that there is none, is on the first screen
	const bottom = await evaluate(`(document.querySelector("#overview .panel:first-child tbody tr") ||
		document.querySelector("#overview .panel:first-child .note"))?.getBoundingClientRect().bottom`);
	check(bottom > 0 && bottom <= 600, "the first row of the growth ends at " + bottom + " of 800 pixels");
	await checkTables();
	await checkMarks();
	await checkColumns();
	await checkLinks();
	await checkFindings();
	await checkAdvice();
	await checkWidths("tableViews", ["live_bytes", "growth_pattern"]);
	if (await evaluate("slices.length > 3 && pairs.length > 0"))
		await checkSpan();
	if (await evaluate("findTree(slices.length ? chosenSpan() : [0, -1]).root !== null"))
		await checkTree();
}

run(main);
