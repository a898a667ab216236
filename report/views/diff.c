// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The view diff of one capture: it makes no table, but fills report->diff with the figures that
 * report/diff_report.c compares with those of the other capture.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/delta.h"
#include "analysis/fields/allocations.h"
#include "analysis/fields/labels.h"
#include "analysis/missing.h"
#include "base/text.h"
#include "report/diff/tables.h"
#include "report/views/diff_collect.h"
#include "report/views/event_clock.h"
#include "report/views/row_names.h"
#include "report/views/value_cells.h"

_Static_assert(DIFF_KEYS_MAX >= QUERY_BY_MAX, "a key for each expression of --by");

static bool is_by_code(enum group_by by)
{
	return by == GROUP_BY_SITE || by == GROUP_BY_FUNCTION;
}

/* The objects of a cache that may have been allocated unseen, by slabinfo; of all: NULL. */
static double find_unobserved(const struct report *report, const struct analysis_cache *cache)
{
	const struct slab_growth_cache *grown;

	if (!cache)
		return (double)report->growth.allocations;
	grown = slab_growth_find(&report->growth, cache->name);
	if (!grown || grown->unobserved == SLAB_GROWTH_UNKNOWN || grown->unobserved < 0)
		return 0;
	return (double)grown->unobserved;
}

static void add_doubt(struct diff_figures *figures, const struct object_weight *weight)
{
	figures->doubtful += (double)weight->objects;
	figures->doubtful_bytes += (double)weight->allocated;
}

/* Live objects of caches with missing frees may have been freed. */
static void set_doubts(struct diff_collect *collect)
{
	const struct report *report = collect->report;
	const struct analysis *analysis = &report->analysis;
	const struct slab_object *object;
	size_t next = 0;

	while (report->bounds.any && (object = analysis_next_live(analysis, &next))) {
		const struct object_weight weight = weigh_object(analysis, object);
		struct diff_counted *group = collect->groups[object->group];

		if (!report->bounds.caches[object->cache])
			continue;
		add_doubt(&group->figures, &weight);
		add_doubt(&collect->total.figures, &weight);
		for (size_t i = 0; i < collect->side->named_count; i++) {
			const char *name = collect->side->named[i].name.text;

			if (!strcmp(cache_name(report, object->cache), name))
				add_doubt(&collect->cache_named[i].figures, &weight);
			if (group->named >> i & 1)
				add_doubt(&collect->code_named[i].figures, &weight);
		}
	}
}

/* Unobserved allocations have call sites of their own: they are in no row by site or function. */
static void set_unobserved(struct diff_collect *collect)
{
	const struct report *report = collect->report;
	const struct analysis *analysis = &report->analysis;

	collect->total.figures.unobserved = find_unobserved(report, NULL);
	for (size_t i = 0; i < collect->side->named_count; i++)
		for (size_t cache = 0; cache < analysis->cache_count; cache++)
			if (!strcmp(analysis->caches[cache].name,
				    collect->side->named[i].name.text))
				collect->cache_named[i].figures.unobserved =
					find_unobserved(report, &analysis->caches[cache]);
	for (size_t i = 0; i < analysis->group_count && i < collect->group_space; i++) {
		uint32_t cache = analysis->groups[i].cache;

		if (collect->groups[i] && !is_by_code(report->settings.by))
			collect->groups[i]->figures.unobserved = find_unobserved(
				report,
				cache < analysis->cache_count ? &analysis->caches[cache] : NULL);
	}
}

static void set_losses(struct diff_side *side, const struct report *report)
{
	const struct analysis *analysis = &report->analysis;
	const struct checkpoint_state *before = &analysis->capture->checkpoint;
	const struct missing missing = missing_of_capture(analysis);

	side->missing = missing.skipped_partial ? INFINITY : (double)missing_events(&missing);
	side->missing_before = (double)analysis->initial_missing;
	if (analysis->totals.initial_objects)
		side->missing_before +=
			(double)before->lost +
			(before->skipped == STATUS_UNKNOWN ? INFINITY : (double)before->skipped);
	if (analysis->estimates && analysis->estimates->interval > 1) {
		side->interval = (double)analysis->estimates->interval_most;
		side->hidden = estimate_hidden(analysis->estimates);
	}
	side->has_time = !event_clock_is(report->capture);
	side->lacks[DIFF_GROWTH] = true; /* the live objects are those of the capture already */
}

/* The value of an expression as a text; NULL: it is not known. 0 or -ENOMEM. */
static int value_text(const struct report *report, const struct expression *expression,
		      struct value value, char **text)
{
	*text = NULL;
	if (!value.known)
		return 0;
	switch (value_column_type(expression)) {
	case COLUMN_TEXT:
		*text = strdup(
			texts_get(&report->allocations->source.texts, (uint32_t)value.number));
		break;
	case COLUMN_HEX:
		*text = label_new("0x%" PRIx64, (uint64_t)value.number);
		break;
	default:
		*text = label_new("%" PRId64, value.number);
		break;
	}
	return *text ? 0 : -ENOMEM;
}

/* "comm (pid 12)" becomes "comm": another capture has other processes. */
static void cut_process(char *task)
{
	char *bracket = strrchr(task, '(');

	if (bracket && bracket > task && bracket[-1] == ' ')
		bracket[-1] = '\0';
}

static int set_keys(const struct report *report, const struct group *group, struct diff_row *row)
{
	const struct query *query = report->query;
	int err = 0;

	if (report->settings.by != GROUP_BY_CALLER) {
		row->keys[0] = group_name(report, group);
		if (row->keys[0] && report->settings.by == GROUP_BY_TASK)
			cut_process(row->keys[0]);
		return row->keys[0] ? 0 : -ENOMEM;
	}
	for (size_t i = 0; i < query->by_count && !err; i++)
		err = value_text(report, &query->by[i],
				 report->allocations->groups.groups[group->key]->keys[i],
				 &row->keys[i]);
	return err;
}

