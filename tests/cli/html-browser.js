// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// html-browser.js BROWSER REPORT CAPTURE PAGE PROFILE: drives a browser without a window through the
// page of a capture, by the pipe of its debugging protocol. Prints what is wrong; exits with 1.
"use strict";
const { spawn, execFileSync } = require("child_process");
const [browser, report, capture, page, profile] = process.argv.slice(2);
const failures = [], requests = [];
let next = 1, session;
const waiting = new Map();

const child = spawn(browser, ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
	"--disable-dev-shm-usage", "--user-data-dir=" + profile, "--window-size=1280,2400",
	"--remote-debugging-pipe", "about:blank"], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });

function send(method, params = {}) {
	const id = next++;
	child.stdio[3].write(JSON.stringify({ id, method, params, sessionId: session }) + "\0");
	return new Promise((resolve, reject) => waiting.set(id, { resolve, reject, method }));
}

function take(message) {
	const one = waiting.get(message.id);
	if (one) {
		waiting.delete(message.id);
		if (message.error)
			one.reject(new Error(one.method + ": " + message.error.message));
		else
			one.resolve(message.result);
		return;
	}
	const params = message.params;
	if (message.method === "Runtime.exceptionThrown")
		failures.push("exception: " + JSON.stringify(params.exceptionDetails).slice(0, 500));
	else if (message.method === "Runtime.consoleAPICalled" || message.method === "Log.entryAdded")
		failures.push("console: " + JSON.stringify(params).slice(0, 500));
	else if (message.method === "Page.javascriptDialogOpening")
		failures.push("a script of the capture ran: " + params.message);
	else if (message.method === "Network.requestWillBeSent")
		requests.push(params.request.url);
}

let text = "";
child.stdio[4].on("data", (bytes) => {
	text += bytes;
	for (let end; (end = text.indexOf("\0")) >= 0; text = text.slice(end + 1))
		take(JSON.parse(text.slice(0, end)));
});

async function evaluate(expression) {
	const answer = await send("Runtime.evaluate", { expression, returnByValue: true });
	if (answer.exceptionDetails)
		throw new Error(expression + ": " + JSON.stringify(answer.exceptionDetails).slice(0, 400));
	return answer.result.value;
}

function check(is, what) {
	if (!is)
		failures.push(what);
}

async function open(fragment) {
	await send("Page.navigate", { url: "about:blank" });
	await send("Page.navigate", { url: "file://" + page + fragment });
	for (let i = 0; i < 200; i++) {
		if (await evaluate("document.documentElement?.dataset.ready === 'yes'"))
			return;
		await new Promise((resolve) => setTimeout(resolve, 50));
	}
	throw new Error("the page is not ready after 10 seconds");
}

async function press(key, code) {
	for (const type of ["keyDown", "keyUp"])
		await send("Input.dispatchKeyEvent", { type, key, code: key, windowsVirtualKeyCode: code,
			text: key === "Enter" && type === "keyDown" ? "\r" : undefined });
}

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
	await open(hash);
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
	await open(hash);
	check(await evaluate("document.getElementById('zoom-text').value") === zoomed, "a link to a node");
	const total = await evaluate("findTree(chosenSpan()).root.bytes");
	check(total === await evaluate("views['flame-allocated'].flame_totals.bytes"), "tree: " + total);
	await evaluate("document.querySelector('[role=treeitem][tabindex=\"0\"]').focus()");
	await press("Escape", 27);
	check(!(await evaluate("location.hash")).includes("zoom"), "tree: Escape");
}

async function main() {
	const targets = await send("Target.getTargets");
	const target = targets.targetInfos.find((one) => one.type === "page").targetId;
	session = (await send("Target.attachToTarget", { targetId: target, flatten: true })).sessionId;
	for (const domain of ["Runtime", "Log", "Page", "Network"])
		await send(domain + ".enable");
	await open("");
	const elements = await evaluate(`[document.querySelectorAll("body img, body iframe, body object, body link").length,
		[...document.querySelectorAll("script")].filter((one) => !one.type).length,
		document.querySelectorAll("h2").length]`);
	check(elements.join() === "0,1,8", "elements: " + elements);
	await checkTables();
	if (await evaluate("slices.length > 3 && pairs.length > 0"))
		await checkSpan();
	if (await evaluate("findTree(slices.length ? chosenSpan() : [0, -1]).root !== null"))
		await checkTree();
	for (const url of requests)
		check(url === "about:blank" || url.split("#")[0] === "file://" + encodeURI(page), "a request: " + url);
	check(requests.length > 0, "no request was seen, not even that of the page");
}

const timer = setTimeout(() => { failures.push("no answer after 100 seconds"); end(); }, 100000);

function end() {
	clearTimeout(timer);
	child.kill();
	for (const failure of failures)
		console.log(failure);
	process.exit(failures.length ? 1 : 0);
}

child.on("error", (error) => { failures.push(String(error)); end(); });
main().catch((error) => failures.push(String(error))).then(end);
