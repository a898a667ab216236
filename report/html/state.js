// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What the reader chose is in the fragment of the address, so that a link shows the same.

const defaults = {
	view: "sites", // the table
	sort: "",      // KEY or -KEY; "": as in the report
	q: "",         // the search
	columns: "",   // "all": those with addresses and parts of names too
	span: "",      // FIRST-LAST, by slice; "": the whole capture
	by: "site",    // the areas of the chart
	measure: "live",
	zoom: "",      // the path to a node of the tree
	find: "",      // words in the names of the tree
	lifetimes: "", // a call site
	figure: "live_bytes", // of a comparison
	certain: "",   // "yes": only rows with a certain change
};

let state = readState();
const listeners = [];

function readState() {
	const read = Object.assign({}, defaults);
	for (const [key, value] of new URLSearchParams(location.hash.slice(1)))
		if (key in defaults)
			read[key] = value;
	return read;
}

function writeState() {
	const written = new URLSearchParams();
	for (const key in defaults)
		if (state[key] !== defaults[key])
			written.set(key, state[key]);
	history.replaceState(null, "", "#" + written.toString());
}

// change: the new values. Every part of the page that depends on one of them is made again.
function setState(change) {
	const changed = Object.keys(change).filter((key) => state[key] !== change[key]);
	Object.assign(state, change);
	writeState();
	for (const listener of listeners)
		if (changed.some((key) => listener.keys.includes(key)))
			listener.update();
}

function onState(keys, update) {
	listeners.push({ keys, update });
	update();
}

// What depends on the key "width" is made again when the window gets another width.
let windowWidth = document.documentElement.clientWidth;
window.addEventListener("resize", () => {
	if (windowWidth === document.documentElement.clientWidth)
		return;
	windowWidth = document.documentElement.clientWidth;
	for (const listener of listeners)
		if (listener.keys.includes("width"))
			listener.update();
});

window.addEventListener("hashchange", () => {
	state = readState();
	for (const listener of listeners)
		listener.update();
});
