// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Live bytes and rates over time, and the brush that chooses a span.

const colors = ["#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#76b7b2", "#edc948", "#b07aa1", "#ff9da7",
	"#9c755f", "#c5e17a", "#bab0ac"];
const chart = { width: 960, left: 70, right: 10, top: 24, height: 260, ratesTop: 306, ratesHeight: 80,
	bottom: 428 };

function spanWords(span) {
	return timeText(sliceBegin(span[0])) + " to " + timeText(sliceEnd(span[1]));
}

// The live bytes at the begin and at the end of each slice, of the largest and of all others.
function makeAreas(by) {
	const areas = new Map(), byPair = [], count = slices.length + 1;
	const others = { name: "others", bytes: new Float64Array(count), most: 0 };
	for (const pair of pairs) {
		const isRest = pair.site === null;
		const key = by === "cache" ? pair.cache : pair.address + " " + pair.site;
		if (!isRest && !areas.has(key))
			areas.set(key, { name: by === "cache" ? pair.cache : pair.site,
				bytes: new Float64Array(count), most: 0 });
		byPair[pair.pair] = isRest ? others : areas.get(key);
		byPair[pair.pair].bytes[0] += pair.initial_bytes;
	}
	const delta = new Map();
	for (const change of changes) {
		const area = byPair[change.pair];
		if (!delta.has(area))
			delta.set(area, new Float64Array(count));
		delta.get(area)[change.slice + 1] += change.bytes_allocated - change.bytes_freed;
	}
	for (const area of [...areas.values(), others]) {
		const own = delta.get(area);
		for (let i = 1; i < count; i++)
			area.bytes[i] = area.bytes[i - 1] + (own ? own[i] : 0);
		area.most = Math.max(...area.bytes);
	}
	const list = [...areas.values()].sort((a, b) => b.most - a.most);
	for (const area of list.splice(colors.length - 1))
		for (let i = 0; i < count; i++)
			others.bytes[i] += area.bytes[i];
	others.most = Math.max(...others.bytes);
	if (others.most > 0)
		list.push(others);
	return list.filter((area) => area.most > 0);
}

const chartBegin = () => sliceBegin(0);
const chartEnd = () => Math.max(sliceEnd(slices.length - 1), chartBegin() + 1);
const xOf = (time) => chart.left + (chart.width - chart.left - chart.right) *
	Math.min(1, Math.max(0, (time - chartBegin()) / (chartEnd() - chartBegin())));

// A peak that lasts for less than a slice can be far above the areas: then it is not in the scale.
const peakRoom = 2;

// The highest bytes of the scale.
function highestOf(areas) {
	const peak = timeOfPeak() === null ? 0 : views.summary.totals.peak_bytes, highest = highestArea(areas);
	return peak <= peakRoom * highest ? Math.max(peak, highest) : highest;
}

// The most live bytes at the end of a slice.
function highestArea(areas) {
	let highest = 1;
	for (let i = 0; i <= slices.length; i++)
		highest = Math.max(highest, areas.reduce((sum, area) => sum + Math.max(0, area.bytes[i]), 0));
	return highest;
}

function drawAreas(out, areas) {
	const count = slices.length + 1, highest = highestOf(areas);
	let low = new Float64Array(count);
	const x = (i) => i ? xOf(sliceEnd(i - 1)) : xOf(chartBegin());
	const y = (bytes) => chart.top + chart.height * (1 - bytes / highest);
	areas.forEach((area, k) => {
		const high = low.map((bytes, i) => bytes + Math.max(0, area.bytes[i]));
		const upper = [], lower = [];
		for (let i = 0; i < count; i++) {
			upper.push(x(i).toFixed(1) + "," + y(high[i]).toFixed(1));
			lower.push(x(i).toFixed(1) + "," + y(low[i]).toFixed(1));
		}
		out.append(titled(draw("polygon", { class: "area", fill: colors[k % colors.length],
			points: upper.concat(lower.reverse()).join(" ") }),
		area.name + ": at most " + bytesText(area.most)));
		low = high;
	});
	drawScale(out, highest, chart.top, chart.height, binaryStep(highest / 5), bytesText);
}

function drawRates(out) {
	const rate = (i, key) => slices[i][durationKey] ? slices[i][key] * (countsEvents ? 1 : 1e9) /
		slices[i][durationKey] : 0;
	let highest = 1e-9;
	for (let i = 0; i < slices.length; i++)
		highest = Math.max(highest, rate(i, "allocations"), rate(i, "frees"));
	const y = (value) => chart.ratesTop + chart.ratesHeight * (1 - value / highest);
	for (const key of ["allocations", "frees"]) {
		let path = "";
		for (let i = 0; i < slices.length; i++)
			path += (i ? "L" : "M") + xOf(sliceBegin(i)).toFixed(1) + " " + y(rate(i, key)).toFixed(1) +
				"L" + xOf(sliceEnd(i)).toFixed(1) + " " + y(rate(i, key)).toFixed(1);
		out.append(titled(draw("path", { class: key, d: path }), key));
	}
	drawScale(out, highest, chart.ratesTop, chart.ratesHeight, roundStep(highest / 3), rateText);
}

