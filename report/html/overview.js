// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The overview: a panel for each question, with a way to the table that answers it in full.

// The figures of a profile are estimates from samples.
function estimateNote(figure) {
	const estimates = views.summary.estimates;
	return estimates ? make("p", { class: "warning" }, "Estimated from " + plural(estimates.samples, "sample") +
		", in 95 of 100 cases between " + bytesText(estimates[figure + "_low"]) + " and " +
		bytesText(estimates[figure + "_high"]) + ".") : null;
}

const growthKeys = ["site", "main_task", "live_objects", "live_bytes", "growth_pattern"];
const leaksKeys = ["site", "main_task", "live_objects", "live_bytes", "steady_percent"];
const steady = 80; // percent

function windowLength() {
	return views.summary.report.window_end_ns - views.summary.report.window_begin_ns;
}

// Where nothing grows steadily: this, and the sites with the most live bytes.
function largestLive(growth) {
	const leaks = findTable("leaks", "leaks"), grown = rowsOf(growth);
	if (!leaks || !leaks.rows.length || grown.some((row) => row.steady_percent >= steady))
		return [];
	const few = grown.length < 3;
	return [make("p", {}, "No call site grows steadily. " + (few ? "These have the most live bytes. " : "") +
		"Live memory is not freed by the end; the kernel may still use it. Leaked memory is never freed, which a " +
		"capture cannot show" + (!countsEvents && windowLength() < 60e9
		? "; " + durationText(windowLength()) + " is a short time to judge this." : ".")),
	...(few ? [makeTable(withColumns(leaks, leaksKeys), { sort: "-live_bytes", most: 5, isNarrow: true,
		label: "Most live bytes", link: siteLink }), makeLegend(withColumns(leaks, leaksKeys))] : [])];
}

function grewPanel() {
	const table = findTable("summary", "growth"), totals = views.summary.totals;
	const grown = table && table.rows.length ? withColumns(table, growthKeys) : null;
	const largest = largestLive(table);
	return panel("What grew", make("p", { class: "big" }, "Live: " +
		(totals.live_upper_bound ? "at most " : "") + bytesText(totals.live_bytes) + " in " +
		plural(totals.live_objects, "object") +
		(totals.peak_bytes === null ? "" : "; peak " + bytesText(totals.peak_bytes) + peakTime())),
	estimateNote("live_bytes"), peakLine(),
	...(grown ? [makeTable(grown, { label: "What grew", isNarrow: true, link: siteLink }), hourLine(table),
		makeLegend(grown)] : []),
	!grown && !largest.length ? make("p", { class: "note" }, table ? table.empty : "") : null, ...largest,
	showButton("leaks", "", "All live objects by call site"));
}

function peakTime() {
	return timeOfPeak() === null ? "" : " at " + timeText(timeOfPeak());
}

// The call site with the most bytes at the peak.
function peakLine() {
	const [most] = rowsOf(findTable("timeline", "peak")).sort((a, b) => b.live_bytes - a.live_bytes);
	if (!most)
		return null;
	return make("p", {}, "At the peak, " + (most.live_upper_bound ? "at most " : "") + most.percent.toFixed(0) +
		" % of the bytes were " + plural(most.live_objects, "object") + " of ", siteLink(most.site), ".");
}

// What a steady leak would come to.
function hourLine(table) {
	const row = rowsOf(table)[0];
	const duration = windowLength();
	if (countsEvents || !row || row.steady_percent < steady || !(duration > 0))
		return null;
	return make("p", {}, row.site + " allocated " + (row.live_upper_bound ? "at most " : "") +
		bytesText(row.live_bytes) + " that are live at the end, evenly over " + durationText(duration) +
		": " + bytesText(row.live_bytes / duration * 3600e9) + " an hour if this goes on.");
}

function percentOf(part, whole) {
	return whole ? " (" + (100 * part / whole).toFixed(1) + " %)" : "";
}

// In the text, the header of the first column is the title.
function bySite(table) {
	return Object.assign({}, table, { columns: table.columns.map((column) =>
		column.key === "site" ? Object.assign({}, column, { header: "site" }) : column) });
}

