// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The page of a comparison: its overview and its table.

const figures = {
	live_bytes: "live bytes", bytes_allocated: "bytes allocated", bytes_wasted: "bytes wasted",
	peak_bytes: "peak bytes", live_objects: "live objects", allocations: "allocations", growth_bytes: "growth bytes",
};
// A file of summaries has no waste and no peak, a capture no growth of its own.
for (const name in figures)
	if (views.diff.comparison["certain_" + name] === null)
		delete figures[name];
const diffTable = findTable("diff", "diff");
const firstKeys = diffTable.columns.findIndex((column) => column.key === "state");
const columnAt = (key) => diffTable.columns.findIndex((column) => column.key === key);
const at = { figure: columnAt("figure"), certain: columnAt("certain") };

function chosenFigure() {
	return state.figure in figures ? state.figure : "live_bytes";
}

const nameOf = (row) => diffTable.columns.slice(0, firstKeys).map((column) => row[column.key] === null
	? "(unknown)" : row[column.key]).join("; ");
const isFlow = (figure) => !/^(live|peak)_/.test(figure);
const figureText = (figure) => figures[figure] + (isFlow(figure) ? " " + views.diff.unit : "");

// A capture has one host, summaries have a list of them, and only of one the kernel.
function aboutSide({ host, hosts, kernel, arch }) {
	const name = host || (hosts.length === 1 ? hosts[0] : hosts.length + " hosts");
	return name + (kernel ? ", Linux " + kernel + " " + arch : "");
}

function startAbout() {
	document.getElementById("about").append(["a", "b"].map((side) => side.toUpperCase() + ": " +
		aboutSide(views.diff[side])).join("; "));
}

// A state that is not certain has "?".
function withMarks(table, rows) {
	const place = (key) => table.columns.findIndex((column) => column.key === key);
	return Object.assign({}, table, { rows: rows.map((row) => {
		const shown = row.slice(), text = row[place("state")];
		if (!row[place("certain")] && text && text !== "same")
			shown[place("state")] = text + "?";
		return shown;
	}) });
}

function changeItem(row) {
	return make("li", {}, nameOf(row) + ": " + figureText(row.figure) + " " + (row.change > 0 ? "+" : "") +
		number(row.change) + ", " + row.state);
}

function changesPanel() {
	const comparison = views.diff.comparison;
	const rows = rowsOf(diffTable), changed = rows.filter((row) => row.certain);
	const perhaps = rows.filter((row) => !row.certain && row.change && row.figure === "live_bytes").slice(0, 5);
	const by = ", by " + comparison.by.replace(/,/g, ", ");
	return panel("What changed", make("p", { class: "big" }, changed.length
		? "Certain changes in " + number(new Set(changed.map(nameOf)).size) + " of " +
			plural(comparison.rows, "row") + by + ":"
		: "No certain change in " + plural(comparison.rows, "row") + by + "."),
	make("ul", {}, ...changed.slice(0, 8).map(changeItem)),
	changed.length || !perhaps.length ? null : make("p", {}, "The largest changes that may be chance:"),
	changed.length ? null : make("ul", {}, ...perhaps.map(changeItem)));
}

function totalsPanel() {
	const totals = findTable("diff", "totals");
	return panel("In all", makeTable(withColumns(withMarks(totals, totals.rows), ["name", "a", "b", "change",
		"change_percent", "change_certain", "state"]), { label: "Totals" }), make("p", { class: "note" },
		"?: not certain: perhaps by chance, or by events that were not recorded"));
}

// Each side has its losses.
function surePanel() {
	const events = views.diff.lines.filter(([label]) => label === "events");
	return panel("How sure", ...events.map(([, text], i) => make("p", {}, "AB"[i] + ": " + text)),
		headerList(views.diff.lines));
}

function figureTable() {
	const table = withMarks(diffTable, diffTable.rows.filter((row) => row[at.figure] === chosenFigure() &&
		(!state.certain || row[at.certain])));
	return state.certain ? Object.assign(table, { empty: "No row has a certain change of this figure." }) : table;
}

// A page has at most so many bytes.
const leftOut = diffTable.rows_made > diffTable.rows.length ? "The page has " +
	number(diffTable.rows.length) + " of " + number(diffTable.rows_made) +
	" rows of all figures; kmemtrace-report diff A B shows all. " : "";

function showTable(out) {
	const keys = diffTable.columns.map((column) => column.key);
	const hidden = ["figure", "certain", "a_low", "a_high", "b_low", "b_high", "matched", "rank"];
	if (!diffTable.rows.some((row) => row[columnAt("name_in_b")]))
		hidden.push("name_in_b");
	const table = withColumns(figureTable(), keys.filter((key) => !hidden.includes(key)));
	out.replaceChildren(make("h3", {}, figureText(chosenFigure())), makeTable(table, {
		sort: state.sort, q: state.q, label: figures[chosenFigure()],
		caption: leftOut + (state.q ? plural(searchRows(table, table.rows, state.q).length, "row") + " of " +
			number(table.rows.length) + " found" : ""),
		onSort: (sort) => {
			setState({ sort });
			document.querySelector("#tables button[data-key=" + sort.replace("-", "") + "]").focus();
		},
	}));
	fitTables(out);
}

function startTable() {
	const search = make("input", { type: "search", id: "search", autocomplete: "off" });
	const certain = make("input", { type: "checkbox", id: "certain" }), out = make("div", { id: "table" });
	const columns = make("input", { type: "checkbox", id: "columns" });
	document.getElementById("tables").append(make("div", { class: "controls" },
		make("label", {}, "Search", search), make("label", {}, certain, "Only certain changes"),
		make("label", {}, columns, "All columns")), out);
	columns.addEventListener("change", () => setState({ columns: columns.checked ? "all" : "" }));
	onState(["width"], () => fitTables(out));
	search.addEventListener("input", () => setState({ q: search.value }));
	certain.addEventListener("change", () => setState({ certain: certain.checked ? "yes" : "" }));
	onState(["figure", "q", "sort", "certain", "columns"], () => {
		columns.checked = state.columns === "all";
		if (search.value !== state.q)
			search.value = state.q;
		certain.checked = Boolean(state.certain);
		showTable(out);
	});
}

startContents();
startAbout();
document.getElementById("overview").append(make("div", { class: "panels" }, changesPanel(), totalsPanel(),
	surePanel()));
onState(["width"], () => fitTables(document.getElementById("overview")));
startTree();
startTable();
document.documentElement.dataset.ready = "yes";
