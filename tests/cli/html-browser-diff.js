// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// html-browser-diff.js BROWSER PROFILE PAGE REPORT A B [OPTION]: checks the page of a comparison in a
// browser. Prints what is wrong; exits with 1.
"use strict";
const { execFileSync } = require("child_process");
const { check, checkFind, checkWidths, evaluate, openPage, press, run, send, shoot } = require("./browser.js");
const [report, a, b, ...more] = process.argv.slice(5);

// The table has the rows of the JSON, and the tree their sums.
async function checkFigures(json) {
	for (const figure of await evaluate("Object.keys(figures)")) {
		await evaluate(`setState({ figure: "${figure}", q: "", sort: "", certain: "", zoom: "" })`);
		const rows = json.diff.filter((row) => row.figure === figure);
		const shown = await evaluate(`[...document.querySelectorAll("#table tbody tr")].map((line) =>
			["a", "b", "change", "change_certain"].map((key) =>
				line.querySelector("td[data-key=" + key + "]")?.dataset.value))`);
		check(shown.length === rows.length, figure + ": " + shown.length + " rows of " + rows.length);
		rows.forEach((row, i) => ["a", "b", "change", "change_certain"].forEach((key, at) =>
			// a column with nothing but 0 is not shown
			check(shown[i] && (shown[i][at] ?? "0") === (row[key] === null ? "" : String(row[key])),
				figure + ", row " + i + ", " + key + ": " + (shown[i] && shown[i][at]))));
		const root = await evaluate(`(({ a, b }) => [a, b])(diffTree("${figure}"))`);
		for (const [i, side] of ["a", "b"].entries()) {
			const sum = rows.reduce((all, row) => all + row[side], 0);
			check(Math.abs(root[i] - sum) <= 1e-6 * sum, figure + ": the tree has " + root[i] + ", not " + sum);
		}
	}
}

async function checkColors() {
	const wrong = await evaluate(`(() => {
		const wrong = [];
		for (const item of document.querySelectorAll("[role=treeitem]")) {
			const node = item.node, color = item.querySelector("rect").getAttribute("fill");
			const hue = node.b > node.a ? "hsl(8, " : node.b < node.a ? "hsl(214, " : "hsl(0, 0%";
			const certain = node.low > 0 || node.high < 0;
			if (!color.startsWith(hue) || (node.a !== node.b && color.includes(", 85%, ") !== certain))
				wrong.push(node.name + ": " + color);
		}
		return wrong;
	})()`);
	check(wrong.length === 0, "colors: " + wrong.slice(0, 3).join("; "));
}

async function checkUse() {
	await evaluate(`setState({ figure: "bytes_allocated" });
		document.querySelector("#table button[data-key=b]").click()`);
	const values = (await evaluate(`[...document.querySelectorAll("#table td[data-key=b]")].map((cell) =>
		cell.dataset.value)`)).map(Number);
	check(values.every((value, i) => !i || values[i - 1] >= value), "sort: not descending");
	const name = await evaluate("String(diffTable.rows[0][0] || '')");
	await evaluate("document.getElementById('search').focus()");
	await send("Input.insertText", { text: name.slice(0, 6) });
	const found = await evaluate(`[...document.querySelectorAll("#table tbody tr")].map((line) => line.textContent)`);
	check(found.length > 0 && found.every((text) => text.toLowerCase().includes(name.slice(0, 6).toLowerCase())),
		"search: " + found.length + " rows");
	await evaluate("setState({ q: '', sort: '' }); document.querySelector('[role=treeitem]').focus()");
	await press("ArrowDown", 40);
	await press("Enter", 13);
	const hash = await evaluate("location.hash"), zoomed = await evaluate("document.getElementById('zoom-text').value");
	check(/zoom=/.test(hash), "tree: " + hash);
	await openPage(hash);
	check(await evaluate("document.getElementById('zoom-text').value") === zoomed, "a link to a node");
	await evaluate("document.querySelector('[role=treeitem][tabindex=\"0\"]').focus()");
	await press("Escape", 27);
	check(!(await evaluate("location.hash")).includes("zoom"), "tree: Escape");
	await evaluate("document.getElementById('certain').click()");
	const count = await evaluate("document.querySelectorAll('#table tbody tr').length");
	check(count === await evaluate(`rowsOf(diffTable).filter((row) => row.certain &&
		row.figure === chosenFigure()).length`), "only certain changes: " + count);
}

async function main() {
	const json = JSON.parse(execFileSync(report, ["diff", a, b, "--format=json", ...more], { maxBuffer: 1 << 28 }));
	await openPage("");
	await shoot("first");
	await checkFigures(json);
	await checkColors();
	await checkUse();
	await evaluate("setState({ certain: '', zoom: '' })");
	await checkFind(await evaluate("diffTree(chosenFigure()).children[0].name"), /^Found, \d+ bars?.*: A .*, B /);
	await checkWidths("['']", ["change", "state"]);
	await evaluate("document.getElementById('tree-title').scrollIntoView()");
	await shoot("tree");
}

run(main);
