// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The headline and the overview of a page of summaries: which hosts and time, what grew, and how sure
// it is.

const facts = views.summaries.summaries, sums = views.summaries.totals, hostCount = views.summaries.host_count;
const summaryCount = (count) => number(count) + (count === 1 ? " summary" : " summaries");

// What is missing or not sure, a sentence each, without its full stop.
function completenessParts() {
	return [...warningsOf(views.summaries.lines), ...(views.time.gaps
		? ["No summary covers " + lengthText(views.time.uncovered_ns) + " of " + lengthText(chartEnd())] : [])];
}

function completenessLine() {
	const parts = completenessParts();
	if (!parts.length)
		return make("p", { id: "complete" }, "No event is missing, and no summary between the others.");
	return make("p", { id: "complete", class: "warning" }, parts.join(". ") + ". See ",
		make("a", { href: "#sure-title", "data-jump": "sure-title" }, "How sure"), ".");
}

function hostList() {
	const hosts = facts.hosts, few = 8;
	if (hostCount <= few)
		return null;
	return make("details", { id: "hosts" }, make("summary", {}, "All " + plural(hostCount, "host")),
		make("p", { class: "note" }, hosts.join(", ") + (hosts.length < hostCount ? " and " +
			number(hostCount - hosts.length) + " more, for which the page has no room" : "")));
}

function startAbout() {
	const about = document.getElementById("about"), filters = views.summaries.report.filters, few = 8;
	const more = hostCount > few ? " and " + number(hostCount - few) + " more" : "";
	const machine = [facts.kernel ? "Linux " + facts.kernel : "", facts.arch || "", facts.role ? "role " + facts.role : ""]
		.filter((text) => text).join(" ");
	about.append([plural(hostCount, "host") + ": " + facts.hosts.slice(0, few).join(", ") + more, machine,
		dateText(chartBegin()) + " to " + dateText(chartEnd()) + " UTC, " + lengthText(chartEnd()) + " in " +
			plural(facts.intervals, "interval"), summaryCount(facts.summaries)].filter((text) => text).join("; ") +
		(filters.length ? ". Selected: " + filters.join(", ") : ""));
	about.after(...[hostList(), grewLine(), completenessLine()].filter((part) => part));
}

// A part of the sentence about the function of the most steady growth.
function steadyText(row) {
	return row.steady_percent === null ? "in one interval, so that it is not known how steadily"
		: number(row.steady_percent) + " % steady";
}

// A rate for an hour says nothing about a few seconds.
function speedText(rate) {
	if (!(rate > 0))
		return "";
	return chartEnd() < 600e9 ? bytesText(Math.round(rate)) + " a second, " : bytesText(Math.round(rate * 3600)) +
		" an hour, ";
}

// What grew most, and how much is live.
function grewLine() {
	const [row] = rowsOf(findTable("leaks", "leaks"));
	const range = views.summaries.estimates;
	const live = "Live at the end: " + liveSum() + (range ? ", an estimate: " + bytesText(range.live_bytes_low) + " to " +
		bytesText(range.live_bytes_high) : "") + ". " + fullerText();
	if (!row)
		return make("p", { class: "big", id: "grew" }, live + "Nothing grew.");
	return make("p", { class: "big", id: "grew" }, live + "Most steady growth: ", siteLink(row.function), ", by " +
		(row.live_upper_bound ? "at most " : "") + bytesText(row.growth_bytes) + ", " +
		speedText(row.growth_bytes_per_s) +
		steadyText(row) + ".");
}

// At the last end, there may be few hosts only: the last interval with the most summaries has more.
function fullerText() {
	const most = Math.max(...points.map((point) => point.summaries_most));
	const point = points.filter((one) => one.summaries_least === most).pop();
	return facts.live_hosts === hostCount || !point || point === points[points.length - 1] ? ""
		: "At " + dateText(point.to_ns) + " UTC, where there are the most summaries (" + number(most) + "): " +
			(point.live_upper_bound ? "at most " : "") + bytesText(point.live_most) + ". ";
}

