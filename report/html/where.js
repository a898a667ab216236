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
	const [table] = data.tables, root = treeOfRows(rowsOf(table));
	root.isCut = table.rows_made > table.rows.length;
	return { root, isStacks: data.flame_totals.has_stacks, hasProcesses: true,
		note: (hasSpan ? "Of the whole capture: only live and allocated bytes are known by time. " : "") +
			(root.isCut ? "The " + number(table.rows.length) + " largest of " + number(table.rows_made) +
			" bars; kmemtrace-report flame --bytes=" + state.measure + " shows all." : "") };
}

function treeText(tree) {
	return (tree.isStacks ? "Bytes by process and call path: called functions are below their callers."
		: "Bytes by " + (tree.hasProcesses ? "process, " : "") + "module, function, call site and slab cache.") +
		" Click, or press Enter on a bar, to zoom; Escape shows all. The arrow keys move between bars." +
		(state.measure === "leaked" ? leakedText() : "");
}

function startTree() {
	const out = document.getElementById("tree");
	const choose = make("select", { id: "measure" });
	for (const name in measures)
		choose.append(make("option", { value: name }, name + ": bytes " + measures[name]));
	const parts = addTreeParts(out, make("label", {}, "Bytes", choose));
	choose.addEventListener("change", () => setState({ measure: choose.value, zoom: "" }));
	onState(["measure", "zoom", "span", "find", "width"], () => {
		const tree = findTree(slices.length ? chosenSpan() : [0, -1]);
		choose.value = state.measure in measures ? state.measure : "live";
		parts.note.textContent = tree.note;
		document.getElementById("tree-legend").textContent = treeText(tree);
		showTree(parts, tree.root, treeLook(tree.hasProcesses), "Bytes " + measures[choose.value],
			tree.root ? "There are no such bytes." : "");
	});
}
