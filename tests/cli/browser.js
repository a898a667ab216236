// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Drives a browser without a window, by the pipe of its debugging protocol.
"use strict";
const { spawn } = require("child_process");
const { writeFileSync } = require("fs");
const [browser, profile, page] = process.argv.slice(2);
const failures = [], requests = [];
let next = 1, session;
const waiting = new Map();

const child = spawn(browser, ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
	"--disable-dev-shm-usage", "--user-data-dir=" + profile, "--window-size=1280,800",
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
	const answer = await send("Runtime.evaluate", { expression, returnByValue: true, awaitPromise: true });
	if (answer.exceptionDetails)
		throw new Error(expression + ": " + JSON.stringify(answer.exceptionDetails).slice(0, 400));
	return answer.result.value;
}

function check(is, what) {
	if (!is)
		failures.push(what);
}

// Opens a page, and waits until its script has ended. Returns the milliseconds that this took.
async function openPage(fragment) {
	await send("Page.navigate", { url: "about:blank" });
	const begin = Date.now();
	await send("Page.navigate", { url: "file://" + page + fragment });
	for (let i = 0; i < 500; i++) {
		if (await evaluate("document.documentElement?.dataset.ready === 'yes'"))
			return Date.now() - begin;
		await new Promise((resolve) => setTimeout(resolve, 20));
	}
	throw new Error("the page is not ready after 10 seconds");
}

// Gives the window another width; 0: its own.
async function setWidth(width) {
	await (width ? send("Emulation.setDeviceMetricsOverride", { width, height: 800, deviceScaleFactor: 1, mobile: false })
		: send("Emulation.clearDeviceMetricsOverride"));
	await evaluate("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))");
}

// In windows of these widths, the page and its tables need no scrolling to the side, and the rows of
// What grew or What changed show these columns.
async function checkWidths(names, keys) {
	for (const width of [480, 1280]) {
		await setWidth(width);
		const wide = await evaluate(`${names}.flatMap((view) => { setState({ view, sort: "", q: "", columns: "" });
			return [...document.querySelectorAll(".scroll.fits")].filter((one) => one.scrollWidth > one.clientWidth)
				.map((one) => view + ": " + one.getAttribute("aria-label"));
		})`);
		check(wide.length === 0, width + " pixels: tables are too wide: " + wide.slice(0, 5).join("; "));
		check(await evaluate("document.documentElement.scrollWidth <= innerWidth"), width + " pixels: the page is too wide");
		for (const key of keys)
			check(await evaluate(`[...document.querySelectorAll("td[data-key=${key}]")].every((cell) =>
				!cell.closest("#overview") || (cell.getBoundingClientRect().width > 0 &&
					cell.getBoundingClientRect().right <= innerWidth))`), width + " pixels: no column " + key);
		const small = await evaluate(`[...document.querySelectorAll("svg[viewBox] text")].filter((one) =>
			one.getBoundingClientRect().height && !one.getAttribute("transform") &&
			one.getBoundingClientRect().height < 10).length`);
		check(small === 0, width + " pixels: " + small + " texts in pictures are too small");
		await shoot("width-" + width);
	}
	await setWidth(0);
	await evaluate(`setState({ view: defaults.view })`);
}

// The search in the tree: it marks the bars that have the name, and says their share.
async function checkFind(name, words) {
	await evaluate("document.getElementById('find').focus()");
	await send("Input.insertText", { text: name });
	const marked = await evaluate(`[...document.querySelectorAll("[role=treeitem].match text")].map((one) => one.parentNode.node.name)`);
	check(marked.length > 0 && marked.every((one) => one.toLowerCase().includes(name.toLowerCase())),
		"find " + name + ": " + marked.slice(0, 5));
	const text = await evaluate("document.getElementById('find-text').value");
	check(words.test(text), "find " + name + ": " + text);
	check((await evaluate("location.hash")).includes("find="), "find: not in the address");
	await evaluate("setState({ find: '' })");
	check(await evaluate("document.querySelector('.match') === null && document.getElementById('find').value === ''"),
		"find: not reset");
}

async function press(key, code) {
	for (const type of ["keyDown", "keyUp"])
		await send("Input.dispatchKeyEvent", { type, key, code: key, windowsVirtualKeyCode: code,
			text: key === "Enter" && type === "keyDown" ? "\r" : undefined });
}

// With KMEMTRACE_SHOTS=DIR: a picture of the window as it is.
async function shoot(name) {
	const dir = process.env.KMEMTRACE_SHOTS;
	if (!dir)
		return;
	for (const scheme of ["light", "dark"]) {
		await send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: scheme }] });
		const picture = await send("Page.captureScreenshot", { captureBeyondViewport: false });
		writeFileSync(dir + "/" + page.split("/").pop() + "." + name + "." + scheme + ".png",
			Buffer.from(picture.data, "base64"));
	}
}

async function start() {
	const targets = await send("Target.getTargets");
	const target = targets.targetInfos.find((one) => one.type === "page").targetId;
	session = (await send("Target.attachToTarget", { targetId: target, flatten: true })).sessionId;
	for (const domain of ["Runtime", "Log", "Page", "Network"])
		await send(domain + ".enable");
}

function checkRequests() {
	for (const url of requests)
		check(url === "about:blank" || url.split("#")[0] === "file://" + encodeURI(page), "a request: " + url);
	check(requests.length > 0, "no request was seen, not even that of the page");
}

const timer = setTimeout(() => { failures.push("no answer after 200 seconds"); end(); }, 200000);

function end() {
	clearTimeout(timer);
	for (const failure of failures)
		console.log("failed: " + failure);
	const leave = () => process.exit(failures.length ? 1 : 0);
	child.on("close", leave);
	if (!child.kill())
		leave();
}

child.on("error", (error) => { failures.push(String(error)); end(); });

// Runs the checks of a page, prints what is wrong, and exits with 1 if there is something.
function run(checks) {
	start().then(checks).then(checkRequests).catch((error) => failures.push(String(error))).then(end);
}

module.exports = { check, checkFind, checkWidths, evaluate, openPage, press, run, send, shoot };
