// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The head of the page, and the start of all sections.

function startAbout() {
	const capture = views.summary.capture, about = document.getElementById("about");
	const filters = views.summary.report.filters;
	about.append([capture.arch, plural(capture.cpus, "CPU"), capture.start || "", countsEvents
			? plural(capture.duration_events, "event") : "for " + durationText(capture.duration_s * 1e9),
		capture.state === "complete" ? "ended in order" : capture.state].filter((text) => text).join("; ") +
		(filters.length ? ". Selected: " + filters.join(", ") : ""));
	about.after(missingLine());
}

startAbout();
startOverview();
startContents();
startTimeline();
startTree();
startTables();
startHistograms();
startCrossings();
startFindings();
document.documentElement.dataset.ready = "yes";
