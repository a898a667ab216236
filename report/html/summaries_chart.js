// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The picture over time: live bytes, rates and the number of summaries. It is as wide as the window, so
// that its text has the size of the other text.

const points = rowsOf(findTable("time", "points"));
const countVaries = points.some((point) => point.summaries_least !== points[0].summaries_most ||
	point.summaries_most !== points[0].summaries_most);
const chart = { width: 960, left: 74, right: 12, top: 14, height: 220, ratesTop: 270, ratesHeight: 90,
	countTop: 396, countHeight: 40, bottom: 0 };
const chartBegin = () => points[0].from_ns;
const chartEnd = () => Math.max(points[points.length - 1].to_ns, chartBegin() + 1);
const xOf = (time) => chart.left + (chart.width - chart.left - chart.right) * (time - chartBegin()) /
	(chartEnd() - chartBegin());

// From here on: ns since the begin of the first interval, to milliseconds since 1970.
const beginMs = Date.parse(views.summaries.summaries.begin.replace(/(\.\d{3})\d*/, "$1"));
const dateOf = (ns) => new Date(beginMs + ns / 1e6).toISOString();
const dateText = (ns) => dateOf(ns).slice(0, chartEnd() - chartBegin() < 10e9 ? 23 : 19).replace("T", " ");

function lengthText(ns) {
	const s = ns / 1e9;
	const text = (value, word) => plural(+value.toFixed(1), word).replace(/^\S+/, String(+value.toFixed(1)));
	return s < 120 ? durationText(ns) : s < 7200 ? text(s / 60, "minute") : s < 172800 ? text(s / 3600, "hour")
		: text(s / 86400, "day");
}

// Points without a gap between them.
function makeRuns() {
	const runs = [];
	points.forEach((point, i) => {
		if (!i || point.from_ns > points[i - 1].to_ns)
			runs.push([]);
		runs[runs.length - 1].push(point);
	});
	return runs;
}

const pair = (x, y) => x.toFixed(1) + "," + y.toFixed(1);

// Of a point that has several intervals, a band from its least to its most live bytes.
function drawLive(out) {
	const highest = 1.06 * Math.max(1, ...points.map((point) => point.live_most));
	const y = (bytes) => chart.top + chart.height * (1 - bytes / highest), bottom = y(0);
	drawScale(out, highest, chart.top, chart.height, binaryStep(highest / 5), bytesText);
	for (const run of makeRuns()) {
		const most = run.map((point) => pair(xOf(point.to_ns), y(point.live_most)));
		const least = run.map((point) => pair(xOf(point.to_ns), y(point.live_least)));
		const first = xOf(run[0].from_ns), last = xOf(run[run.length - 1].to_ns);
		most.unshift(pair(first, y(run[0].live_most)));
		least.unshift(pair(first, y(run[0].live_least)));
		out.append(draw("polygon", { class: "live", points: [pair(first, bottom), ...least,
			pair(last, bottom)].join(" ") }),
		draw("polygon", { class: "live-range", points: [...most, ...least.slice().reverse()].join(" ") }),
		draw("polyline", { class: "live-line", points: most.join(" ") }));
		if (points.length <= 60)
			for (const point of run)
				out.append(draw("circle", { class: "live-end", cx: xOf(point.to_ns).toFixed(1),
					cy: y(point.live_most).toFixed(1), r: 3 }));
	}
}

const rateOf = (point, key) => point.duration_ns ? point[key] / point.duration_ns * 1e9 : 0;

function drawRates(out) {
	let highest = 1e-9;
	for (const point of points)
		highest = Math.max(highest, rateOf(point, "allocations"), rateOf(point, "frees"));
	const y = (value) => chart.ratesTop + chart.ratesHeight * (1 - value / highest);
	drawScale(out, highest, chart.ratesTop, chart.ratesHeight, roundStep(highest / 3), rateText);
	for (const key of ["allocations", "frees"])
		for (const run of makeRuns()) {
			const steps = run.flatMap((point) => [point.from_ns, point.to_ns].map((time) =>
				pair(xOf(time), y(rateOf(point, key)))));
			out.append(draw("polyline", { class: key, points: steps.join(" ") }));
		}
}

function drawCounts(out) {
	const highest = Math.max(1, ...points.map((point) => point.summaries_most));
	const y = (value) => chart.countTop + chart.countHeight * (1 - value / highest);
	drawScale(out, highest, chart.countTop, chart.countHeight, highest, number);
	for (const run of makeRuns()) {
		const steps = run.flatMap((point) => [point.from_ns, point.to_ns].map((time) =>
			pair(xOf(time), y(point.summaries_least))));
		out.append(draw("polygon", { class: "bar", points: [pair(xOf(run[0].from_ns), y(0)), ...steps,
			pair(xOf(run[run.length - 1].to_ns), y(0))].join(" ") }));
	}
}

