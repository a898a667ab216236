// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Both captures as one tree: as wide as the larger figure of each row, red where B has more, blue where
// it has less, pale where that is not certain.

// The values of --by of a row as a path.
function pathOfRow(row) {
	return diffTable.columns.slice(0, firstKeys).flatMap((column) => {
		const text = row[column.key];
		if (text === null)
			return ["(unknown " + column.key + ")"];
		return column.key === "site" ? sitePath(text) : column.key === "stack" ? text.split(" < ").reverse()
			: [text];
	});
}

function newNode(name, parent) {
	return { name, parent, a: 0, b: 0, low: 0, high: 0, bytes: 0, rows: 0, children: [] };
}

// The intervals of all rows hold together, so their sums are an interval of the sum.
function addRow(node, row) {
	node.a += row.a;
	node.b += row.b;
	node.low += row.change_low === null ? -Infinity : row.change_low;
	node.high += row.change_high === null ? Infinity : row.change_high;
	node.bytes += Math.max(0, row.a, row.b); // growth may be negative
	node.rows++;
}

function diffTree(figure) {
	const root = newNode("all", null);
	for (const row of rowsOf(diffTable).filter((one) => one.figure === figure)) {
		let node = root;
		addRow(root, row);
		for (const name of pathOfRow(row)) {
			let child = node.children.find((one) => one.name === name);
			if (!child) {
				child = newNode(name, node);
				node.children.push(child);
			}
			node = child;
			addRow(node, row);
		}
	}
	const sort = (node) => {
		node.children.sort((a, b) => b.bytes - a.bytes);
		node.children.forEach(sort);
	};
	sort(root);
	return root;
}

const isCertain = (node) => node.low > 0 || node.high < 0;

// The change as a share of the larger figure gives the strength of the color.
function changeColor(node) {
	const change = node.b - node.a, larger = Math.max(Math.abs(node.a), Math.abs(node.b));
	const share = larger ? Math.min(1, Math.abs(change) / larger) : 0;
	if (!change)
		return "hsl(0, 0%, 82%)";
	return "hsl(" + (change > 0 ? 8 : 214) + ", " + (isCertain(node) ? 85 : 30) + "%, " +
		(isCertain(node) ? 78 - 18 * share : 86 - 6 * share).toFixed(0) + "%)";
}

function changeText(node) {
	const change = node.b - node.a;
	const sum = chosenFigure() === "peak_bytes" && node.rows > 1 ? " (the sum of " + node.rows + " peaks)" : "";
	return node.name + sum + ": A " + number(node.a) + ", B " + number(node.b) + ", " + (change === 0 ? "the same"
		: (change > 0 ? "+" : "") + number(change) + (node.a ? " (" + (change > 0 ? "+" : "") +
			(100 * change / node.a).toFixed(1) + " %)" : " (new)") +
			(isCertain(node) ? ", certain " + number(node.low > 0 ? node.low : node.high) : ", not certain"));
}

// The bars found, as one.
function foundChangeText(nodes) {
	const sum = newNode("Found, " + plural(nodes.length, "bar"), null);
	for (const node of nodes)
		for (const key of ["a", "b", "low", "high", "rows"])
			sum[key] += node[key];
	return changeText(sum) + ".";
}

function startTree() {
	const out = document.getElementById("tree"), choose = make("select", { id: "figure" });
	for (const name in figures)
		choose.append(make("option", { value: name }, figureText(name)));
	document.getElementById("tree-legend").textContent = "By " + views.diff.comparison.by.replace(/,/g, ", ") + ". Each bar is as wide as the larger figure of A and B. Red: B has more. Blue: B has less. Grey: the same. " +
		"Pale: the change is not certain. Click, or press Enter on a bar, to zoom; Escape shows all. " +
		"The arrow keys move between bars. " + leftOut;
	const parts = addTreeParts(out, make("label", {}, "Figure", choose));
	choose.addEventListener("change", () => setState({ figure: choose.value, zoom: "" }));
	onState(["figure", "zoom", "find", "width"], () => {
		choose.value = chosenFigure();
		showTree(parts, diffTree(choose.value), { color: changeColor, text: changeText, found: foundChangeText },
			"Changes of " + figures[choose.value], "There are no such bytes.");
	});
}
