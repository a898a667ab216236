// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Reads a file of summaries, adds them up, and keeps what each interval added. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "base/array.h"
#include "base/utc.h"
#include "cli/message.h"
#include "fleet/summary/summary_file.h"
#include "report/summaries/host_time.h"
#include "report/summaries/summaries.h"

#define KERNEL "kernel" /* the module of code that is in none */

char *summaries_module_text(const char *module)
{
	char *text;

	if (!strcmp(module, KERNEL) || !strcmp(module, SUMMARY_UNKNOWN) ||
	    !strcmp(module, SUMMARY_REST))
		return strdup(module);
	return asprintf(&text, "[%s]", module) < 0 ? NULL : text;
}

char *summaries_function_text(const char *function, const char *module)
{
	char *text;

	if (!strcmp(module, KERNEL) || !strcmp(module, SUMMARY_UNKNOWN) ||
	    !strcmp(module, SUMMARY_REST))
		return strdup(function);
	return asprintf(&text, "%s [%s]", function, module) < 0 ? NULL : text;
}

uint64_t summaries_count(const struct summary *summary)
{
	uint64_t count = 0;

	for (size_t i = 0; i < summary->source_count; i++)
		count += summary->sources[i].last - summary->sources[i].first + 1;
	return count;
}

struct summary_counts summaries_total(const struct summaries *summaries)
{
	struct summary_counts total = { 0 };

	for (size_t i = 0; i < summaries->sum.row_count; i++)
		if (summaries->selected[i])
			summary_add_counts(&total, &summaries->sum.rows[i].counts);
	return total;
}

/* 1: selected, 0, or -ENOMEM. */
static int selects_row(const struct select *select, const struct summary_row *row)
{
	int takes = row->kind == SUMMARY_CODE;
	char *text;

	if (!takes || !select)
		return takes;
	if (select->has_cache)
		takes = select_takes_cache(select, row->names[2]);
	if (takes <= 0 || !select->has_site)
		return takes;
	text = summaries_function_text(row->names[0], row->names[1]);
	takes = text ? select_takes_site(select, text) : -ENOMEM;
	free(text);
	return takes;
}

/* The number of the interval as it was read, or -ENOMEM. */
static int64_t find_interval(struct summaries *summaries, uint64_t end)
{
	uint32_t number = hash_map_find(&summaries->by_end, end);
	struct summaries_interval *list;
	int err;

	if (number != HASH_MAP_NONE)
		return number;
	list = array_grow(summaries->intervals, summaries->interval_count, sizeof(*list));
	if (!list)
		return -ENOMEM;
	summaries->intervals = list;
	number = (uint32_t)summaries->interval_count;
	list[number] = (struct summaries_interval){ .covered = 0 };
	err = summary_init(&list[number].sum);
	if (err)
		return err;
	summaries->interval_count++;
	err = hash_map_add(&summaries->by_end, end, number);
	return err ? err : (int64_t)number;
}

/* Adds the block, with one row only, to its interval. */
static int add_total(struct summary *interval, const struct summary *block,
		     const struct summary_counts *total)
{
	static const char *const names[SUMMARY_NAMES] = { "", "", "" };
	struct summary_row *row;
	struct summary slim;
	int err = summary_init(&slim);

	if (err)
		return err;
	slim.begin = block->begin;
	slim.end = block->end;
	slim.live_at = block->live_at;
	slim.live_hosts = block->live_hosts;
	slim.missing = block->missing;
	for (size_t i = 0; i < block->source_count && !err; i++)
		err = summary_add_source(&slim, &block->sources[i]);
	row = summary_get_row(&slim, SUMMARY_CODE, names);
	if (!err && row) {
		row->counts = *total;
		err = summary_add(interval, &slim);
	} else if (!err) {
		err = -ENOMEM;
	}
	summary_deinit(&slim);
	return err;
}

static int add_growth(struct summaries *summaries, const struct summary_row *row, uint32_t interval)
{
	const struct summary_counts *counts = &row->counts;
	struct summaries_growth *growth;
	const struct summary_row *sum;

	growth = array_grow(summaries->growth, summaries->growth_count, sizeof(*growth));
	if (!growth)
		return -ENOMEM;
	summaries->growth = growth;
	sum = summary_get_row(&summaries->sum, row->kind, (const char *const *)row->names);
	if (!sum)
		return -ENOMEM;
	growth[summaries->growth_count++] = (struct summaries_growth){
		.row = (uint32_t)(sum - summaries->sum.rows),
		.interval = interval,
		.allocations = (double)counts->allocations,
		.allocated = (double)counts->allocated,
		.bytes = (double)counts->allocated - (double)counts->freed,
		.objects = (double)counts->allocations - (double)counts->frees,
	};
	return 0;
}