function drawBand(out, look, from, to, text, opacity) {
	const x = xOf(from);
	out.append(titled(draw("rect", { class: look, x: x.toFixed(1), y: chart.top, opacity,
		width: Math.max(1.5, xOf(to) - x).toFixed(1), height: chart.bottom - chart.top }), text));
}

const lostText = (point) => plural(point.lost, "event") + " lost, skipped or not counted";

function gapText(from, to) {
	return "no summary from " + dateText(from) + " to " + dateText(to) + " UTC (" + lengthText(to - from) + ")";
}

// Points with losses that follow each other, as one: the more was lost, the stronger is its color.
function drawLosses(out) {
	let run = [];
	const finish = () => {
		const sum = (key) => run.reduce((all, point) => all + point[key], 0), lost = sum("lost");
		if (lost)
			drawBand(out, "loss", run[0].from_ns, run[run.length - 1].to_ns, lostText({ lost }),
				(0.15 + Math.min(0.4, 4 * lost / (lost + sum("allocations") + sum("frees")))).toFixed(2));
		run = [];
	};
	for (const one of makeRuns()) {
		for (const point of one)
			if (point.lost)
				run.push(point);
			else
				finish();
		finish();
	}
}

// Gaps between points, and thin ones within a point; then the losses.
function drawBands(out) {
	points.forEach((point, i) => {
		if (i && point.from_ns > points[i - 1].to_ns)
			drawBand(out, "gap", points[i - 1].to_ns, point.from_ns,
				gapText(points[i - 1].to_ns, point.from_ns), 0.3);
		if (point.uncovered_ns)
			drawBand(out, "gap", point.from_ns, point.from_ns, "no summary covers " +
				lengthText(point.uncovered_ns) + " between " + dateText(point.from_ns) + " and " +
				dateText(point.to_ns) + " UTC", 0.3);
	});
	drawLosses(out);
}

const dateSteps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400,
	172800, 604800, 1209600, 2592000, 7776000, 31536000];

// Round times of UTC; the date is below the first, and wherever it changes.
function drawDates(out) {
	const room = (chart.width - chart.left - chart.right) / 90, seconds = (chartEnd() - chartBegin()) / 1e9;
	const step = 1000 * (dateSteps.find((one) => one >= seconds / room) || Math.ceil(seconds / room / 31536000) * 31536000);
	const begin = beginMs + chartBegin() / 1e6, end = beginMs + chartEnd() / 1e6;
	let before = "";
	if (seconds < 2) {
		out.append(draw("text", { class: "soft", x: chart.left, y: chart.bottom + 18 }, dateText(chartBegin()) +
			" UTC, " + durationText(chartEnd() - chartBegin())));
		return;
	}
	for (let time = Math.ceil(begin / step) * step; time <= end; time += step) {
		const x = xOf((time - beginMs) * 1e6), iso = new Date(time).toISOString(), date = iso.slice(0, 10);
		const clock = step >= 86400000 ? "" : iso.slice(11, step >= 60000 ? 16 : 19);
		const lines = [clock, date === before ? "" : date].filter((text) => text);
		const anchor = x > chart.width - 40 ? "end" : x < chart.left + 20 ? "start" : "middle";
		out.append(draw("line", { class: "axis", x1: x, x2: x, y1: chart.bottom, y2: chart.bottom + 4 }),
			...lines.map((text, i) => draw("text", { class: "soft", x, y: chart.bottom + 18 + 16 * i,
				"text-anchor": anchor }, text)));
		before = date;
	}
}

function drawChart(width, label) {
	chart.width = width;
	chart.bottom = countVaries ? chart.countTop + chart.countHeight : chart.ratesTop + chart.ratesHeight;
	const svg = draw("svg", { viewBox: "0 0 " + width + " " + (chart.bottom + 40), role: "img", "aria-label": label });
	drawLive(svg);
	drawRates(svg);
	if (countVaries)
		drawCounts(svg);
	drawDates(svg);
	for (const [y, text] of [[chart.top - 3, "live bytes"], [chart.ratesTop - 8, "allocations and frees per second"],
		...(countVaries ? [[chart.countTop - 8, "summaries"]] : [])])
		svg.append(draw("text", { class: "soft", x: chart.left, y }, text));
	drawBands(svg);
	return svg;
}
