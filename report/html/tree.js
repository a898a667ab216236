// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Bytes by call path, or by module, function, call site and cache: a tree, the root above.

const measures = {
	live: "live at the end", peak: "live at their peak", allocated: "allocated",
	temporary: "of temporary objects", leaked: "of old live objects",
};
const treeSize = { width: 960, row: 20, depth: 40 };

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

// module, function, site and cache of a pair
function pathOf(pair) {
	if (pair.site === null)
		return [pairName(pair)];
	const match = /^(.*?)(?:\+0x[0-9a-f]+\/0x[0-9a-f]+)?(?: \[([^\]]*)\].*)?$/s.exec(pair.site);
	const module = match[2] ? "[" + match[2] + "]" : match[1].startsWith("0x") ? "(no module)" : "kernel";
	return [module, match[1], pair.site, pair.cache];
}

function treeOfSpan(span, measure) {
	const root = newNode("all", null);
	for (const own of sumSpan(span, "pair")) {
		const bytes = measure === "live" ? own.live_bytes : own.bytes_allocated;
		const objects = measure === "live" ? own.live_objects : own.allocations;
		let node = root;
		if (bytes <= 0)
			continue;
		for (const name of [null, ...pathOf(own.pair)]) {
			if (name !== null) {
				let child = node.children.find((one) => one.name === name);
				if (!child) {
					child = newNode(name, node);
					node.children.push(child);
				}
				node = child;
			}
			node.bytes += bytes;
			node.objects += objects;
			node.bound = node.bound || (measure === "live" && own.upper_bound);
		}
		node.own += bytes;
	}
	const sort = (node) => {
		node.children.sort((a, b) => b.bytes - a.bytes);
		node.children.forEach(sort);
	};
	sort(root);
	return root;
}

function findNode(root, path) {
	let node = root;
	for (const name of path ? path.split(";") : []) {
		const child = node.children.find((one) => one.name === name);
		if (!child)
			return node;
		node = child;
	}
	return node;
}

function pathText(node) {
	const names = [];
	for (; node.parent; node = node.parent)
		names.unshift(node.name);
	return names.join(";");
}

// A warm color by the name: the same function has the same color everywhere.
function colorOf(name) {
	let hash = 7;
	for (const c of name.split("+")[0])
		hash = (hash * 31 + c.charCodeAt(0)) >>> 0;
	return "hsl(" + (15 + hash % 40) + ", " + (65 + (hash >>> 8) % 25) + "%, " + (62 + (hash >>> 16) % 16) + "%)";
}

function nodeText(node, root) {
	return node.name + ": " + (node.bound ? "at most " : "") + plural(node.bytes, "byte") + " (" +
		(root.bytes ? 100 * node.bytes / root.bytes : 0).toFixed(1) + " %) in " +
		plural(node.objects, "object") + (node.error ? ", +-" + node.error.toFixed(0) + " %" : "");
}

function drawNode(out, node, place, root) {
	const { x, width, depth } = place;
	const characters = Math.floor((width - 6) / 6.6);
	const group = draw("g", { role: "treeitem", tabindex: "-1", "aria-level": depth + 1,
		"aria-label": nodeText(node, root) });
	group.append(titled(draw("rect", { x: x.toFixed(2), y: depth * treeSize.row,
		width: Math.max(0.5, width).toFixed(2), height: treeSize.row - 1, rx: 2, fill: colorOf(node.name) }),
	nodeText(node, root)));
	if (characters >= 3)
		group.append(draw("text", { x: (x + 3).toFixed(2), y: depth * treeSize.row + 14 },
			node.name.length > characters ? node.name.slice(0, characters - 2) + ".." : node.name));
	group.node = node;
	out.append(group);
}

// The node and all below it, and above it the way from the root in full width.
function drawTree(out, root, zoomed) {
	const way = [];
	for (let node = zoomed; node; node = node.parent)
		way.unshift(node);
	way.forEach((node, depth) => drawNode(out, node, { x: 0, width: treeSize.width, depth }, root));
	let deepest = way.length;
	const below = (node, x, width, depth) => {
		let at = x;
		if (depth >= treeSize.depth + way.length)
			return;
		for (const child of node.children) {
			const share = node.bytes ? width * child.bytes / node.bytes : 0;
			if (share >= 0.4) {
				drawNode(out, child, { x: at, width: share, depth }, root);
				deepest = Math.max(deepest, depth + 1);
				below(child, at, share, depth + 1);
			}
			at += share;
		}
	};
	below(zoomed, 0, treeSize.width, way.length);
	return deepest;
}

