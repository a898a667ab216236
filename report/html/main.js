// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The overview, the findings, and the start of all sections.

function startAbout() {
	const capture = views.summary.capture, about = document.getElementById("about");
	const filters = views.summary.report.filters;
	about.append([capture.host + ", Linux " + capture.kernel + " " + capture.arch,
		plural(capture.cpus, "CPU"), capture.start || "", countsEvents
			? plural(capture.duration_events, "event") : "for " + durationText(capture.duration_s * 1e9),
		capture.state].filter((text) => text).join("; ") +
		(filters.length ? ". Selected: " + filters.join(", ") : ""));
}

function startContents() {
	for (const title of document.querySelectorAll("h2"))
		document.getElementById("contents").append(make("li", {},
			make("a", { href: "#" + title.id, "data-jump": title.id }, title.textContent)));
	// the fragment is the state: a jump does not change it
	document.addEventListener("click", (event) => {
		const link = event.target.closest("[data-jump]");
		if (!link)
			return;
		const title = document.getElementById(link.dataset.jump);
		event.preventDefault();
		title.setAttribute("tabindex", "-1");
		title.focus();
		title.scrollIntoView();
	});
}

function panel(title, ...children) {
	return make("div", { class: "panel" }, make("h3", {}, title), ...children);
}

function showButton(view, sort, text) {
	const button = make("button", { type: "button" }, text);
	button.addEventListener("click", () => {
		setState({ view, sort, q: "" });
		document.getElementById("tables-title").scrollIntoView();
		document.getElementById("tables-title").focus();
	});
	return button;
}

// The figures of a profile are estimates from samples.
function estimateNote(figure) {
	const estimates = views.summary.estimates;
	return estimates ? make("p", { class: "warning" }, "Estimated from " + plural(estimates.samples, "sample") +
		", in 95 of 100 cases between " + number(estimates[figure + "_low"]) + " and " +
		plural(estimates[figure + "_high"], "byte") + ".") : null;
}

function grewPanel() {
	const table = findTable("summary", "growth"), totals = views.summary.totals;
	return panel("What grew", make("p", { class: "big" }, "Live: " +
		(totals.live_upper_bound ? "at most " : "") + plural(totals.live_bytes, "byte") + " in " +
		plural(totals.live_objects, "object") +
		(totals.peak_bytes === null ? "" : "; peak " + plural(totals.peak_bytes, "byte"))),
	estimateNote("live_bytes"),
	table ? makeTable(table, { keys: ["site", "live_objects", "live_bytes", "steady_percent", "damage_bytes",
		"main_task"], label: "What grew" }) : null,
	table ? makeLegend(table) : null,
	showButton("leaks", "", "Leaks"));
}

function wastedPanel() {
	const table = findTable("sizes", "classes"), totals = views.summary.totals;
	const wasted = totals.bytes_allocated - totals.bytes_requested;
	const body = [make("p", { class: "big" }, plural(wasted, "byte") + " of " + plural(totals.bytes_allocated,
		"allocated byte") + " were not requested (fragmentation " +
		totals.fragmentation_percent.toFixed(2) + " %)"), estimateNote("bytes_allocated")];
	if (table)
		body.push(makeTable(table, { keys: ["cache", "size", "objects", "bytes_allocated", "bytes_wasted",
			"waste_percent"], sort: "-bytes_wasted", most: 5, label: "What is wasted" }));
	else
		body.push(make("p", { class: "note" }, views.sizes.refused || ""));
	return panel("What is wasted", ...body, showButton("sizes", "", "Sizes"));
}

function wrongPanel() {
	const table = findTable("findings", "findings");
	if (!table)
		return panel("What is wrong", make("p", { class: "note" }, views.findings.refused || ""));
	const certain = rowsOf(table).filter((row) => row.certainty === "certain");
	const counts = findTable("summary", "not_certain");
	const list = make("ul");
	for (const row of certain.slice(0, 8))
		list.append(make("li", {}, row.kind + ": " + plural(row.certain, "case") + ", allocated at " +
			(row.alloc_site || "an unknown site") + (row.free_site ? ", freed at " + row.free_site : "")));
	return panel("What is wrong", make("p", { class: certain.length ? "big warning" : "big" },
		certain.length ? plural(certain.length, "certain finding") : "No certain finding."), list,
	counts && counts.rows.length ? makeTable(counts, { label: "Findings that are not certain" }) : null,
	showButton("findings", "", "Findings"));
}

function surePanel() {
	const loss = views.summary.loss;
	const share = loss.seen ? 100 * (loss.lost + loss.skipped) / loss.seen : 0;
	const list = make("dl");
	for (const [label, text, isWarning] of views.summary.lines) {
		if (label)
			list.append(make("dt", {}, label));
		list.append(make("dd", isWarning ? { class: "warning" } : {}, text));
	}
	return panel("How sure", make("p", { class: loss.lost || loss.skipped ? "big warning" : "big" },
		plural(loss.lost, "event") + " lost, " + number(loss.skipped) + " skipped" +
		(loss.skipped_partial ? " or more" : "") + " of " + number(loss.seen) + " seen (" +
		(share && share < 0.001 ? share.toPrecision(1) : share.toFixed(3)) + " %); " + plural(loss.unobserved.length, "path") +
		" of the allocator not observed"),
	make("details", {}, make("summary", {}, "The header of every report"), list));
}

function startOverview() {
	document.getElementById("overview").append(make("div", { class: "panels" }, grewPanel(), wastedPanel(),
		wrongPanel(), surePanel()));
}

function startFindings() {
	const out = document.getElementById("findings"), table = findTable("findings", "findings");
	const rows = rowsOf(table);
	if (!rows.length)
		out.append(make("p", { class: "note" }, table ? table.empty : views.findings.refused || ""));
	for (const row of rows.slice(0, 100)) {
		const list = make("dl");
		for (const [name, text] of [["allocated at", row.alloc_site], ["freed at", row.free_site],
			["other site", row.other_site], ["cache", row.cache], ["freed to cache", row.free_cache],
			["first case", row.first_case], ["not certain because", row.because]])
			if (text)
				list.append(make("dt", {}, name), make("dd", {}, text));
		out.append(make("article", { class: "finding " + row.certainty },
			make("h3", {}, row.kind + ", " + row.certainty + ": " + plural(row.count, "case") +
				(row.certain && row.certain !== row.count ? ", " + number(row.certain) + " certain" : "")),
			list));
	}
	if (table && table.rows_made > Math.min(100, rows.length))
		out.append(make("p", { class: "note" }, number(Math.min(100, rows.length)) + " of " +
			number(table.rows_made) + " findings; kmemtrace-report findings --possible shows all."));
}

startContents();
startAbout();
startOverview();
startTimeline();
startTree();
startTables();
startHistograms();
startCrossings();
startFindings();
document.documentElement.dataset.ready = "yes";