function liveSum() {
	return (sums.live_upper_bound ? "at most " : "") + bytesText(sums.live_bytes) + " in " +
		plural(sums.live_objects, "object") + (facts.live_hosts < hostCount ? " of " + number(facts.live_hosts) + " of " +
			plural(hostCount, "host") : "");
}

// Figures from samples have an interval.
function estimateNote(figure) {
	const estimates = views.summaries.estimates;
	return estimates ? make("p", { class: "warning estimate" }, "An estimate: in 95 of 100 cases between " +
		bytesText(estimates[figure + "_low"]) + " and " + bytesText(estimates[figure + "_high"]) + ".") : null;
}

// The first rows of a table with some of its columns, each with its definition.
function shortTable(name, keys, sort, label) {
	const table = withColumns(shownTable(name), keys.filter((key) => findTable(name, name).columns
		.some((column) => column.key === key)));
	return [makeTable(table, { sort, most: 5, isNarrow: true, label, link: siteLink }), makeLegend(table)];
}

// A slow leak is steadier than a cache that fills.
function steadiestLine() {
	const [first, ...rows] = rowsOf(findTable("leaks", "leaks"));
	const [row] = rows.filter((one) => one.steady_percent >= 60).sort((a, b) => b.steady_percent - a.steady_percent);
	return row && row.steady_percent > first.steady_percent ? make("p", {}, "Steadiest: ", siteLink(row.function), ", " +
		steadyText(row) + ", by " + (row.live_upper_bound ? "at most " : "") + bytesText(row.growth_bytes) + ".") : null;
}

function grewPanel() {
	return panel("What grew", make("p", {}, "Allocated and not freed in these intervals. Live memory need not be " +
		"leaked; memory that grows steadily over a long time may be."),
	...shortTable("leaks", ["function", "growth_bytes", "growth_bytes_per_s", "steady_percent", "live_bytes"], "",
		"What grew"), steadiestLine(), showButton("leaks", "", "Leaks"));
}

function livePanel() {
	return panel("What is live", make("p", { class: "big" }, capital(liveSum()) + " at " +
		facts.live_at.slice(0, 19).replace("T", " ") + " UTC"), make("p", {}, fullerText()), estimateNote("live_bytes"),
	...shortTable("sites", ["function", "live_objects", "live_bytes", "live_bytes_low", "live_bytes_high"], "-live_bytes",
		"What is live"), showButton("sites", "-live_bytes", "By function"), " ",
	showButton("caches", "-live_bytes", "By slab cache"));
}

function allocatedPanel() {
	return panel("Who allocates", make("p", { class: "big" }, plural(sums.allocations, "allocation") + " of " +
		bytesText(sums.bytes_allocated) + ", " + plural(sums.frees, "free") + ", " + number(sums.cross_cpu_frees) +
		" of them on another CPU" + (sums.failed ? "; " + plural(sums.failed, "allocation") + " failed" : "")),
	estimateNote("bytes_allocated"),
	...shortTable("sites", ["function", "allocations", "bytes_allocated", "error_percent"], "-bytes_allocated", "Who allocates"), showButton("sites", "", "By function"), " ",
	showButton("caches", "", "By slab cache"));
}

function surePanel() {
	const parts = completenessParts();
	if (sums.missed_frees)
		parts.push(plural(sums.missed_frees, "free") + (sums.missed_frees === 1 ? " was" : " were") + " missed: the " +
			"address was allocated again while its object was live");
	if (sums.live_upper_bound)
		parts.push("live objects and bytes with \u2264 are upper bounds: frees of them may be missing");
	const made = panel("How sure", make("p", { class: parts.length ? "big warning" : "big" },
		capital(headerText(views.summaries.lines, "events")) + "; " + summaryCount(facts.missing) + " missing"),
	make("ul", {}, ...parts.map((text) => make("li", {}, capital(text) + "."))), headerList(views.summaries.lines));
	Object.assign(made.firstChild, { id: "sure-title", className: "section" });
	return made;
}

function startOverview() {
	document.getElementById("overview").append(make("div", { class: "panels" }, grewPanel(), livePanel(),
		allocatedPanel(), surePanel()));
	onState(["width"], () => fitTables(document.getElementById("overview")));
}
