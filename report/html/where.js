// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The section with bytes by call path, or by module, function, call site and cache, as a tree.

const measures = {
	live: "live at the end", peak: "live at the peak", allocated: "allocated",
	temporary: "of temporary objects", leaked: "of old live objects, which may be in use",
};

// The definition is that of the table.
function leakedText() {
	const table = findTable("leaks", "leaks");
	const old = table && table.columns.find((column) => column.key === "old_objects");
	return (old ? " Old: " + old.legend + "." : "") + " Some of them may still be in use. The table leaks shows " +
		"what grows.";
}

function pathOf(pair) {
	return pair.site === null ? [pairName(pair)] : [...sitePath(pair.site), pair.cache];
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
			" Click, or press Enter on a bar, to zoom; Escape shows all. The arrow keys move between bars." +
			(state.measure === "leaked" ? leakedText() : "");
		if (!tree.root || !tree.root.bytes) {
			picture.append(make("p", { class: "note" }, tree.root ? "There are no such bytes." : ""));
			return;
		}
		showTree(picture, tree.root, { color: (node) => colorOf(node.name), text: nodeText },
			{ title, all, hadFocus, label: "Bytes " + measures[choose.value] });
	});
}