const fromKey = countsEvents ? "from_events" : "from_ns", toKey = countsEvents ? "to_events" : "to_ns";

function gapText(gap) {
	return plural(gap.events, "event") + " " + gap.kind + (gap.cpu === null ? "" : " on CPU " + gap.cpu) +
		" between " + timeText(gap[fromKey]) + " and " + timeText(gap[toKey]);
}

// Where events were lost or skipped.
function drawGaps(out) {
	for (const gap of gaps) {
		const from = xOf(gap[fromKey]), to = xOf(gap[toKey]);
		out.append(titled(draw("rect", { class: "band", x: from.toFixed(1), y: chart.top,
			width: Math.max(1.5, to - from).toFixed(1),
			height: chart.ratesTop + chart.ratesHeight - chart.top }),
		gapText(gap)));
	}
	labelGaps(out);
}

function drawPeak(out, areas) {
	const bytes = views.summary.totals.peak_bytes;
	if (timeOfPeak() === null)
		return;
	const x = xOf(timeOfPeak()), isRight = x > chart.width / 2, highest = highestOf(areas);
	const isAbove = bytes > highest, y = chart.top + (isAbove ? -8 : chart.height * (1 - bytes / highest));
	out.append(draw("line", { class: "border", x1: x, x2: x, y1: chart.top - 18, y2: chart.top + chart.height }),
		isAbove ? draw("path", { class: "peak", d: "M" + (x - 5) + " " + y + "L" + x + " " + (y - 10) + "L" +
			(x + 5) + " " + y + "Z" }) : draw("circle", { class: "peak", cx: x, cy: y, r: 4 }),
		draw("text", { class: "soft", x: isRight ? x - 8 : x + 8, y: chart.top - 8,
			"text-anchor": isRight ? "end" : "start" }, "peak " + bytesText(bytes) +
			(isAbove ? ": above this scale, for less than a slice" : "")));
}

// The number of events of the largest gaps, as far as there is room between the areas and the rates.
function labelGaps(out) {
	const room = 50, used = [];
	for (const gap of [...gaps].sort((a, b) => b.events - a.events).slice(0, 20)) {
		const x = Math.min(chart.width - chart.right - room, Math.max(chart.left + room,
			xOf((gap[fromKey] + gap[toKey]) / 2)));
		if (used.some((other) => Math.abs(other - x) < 2 * room))
			continue;
		used.push(x);
		out.append(draw("text", { class: "lost", x: x.toFixed(1), y: chart.ratesTop - 7, "text-anchor": "middle" },
			number(gap.events) + " " + gap.kind));
	}
}

function makeKey(areas) {
	const list = make("ul", { class: "key" });
	areas.forEach((area, k) => {
		const mark = draw("svg", { viewBox: "0 0 10 10", "aria-hidden": "true" },
			draw("rect", { width: 10, height: 10, fill: colors[k % colors.length] }));
		list.append(make("li", {}, mark, area.name));
	});
	return list;
}

// The slice at a position on the screen.
function sliceAt(picture, clientX) {
	const box = picture.getBoundingClientRect();
	const x = (clientX - box.left) / box.width * chart.width;
	const time = chartBegin() + (x - chart.left) / (chart.width - chart.left - chart.right) *
		(chartEnd() - chartBegin());
	return sliceOf(time);
}

function sliceOf(time) {
	let i = 0;
	while (i + 1 < slices.length && sliceBegin(i + 1) <= time)
		i++;
	return i;
}

function addBrush(picture) {
	const area = draw("rect", { class: "brush", x: chart.left, y: chart.top,
		width: chart.width - chart.left - chart.right,
		height: chart.ratesTop + chart.ratesHeight - chart.top });
	let from = -1, begin = 0, moved = false;
	const choose = (event) => {
		const at = sliceAt(picture, event.clientX);
		setState({ span: spanText(Math.min(from, at), Math.max(from, at)) });
	};
	area.addEventListener("pointerdown", (event) => {
		from = sliceAt(picture, event.clientX);
		begin = event.clientX;
		moved = false;
		area.setPointerCapture(event.pointerId);
		event.preventDefault();
	});
	area.addEventListener("pointermove", (event) => {
		if (from < 0)
			return;
		moved = moved || Math.abs(event.clientX - begin) > 2;
		if (moved)
			choose(event);
	});
	area.addEventListener("pointerup", (event) => {
		if (from >= 0 && !moved)
			setState({ span: "" });
		else if (from >= 0)
			choose(event);
		from = -1;
	});
	picture.append(area);
}

function totalText(span) {
	const total = totalOf(span);
	const bound = views.summary.totals.live_upper_bound ? "at most " : "";
	return (isWhole(span) ? "Whole capture, " : "Span ") + spanWords(span) + ": " +
		plural(total.allocations, "allocation") + " of " + bytesText(total.bytes_allocated) + ", " +
		plural(total.frees, "free") + " (" + number(total.frees_unmatched) + " unmatched), " +
		plural(total.missed_frees, "missed free") + "; live at the end " + bound +
		plural(total.live_objects, "object") + ", " + bound + bytesText(total.live_bytes) + " (" +
		(total.live_change >= 0 ? "+" : "") + bytesText(total.live_change) + ")" + peakWithin(span);
}

