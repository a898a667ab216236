// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The section with the tables of all views.

// Most kernels do not have these.
const rareViews = ["tracks", "allocinfo"];

const tableViews = ["sites", "caches", "slabinfo", "census", "where", ...rareViews, "sizes", "leaks", "lifetimes", "cpus",
	"nodes", "cgroups", "timeline", "flame-live", "flame-peak", "flame-allocated", "flame-temporary", "flame-leaked",
	"probes", "findings", "gaps"].filter((name) => name === "gaps" ? findTable("spans", "gaps")
	: views[name] && (!rareViews.includes(name) || rowsOf(findTable(name, name)).length));

const tableNames = { "gaps": "lost and skipped events" };

// The page has all findings, and the text only the certain ones.
function titleOf(table) {
	const title = table.key === "findings" ? "Findings" : table.title.replace(/ \(.*/, "").replace(/_/g, " ");
	return title[0].toUpperCase() + title.slice(1);
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
			". The page knows the figures by time of " +
			plural(pairs.filter((pair) => pair.site !== null).length, "pair") +
			" of a call site and a slab cache, and of all others together; kmemtrace-report " + name + " " +
			spanOption(span) + " lists all.");
	return make("p", { class: "warning" }, "This table is of the whole capture. " + commandOf(name) +
		" " + spanOption(span) + " shows the span.");
}

// The meaning of the mark at live numbers, if a row of the table has it.
function foundNote(table, found) {
	const kinds = Object.keys(liveKinds).filter((kind) => table.rows.some((row) =>
		(found.get(row[0]) || []).some((text) => text.startsWith(kind))));
	return kinds.length ? make("p", { class: "note" }, "\u2020 A finding is about objects of this row: " +
		kinds.map((kind) => kind + ": " + liveKinds[kind].text).join("; ") + ". ",
	make("a", { href: "#findings-title", "data-jump": "findings-title" }, "Findings"), ".") : "";
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
	tablesOf(name, span).forEach((all, i) => {
		const first = i === 0, table = arranged(all, first ? state.sort : "", state.columns === "all");
		// also by the values of columns that are not shown
		const found = new Set(searchRows(all, all.rows, state.q));
		const marks = liveFindings(table.columns[0].key);
		out.append(make("h3", { id: "table-" + all.key, tabindex: "-1" }, titleOf(all)), makeTable(table, {
			sort: first ? state.sort : "", label: titleOf(all),
			rows: table.rows.filter((row, k) => found.has(all.rows[k])),
			caption: rowsNote(name, all, found.size), found: marks,
			onSort: first ? (sort) => {
				const key = sort.replace("-", "");
				setState({ sort });
				for (const button of document.querySelectorAll("#tables button[data-key]"))
					if (button.dataset.key === key) {
						button.focus();
						break;
					}
			} : null,
		}), foundNote(table, marks), makeLegend(table));
	});
	fitTables(out);
}

function startTables() {
	const choose = make("select", { id: "view" });
	for (const name of tableViews)
		choose.append(make("option", { value: name }, tableNames[name] || name.replace("-", ": ")));
	const search = make("input", { type: "search", id: "search", autocomplete: "off" });
	const columns = make("input", { type: "checkbox", id: "columns" });
	const count = make("output", { for: "search", class: "note" });
	const out = make("div", { id: "table" });
	document.getElementById("tables").append(make("div", { class: "controls" },
		make("label", {}, "Table", choose), make("label", {}, "Search", search),
		make("label", {}, columns, "All columns")), count, out);
	columns.addEventListener("change", () => setState({ columns: columns.checked ? "all" : "" }));
	choose.addEventListener("change", () => setState({ view: choose.value, sort: "" }));
	search.addEventListener("input", () => setState({ q: search.value }));
	onState(["width"], () => fitTables(out));
	onState(["view", "sort", "q", "span", "columns"], () => {
		columns.checked = state.columns === "all";
		choose.value = tableViews.includes(state.view) ? state.view : tableViews[0];
		if (search.value !== state.q)
			search.value = state.q;
		showTables(out);
		count.value = state.q ? plural(out.querySelectorAll("tbody tr").length, "row") + " found" : "";
	});
}
