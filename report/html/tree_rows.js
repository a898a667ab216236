// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The rows of the view flame as a tree.

function newNode(name, parent) {
	return { name, parent, bytes: 0, objects: 0, own: 0, bound: false, children: [] };
}

// The rows of the view flame: each node with its depth, parents first.
function treeOfRows(rows) {
	const root = newNode("all", null), way = [root];
	for (const row of rows) {
		const parent = way[row.depth];
		const node = newNode(row.function, parent);
		Object.assign(node, { bytes: row.bytes, objects: row.objects, own: row.own_bytes,
			bound: row.upper_bound, error: row.error_percent });
		parent.children.push(node);
		way[row.depth + 1] = node;
		way.length = row.depth + 2;
		if (row.depth === 0) {
			root.bytes += row.bytes;
			root.objects += row.objects;
			root.bound = root.bound || row.upper_bound;
		}
	}
	return root;
}

// A warm color by the name: the same function has the same color everywhere.
function colorOf(name) {
	let hash = 7;
	for (const c of name.split("+")[0])
		hash = (hash * 31 + c.charCodeAt(0)) >>> 0;
	return "hsl(" + (15 + hash % 40) + ", " + (65 + (hash >>> 8) % 25) + "%, " + (62 + (hash >>> 16) % 16) + "%)";
}

// Processes, above the functions, are grey.
const treeLook = (hasProcesses) => ({ text: nodeText, found: foundText, color: (node) =>
	hasProcesses && node.parent && !node.parent.parent ? "hsl(210, 12%, 78%)" : colorOf(node.name) });

// A node that is found counts with all below it. A tree that was cut has only its largest nodes.
function foundText(nodes, root) {
	const bytes = nodes.reduce((sum, node) => sum + node.bytes, 0);
	return "Found" + (root.isCut ? " among the largest bars: " : ": ") + plural(nodes.length, "bar") + ", with " +
		(nodes.some((node) => node.bound) ? "at most " : "") + bytesText(bytes) + " (" +
		(100 * bytes / root.bytes).toFixed(1) + " %).";
}

function nodeText(node, root) {
	return node.name + ": " + (node.bound ? "at most " : "") + bytesText(node.bytes) + " (" +
		(root.bytes ? 100 * node.bytes / root.bytes : 0).toFixed(1) + " %) in " +
		plural(node.objects, "object") + (node.error ? ", +-" + node.error.toFixed(0) + " %" : "");
}
