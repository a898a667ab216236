// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Ways from one part of the page to another.

// Shows a table, and moves the reader to its title. key: of a table of the view; "": the first.
function goToTable(change, key) {
	setState(change);
	const title = document.getElementById("table-" + key) || document.getElementById("tables-title");
	title.scrollIntoView();
	title.focus();
}

function showButton(view, sort, text, key) {
	const button = make("button", { type: "button" }, text);
	button.addEventListener("click", () => goToTable({ view, sort, q: "" }, key || view));
	return button;
}

const siteNames = new Set(rowsOf(findTable("sites", "sites")).map((row) => row.site || row.function));

// A call site with a way to its row in the table of call sites; its name only, if it has no row.
function siteLink(name) {
	if (!siteNames.has(name))
		return name;
	const link = make("a", { href: "#" + new URLSearchParams({ view: "sites", q: name }), class: "site" },
		...breakable(name));
	link.addEventListener("click", (event) => {
		if (event.ctrlKey || event.metaKey || event.shiftKey)
			return;
		event.preventDefault();
		goToTable({ view: "sites", sort: "", q: name }, "sites");
	});
	return link;
}
