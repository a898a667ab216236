// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The section with the tables of a page of summaries.

// What grew is first. "at": a point of the picture over time.
Object.assign(defaults, { view: "leaks", at: "" });
state = readState();

const tableNames = { leaks: "leaks: what grew", sites: "sites: by function", caches: "caches", timeline: "timeline" };

// The table as the page shows it: a date says more than the seconds since the begin.
function shownTable(name) {
	const table = findTable(name, name);
	const keys = table.columns.filter((column) => column.type !== "bound").map((column) => column.key);
	return withColumns(table, name === "timeline" ? ["begin", ...keys.filter((key) => key !== "begin")] : keys);
}

function tableTitle(table) {
	const title = table.title.replace(/ \(.*/, "");
	return title[0].toUpperCase() + title.slice(1);
}

function rowsNote(name, table, found) {
	const parts = [];
	if (state.q)
		parts.push(plural(found, "row") + " of " + number(table.rows.length) + " found");
	if (table.rows_made > table.rows.length)
		parts.push("the first " + number(table.rows.length) + " of " + number(table.rows_made) +
			" rows; kmemtrace-report " + name + " shows all");
	return parts.join("; ");
}

function chosenTable() {
	return state.view in tableNames ? state.view : "leaks";
}

function sortTable(sort) {
	setState({ sort });
	const key = sort.replace("-", "");
	[...document.querySelectorAll("#tables button[data-key]")].find((one) => one.dataset.key === key).focus();
}

function showTable(out) {
	const name = chosenTable(), table = shownTable(name), found = searchRows(table, table.rows, state.q);
	out.replaceChildren(make("h3", { id: "table-" + name, tabindex: "-1" }, tableTitle(table)), makeTable(table, {
		sort: state.sort, rows: found, label: tableTitle(table), caption: rowsNote(name, table, found.length),
		onSort: sortTable,
	}), makeLegend(table));
	fitTables(out);
	return found.length;
}

function startTables() {
	const choose = make("select", { id: "view" });
	for (const name in tableNames)
		choose.append(make("option", { value: name }, tableNames[name]));
	const search = make("input", { type: "search", id: "search", autocomplete: "off" });
	const count = make("output", { for: "search", class: "note" });
	const out = make("div", { id: "table" });
	document.getElementById("tables").append(make("div", { class: "controls" },
		make("label", {}, "Table", choose), make("label", {}, "Search", search)), count, out);
	choose.addEventListener("change", () => setState({ view: choose.value, sort: "" }));
	search.addEventListener("input", () => setState({ q: search.value }));
	const columns = make("input", { type: "checkbox", id: "columns" });
	document.querySelector("#tables .controls").append(make("label", {}, columns, "All columns"));
	columns.addEventListener("change", () => setState({ columns: columns.checked ? "all" : "" }));
	onState(["width"], () => fitTables(out));
	onState(["view", "sort", "q", "columns"], () => {
		columns.checked = state.columns === "all";
		choose.value = chosenTable();
		if (search.value !== state.q)
			search.value = state.q;
		const found = showTable(out);
		count.value = state.q ? plural(found, "row") + " found" : "";
	});
}