// What the advice for a site in a class saves at the peak, by a smaller class or by a slab cache.
function savingOf(row) {
	if (row.saves_bytes !== null)
		return row.saves_bytes;
	return row.from_bytes === row.to_bytes ? (row.peak_objects || 0) *
		(row.size - 8 * Math.ceil(row.to_bytes / 8)) : 0;
}

function adviceList() {
	const rows = rowsOf(findTable("sizes", "class_sites")).filter((row) => row.advice)
		.sort((a, b) => savingOf(b) - savingOf(a)).slice(0, 3);
	return rows.length ? [make("p", {}, "The best advice, in the order of the bytes that it saves:"), make("ul", { class: "advice" },
		...rows.map((row) => make("li", {}, siteLink(row.site), ": " + row.advice + ".")))] : [];
}

function wastedPanel() {
	const totals = views.summary.totals, table = findTable("summary", "waste");
	const parts = [];
	if (totals.peak_waste !== null)
		parts.push(bytesText(totals.peak_waste) + percentOf(totals.peak_waste, totals.peak_bytes) +
			" of the peak");
	parts.push((totals.live_upper_bound ? "at most " : "") + bytesText(totals.live_waste) +
		percentOf(totals.live_waste, totals.live_bytes) + " of the live heap");
	return panel("What is wasted", make("p", { class: "big" }, "Not requested: " + parts.join("; ")),
		estimateNote("bytes_allocated"),
		makeTable(withColumns(bySite(table), ["site", "peak_waste", "share_percent", "live_waste"]),
			{ most: 5, label: "What is wasted", link: siteLink }),
		makeLegend(bySite(table)), ...adviceList(),
		showButton("sizes", "", "Sizes, with advice", "class_sites"));
}

function crossingPanel() {
	const totals = views.summary.totals, table = findTable("summary", "crossing");
	return panel("What crosses CPUs", make("p", { class: "big" }, plural(totals.cross_cpu_frees, "object") +
		percentOf(totals.cross_cpu_frees, totals.frees - totals.frees_unmatched) +
		" were freed on another CPU than the one that allocated"),
	makeTable(withColumns(bySite(table), ["site", "cross_cpu_frees", "share_percent"]),
		{ most: 5, label: "What crosses CPUs", link: siteLink }), makeLegend(bySite(table)),
	showButton("cpus", "", "CPUs"));
}

// Where the object was allocated: a case without a site has no object, or none that was recorded.
function allocatedAt(row) {
	return row.alloc_site ? [", allocated at ", siteLink(row.alloc_site)]
		: [row.kind === "unknown-free" ? ", never allocated" : ", allocation not recorded"];
}

function findingItem(row) {
	return make("li", {}, row.kind + ", " + row.certainty + ": " + plural(row.certain || row.count, "case"),
		...allocatedAt(row),
	...(row.kind === "double-free" && row.other_site ? [", freed first at ", siteLink(row.other_site)] : []),
	...(row.free_site ? [row.kind === "double-free" ? ", freed again at " : ", freed at ",
		siteLink(row.free_site)] : []),
	row.task ? ", by " + row.task : "");
}

function wrongPanel() {
	const table = findTable("findings", "findings");
	if (!table)
		return panel("What is wrong", make("p", { class: "note" }, views.findings.refused || ""));
	const rows = rowsOf(table), of = (certainty) => rows.filter((row) => row.certainty === certainty);
	const certain = of("certain"), few = 8;
	return panel("What is wrong", make("p", { class: certain.length ? "big warning" : "big" },
		certain.length ? plural(certain.length, "certain finding") : "No certain finding."),
	make("ul", {}, ...certain.slice(0, few).map(findingItem)),
	...["possible", "explained", "legal"].map((certainty) => [certainty, of(certainty)]).filter(([, some]) => some.length)
		.map(([certainty, some]) => make("details", {}, make("summary", {}, foldedText(certainty, some)),
			make("ul", {}, ...some.slice(0, few).map(findingItem)))),
	rows.length ? make("p", {}, make("a", { href: "#findings-title", "data-jump": "findings-title" },
		"What each finding means")) : null,
	showButton("findings", "", "Findings"));
}

function startOverview() {
	document.getElementById("overview").append(make("div", { class: "panels" }, grewPanel(), wrongPanel(),
		surePanel(), wastedPanel(), crossingPanel()));
	onState(["width"], () => fitTables(document.getElementById("overview")));
}
