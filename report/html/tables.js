// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The section with the tables of all views.

const tableViews = ["sites", "caches", "slabinfo", "sizes", "leaks", "lifetimes", "cpus", "nodes", "cgroups",
	"timeline", "flame-live", "flame-peak", "flame-allocated", "flame-temporary", "flame-leaked", "probes",
	"findings", "gaps"].filter((name) => name === "gaps" ? findTable("spans", "gaps") : views[name]);

const tableNames = { "gaps": "lost and skipped events" };

// The page has all findings, and the text only the certain ones.
function titleOf(table) {
	return table.key === "findings" ? "Findings" : table.title.replace(/ \(.*/, "");
}

function commandOf(name) {
	return name.startsWith("flame-") ? "kmemtrace-report flame --bytes=" + name.slice(6)
		: "kmemtrace-report " + name;
}

function rowsNote(name, table, found) {
	const parts = [];
	if (state.q)
		parts.push(plural(found, "row") + " of " + number(table.rows.length) + " found");
	if (table.rows_made > table.rows.length)
		parts.push(number(table.rows.length) + " of " + number(table.rows_made) + " rows; " +
			commandOf(name) + " shows all");
	return parts.join("; ");
}

function tablesOf(name, span) {
	if (name === "gaps")
		return [findTable("spans", "gaps")];
	if (!isWhole(span) && (name === "sites" || name === "caches"))
		return [spanTable(name, span)];
	return views[name].tables;
}

function spanNote(name, span) {
	if (slices.length === 0 || isWhole(span) || name === "gaps")
		return null;
	if (name === "sites" || name === "caches")
		return make("p", { class: "note" }, "Of the chosen span: " + spanWords(span) +
			". " + plural(pairs.filter((pair) => pair.site !== null).length, "pair") +
			" of a call site and a slab cache " +
			"are known by time; kmemtrace-report " + name + " " + spanOption(span) +
			" has the allocations of all, --at the live objects.");
	return make("p", { class: "warning" }, "This table is of the whole capture. " + commandOf(name) +
		" " + spanOption(span) + " shows the span.");
}

function showTables(out) {
	const name = tableViews.includes(state.view) ? state.view : tableViews[0];
	const span = chosenSpan(), data = views[name];
	out.replaceChildren();
	if (data && data.refused) {
		out.append(make("p", { class: "warning" }, data.refused));
		return;
	}
	const note = spanNote(name, span);
	if (note)
		out.append(note);
	tablesOf(name, span).forEach((table, i) => {
		const first = i === 0;
		const found = searchRows(table, table.rows, state.q).length;
		out.append(make("h3", {}, titleOf(table)), makeTable(table, {
			sort: first ? state.sort : "", q: state.q, label: titleOf(table),
			caption: rowsNote(name, table, found),
			onSort: first ? (sort) => {
				const key = sort.replace("-", "");
				setState({ sort });
				for (const button of document.querySelectorAll("#tables button[data-key]"))
					if (button.dataset.key === key) {
						button.focus();
						break;
					}
			} : null,
		}), makeLegend(table));
	});
}

function startTables() {
	const choose = make("select", { id: "view" });
	for (const name of tableViews)
		choose.append(make("option", { value: name }, tableNames[name] || name.replace("-", ": ")));
	const search = make("input", { type: "search", id: "search", autocomplete: "off" });
	const count = make("output", { for: "search", class: "note" });
	const out = make("div", { id: "table" });
	document.getElementById("tables").append(make("div", { class: "controls" },
		make("label", {}, "Table", choose), make("label", {}, "Search", search)), count, out);
	choose.addEventListener("change", () => setState({ view: choose.value, sort: "" }));
	search.addEventListener("input", () => setState({ q: search.value }));
	onState(["view", "sort", "q", "span"], () => {
		choose.value = tableViews.includes(state.view) ? state.view : tableViews[0];
		if (search.value !== state.q)
			search.value = state.q;
		showTables(out);
		count.value = state.q ? plural(out.querySelectorAll("tbody tr").length, "row") + " found" : "";
	});
}
