// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Histograms of lifetimes and sizes, and the map of frees across CPUs.

const bars = { width: 620, left: 60, height: 170, top: 12, bottom: 250 };

// list: { value, label, text, group (a border is drawn where it changes; or none) }
function drawBars(list, label) {
	const most = Math.max(1, ...list.map((bar) => bar.value));
	const step = (bars.width - bars.left) / Math.max(1, list.length);
	const svg = draw("svg", { viewBox: "0 0 " + bars.width + " " + bars.bottom, role: "img", "aria-label": label });
	const every = Math.ceil(list.length / (bars.width / 16));
	list.forEach((bar, i) => {
		const x = bars.left + i * step, height = bar.value ? Math.max(1, bars.height * bar.value / most) : 0;
		const y = bars.top + bars.height, middle = x + step / 2;
		svg.append(titled(draw("rect", { class: "bar", x: (x + step * 0.1).toFixed(1),
			y: (y - height).toFixed(1), width: (step * 0.8).toFixed(1), height: height.toFixed(1) }), bar.text));
		if (i && bar.group !== list[i - 1].group)
			svg.append(draw("line", { class: "border", x1: x, x2: x, y1: bars.top, y2: y + 6 }));
		if (i % every === 0)
			svg.append(draw("text", { class: "soft", x: middle, y: y + 10, "text-anchor": "end",
				transform: "rotate(-50 " + middle + " " + (y + 10) + ")" }, bar.label));
	});
	svg.append(draw("text", { class: "soft", x: bars.left - 4, y: bars.top + 10, "text-anchor": "end" }, number(most)),
		draw("text", { class: "soft", x: bars.left - 4, y: bars.top + bars.height, "text-anchor": "end" }, "0"),
		draw("line", { class: "axis", x1: bars.left, x2: bars.width, y1: bars.top + bars.height,
			y2: bars.top + bars.height }));
	return svg;
}

// By call site. The rows of the last site may be cut: it is left out.
function lifetimeSites() {
	const table = findTable("lifetimes", "lifetimes"), sites = new Map();
	for (const row of rowsOf(table)) {
		const key = row.address + " " + row.site;
		if (!sites.has(key))
			sites.set(key, []);
		sites.get(key).push(row);
	}
	const list = [...sites];
	if (table && table.rows_made > table.rows.length && list.length > 1)
		list.pop();
	return new Map(list);
}

function startLifetimes(panel) {
	const sites = lifetimeSites();
	if (!sites.size) {
		panel.append(make("p", { class: "note" }, views.lifetimes.refused || "No object was freed."));
		return;
	}
	const choose = make("select", { id: "lifetime-site" });
	for (const [key, rows] of sites)
		choose.append(make("option", { value: key }, rows[0].site));
	choose.addEventListener("change", () => setState({ lifetimes: choose.value }));
	const picture = make("div");
	panel.append(make("div", { class: "controls" }, make("label", {}, "Call site", choose)), picture,
		make("p", { class: "legend" }, "Freed objects by lifetime. The time below a bar is the shortest lifetime " +
			"in it; the longest is less than twice as long."));
	const from = countsEvents ? "from_events" : "from_ns", to = countsEvents ? "to_events" : "to_ns";
	onState(["lifetimes", "width"], () => {
		const key = sites.has(state.lifetimes) ? state.lifetimes : sites.keys().next().value;
		const text = countsEvents ? number : durationText;
		choose.value = key;
		bars.width = widthOf(picture);
		picture.replaceChildren(drawBars(sites.get(key).map((row) => ({
			value: row.frees, label: text(row[from]),
			text: text(row[from]) + " to " + text(row[to]) + ": " + plural(row.frees, "free"),
		})), "Lifetimes of the freed objects of the call site; the table lifetimes has the same numbers"));
	});
}

function startSizes(panel) {
	const rows = rowsOf(findTable("sizes", "sizes")).sort((a, b) => a.size - b.size || a.from_bytes - b.from_bytes);
	if (!rows.length) {
		panel.append(make("p", { class: "note" }, views.sizes.refused || "No kmalloc() was recorded."));
		return;
	}
	const picture = make("div");
	panel.append(picture, make("p", { class: "legend" }, "Allocations by requested bytes; a dashed line is the " +
		"border of a size class, where the next cache begins."));
	onState(["width"], () => {
		bars.width = widthOf(picture);
		picture.replaceChildren(drawBars(rows.map((row) => ({
			value: row.objects, label: number(row.to_bytes), group: row.cache + " " + row.size,
			text: row.cache + ", " + number(row.from_bytes) + " to " + number(row.to_bytes) + " bytes: " +
				plural(row.objects, "allocation") + ", " + bytesText(row.bytes_wasted) + " wasted",
		})), "Requested sizes in each size class of kmalloc(); the table sizes has the same numbers"));
	});
}

function startHistograms() {
	const lifetimes = make("div", { class: "panel" }, make("h3", {}, "Lifetimes of freed objects"));
	const sizes = make("div", { class: "panel" }, make("h3", {}, "Sizes requested from kmalloc()"));
	document.getElementById("histograms").append(make("div", { class: "panels" }, lifetimes, sizes));
	startLifetimes(lifetimes);
	startSizes(sizes);
}

function startCrossings() {
	const out = document.getElementById("crossings"), table = findTable("cpus", "crossings");
	const rows = rowsOf(table);
	if (!rows.length) {
		out.append(make("p", { class: "note" }, views.cpus.refused || "No free was recorded."));
		return;
	}
	const cpus = [...new Set(rows.flatMap((row) => [row.alloc_cpu, row.free_cpu]))].sort((a, b) => a - b);
	const most = Math.max(...rows.map((row) => row.frees));
	const head = make("tr", {}, make("th", { scope: "col" }, "allocated on"));
	for (const cpu of cpus)
		head.append(make("th", { scope: "col", class: "number" }, "freed on " + cpu));
	const body = make("tbody");
	for (const from of cpus) {
		const line = make("tr", {}, make("th", { scope: "row" }, "CPU " + from));
		for (const to of cpus) {
			const row = rows.find((one) => one.alloc_cpu === from && one.free_cpu === to);
			const cell = make("td", { class: "number" }, row ? number(row.frees) : "");
			if (row) {
				cell.title = bytesText(row.bytes) + ", " + row.percent.toFixed(2) + " % of all frees";
				cell.style.backgroundColor = "rgba(var(--heat), " + (0.6 * row.frees / most).toFixed(3) + ")";
			}
			line.append(cell);
		}
		body.append(line);
	}
	out.append(make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Frees across CPUs" },
		make("table", {}, make("thead", {}, head), body)));
	if (table.rows_made > table.rows.length)
		out.append(make("p", { class: "note" }, "The " + number(table.rows.length) + " largest of " +
			number(table.rows_made) + " pairs; kmemtrace-report cpus shows all."));
}
