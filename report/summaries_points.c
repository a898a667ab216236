// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A point begins where the one before it ends, or later: where the first of all later intervals
 * begins. It never has intervals on both sides of a gap that is wide enough to be seen: the picture
 * shows the gap.
 */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "report/summaries/groups.h"
#include "report/summaries_points.h"

#define POINTS 1500 /* without those that end at a gap */
#define GAPS 1000   /* a gap that is seen is at least such a part of the whole time */

/* Times are ns since the begin of the first interval. */
struct point {
	uint64_t from, to;
	uint64_t intervals;
	uint64_t duration;  /* of all its intervals: rates are for a second of it */
	uint64_t uncovered; /* within it */
	uint64_t least_summaries, most_summaries;
	uint64_t allocations, frees;
	uint64_t least_live, most_live; /* bytes at the ends of its intervals */
	uint64_t lost;			/* or skipped, or not counted */
	bool is_bound;
};

static const char *const keys[] = {
	"from_ns",	   "to_ns",	     "intervals",	 "duration_ns", "uncovered_ns",
	"summaries_least", "summaries_most", "allocations",	 "frees",	"live_least",
	"live_most",	   "lost",	     "live_upper_bound",
};

static int append_point(json_t *rows, const struct point *point)
{
	const uint64_t numbers[] = {
		point->from,	       point->to,	   point->intervals,
		point->duration,       point->uncovered,   point->least_summaries,
		point->most_summaries, point->allocations, point->frees,
		point->least_live,     point->most_live,   point->lost,
	};
	json_t *row = json_array();
	int err = 0;

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers) && !err; i++)
		err = json_array_append_new(row, json_integer((json_int_t)numbers[i]));
	err = err || json_array_append_new(row, json_boolean(point->is_bound));
	return json_array_append_new(rows, row) || err;
}

static struct point make_point(const struct summary *sum, uint64_t begin)
{
	const struct summary_counts *counts = &sum->rows[0].counts;
	uint64_t summaries = summaries_count(sum);

	return (struct point){
		.to = sum->end - begin,
		.intervals = 1,
		.duration = sum->end - sum->begin,
		.least_summaries = summaries,
		.most_summaries = summaries,
		.allocations = counts->allocations,
		.frees = summaries_frees(counts),
		.least_live = counts->live_bytes,
		.most_live = counts->live_bytes,
		.lost = missing_events(&sum->missing),
	};
}

static void extend_point(struct point *point, const struct point *next)
{
	point->uncovered += next->from - point->to;
	point->to = next->to;
	point->intervals++;
	point->duration += next->duration;
	point->least_summaries = MIN(point->least_summaries, next->least_summaries);
	point->most_summaries = MAX(point->most_summaries, next->most_summaries);
	point->allocations += next->allocations;
	point->frees += next->frees;
	point->least_live = MIN(point->least_live, next->least_live);
	point->most_live = MAX(point->most_live, next->most_live);
	point->lost += next->lost;
	point->is_bound |= next->is_bound;
}

/* Of the whole file. */
struct gaps {
	uint64_t count, ns, overlapping;
};

/*
 * For each interval the first begin of it and of those that end later, which may be longer. NULL:
 * no memory.
 */
static uint64_t *find_begins(const struct summaries *summaries)
{
	size_t count = summaries->interval_count;
	uint64_t *begins = calloc(count, sizeof(*begins));
	uint64_t first = UINT64_MAX;

	for (size_t i = count; begins && i-- > 0;) {
		first = MIN(first, summaries->intervals[i].sum.begin);
		begins[i] = first;
	}
	return begins;
}

static json_t *make_rows(const struct summaries *summaries, const uint64_t *begins,
			 struct gaps *gaps)
{
	size_t most = (summaries->interval_count + POINTS - 1) / POINTS;
	uint64_t begin = summaries->sum.begin;
	uint64_t seen = (summaries->sum.end - begin) / GAPS, until = 0;
	struct point point = { 0 };
	json_t *rows = json_array();
	int err = 0;

	for (size_t i = 0; i < summaries->interval_count && !err; i++) {
		const struct summary *sum = &summaries->intervals[i].sum;
		struct point next = make_point(sum, begin);
		uint64_t gap;

		next.from = MAX(begins[i] - begin, until);
		gap = next.from - until;
		next.is_bound = summaries->intervals[i].is_bound &&
				sum->rows[0].counts.live_objects;
		gaps->count += gap > 0;
		gaps->ns += gap;
		gaps->overlapping += sum->begin - begin < until;
		until = next.to;
		if (point.intervals && point.intervals < most && gap <= seen) {
			extend_point(&point, &next);
			continue;
		}
		if (point.intervals)
			err = append_point(rows, &point);
		point = next;
	}
	if (!err && !append_point(rows, &point))
		return rows;
	json_decref(rows);
	return NULL;
}

json_t *summaries_points(const struct summaries *summaries)
{
	struct gaps gaps = { 0 };
	uint64_t *begins = find_begins(summaries);
	json_t *columns = json_array();
	json_t *rows = begins ? make_rows(summaries, begins, &gaps) : NULL;
	int err = !rows;

	free(begins);
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys) && !err; i++)
		err = json_array_append_new(columns, json_pack("{s:s}", "key", keys[i]));
	if (err) {
		json_decref(columns);
		json_decref(rows);
		return NULL;
	}
	return json_pack("{s:I, s:I, s:I, s:[{s:s, s:o, s:o}]}", "gaps", (json_int_t)gaps.count,
			 "uncovered_ns", (json_int_t)gaps.ns, "overlapping",
			 (json_int_t)gaps.overlapping, "tables", "key", "points", "columns",
			 columns, "rows", rows);
}
