// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// html-browser-svg.js BROWSER PROFILE PICTURE REPORT CAPTURE: checks a flame graph in a browser, made with
// --bytes=allocated. Prints what is wrong; exits with 1.
"use strict";
const { execFileSync } = require("child_process");
const { check, evaluate, openPage, press, run, send, shoot } = require("./browser.js");
const [report, capture] = process.argv.slice(5);

// The boxes in sight: name, x and width in percent, depth.
const shownBoxes = () => evaluate(`boxes.filter(isShown).map((box) => ({ name: nameOf(box), depth: box.depth,
	x: parseFloat(box.element.getAttribute("x")), width: parseFloat(box.element.getAttribute("width")) }))`);
const text = () => evaluate("output.textContent");

async function click(index) {
	const [x, y] = await evaluate(`(() => { const box = boxes[${index}].element.querySelector("rect").getBoundingClientRect();
		return [box.left + box.width / 2, box.top + box.height / 2]; })()`);
	for (const type of ["mousePressed", "mouseReleased"])
		await send("Input.dispatchMouseEvent", { type, x, y, button: "left", clickCount: 1 });
}

// The bytes of the paths that pass a function with these words, in percent of all.
function expectedPercent(words) {
	const lines = execFileSync(report, ["flame", "-i", capture, "--by=comm,module,caller_function,site", "--bytes=allocated",
		"--format=folded"], { maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"] }).toString().trim().split("\n");
	const sum = (list) => list.reduce((all, line) => all + Number(line.slice(line.lastIndexOf(" "))), 0);
	return 100 * sum(lines.filter((line) => line.slice(0, line.lastIndexOf(" ")).toLowerCase().includes(words))) / sum(lines);
}

async function checkZoom() {
	const all = await shownBoxes(), index = all.findIndex((box) => box.depth === 2);
	check(all.length === await evaluate("boxes.length") && index > 0, "boxes: " + all.length);
	await click(index);
	const shown = await shownBoxes(), chosen = all[index];
	check((await text()).startsWith("shown: " + chosen.name + ": "), "zoom: " + await text());
	check(shown.filter((box) => box.depth === 2).length === 1, "zoom: others at its depth");
	check(shown.filter((box) => box.depth <= 2).every((box) => box.x === 0 && Math.abs(box.width - 100) < 1e-9),
		"zoom: the way to it is not as wide as the picture");
	const below = shown.filter((box) => box.depth === 3).reduce((sum, box) => sum + box.width, 0);
	check(below > 99.5 && below < 100.5, "zoom: below it " + below + " %");
	check(await evaluate("boxes.filter(isShown).every((box) => (box.element.querySelector('text')?.textContent || nameOf(box)) === nameOf(box))"),
		"zoom: names");
	await shoot("zoom");
	await press("Escape", 27);
	check(JSON.stringify(await shownBoxes()) === JSON.stringify(all), "Escape");
	await evaluate("boxes[0].element.focus()");
	await press("ArrowDown", 40);
	await press("Enter", 13);
	check((await text()).startsWith("shown: " + all.find((box) => box.depth === 1).name + ": "), "Enter: " + await text());
	await evaluate("all.click()");
	check((await shownBoxes()).length === all.length, "All");
}

async function checkSearch() {
	for (const words of ["alloc", "kernel", "no such name"]) {
		await evaluate("field.value = ''; field.focus()");
		await send("Input.insertText", { text: words });
		const names = await evaluate("boxes.filter((box) => box.element.classList.contains('match')).map(nameOf)");
		check(names.every((name) => name.toLowerCase().includes(words)), "search " + words + ": " + names);
		const shown = parseFloat((await text()).replace(/^found: (at least )?/, "")), expected = expectedPercent(words);
		check(Math.abs(shown - expected) < ((await text()).includes("at least") ? 1 : 0.1), "search " + words + ": " + await text() +
			", not " + expected);
		await shoot("search");
	}
}

async function main() {
	await openPage("");
	await checkZoom();
	await checkSearch();
}

run(main);