/* A block that is in the sum. */
static int add_interval(struct summaries *summaries, const struct summary *block,
			const struct select *select, bool wants_growth)
{
	int64_t interval = find_interval(summaries, block->end);
	struct summary_counts total = { 0 };
	int takes;

	if (interval < 0)
		return (int)interval;
	for (size_t i = 0; i < block->row_count; i++) {
		takes = selects_row(select, &block->rows[i]);
		if (takes < 0)
			return takes;
		if (!takes)
			continue;
		summary_add_counts(&total, &block->rows[i].counts);
		if (wants_growth && add_growth(summaries, &block->rows[i], (uint32_t)interval))
			return -ENOMEM;
	}
	summaries->intervals[interval].host_time += summary_host_time(block);
	return add_total(&summaries->intervals[interval].sum, block, &total);
}

/* Adds the flows of the block, and its live figures if they are not later than others count. */
static int add_to_sum(struct summaries *summaries, struct summary *block)
{
	uint64_t live_at = block->live_at;
	int err;

	if (live_at > summaries->live_until)
		block->live_at = 0;
	err = summary_add(&summaries->sum, block);
	block->live_at = live_at;
	return err;
}

/* Adds its sources and its losses. A block that overlaps is found when it is added to the sum. */
static int add_to_known(struct summaries *summaries, const struct summary *block)
{
	struct summary slim = *block;

	slim.row_count = 0;
	return summary_add(&summaries->known, &slim) == -ENOMEM ? -ENOMEM : 0;
}

/* A block within the window. 0 or -ENOMEM. */
static int add_inside(struct summaries *summaries, const char *path, struct summary *block,
		      const struct select *select, bool wants_growth)
{
	int err = add_to_sum(summaries, block);

	switch (err) {
	case 0:
		err = add_to_known(summaries, block);
		return err ? err : add_interval(summaries, block, select, wants_growth);
	case -EALREADY:
		return 0;
	case -EEXIST:
		if (!summaries->is_quiet)
			info_msg(
				"%s: a summary has a part of others: skipped it: merge the files with kmemtrace-merge",
				path);
		summaries->overlapping++;
		return 0;
	case -EINVAL:
		if (!summaries->is_quiet)
			info_msg("%s: a summary names no source: skipped it", path);
		summaries->damaged++;
		return 0;
	}
	return err;
}

/* Adds a block of the file, if it is not behind the window. */
static int add_block(struct summaries *summaries, const char *path, struct summary *block,
		     const struct select *select, bool wants_growth)
{
	switch (summaries_window_find(&summaries->window, block)) {
	case WINDOW_BEFORE:
		summaries->lost_before |= missing_events(&block->missing);
		return add_to_known(summaries, block);
	case WINDOW_INSIDE:
		return add_inside(summaries, path, block, select, wants_growth);
	case WINDOW_AFTER:
		break;
	}
	return 0;
}

static int read_blocks(struct summaries *summaries, struct summary_reader *reader,
		       const struct select *select, bool wants_growth)
{
	struct summary block;
	int err;

	while ((err = summary_reader_next(reader, &block)) != 0) {
		if (err == -EBADMSG) {
			if (!summaries->is_quiet)
				info_msg("%s: skipped it", reader->errmsg);
			summaries->damaged++;
			continue;
		}
		if (err < 0) {
			error_msg("%s", reader->errmsg);
			return err;
		}
		err = add_block(summaries, reader->path, &block, select, wants_growth);
		summary_deinit(&block);
		if (err) {
			error_msg("%s: %s", reader->path, strerror(-err));
			return err;
		}
	}
	return 0;
}

/* An interval, and its number as it was read. */
struct place {
	uint64_t end;
	uint32_t number;
};

static int compare_places(const void *left, const void *right)
{
	const struct place *a = left, *b = right;

	return (a->end > b->end) - (a->end < b->end);
}

/* Puts the intervals into the order of their ends. */
static int sort_intervals(struct summaries *summaries)
{
	size_t count = summaries->interval_count;
	struct place *places = calloc(count + 1, sizeof(*places));
	struct summaries_interval *list = calloc(count + 1, sizeof(*list));
	uint64_t covered_until = 0;

	summaries->order = calloc(count + 1, sizeof(*summaries->order));
	if (!places || !list || !summaries->order) {
		free(places);
		free(list);
		return -ENOMEM;
	}
	for (size_t i = 0; i < count; i++)
		places[i] = (struct place){ summaries->intervals[i].sum.end, (uint32_t)i };
	qsort(places, count, sizeof(*places), compare_places);
	for (size_t i = 0; i < count; i++) {
		const struct summary *sum;
		uint64_t from;

		list[i] = summaries->intervals[places[i].number];
		summaries->order[places[i].number] = (uint32_t)i;
		sum = &list[i].sum;
		from = sum->begin > covered_until ? sum->begin : covered_until;
		list[i].covered = sum->end > from ? sum->end - from : 0;
		covered_until = sum->end;
	}
	free(places);
	free(summaries->intervals);
	summaries->intervals = list;
	return 0;
}

static size_t count_hosts(const struct summary *summary)
{
	size_t count = 0;

	for (size_t i = 0; i < summary->source_count; i++)
		count += !i || strcmp(summary->sources[i].host, summary->sources[i - 1].host) != 0;
	return count;
}

