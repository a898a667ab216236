// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The script of a flame graph: a click or the Enter key shows a part of it, a search marks boxes. Names
// are read as text only. Without it, the picture is the same.
"use strict";
const picture = document.currentScript.parentNode, html = "http://www.w3.org/1999/xhtml";
const slack = 0.001; // percent: more than what rounding adds
const elements = [...picture.querySelectorAll("svg.b")], yOf = (element) => +element.getAttribute("y");
const rows = [...new Set(elements.map(yOf))].sort((a, b) => a - b);
const boxes = elements.map((element) => {
	const x = parseFloat(element.getAttribute("x")), width = parseFloat(element.getAttribute("width"));
	return { element, x, width, end: x + width, depth: rows.indexOf(yOf(element)),
		title: element.querySelector("title").textContent };
});
const whole = { x: 0, width: 100, end: 100, depth: -1 };
let zoomed = whole, words = "", focused = null;

const nameOf = (box) => box.title.split("\n")[0];
const isWithin = (box, other) => box.x >= other.x - slack && box.end <= other.end + slack;
const isShown = (box) => box.element.style.display !== "none";

// The box and all below it have the whole width; those above it, too.
function place(box) {
	const isAbove = box.depth < zoomed.depth && isWithin(zoomed, box);
	const isBelow = box.depth >= zoomed.depth && isWithin(box, zoomed);
	const x = isAbove ? 0 : (box.x - zoomed.x) / zoomed.width * 100;
	const width = isAbove ? 100 : box.width / zoomed.width * 100;
	box.element.style.display = isAbove || isBelow ? "" : "none";
	if (!isAbove && !isBelow)
		return;
	box.element.setAttribute("x", x + "%");
	box.element.setAttribute("width", width + "%");
	box.element.classList.toggle("above", isAbove);
	showName(box, width / 100 * picture.getBoundingClientRect().width);
}

// A name of at least three characters has room.
function showName(box, pixels) {
	let text = box.element.querySelector("text");
	if (pixels < 26) {
		if (text)
			text.remove();
		return;
	}
	if (!text) {
		text = document.createElementNS(picture.namespaceURI, "text");
		text.setAttribute("x", 4);
		text.setAttribute("y", 13);
		text.textContent = nameOf(box);
		box.element.append(text);
	}
	text.removeAttribute("class");
}

function zoom(box) {
	zoomed = box || whole;
	boxes.forEach(place);
	setFocus(box || boxes[0]);
	report();
}

// The bytes of the boxes found, in percent of all: a box below another counts once.
function foundPercent() {
	const found = boxes.filter((box) => box.element.classList.contains("match"))
		.sort((a, b) => a.x - b.x || b.width - a.width);
	let end = -1, sum = 0;
	for (const box of found)
		if (box.x > end - slack) {
			sum += box.width;
			end = box.end;
		}
	return sum;
}

function search(text) {
	words = text.toLowerCase();
	for (const box of boxes)
		box.element.classList.toggle("match", Boolean(words) && nameOf(box).toLowerCase().includes(words));
	report();
}

function report() {
	const parts = [];
	if (words)
		parts.push("found: " + (picture.dataset.cut ? "at least " : "") + foundPercent().toFixed(1) + " % of the bytes");
	if (zoomed !== whole)
		parts.push("shown: " + zoomed.title.replace("\n", ": "));
	output.textContent = parts.join("; ") || "Click to zoom, Escape for all.";
}

// One box is in the order of the Tab key; the arrow keys move to the next box.
function setFocus(box, takesIt) {
	if (focused)
		focused.element.setAttribute("tabindex", "-1");
	focused = box || null;
	if (focused)
		focused.element.setAttribute("tabindex", "0");
	if (focused && takesIt)
		focused.element.focus();
}

function move(key, from) {
	const near = boxes.filter((box) => isShown(box) && (key === "ArrowUp" ? box.depth === from.depth - 1 && isWithin(from, box)
		: key === "ArrowDown" ? box.depth === from.depth + 1 && isWithin(box, from)
		: box.depth === from.depth && (key === "ArrowLeft" ? box.x < from.x : box.x > from.x)));
	near.sort((a, b) => key === "ArrowLeft" ? b.x - a.x : a.x - b.x);
	if (near.length)
		setFocus(near[0], true);
}

function make(name, parent, attributes) {
	const element = document.createElementNS(html, name);
	for (const key in attributes)
		element.setAttribute(key, attributes[key]);
	parent.append(element);
	return element;
}

const frame = document.createElementNS(picture.namespaceURI, "foreignObject");
for (const [key, value] of Object.entries({ x: 4, y: 59, width: "100%", height: 20 }))
	frame.setAttribute(key, value);
picture.append(frame);
const bar = make("div", frame, { class: "bar" });
const field = make("input", bar, { type: "search", placeholder: "Search", "aria-label": "Search" });
const all = make("button", bar, { type: "button" });
const output = make("output", bar, {});
all.textContent = "All";
all.addEventListener("click", () => zoom(null));
field.addEventListener("input", () => search(field.value));

const boxOf = (event) => boxes.find((box) => box.element === event.target.closest("svg.b"));
picture.addEventListener("click", (event) => {
	const box = boxOf(event);
	if (box)
		zoom(box);
});
picture.addEventListener("keydown", (event) => {
	const box = boxOf(event);
	if (event.key === "Escape")
		zoom(null);
	else if (box && event.key === "Enter")
		zoom(box);
	else if (box && event.key.startsWith("Arrow"))
		move(event.key, box);
	else
		return;
	event.preventDefault();
});
window.addEventListener("resize", () => boxes.forEach(place));
for (const box of boxes)
	box.element.setAttribute("aria-label", box.title.replace("\n", ": "));
zoom(null);
picture.dataset.ready = "yes";
