// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The section over time: the picture, and the figures of one point of it.

function chosenPoint() {
	const at = parseInt(state.at, 10);
	return at >= 0 && at < points.length ? at : points.length - 1;
}

function liveText(point) {
	const bound = point.live_upper_bound ? "at most " : "";
	return "live at the end " + bound + bytesText(point.live_most);
}

function liveRangeText(point) {
	return point.live_least === point.live_most ? liveText(point)
		: "live " + (point.live_upper_bound ? "at most " : "") + bytesText(point.live_least) + " to " +
			bytesText(point.live_most);
}

function summariesText(point) {
	return point.summaries_least === point.summaries_most
		? number(point.summaries_least) + (point.summaries_least === 1 ? " summary" : " summaries")
		: number(point.summaries_least) + " to " + number(point.summaries_most) + " summaries";
}

// All that the picture shows of a point.
function pointText(point) {
	return dateText(point.from_ns) + " to " + dateText(point.to_ns) + " UTC" +
		(point.intervals > 1 ? " (" + number(point.intervals) + " intervals)" : "") + ": " + liveRangeText(point) +
		"; " + plural(point.allocations, "allocation") + " (" + rateText(rateOf(point, "allocations")) + "), " +
		plural(point.frees, "free") + " (" + rateText(rateOf(point, "frees")) + "); " + summariesText(point) +
		(point.lost ? "; " + lostText(point) : "") +
		(point.uncovered_ns ? "; no summary covers " + lengthText(point.uncovered_ns) + " of it" : "");
}

// How far the picture can be trusted.
function timeNotes() {
	const time = views.time, notes = [];
	if (time.gaps)
		notes.push("Grey bands: no summary covers " + plural(time.gaps, "span") + " of time, " +
			lengthText(time.uncovered_ns) + " in all.");
	if (points.some((point) => point.lost))
		notes.push("Red bands: events were lost, skipped or not counted in these intervals; the more, the stronger is " +
			"the color.");
	if (countVaries)
		notes.push("The number of summaries varies: where there are fewer, live bytes and rates are of fewer " +
			"hosts or of less time.");
	if (time.overlapping)
		notes.push(plural(time.overlapping, "interval") + " begin" + (time.overlapping === 1 ? "s" : "") +
			" before the one before it ends: the summaries of the hosts end at different times. " +
			"kmemtrace-merge -i adds them up in common intervals.");
	if (points.some((point) => point.intervals > 1))
		notes.push("A point has up to " + number(Math.max(...points.map((point) => point.intervals))) +
			" intervals: the line is the most live bytes at their ends, the pale band reaches down to the least. " +
			"The table timeline has single intervals.");
	return notes;
}

function timeLegend() {
	const mark = (look) => draw("svg", { class: "line", viewBox: "0 0 20 10", "aria-hidden": "true" },
		draw("line", { class: look, x1: 0, x2: 20, y1: 5, y2: 5 }));
	return make("ul", { class: "key" }, make("li", {}, mark("live-line"), "live bytes at the end of each interval"),
		make("li", {}, mark("allocations"), "allocations per second"), make("li", {}, mark("frees"), "frees per second"));
}

// The point at a position on the screen: the first that ends behind it.
function pointAt(picture, clientX) {
	const box = picture.getBoundingClientRect();
	const x = (clientX - box.left) / box.width * chart.width;
	const found = points.findIndex((point) => xOf(point.to_ns) >= x);
	return found < 0 ? points.length - 1 : found;
}

function startTime() {
	const out = document.getElementById("time"), picture = make("div");
	const slider = make("input", { type: "range", id: "point", min: 0, max: points.length - 1, step: 1 });
	const text = make("output", { "aria-live": "polite", id: "point-text", for: "point" });
	const chosen = draw("line", { class: "chosen" });
	const mark = () => {
		const x = xOf(points[chosenPoint()].to_ns);
		for (const [key, value] of [["x1", x], ["x2", x], ["y1", chart.top], ["y2", chart.bottom]])
			chosen.setAttribute(key, value);
	};
	const redraw = () => {
		const svg = drawChart(Math.max(320, out.clientWidth), "Live bytes over time, rates of allocations (line) and " +
			"frees (dashes) below" + (countVaries ? ", and the number of summaries" : "") + "; " +
			plural(views.time.gaps, "gap") + " without a summary; " +
			plural(points.filter((point) => point.lost).length, "interval") +
			" with losses. The slider below reads single points, the table timeline has the figures.");
		svg.append(chosen);
		svg.addEventListener("click", (event) => setState({ at: String(pointAt(svg, event.clientX)) }));
		picture.replaceChildren(svg);
		mark();
	};
	out.append(timeLegend(), picture, make("div", { class: "controls" }, make("label", {}, "Point of time", slider)),
		text, make("p", { class: "legend" }, timeNotes().join(" ")));
	slider.addEventListener("input", () => setState({ at: slider.value }));
	let width = out.clientWidth;
	window.addEventListener("resize", () => {
		if (out.clientWidth !== width)
			redraw();
		width = out.clientWidth;
	});
	redraw();
	onState(["at"], () => {
		const point = points[chosenPoint()];
		slider.value = chosenPoint();
		slider.setAttribute("aria-valuetext", dateText(point.to_ns) + " UTC");
		text.value = pointText(point);
		mark();
	});
}
