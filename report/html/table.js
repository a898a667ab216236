// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Tables that a reader sorts by a click on the name of a column, and searches.

function compareNames(a, b) {
	return a.localeCompare(b, "en", { numeric: true });
}

// sort: KEY, -KEY (descending) or "" (as they are). Values that are not known are last.
function sortRows(table, rows, sort) {
	const down = sort.startsWith("-");
	const at = table.columns.findIndex((column) => column.key === (down ? sort.slice(1) : sort));
	if (at < 0)
		return rows;
	const order = (a, b) => typeof a === "string" ? compareNames(a, b) : a - b;
	return rows.slice().sort((a, b) => {
		if (a[at] === null || b[at] === null)
			return (a[at] === null) - (b[at] === null);
		return down ? order(b[at], a[at]) : order(a[at], b[at]);
	});
}

function searchRows(table, rows, words) {
	const parts = words.toLowerCase().split(/\s+/).filter((part) => part);
	return rows.filter((row) => {
		const text = row.filter((value) => typeof value === "string").join(" ").toLowerCase();
		return parts.every((part) => text.includes(part));
	});
}

const isDescending = (column) => ["number", "decimal", "duration", "change", "live", "bound"].includes(column.type);

// The order of the rows as they are: "KEY" or "-KEY"; "" if the column is not in the table.
function orderOf(table) {
	const first = (table.sort || "").split(",")[0], key = first.replace(/^-/, "");
	const column = table.columns.find((one) => one.key === key);
	return !column ? "" : first !== key || isDescending(column) ? "-" + key : key;
}

function headerCell(column, sort, onSort) {
	const key = column.key, isDown = sort === "-" + key, isUp = sort === key;
	const name = column.header || key;
	const cell = make("th", { scope: "col", class: isText(column) ? "text" : "number",
		"data-key": key, "data-name": (name + " " + column.unit).trim(), "aria-sort": isDown ? "descending" : isUp ? "ascending" : "none" });
	if (column.legend)
		cell.title = column.legend;
	if (onSort) {
		const button = make("button", { type: "button", "data-key": key },
			name + (isDown ? " \u25be" : isUp ? " \u25b4" : ""));
		const first = isText(column) || column.type === "id" || column.type === "time" ? key : "-" + key;
		const second = first === key ? "-" + key : key;
		button.addEventListener("click", () => onSort(sort === first ? second : first));
		cell.append(button);
	} else {
		cell.append(name + (isDown ? " \u25be" : isUp ? " \u25b4" : ""));
	}
	cell.append(make("span", { class: "unit" }, column.unit));
	return cell;
}

// found: by the text of the first column, the findings about live objects.
function bodyRow(table, row, used, link, found) {
	const bound = table.columns.findIndex((column) => column.type === "bound");
	const notes = found && found.get(row[0]);
	const line = make("tr");
	table.columns.forEach((column, i) => {
		if (!used[i])
			return;
		const text = cellText(column, row[i], bound >= 0 && row[bound]);
		const cell = column.type === "text" ? make("td", { class: "text" },
			make("div", {}, ...(link && (column.key === "site" || column.key === "function") ? [link(text)] : breakable(text))))
			: make("td", { class: column.type === "hex" ? "hex" : "number" }, text);
		if (notes && column.type === "live" && row[i]) {
			cell.classList.add("found");
			cell.title = notes.join(". ");
		}
		cell.dataset.key = column.key;
		cell.dataset.value = row[i] === null ? "" : String(row[i]);
		line.append(cell);
	});
	return line;
}

// choice: { sort, q or rows (those found), onSort, most (rows; all), caption, label, isNarrow, link
// (makes a link of a call site), found (see bodyRow()) }
function makeTable(table, choice) {
	const rows = sortRows(table, choice.rows || searchRows(table, table.rows, choice.q || ""), choice.sort || "");
	const used = usedColumns(table, choice.sort);
	const shown = choice.most ? rows.slice(0, choice.most) : rows;
	if (!table.rows.length)
		return make("p", { class: "note" }, table.empty);
	const head = make("tr");
	table.columns.forEach((column, i) => {
		if (used[i])
			head.append(headerCell(column, choice.sort || orderOf(table), choice.onSort));
	});
	const body = make("tbody");
	for (const row of shown)
		body.append(bodyRow(table, row, used, choice.link, choice.found));
	const element = make("table", choice.isNarrow ? { class: "narrow" } : {}, choice.caption ? make("caption", {}, choice.caption) : null,
		make("thead", {}, head), body);
	return make("div", { class: "scroll fits", tabindex: "0", role: "region",
		"aria-label": choice.label || table.title }, element);
}

// The columns with their definitions, below the table.
function makeLegend(table) {
	const list = make("dl");
	if (!table.rows.length)
		return "";
	table.columns.forEach((column) => {
		if (!column.legend)
			return;
		list.append(make("dt", {}, (column.header + " " + column.unit).trim() + " ", make("span",
			{ class: "unit" }, column.key)), make("dd", {}, column.legend));
	});
	return make("details", {}, make("summary", {}, "Columns"), list);
}
