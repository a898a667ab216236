// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The data of the page, and how its numbers are written. Names in a capture are not trusted: they
// become text nodes and attributes only, never markup.
"use strict";

function load(name) {
	const block = document.getElementById("data-" + name);
	return block ? JSON.parse(block.textContent) : null;
}

const views = {};
for (const block of document.querySelectorAll("script[type='application/json']")) {
	const name = block.id.slice("data-".length);
	views[name] = load(name);
}

// The table of a view as objects by key; empty if the view has none.
function findTable(view, key) {
	const data = views[view];
	return data && data.tables ? data.tables.find((table) => table.key === key) || null : null;
}

function rowsOf(table) {
	if (!table)
		return [];
	return table.rows.map((row) => {
		const object = {};
		table.columns.forEach((column, i) => { object[column.key] = row[i]; });
		return object;
	});
}

// An element with attributes, and children that are elements or texts.
function make(name, attributes, ...children) {
	const element = document.createElement(name);
	for (const key in attributes || {})
		element.setAttribute(key, attributes[key]);
	element.append(...children.filter((child) => child !== null));
	return element;
}

// A long name breaks before its offset, after "_", "/" or before ".", if it must, and not within a word.
function breakable(name) {
	return name.split(/(?=\+0x|\.)|(?<=[_/])(?=[^_/])/).flatMap((part, i) => i ? [make("wbr"), part] : [part]);
}

const capital = (text) => text[0].toUpperCase() + text.slice(1);

// The header of the report.
function headerList(lines) {
	const list = make("dl", { id: "lines" });
	for (const [label, text, isWarning] of lines) {
		if (label)
			list.append(make("dt", {}, label));
		list.append(make("dd", isWarning ? { class: "warning" } : {}, text));
	}
	return make("details", {}, make("summary", {}, "The header of every report"), list);
}

const headerText = (lines, label) => lines.find((line) => line[0] === label)[1];

// What the header warns of, a sentence each, without its full stop.
const warningsOf = (lines) => lines.filter(([, , isWarning]) => isWarning)
	.map(([label, text]) => capital((label ? label + ": " : "") + text));

function draw(name, attributes, ...children) {
	const element = document.createElementNS("http://www.w3.org/2000/svg", name);
	for (const key in attributes || {})
		element.setAttribute(key, attributes[key]);
	element.append(...children.filter((child) => child !== null));
	return element;
}

// A picture is as wide as its place, so that its text has the size of the other text.
const widthOf = (place) => Math.max(300, place.clientWidth);

function titled(element, text) {
	element.append(draw("title", {}, text));
	return element;
}

// To make a format is slow.
const formats = [0, 1, 2, 3, 4, 5, 6].map((digits) => new Intl.NumberFormat("en-US",
	{ minimumFractionDigits: digits, maximumFractionDigits: digits }));
const number = (value) => formats[0].format(value);
const plural = (count, word) => number(count) + " " + word + (count === 1 ? "" : "s");

// In sentences and pictures; tables have all digits.
function bytesText(bytes) {
	const units = ["", "KiB", "MiB", "GiB", "TiB"];
	let size = Math.abs(bytes), i = 0;
	while (size >= 1023.5 && i + 1 < units.length) {
		size /= 1024;
		i++;
	}
	return i ? (bytes < 0 ? "-" : "") + size.toFixed(size < 10 ? 2 : size < 100 ? 1 : 0) + " " + units[i]
		: plural(bytes, "byte");
}

function durationText(ns) {
	const units = [[1e9, "s"], [1e6, "ms"], [1e3, "us"], [1, "ns"]];
	const unit = units.find((one) => Math.abs(ns) >= one[0]) || units[3];
	const value = ns / unit[0];
	return (unit[0] === 1 ? value.toFixed(0) : value.toPrecision(value >= 1000 ? 4 : 3)) + " " + unit[1];
}

// A capture without times counts events instead of nanoseconds.
const countsEvents = Boolean(views.summary) && views.summary.capture.clock === "events";
const timeText = (ns) => countsEvents ? plural(ns, "event") : (ns / 1e9).toFixed(6) + " s";

function cellText(column, value, isBound) {
	if (value === null)
		return "-";
	switch (column.type) {
	case "text":
	case "hex":
		return value;
	case "bool":
		return value ? "yes" : "no";
	case "decimal":
		return formats[column.decimals].format(value);
	case "time":
		return countsEvents ? number(value) : (value / 1e9).toFixed(6);
	case "duration":
		return countsEvents ? number(value) : durationText(value);
	case "id":
		return String(value);
	case "change":
		return (value > 0 ? "+" : "") + number(value);
	case "live":
		return (isBound ? "\u2264" : "") + number(value);
	default:
		return (isBound && column.at_least ? "\u2265" : "") + number(value);
	}
}

const isText = (column) => column.type === "text" || column.type === "hex";