// Between the ends of its slices, a span may have more live bytes than at both.
function peakWithin(span) {
	const bytes = views.summary.totals.peak_bytes, time = timeOfPeak();
	return bytes && time !== null && sliceOf(time) >= span[0] && sliceOf(time) <= span[1]
		? "; peak within it " + bytesText(bytes) + ", at " + timeText(time) : "";
}

function timeOfPeak() {
	const totals = views.summary.totals;
	return countsEvents ? totals.peak_time_events : totals.peak_time_ns;
}

// Between the ends of two slices there may be more live bytes than at both.
function peakText() {
	const totals = views.summary.totals, time = timeOfPeak();
	return totals.peak_bytes && time !== null ? " The areas are the live bytes at the ends of the slices. The peak, " +
		bytesText(totals.peak_bytes) + " at " + timeText(time) + ", is between two ends: a mark shows its time " +
		"and height; an arrow means that it is above the scale." : "";
}

function makeSliders() {
	const sliders = ["begin", "end"].map((which) => {
		const slider = make("input", { type: "range", id: "span-" + which, min: 0, max: slices.length - 1,
			step: 1 });
		slider.addEventListener("input", () => {
			let first = +sliders[0].value, last = +sliders[1].value;
			if (first > last && which === "begin")
				last = first;
			else if (first > last)
				first = last;
			setState({ span: spanText(first, last) });
		});
		return slider;
	});
	return sliders;
}

function showSliders(sliders, span) {
	sliders.forEach((slider, i) => {
		slider.value = span[i];
		slider.setAttribute("aria-valuetext", timeText(i ? sliceEnd(span[1]) : sliceBegin(span[0])));
	});
}

function startTimeline() {
	const out = document.getElementById("time");
	if (!slices.length) {
		out.append(make("p", { class: "warning" }, views.timeline.refused || views.spans.refused ||
			"No event was recorded."));
		return;
	}
	const choose = make("select", { id: "by" }, make("option", { value: "site" }, "call sites"),
		make("option", { value: "cache" }, "slab caches"));
	const sliders = makeSliders();
	const whole = make("button", { type: "button", id: "whole" }, "Whole capture");
	const peak = make("button", { type: "button", id: "peak" }, "Slice of the peak");
	const text = make("output", { "aria-live": "polite", id: "span-text" });
	const picture = make("div"), key = make("div"), chosen = draw("rect", { class: "span" });
	choose.addEventListener("change", () => setState({ by: choose.value }));
	whole.addEventListener("click", () => setState({ span: "" }));
	peak.addEventListener("click", () => setState({ span: spanText(sliceOf(timeOfPeak()), sliceOf(timeOfPeak())) }));
	peak.disabled = timeOfPeak() === null;
	out.append(make("div", { class: "controls" }, make("label", {}, "Areas:", choose),
		make("label", {}, "Span from", sliders[0]), make("label", {}, "to", sliders[1]), whole, peak),
	text, picture, key);
	onState(["by", "width"], () => {
		const areas = makeAreas(state.by);
		chart.width = widthOf(picture);
		const svg = draw("svg", { viewBox: "0 0 " + chart.width + " " + chart.bottom, role: "img",
			"aria-label": "Live bytes over time by " + (state.by === "cache" ? "slab cache" : "call site") +
			", rates of allocations (line) and frees (dashes) below; " +
			(gaps.length ? plural(gaps.length, "band") + " with lost or skipped events" :
				"no lost events with a known time") +
			". The same figures are in the tables timeline, sites and caches." });
		choose.value = state.by;
		drawAreas(svg, areas);
		drawRates(svg);
		drawTimes(svg);
		drawGaps(svg);
		drawPeak(svg, areas);
		svg.append(chosen);
		addBrush(svg);
		picture.replaceChildren(svg);
		key.replaceChildren(makeKey(areas), make("p", { class: "legend" },
			"Below the areas: allocations (line) and frees (dashes) per " +
			(countsEvents ? "event" : "second") + "." + (gaps.length
				? " Red bands: events were lost or skipped there; the table of lost and " +
				  "skipped events lists them." : "") + peakText()));
	});
	onState(["span", "width"], () => {
		const span = chosenSpan();
		showSliders(sliders, span);
		whole.disabled = isWhole(span);
		text.value = totalText(span);
		chosen.setAttribute("x", xOf(sliceBegin(span[0])));
		chosen.setAttribute("y", chart.top);
		chosen.setAttribute("width", isWhole(span) ? 0 : xOf(sliceEnd(span[1])) - xOf(sliceBegin(span[0])));
		chosen.setAttribute("height", chart.ratesTop + chart.ratesHeight - chart.top);
		chosen.setAttribute("visibility", isWhole(span) ? "hidden" : "visible");
	});
}