// One node is in the order of the Tab key; the arrow keys move to the parent, a child or a sibling.
function addTreeKeys(svg, zoomTo) {
	const items = [...svg.querySelectorAll("[role=treeitem]")];
	const itemOf = (node) => items.find((item) => item.node === node);
	const focus = (item) => {
		if (!item)
			return;
		for (const other of items)
			other.setAttribute("tabindex", other === item ? "0" : "-1");
		item.focus();
	};
	const move = {
		ArrowUp: (node) => node.parent,
		ArrowDown: (node) => node.children[0],
		ArrowLeft: (node) => node.parent && node.parent.children[node.parent.children.indexOf(node) - 1],
		ArrowRight: (node) => node.parent && node.parent.children[node.parent.children.indexOf(node) + 1],
	};
	svg.addEventListener("click", (event) => {
		const item = event.target.closest("[role=treeitem]");
		if (item)
			zoomTo(item.node);
	});
	svg.addEventListener("keydown", (event) => {
		const item = event.target.closest("[role=treeitem]");
		if (!item)
			return;
		if (event.key in move)
			focus(itemOf(move[event.key](item.node)));
		else if (event.key === "Enter" || event.key === " ")
			zoomTo(item.node);
		else if (event.key === "Escape")
			zoomTo(null);
		else
			return;
		event.preventDefault();
	});
	return focus;
}

function findTree(span) {
	const hasSpan = slices.length && !isWhole(span);
	const data = views["flame-" + state.measure];
	const spanMeasure = state.measure === "live" || state.measure === "allocated";
	if (hasSpan && spanMeasure)
		return { root: treeOfSpan(span, state.measure), note: "Of the chosen span: " +
			(state.measure === "live" ? "live at its end" : "allocated within it") +
			", by module, function, call site and slab cache." };
	if (!data || data.refused)
		return { root: null, note: data ? data.refused : "" };
	return { root: treeOfRows(rowsOf(data.tables[0])), isStacks: data.flame_totals.has_stacks,
		note: hasSpan ? "Of the whole capture: only live and allocated bytes are known by time." : "" };
}

function startTree() {
	const out = document.getElementById("tree");
	const choose = make("select", { id: "measure" });
	for (const name in measures)
		choose.append(make("option", { value: name }, name + ": bytes " + measures[name]));
	const all = make("button", { type: "button", id: "unzoom" }, "All");
	const note = make("p", { class: "note" }), title = make("output", { id: "zoom-text" });
	const picture = make("div");
	choose.addEventListener("change", () => setState({ measure: choose.value, zoom: "" }));
	all.addEventListener("click", () => setState({ zoom: "" }));
	out.append(make("div", { class: "controls" }, make("label", {}, "Bytes", choose), all), note, title, picture);
	onState(["measure", "zoom", "span"], () => {
		const tree = findTree(slices.length ? chosenSpan() : [0, -1]);
		const hadFocus = picture.contains(document.activeElement);
		choose.value = state.measure in measures ? state.measure : "live";
		note.textContent = tree.note;
		picture.replaceChildren();
		title.value = "";
		document.getElementById("tree-legend").textContent = (tree.isStacks
			? "Bytes by call path: called functions are below their callers."
			: "Bytes by module, function, call site and slab cache.") +
			" Click, or press Enter on a bar, to zoom; Escape shows all. The arrow keys move between bars.";
		if (!tree.root || !tree.root.bytes) {
			picture.append(make("p", { class: "note" }, tree.root ? "There are no such bytes." : ""));
			return;
		}
		const zoomed = findNode(tree.root, state.zoom);
		const svg = draw("svg", { role: "tree", "aria-label": "Bytes " + measures[choose.value] });
		const depth = drawTree(svg, tree.root, zoomed);
		svg.setAttribute("viewBox", "0 0 " + treeSize.width + " " + depth * treeSize.row);
		title.value = nodeText(zoomed, tree.root);
		all.disabled = zoomed === tree.root;
		picture.append(svg);
		const focus = addTreeKeys(svg, (node) => setState({ zoom: node ? pathText(node) : "" }));
		const item = [...svg.querySelectorAll("[role=treeitem]")].find((one) => one.node === zoomed);
		item.setAttribute("tabindex", "0");
		if (hadFocus)
			focus(item);
	});
}