/* Is the key a call site, or does it name functions? */
static bool is_site(const struct report *report, size_t key)
{
	if (report->settings.by != GROUP_BY_CALLER)
		return report->settings.by == GROUP_BY_SITE;
	return report->query->by[key].field && !strcmp(report->query->by[key].field->name, "site");
}

static int put_match(FILE *file, const struct report *report, struct diff_row *row, size_t key)
{
	bool has_code = is_by_code(report->settings.by) || report->settings.by == GROUP_BY_CALLER;
	struct diff_offset offset = { 0 };
	const char *text = row->keys[key] ? row->keys[key] : "";
	char *cut = is_site(report, key) ? diff_name_cut_offset(text, &offset) : strdup(text);
	char *stripped = cut && has_code ? diff_name_strip(cut) : cut;

	if (stripped)
		fprintf(file, "%s\n", stripped);
	if (offset.known) {
		row->has_offset = true;
		row->offset = offset.offset;
		row->size = offset.size;
	}
	if (stripped != cut)
		free(stripped);
	free(cut);
	return stripped ? 0 : -ENOMEM;
}

static int set_match(const struct report *report, struct diff_row *row, size_t keys)
{
	size_t size;
	FILE *file = text_open(&row->match, &size);
	int err = file ? 0 : -ENOMEM;

	for (size_t i = 0; i < keys && !err; i++)
		err = put_match(file, report, row, i);
	if (file && text_close(file, &row->match))
		err = -ENOMEM;
	return err;
}

static int add_diff_row(const struct report *report, const struct group *group,
			const struct diff_figures *figures)
{
	size_t keys = report->settings.by == GROUP_BY_CALLER ? report->query->by_count : 1;
	const struct analysis *analysis = &report->analysis;
	struct diff_row *row = diff_side_add(report->diff);
	int err;

	if (!row)
		return -ENOMEM;
	*row->figures = *figures;
	err = set_keys(report, group, row);
	if (!err)
		err = set_match(report, row, keys);
	if (err || group->cache >= analysis->cache_count ||
	    analysis->caches[group->cache].is_anonymous)
		return err;
	row->cache = strdup(analysis->caches[group->cache].name);
	return row->cache ? 0 : -ENOMEM;
}

static int begin_diff(struct report *report)
{
	struct diff_collect *collect = calloc(1, sizeof(*collect));

	report->data = collect;
	return collect ? diff_collect_init(collect, report) : -ENOMEM;
}

static void finish_figures(struct diff_collect *collect)
{
	size_t slices = collect->side->slices;

	for (size_t i = 0; i < collect->group_space; i++)
		if (collect->groups[i])
			diff_figures_finish(&collect->groups[i]->figures, slices);
	for (size_t i = 0; i < collect->side->named_count; i++) {
		diff_figures_finish(&collect->cache_named[i].figures, slices);
		diff_figures_finish(&collect->code_named[i].figures, slices);
	}
	diff_figures_finish(&collect->total.figures, slices);
}

#define FNV_BASE 0xcbf29ce484222325
#define FNV_PRIME 0x100000001b3

/* Of the names of the kernel's own functions, and their distances: KASLR moves all together. */
static uint64_t hash_kernel(const struct symbols *symbols)
{
	uint64_t hash = FNV_BASE, last = 0;

	for (size_t i = 0; i < symbols->count; i++) {
		const struct symbol *symbol = &symbols->list[i];

		if (*symbols_string(symbols, symbol->module))
			continue;
		for (const char *at = symbols_string(symbols, symbol->name); *at; at++)
			hash = (hash ^ (unsigned char)*at) * FNV_PRIME;
		if (last)
			hash = (hash ^ (symbol->address - last)) * FNV_PRIME;
		last = symbol->address;
	}
	return last ? hash : 0;
}

/* With --older the analysis reports an object when it ends: the peak is not known. */
static void forget_peaks(struct diff_side *side)
{
	for (size_t i = 0; i < side->count; i++)
		side->rows[i].figures->peak = NAN;
	for (size_t i = 0; i < side->named_count; i++)
		side->named[i].cache.peak = side->named[i].code.peak = NAN;
	side->total.peak = NAN;
}

static int make_diff(struct report *report)
{
	struct diff_collect *collect = report->data;
	const struct analysis *analysis = &report->analysis;
	const struct select *select = report->settings.select;
	struct diff_side *side = report->diff;
	int err = 0;

	side->slices = diff_collect_slices(collect);
	finish_figures(collect);
	side->kernel = hash_kernel(&report->capture->symbols);
	set_doubts(collect);
	set_unobserved(collect);
	set_losses(side, report);
	for (size_t i = 0; i < analysis->group_count && i < collect->group_space && !err; i++)
		if (collect->groups[i])
			err = add_diff_row(report, &analysis->groups[i],
					   &collect->groups[i]->figures);
	side->total = collect->total.figures;
	for (size_t i = 0; i < side->named_count; i++) {
		side->named[i].cache = collect->cache_named[i].figures;
		side->named[i].code = collect->code_named[i].figures;
	}
	while (side->slices > DIFF_SLICES)
		diff_side_merge_slices(side);
	if (select && select->older)
		forget_peaks(side);
	return err;
}

static void end_diff(struct report *report)
{
	if (report->data)
		diff_collect_deinit(report->data);
	free(report->data);
}

const struct view view_diff = {
	.name = "diff",
	.summary = "the changes between two captures",
	.has_by = true,
	.by = GROUP_BY_SITE,
	.compares = true,
	.begin = begin_diff,
	.make = make_diff,
	.end = end_diff,
};
