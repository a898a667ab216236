// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * An interval is a slice, or a part of one. Figures of each row of the sum are counted first, and
 * then added to the row's group, to the names that conditions use, and to the total.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/summaries/bounds.h"
#include "report/summaries/diff_side.h"

#define NS 1e9

static size_t slice_of(const struct diff_side *side, const struct summaries *summaries,
		       size_t interval)
{
	return interval * side->slices / summaries->interval_count;
}

static void set_slices(struct diff_side *side, const struct summaries *summaries)
{
	side->slices = summaries->interval_count;
	if (side->slices > DIFF_SLICES)
		side->slices = DIFF_SLICES;
	for (size_t i = 0; i < summaries->interval_count; i++) {
		const struct summaries_interval *interval = &summaries->intervals[i];
		const struct summary_counts total = summary_total(&interval->sum, SUMMARY_CODE);
		size_t slice = slice_of(side, summaries, i);

		side->seconds[slice] += interval->host_time / NS;
		side->events[slice] += (double)total.allocations + (double)summaries_frees(&total);
	}
}

/* How much the intervals that are not in the file are unsure of. */
static void set_losses(struct diff_side *side, const struct summaries *summaries)
{
	const struct missing *missing = &summaries->sum.missing;

	side->has_time = true;
	side->lacks[DIFF_WASTE] = side->lacks[DIFF_PEAK] = true;
	side->interval = (double)missing->sampling;
	side->missing = (double)missing_events(missing);
	if (summaries->missing || summaries->damaged || summaries->overlapping)
		side->missing = INFINITY;
	if (summaries->missing_before)
		side->missing_before = INFINITY;
}

/* The rows of the sum, as figures. NULL: no memory. */
static struct diff_figures *count_rows(const struct diff_side *side,
				       const struct summaries *summaries)
{
	struct diff_figures *rows = calloc(summaries->sum.row_count + 1, sizeof(*rows));

	for (size_t i = 0; rows && i < summaries->growth_count; i++) {
		const struct summaries_growth *growth = &summaries->growth[i];
		struct diff_history *histories = rows[growth->row].histories;
		size_t slice = slice_of(side, summaries, summaries->order[growth->interval]);

		histories[DIFF_ALLOCATIONS].changes[slice] += growth->allocations;
		histories[DIFF_ALLOCATED].changes[slice] += growth->allocated;
		histories[DIFF_GROWTH].changes[slice] += growth->bytes;
		histories[DIFF_LIVE_OBJECTS].changes[slice] += growth->objects;
		histories[DIFF_LIVE].changes[slice] += growth->bytes;
	}
	return rows;
}

/* For how many objects a sampled one of so many bytes counts. */
static double weight_of(double interval, double bytes)
{
	return interval > 0 && bytes > 0 ? 1 / -expm1(-bytes / interval) : 1;
}

/*
 * The objects of a slab cache have one size. Objects that were live before the first summary are in
 * the first slice. doubtful: live objects may have been freed unseen.
 */
static void finish_row(struct diff_figures *figures, const struct summary_counts *counts,
		       const struct diff_side *side, bool doubtful)
{
	double allocations = (double)counts->allocations, live = (double)counts->live_objects;
	double size = allocations > 0 ? (double)counts->allocated / allocations : 0;
	double live_size = live > 0 ? (double)counts->live_bytes / live : 0;
	double weight = weight_of(side->interval, size);
	double live_weight = weight_of(side->interval, live_size);
	struct diff_history *histories = figures->histories;

	histories[DIFF_GROWTH].squares =
		fabs(allocations - (double)counts->frees) * size * size * weight;
	histories[DIFF_LIVE_OBJECTS].changes[0] +=
		live - diff_figures_value(figures, DIFF_LIVE_OBJECTS, side->slices);
	histories[DIFF_LIVE].changes[0] +=
		(double)counts->live_bytes - diff_figures_value(figures, DIFF_LIVE, side->slices);
	histories[DIFF_ALLOCATIONS].squares = allocations * weight;
	histories[DIFF_ALLOCATED].squares = allocations * size * size * weight;
	histories[DIFF_LIVE_OBJECTS].squares = live * live_weight;
	histories[DIFF_LIVE].squares = live * live_size * live_size * live_weight;
	figures->peak = NAN;
	figures->largest = fmax(size, live_size);
	figures->smallest = diff_smaller(size, live_size);
	if (doubtful) {
		figures->doubtful = live;
		figures->doubtful_bytes = (double)counts->live_bytes;
	}
}

/* The names of conditions that the row of the sum has. 0 or -ENOMEM. */
static int add_named(struct diff_side *side, const struct summary_row *row,
		     const struct diff_figures *figures)
{
	char *function = summaries_function_text(row->names[0], row->names[1]);
	int is = function ? 0 : -ENOMEM;

	for (size_t i = 0; i < side->named_count && is >= 0; i++) {
		struct diff_named *named = &side->named[i];

		if (named->name.scope != DIFF_OF_FUNCTION &&
		    !strcmp(named->name.text, row->names[2]))
			diff_figures_add(&named->cache, figures);
		if (named->name.scope == DIFF_OF_CACHE)
			continue;
		is = diff_name_is_site(&named->name, function);
		if (is > 0)
			diff_figures_add(&named->code, figures);
	}
	free(function);
	return is < 0 ? is : 0;
}

/* As a row of a capture by function has it; other names as they are. */
static char *match_text(const struct summaries_groups *groups, const char *name)
{
	char *stripped = groups->by == SUMMARIES_BY_CACHE ? strdup(name) : diff_name_strip(name);
	char *text = NULL;

	if (stripped && asprintf(&text, "%s\n", stripped) < 0)
		text = NULL;
	free(stripped);
	return text;
}

static int add_group_row(struct diff_side *side, const struct summaries_groups *groups,
			 size_t group)
{
	struct diff_row *row = diff_side_add(side);

	if (!row)
		return -ENOMEM;
	row->keys[0] = summaries_group_name(groups, group);
	row->match = row->keys[0] ? match_text(groups, row->keys[0]) : NULL;
	if (!row->match)
		return -ENOMEM;
	row->figures->peak = NAN;
	return 0;
}

static int add_row_figures(struct diff_side *side, const struct summaries_view *view, size_t row,
			   struct diff_figures *figures)
{
	const struct summaries *summaries = &view->summaries;
	uint32_t group = view->groups.of_row[row], cache = view->by_cache.of_row[row];
	bool doubtful = summaries_lack_frees(summaries) ||
			view->by_cache.list.rows[cache].counts.missed;

	finish_row(figures, &summaries->sum.rows[row].counts, side, doubtful);
	diff_figures_add(side->rows[group].figures, figures);
	diff_figures_add(&side->total, figures);
	return add_named(side, &summaries->sum.rows[row], figures);
}

int summaries_fill_side(struct diff_side *side, const struct summaries_view *view)
{
	const struct summaries *summaries = &view->summaries;
	struct diff_figures *rows;
	int err = 0;

	set_slices(side, summaries);
	set_losses(side, summaries);
	for (size_t i = 0; i < view->groups.list.row_count && !err; i++)
		err = add_group_row(side, &view->groups, i);
	rows = count_rows(side, summaries);
	if (!rows)
		return -ENOMEM;
	for (size_t i = 0; i < summaries->sum.row_count && !err; i++)
		if (view->groups.of_row[i] != SUMMARIES_NO_GROUP)
			err = add_row_figures(side, view, i, &rows[i]);
	free(rows);
	return err;
}
