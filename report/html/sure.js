// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// How far the figures can be trusted: one sentence at the top, and a card.

// By how much the live objects may be wrong.
function liveVerdict() {
	const totals = views.summary.totals, error = totals.live_error_objects;
	if (!error)
		return "the live objects are exact";
	if (error === totals.live_maybe_freed_objects)
		return "the live objects are at most " + plural(error, "object") + " (" +
			bytesText(totals.live_maybe_freed_bytes) + ") too high" +
			(views.summary.loss.unobserved.length ? "" : ", and not too low");
	return "the live objects may be wrong by up to " + plural(error, "object");
}

// What the figures are worth, in one sentence.
function verdictText() {
	const loss = views.summary.loss, paths = loss.unobserved.length;
	if (views.summary.estimates)
		return "Estimates from samples: each has its interval.";
	const events = views.summary.missing ? capital(views.summary.missing) + "; "
		: loss.skipped_partial ? "Complete except for skipped events, whose number is not known; "
		: paths || views.summary.totals.live_error_objects ? "Every event was recorded; "
		: "Exact: every event was recorded, and ";
	return events + liveVerdict() +
		(paths ? "; events on " + plural(paths, "path") + " of the allocator are not counted" : "") + ".";
}

function isDoubtful() {
	const loss = views.summary.loss;
	return views.summary.missing || loss.skipped_partial || loss.unobserved.length ||
		views.summary.totals.live_error_objects;
}

// The verdict, and the way to its reasons.
function missingLine() {
	return make("p", isDoubtful() ? { class: "warning" } : {}, verdictText() + " See ",
		make("a", { href: "#sure-title", "data-jump": "sure-title" }, "How sure"), ".");
}

function largestGaps() {
	const list = [...gaps].sort((a, b) => b.events - a.events).slice(0, 3).map(gapText);
	const loss = views.summary.loss;
	const rest = loss.lost + loss.skipped - gaps.reduce((sum, gap) => sum + gap.events, 0);
	if (rest > 0)
		list.push(plural(rest, "event") + " lost or skipped at a time that is not known");
	return list;
}

function unmatchedText() {
	const totals = views.summary.totals;
	return plural(totals.frees_unmatched, "free") + " of " + number(totals.frees) +
		percentOf(totals.frees_unmatched, totals.frees) + " are of objects whose allocation is not in the " +
		"capture: they were allocated before it began, or not recorded.";
}

// All recorded events by what they were; "" if this does not add up to all.
function sumText() {
	const totals = views.summary.totals, own = totals.own_allocations + totals.own_frees;
	const parts = [[totals.allocations, "allocations"], [totals.failed, "failed"], [totals.frees, "frees"],
		[totals.null_frees, "frees of NULL"], [totals.resizes, "resized"], [totals.repeated, "reported twice"],
		[totals.process_events, "of processes"], [totals.own_process_events, "of kmemtraced's process"],
		[own, "of kmemtraced's objects (left out)"]].filter(([count]) => count);
	return views.summary.loss.recorded === parts.reduce((sum, [count]) => sum + count, 0) && own
		? number(views.summary.loss.recorded) + " recorded events = " +
			parts.map(([count, text]) => number(count) + " " + text).join(" + ") +
			"." + (views.summary.loss.own_known ? " " + number(views.summary.loss.own) +
			" of them came while kmemtraced was the current task." : "")
		: "";
}

// What kmemtraced itself did: its objects are in no table.
function ownText() {
	const totals = views.summary.totals, left = totals.own_allocations - totals.own_frees;
	return totals.own_allocations || totals.own_frees ? "kmemtraced's own objects are in no table and no sum " +
		"of this page: " + number(totals.own_allocations) + " allocated, " + number(totals.own_frees) +
		" freed, " + number(totals.own_frees_by_others) + " of them by other tasks" +
		(left > 0 ? ", at most " + number(left) + " left at the end" : "") +
		". A capture made with kmemtraced --include-self counts them." : "";
}

function surePanel() {
	const totals = views.summary.totals;
	const lines = [...largestGaps(), ...warningsOf(views.summary.lines).map((text) => text + "."),
		...(totals.frees_unmatched ? [unmatchedText()] : []),
		sumText(), ownText()];
	const made = panel("How sure", make("p", { class: isDoubtful() ? "big warning" : "big" }, verdictText()),
	make("p", {}, capital(headerText(views.summary.lines, "events")) + "."),
	make("ul", {}, ...lines.filter((text) => text).map((text) => make("li", {}, text))),
	headerList(views.summary.lines));
	Object.assign(made.firstChild, { id: "sure-title", className: "section" });
	return made;
}
