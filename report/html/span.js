// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// A span of time: sums of the figures of its slices, and of all slices before its end. The figures
// of a slice are by pair of a call site and a slab cache; the last pair is all that are not listed.

const slices = rowsOf(findTable("spans", "slices"));
const pairs = rowsOf(findTable("spans", "spans"));
const changes = rowsOf(findTable("spans", "changes"));
const gaps = rowsOf(findTable("spans", "gaps"));
const timeKey = countsEvents ? "time_events" : "time_ns";
const durationKey = countsEvents ? "duration_events" : "duration_ns";
const sliceBegin = (i) => slices[i][timeKey];
const sliceEnd = (i) => slices[i][timeKey] + slices[i][durationKey];

function pairName(pair) {
	return pair.site === null ? "(" + plural(pair.pairs, "other") + ")" : pair.site;
}

// [first, last] slice of the state; the whole capture if the state has none.
function chosenSpan() {
	const match = /^(\d+)-(\d+)$/.exec(state.span);
	const last = slices.length - 1;
	if (!match || +match[1] > +match[2] || +match[2] > last)
		return [0, last];
	return [+match[1], +match[2]];
}

function isWhole(span) {
	return span[0] === 0 && span[1] === slices.length - 1;
}

function spanText(first, last) {
	return first === 0 && last === slices.length - 1 ? "" : first + "-" + last;
}

// The options of kmemtrace-report that select the span. The first slice has what came before the
// begin, and the last what came after the end, so these sides stay open.
function spanOption(span) {
	const unit = countsEvents ? "ns" : "";
	const text = (time) => countsEvents ? time + unit : (time / 1e9).toFixed(9);
	return "--time=" + (span[0] ? text(sliceBegin(span[0])) : "") + "," +
		(span[1] < slices.length - 1 ? text(sliceEnd(span[1])) : "");
}

const flowKeys = ["allocations", "frees", "missed_frees", "bytes_allocated", "bytes_freed"];

function emptySums(name, pair) {
	const sums = { name, pair, count: pair.pairs, live_objects: 0, live_bytes: 0, live_change: 0,
		upper_bound: false };
	for (const key of flowKeys)
		sums[key] = 0;
	return sums;
}

// by: "site", "cache" or "pair". Flows within the span, the heap at its end, its change in the span.
function sumSpan(span, by) {
	const sums = new Map(), byPair = [];
	for (const pair of pairs) {
		const name = pair.site === null || by !== "cache" ? pairName(pair) : pair.cache;
		const key = pair.site === null ? "" : by === "pair" ? String(pair.pair)
			: by === "cache" ? pair.cache : pair.address + " " + pair.site;
		if (!sums.has(key))
			sums.set(key, emptySums(name, pair));
		else
			sums.get(key).count += pair.pairs;
		const own = sums.get(key);
		byPair[pair.pair] = own;
		own.live_objects += pair.initial_objects;
		own.live_bytes += pair.initial_bytes;
		own.upper_bound = own.upper_bound || pair.live_upper_bound;
	}
	for (const change of changes) {
		if (change.slice > span[1])
			continue;
		const own = byPair[change.pair];
		own.live_objects += change.allocations - change.frees - change.missed_frees;
		own.live_bytes += change.bytes_allocated - change.bytes_freed;
		if (change.slice < span[0])
			continue;
		own.live_change += change.bytes_allocated - change.bytes_freed;
		for (const key of flowKeys)
			own[key] += change[key];
	}
	return [...sums.values()];
}

// The same of all pairs together, and the frees of objects whose allocation was not recorded.
function totalOf(span) {
	const total = { live_objects: 0, live_bytes: 0, live_change: 0, bytes_allocated: 0, bytes_freed: 0,
		allocations: 0, frees: 0, frees_unmatched: 0, missed_frees: 0, failed: 0 };
	for (const own of sumSpan(span, "pair"))
		for (const key of ["live_objects", "live_bytes", "live_change", "bytes_allocated",
			"bytes_freed"])
			total[key] += own[key];
	for (let i = span[0]; i <= span[1]; i++)
		for (const key of ["allocations", "frees", "frees_unmatched", "missed_frees", "failed"])
			total[key] += slices[i][key];
	return total;
}

// A table as those of the views, of the sites or caches in the span.
function spanTable(view, span) {
	const by = view === "caches" ? "cache" : "site";
	const column = (key, header, unit, type, legend) =>
		({ key, header, unit, type, decimals: 0, legend, at_least: false, hidden: false });
	const legendOf = (key) => findTable("spans", "changes").columns.find((one) => one.key === key).legend;
	const flow = (key, header, unit) => column(key, header, unit, "number", legendOf(key));
	const columns = [
		column(by, by, "", "text", by === "cache"
			? "the slab cache of the objects, or the kmalloc() size class"
			: "the kernel code that allocated: symbol+offset/size [module]"),
		flow("allocations", "allocs", ""),
		flow("frees", "frees", ""),
		flow("missed_frees", "missed", "frees"),
		flow("bytes_allocated", "allocated", "bytes"),
		flow("bytes_freed", "freed", "bytes"),
		column("live_change", "change", "bytes", "change",
			"live bytes at the end of the span minus those at its begin"),
		column("live_objects", "live", "objs", "live", "objects that are live at the end of the span"),
		column("live_bytes", "live", "bytes", "live", "bytes allocated to the live objects"),
		column("live_upper_bound", "bound", "", "bound", null),
	];
	const rows = sumSpan(span, by).map((own) => [own.name, own.allocations, own.frees, own.missed_frees,
		own.bytes_allocated, own.bytes_freed, own.live_change, own.live_objects, own.live_bytes,
		own.upper_bound]);
	rows.sort((a, b) => b[4] - a[4] || b[8] - a[8]);
	return { key: view, title: view, empty: "No event was recorded.", sort: "bytes_allocated",
		rows_made: rows.length, columns, rows };
}
