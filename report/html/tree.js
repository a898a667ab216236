// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// A tree of nodes, the root above: each is as wide as its share of its parent. A node has name, parent,
// bytes and children. look: { color(node), text(node, root), found(nodes, root) }.

const treeSize = { width: 960, row: 20, depth: 40 };

// module, function and place of a call site
function sitePath(site) {
	const match = /^(.*?)(?:\+0x[0-9a-f]+\/0x[0-9a-f]+)?(?: \[([^\]]*)\].*)?$/s.exec(site);
	const module = match[2] ? "[" + match[2] + "]" : match[1].startsWith("0x") ? "(no module)" : "kernel";
	return [module, match[1], site];
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

const hasWords = (name) => name.toLowerCase().includes(state.find.toLowerCase());

// The nodes whose names have the words of the search, without those below them.
function findNodes(node) {
	return node.parent && hasWords(node.name) ? [node] : node.children.flatMap(findNodes);
}

function drawNode(out, node, place, root, look) {
	const { x, width, depth } = place;
	const characters = Math.floor((width - 6) / 6.6);
	const group = draw("g", { role: "treeitem", tabindex: "-1", "aria-level": depth + 1,
		"aria-label": look.text(node, root) });
	if (state.find && node.parent && hasWords(node.name))
		group.setAttribute("class", "match");
	group.append(titled(draw("rect", { x: x.toFixed(2), y: depth * treeSize.row,
		width: Math.max(0.5, width).toFixed(2), height: treeSize.row - 1, rx: 2, fill: look.color(node) }),
	look.text(node, root)));
	if (characters >= 3)
		group.append(draw("text", { x: (x + 3).toFixed(2), y: depth * treeSize.row + 14 },
			node.name.length > characters ? node.name.slice(0, characters - 2) + ".." : node.name));
	group.node = node;
	out.append(group);
}

// The node and all below it, and above it the way from the root in full width.
function drawTree(out, root, zoomed, look) {
	const way = [];
	for (let node = zoomed; node; node = node.parent)
		way.unshift(node);
	way.forEach((node, depth) => drawNode(out, node, { x: 0, width: treeSize.width, depth }, root,
		look));
	let deepest = way.length;
	const below = (node, x, width, depth) => {
		let at = x;
		if (depth >= treeSize.depth + way.length)
			return;
		for (const child of node.children) {
			const share = node.bytes ? width * child.bytes / node.bytes : 0;
			if (share >= 0.4) {
				drawNode(out, child, { x: at, width: share, depth }, root, look);
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

// The search and the way back from a zoom, beside other controls, and the place of the picture.
function addTreeParts(out, ...controls) {
	const parts = { find: make("input", { type: "search", id: "find", autocomplete: "off" }),
		all: make("button", { type: "button", id: "unzoom" }, "All"), note: make("p", { class: "note" }),
		title: make("output", { id: "zoom-text" }), found: make("output", { id: "find-text" }), picture: make("div") };
	parts.find.addEventListener("input", () => setState({ find: parts.find.value }));
	parts.all.addEventListener("click", () => setState({ zoom: "" }));
	out.append(make("div", { class: "controls" }, ...controls, make("label", {}, "Find", parts.find), parts.all), parts.note,
		parts.title, parts.found, parts.picture);
	return parts;
}

// Draws the tree from the node of state.zoom on, and says which that is, and what the search has found.
// root: null, or without bytes, draws the text empty.
function showTree(parts, root, look, label, empty) {
	const hadFocus = parts.picture.contains(document.activeElement);
	parts.picture.replaceChildren();
	parts.title.value = parts.found.value = "";
	if (parts.find.value !== state.find)
		parts.find.value = state.find;
	if (!root || !root.bytes) {
		parts.picture.append(make("p", { class: "note" }, empty));
		return;
	}
	const zoomed = findNode(root, state.zoom);
	treeSize.width = widthOf(parts.picture);
	const svg = draw("svg", { role: "tree", "aria-label": label });
	const depth = drawTree(svg, root, zoomed, look);
	svg.setAttribute("viewBox", "0 0 " + treeSize.width + " " + depth * treeSize.row);
	parts.title.value = look.text(zoomed, root);
	parts.all.disabled = zoomed === root;
	if (state.find)
		parts.found.value = look.found(findNodes(root), root);
	parts.picture.append(svg);
	const focus = addTreeKeys(svg, (node) => setState({ zoom: node ? pathText(node) : "" }));
	const item = [...svg.querySelectorAll("[role=treeitem]")].find((one) => one.node === zoomed);
	item.setAttribute("tabindex", "0");
	if (hadFocus)
		focus(item);
}
