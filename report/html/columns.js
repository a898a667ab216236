// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Which columns a table shows, and in which order.

// Columns that are shown on request only: the same is in another column, or in few words.
const detailColumns = ["address", "main_task_pid", "main_task_comm"];

// The first columns of a table, where the order of the report hides its point at the right.
const firstColumns = {
	class_sites: ["site", "advice", "saves_bytes"],
	leaks: ["site", "damage_bytes", "live_objects", "live_bytes", "steady_percent", "main_task"],
};

// The column that sorts the rows. sort: KEY, -KEY or a list of them, the first counts most.
function sortColumn(sort) {
	return sort.split(",")[0].replace(/^-/, "");
}

// A column whose cells are all 0 or empty shows nothing; its legend says so. The order of the rows
// stays visible.
function usedColumns(table, sort) {
	const kept = ["live_bytes", "allocations", sortColumn(table.sort || ""), sortColumn(sort || "")];
	return table.columns.map((column, i) => column.type !== "bound" &&
		(i === 0 || kept.includes(column.key) ||
		 table.rows.some((row) => row[i] !== null && row[i] !== "" && row[i] !== 0)));
}

// The table with these columns, in this order.
function withColumns(table, keys) {
	const bound = table.columns.filter((column) => column.type === "bound").map((column) => column.key);
	const places = [...keys, ...bound].map((key) => table.columns.findIndex((column) => column.key === key));
	return Object.assign({}, table, { columns: places.map((place) => table.columns[place]),
		rows: table.rows.map((row) => places.map((place) => row[place])) });
}

// The table as the page shows it.
function arranged(table, sort, showsAll) {
	const first = (firstColumns[table.key] || []).filter((key) =>
		table.columns.some((column) => column.key === key));
	const others = table.columns.filter((column, i) => column.type !== "bound" && !first.includes(column.key) &&
		(showsAll || i === 0 || !detailColumns.includes(column.key) || column.key === sortColumn(sort)));
	return withColumns(table, [...first, ...others.map((column) => column.key)]);
}
