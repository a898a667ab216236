// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The findings: each with the sentence of its kind, and ways to its call sites.

const certainties = { certain: "Certain: the capture proves the error",
	possible: "Possible: an event that was not recorded can explain it",
	explained: "Explained: the slab allocator shows that the cache has allocations without an event",
	legal: "Legal: not an error on this kernel" };

// Names of the other site and cache, which depend on the kind.
const otherSites = { "double-free": "freed first at", "overlap": "overlapped object allocated at",
	"missed-free": "address allocated again at" };
const otherCaches = { "overlap": "cache of the overlapped object" };

// Kinds that say something about objects in the live numbers, with the columns of these objects.
const liveKinds = {
	"interior-free": { site: ["alloc_site"], cache: ["cache"], text: "the object counts as live after the free" },
	"overlap": { site: ["alloc_site", "other_site"], cache: ["cache", "free_cache"],
		text: "both objects count as live until they are freed" },
	"missed-free": { site: ["alloc_site"], cache: ["cache"],
		text: "the free of an object left no event: others of the cache that count as live may be freed, too" },
};

// For each call site or slab cache (by: "site" or "cache"), its findings about live objects in words.
function liveFindings(by) {
	const found = new Map();
	for (const row of rowsOf(findTable("findings", "findings")))
		for (const key of (liveKinds[row.kind] || {})[by] || [])
			if (row[key])
				found.set(row[key], [...(found.get(row[key]) || []), row.kind + ", " + row.certainty + ": " +
					plural(row.count, "case") + "; " + liveKinds[row.kind].text]);
	return found;
}

function kindText(kind) {
	return views.findings.kinds[kind] || "";
}

function findingDetails(row) {
	const list = make("dl");
	for (const [name, text, isSite] of [["allocated at", row.alloc_site, true],
		[row.kind === "double-free" ? "freed again at" : "freed at", row.free_site, true],
		[otherSites[row.kind] || "other site", row.other_site, true], ["cache of the object", row.cache],
		[otherCaches[row.kind] || "cache that the free named", row.free_cache], ["GFP flags", row.gfp],
		["first case", row.first_case], ["not certain because", row.because]])
		if (text)
			list.append(make("dt", {}, name), make("dd", {}, isSite ? siteLink(text) : text));
	return list;
}

function findingArticle(row) {
	return make("article", { class: "finding " + row.certainty },
		make("h4", {}, row.kind + ", " + row.certainty + ": " + plural(row.count, "case") +
			(row.certain && row.certain !== row.count ? ", " + number(row.certain) + " certain" : "")),
		make("p", { class: "legend" }, kindText(row.kind)), findingDetails(row));
}

// Why findings are not certain, without the names of the paths, which each finding has.
function reasonsText(rows) {
	return [...new Set(rows.flatMap((row) => (row.because || "").split("; ")))].filter((text) => text)
		.map((reason) => reason.replace(/ \([^()]*, [^()]*\)$/, "")).join("; ");
}

// The page may have only some of the findings; the summary counts all.
function foldedText(certainty, rows) {
	const counts = rowsOf(findTable("summary", "not_certain")).filter((row) => row.certainty === certainty);
	const sum = (key) => counts.reduce((all, row) => all + row[key], 0), reasons = reasonsText(rows);
	return plural(sum("rows"), certainty + " finding") + " in " + plural(sum("count"), "case") +
		(certainty === "legal" ? ": not an error on this kernel" : "") +
		(reasons ? ", not certain because: " + reasons : "");
}

// What is certain is in sight; the others open by a click on their number and reason.
function findingsPart(certainty, rows) {
	const title = make("h3", {}, certainties[certainty]), articles = rows.map(findingArticle);
	return certainty === "certain" ? [title, ...articles]
		: [title, make("details", { class: certainty }, make("summary", {}, foldedText(certainty, rows)), ...articles)];
}

function startFindings() {
	const out = document.getElementById("findings"), table = findTable("findings", "findings");
	const rows = rowsOf(table), shown = rows.slice(0, 100);
	if (!rows.length)
		out.append(make("p", { class: "note" }, table ? table.empty : views.findings.refused || ""));
	else if (!rows.some((row) => row.certainty === "certain"))
		out.append(make("p", { class: "note" }, "No finding is certain."));
	for (const certainty in certainties) {
		const some = shown.filter((row) => row.certainty === certainty);
		if (some.length)
			out.append(...findingsPart(certainty, some));
	}
	if (table && table.rows_made > shown.length)
		out.append(make("p", { class: "note" }, number(shown.length) + " of " +
			number(table.rows_made) + " findings; kmemtrace-report findings --possible shows all."));
}
