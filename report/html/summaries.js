// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The tree of a page of summaries, and the start of all sections.

const measures = { live: "live at the end", allocated: "allocated" };

function startTree() {
	const out = document.getElementById("tree"), choose = make("select", { id: "measure" });
	for (const name in measures)
		choose.append(make("option", { value: name }, name + ": bytes " + measures[name]));
	const parts = addTreeParts(out, make("label", {}, "Bytes", choose));
	choose.addEventListener("change", () => setState({ measure: choose.value, zoom: "" }));
	onState(["measure", "zoom", "find", "width"], () => {
		const measure = state.measure in measures ? state.measure : "live";
		const table = views["flame-" + measure].tables[0], root = treeOfRows(rowsOf(table));
		choose.value = measure;
		root.isCut = table.rows_made > table.rows.length;
		parts.note.textContent = root.isCut ? "The " + number(table.rows.length) +
			" largest of " + number(table.rows_made) + " bars; kmemtrace-report flame --bytes=" + measure + " shows all." : "";
		showTree(parts, root, treeLook(false), "Bytes " + measures[measure], "There are no such bytes.");
	});
}

startAbout();
startOverview();
startContents();
startTime();
startTree();
startTables();
document.documentElement.dataset.ready = "yes";
