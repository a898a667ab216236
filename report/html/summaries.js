// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The tree of a page of summaries, and the start of all sections.

const measures = { live: "live at the end", allocated: "allocated" };

function startTree() {
	const out = document.getElementById("tree"), choose = make("select", { id: "measure" });
	for (const name in measures)
		choose.append(make("option", { value: name }, name + ": bytes " + measures[name]));
	const all = make("button", { type: "button", id: "unzoom" }, "All");
	const title = make("output", { id: "zoom-text" }), picture = make("div");
	const note = make("p", { class: "note" });
	choose.addEventListener("change", () => setState({ measure: choose.value, zoom: "" }));
	all.addEventListener("click", () => setState({ zoom: "" }));
	out.append(make("div", { class: "controls" }, make("label", {}, "Bytes", choose), all), title, picture, note);
	onState(["measure", "zoom"], () => {
		const measure = state.measure in measures ? state.measure : "live";
		const table = views["flame-" + measure].tables[0], root = treeOfRows(rowsOf(table));
		const hadFocus = picture.contains(document.activeElement);
		choose.value = measure;
		note.textContent = table.rows_made > table.rows.length ? "The " + number(table.rows.length) +
			" largest of " + number(table.rows_made) + " bars; kmemtrace-report flame --bytes=" + measure + " shows all." : "";
		picture.replaceChildren();
		title.value = "";
		treeSize.width = Math.max(320, out.clientWidth);
		if (root.bytes)
			showTree(picture, root, { color: (node) => colorOf(node.name), text: nodeText },
				{ title, all, hadFocus, label: "Bytes " + measures[measure] });
		else
			picture.append(make("p", { class: "note" }, "There are no such bytes."));
	});
}

startAbout();
startOverview();
startContents();
startTime();
startTree();
startTables();
document.documentElement.dataset.ready = "yes";
