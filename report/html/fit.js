// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// A table shows the columns that its place has room for, and names the others.

// After the names of the rows and the column that sorts them, these columns stay longest.
const keptLongest = ["state", "change", "live_bytes", "growth_pattern", "growth_bytes", "certainty", "alloc_site"];

// The numbers of the columns in the order in which they stay.
function stayingOrder(head) {
	const rank = (cell, i) => i === 0 ? 0 : cell.getAttribute("aria-sort") !== "none" ? 1
		: keptLongest.includes(cell.dataset.key) ? 2 + keptLongest.indexOf(cell.dataset.key)
		: 2 + keptLongest.length + i;
	return head.map((cell, i) => [rank(cell, i), i]).sort((a, b) => a[0] - b[0]).map(([, i]) => i);
}

function hideColumn(table, i, isHidden) {
	for (const row of table.rows)
		row.cells[i].hidden = isHidden;
}

function fitTable(scroll) {
	const table = scroll.firstElementChild, head = [...table.tHead.rows[0].cells];
	const old = scroll.nextElementSibling;
	if (old && old.classList.contains("unfit"))
		old.remove();
	head.forEach((cell, i) => cell.hidden && hideColumn(table, i, false));
	if (!scroll.clientWidth || scroll.scrollWidth <= scroll.clientWidth)
		return;
	const widths = head.map((cell) => cell.getBoundingClientRect().width), unfit = [];
	let room = scroll.clientWidth;
	for (const i of stayingOrder(head)) {
		if (i === 0 || widths[i] <= room)
			room -= widths[i];
		else
			unfit.push(i);
	}
	for (const i of unfit)
		hideColumn(table, i, true);
	const names = unfit.sort((a, b) => a - b).map((i) => head[i].dataset.name);
	scroll.after(make("p", { class: "note unfit" }, "No room for the column" + (names.length === 1 ? " " : "s ") +
		names.join(", ") + (document.getElementById("columns") && scroll.closest("#tables") ? ": All columns shows " +
		(names.length === 1 ? "it." : "them.") : ".")));
}

function fitTables(place) {
	if (state.columns !== "all" || place.id !== "table")
		for (const scroll of place.querySelectorAll(".scroll.fits"))
			fitTable(scroll);
}