/* How many summaries before the first of a run are not known? */
static uint64_t count_unknown(const struct summaries *summaries, const struct summary_source *first)
{
	const struct summary *known = &summaries->known;
	struct summary_source begin = *first;
	uint64_t count = first->first;

	if (!count || summaries->window.is_open)
		return count;
	begin.first = begin.last = 0;
	for (size_t i = summary_find_source(known, &begin); i < known->source_count; i++) {
		const struct summary_source *source = &known->sources[i];

		if (source->first >= first->first || source->run != first->run ||
		    strcmp(source->host, first->host) != 0 ||
		    strcmp(source->boot, first->boot) != 0)
			break;
		count -= MIN(source->last + 1, first->first) - source->first;
	}
	return count;
}

/* Sources are in order: parts of one run follow each other. */
static void count_sources(struct summaries *summaries)
{
	const struct summary *sum = &summaries->sum;

	for (size_t i = 0; i < sum->source_count; i++) {
		const struct summary_source *source = &sum->sources[i], *before = source - 1;

		summaries->summaries += source->last - source->first + 1;
		if (i && source->run == before->run && !strcmp(source->host, before->host) &&
		    !strcmp(source->boot, before->boot))
			summaries->missing += source->first - before->last - 1;
		else
			summaries->missing_before += count_unknown(summaries, source);
	}
	summaries->hosts = count_hosts(sum);
}

static int select_rows(struct summaries *summaries, const struct select *select)
{
	int takes;

	summaries->selected = calloc(summaries->sum.row_count + 1, sizeof(*summaries->selected));
	if (!summaries->selected)
		return -ENOMEM;
	for (size_t i = 0; i < summaries->sum.row_count; i++) {
		takes = selects_row(select, &summaries->sum.rows[i]);
		if (takes < 0)
			return takes;
		summaries->selected[i] = takes;
	}
	return 0;
}

static int fail_empty(const struct summaries *summaries, const char *path)
{
	char begin[40], end[40];

	utc_text(summaries->window.begin, begin, sizeof(begin));
	utc_text(summaries->window.end, end, sizeof(end));
	if (summaries->window.is_open || !summaries->window.end)
		error_msg("%s: it has no whole summary", path);
	else
		error_msg(
			"%s: no summary lies within the time: the file is of %.19s to %.19s UTC, in summaries of whole intervals",
			path, begin, end);
	return -ENODATA;
}

/* All blocks are read. */
static int finish_summaries(struct summaries *summaries, const char *path,
			    const struct select *select)
{
	int err;

	if (!summaries->interval_count)
		return fail_empty(summaries, path);
	err = sort_intervals(summaries);
	if (!err)
		err = select_rows(summaries, select);
	if (err)
		error_msg("%s: %s", path, strerror(-err));
	else
		count_sources(summaries);
	return err;
}

static int read_file(struct summaries *summaries, const char *path, const struct select *select,
		     bool wants_growth)
{
	struct summary_reader reader;
	int err;

	err = summary_init(&summaries->sum);
	if (!err)
		err = summary_init(&summaries->known);
	if (!err)
		err = hash_map_init(&summaries->by_end);
	if (err) {
		error_msg("%s: %s", path, strerror(-err));
		return err;
	}
	err = summary_reader_open(&reader, path);
	if (err) {
		error_msg("%s", reader.errmsg);
		return err;
	}
	err = read_blocks(summaries, &reader, select, wants_growth);
	summary_reader_close(&reader);
	return err ? err : finish_summaries(summaries, path, select);
}

/*
 * The time of the last live figures of at least half as many hosts as any live figures have. The
 * very last live figures are of few hosts if the clock of one is ahead, or if runs end at any time.
 */
static uint64_t find_live_until(const struct summaries *summaries)
{
	size_t i = summaries->interval_count;
	uint64_t most = 0;

	for (size_t k = 0; k < i; k++)
		most = MAX(most, summaries->intervals[k].sum.live_hosts);
	while (i > 1 && summaries->intervals[i - 1].sum.live_hosts < most - most / 2)
		i--;
	return summaries->intervals[i - 1].sum.live_at;
}

int summaries_read(struct summaries *summaries, const char *path, const struct select *select,
		   bool wants_growth)
{
	struct summaries_window window;
	uint64_t until;
	int err = summaries_window_init(&window, select, path);

	*summaries = (struct summaries){ .live_until = UINT64_MAX, .window = window };
	if (err)
		return err;
	err = read_file(summaries, path, select, wants_growth);
	if (err)
		return err;
	until = find_live_until(summaries);
	if (until >= summaries->sum.live_at)
		return 0;
	summaries_deinit(summaries);
	*summaries = (struct summaries){ .live_until = until, .window = window, .is_quiet = true };
	return read_file(summaries, path, select, wants_growth);
}

void summaries_deinit(struct summaries *summaries)
{
	for (size_t i = 0; i < summaries->interval_count; i++)
		summary_deinit(&summaries->intervals[i].sum);
	free(summaries->intervals);
	free(summaries->order);
	free(summaries->growth);
	free(summaries->selected);
	if (summaries->by_end.slots)
		hash_map_deinit(&summaries->by_end);
	summary_deinit(&summaries->sum);
	summary_deinit(&summaries->known);
}
