// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Adds summaries. Each step gives the same result in any order: see summary.h. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "base/array.h"
#include "base/number.h"
#include "fleet/summary/summary.h"

void summary_add_counts(struct summary_counts *sum, const struct summary_counts *counts)
{
	number_add(&sum->allocations, counts->allocations);
	number_add(&sum->frees, counts->frees);
	number_add(&sum->allocated, counts->allocated);
	number_add(&sum->freed, counts->freed);
	number_add(&sum->failed, counts->failed);
	number_add(&sum->cross_cpu, counts->cross_cpu);
	number_add(&sum->missed, counts->missed);
	number_add(&sum->live_objects, counts->live_objects);
	number_add(&sum->live_bytes, counts->live_bytes);
	sum->allocated_variance += counts->allocated_variance;
	sum->live_variance += counts->live_variance;
}

double summary_round_variance(double variance)
{
	double units = variance / SUMMARY_VARIANCE_UNIT;
	uint64_t whole;

	if (!(variance > 0))
		return 0;
	if (units >= (double)(UINT64_C(1) << 53))
		return variance; /* a whole number of units already */
	whole = (uint64_t)units;
	return (double)(whole + ((double)whole < units)) * SUMMARY_VARIANCE_UNIT;
}

static int compare_runs(const struct summary_source *a, const struct summary_source *b)
{
	int order = strcmp(a->host, b->host);

	if (!order)
		order = strcmp(a->boot, b->boot);
	if (!order)
		order = (a->run > b->run) - (a->run < b->run);
	return order;
}

size_t summary_find_source(const struct summary *summary, const struct summary_source *source)
{
	size_t low = 0, high = summary->source_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct summary_source *other = &summary->sources[middle];
		int order = compare_runs(other, source);

		if (order < 0 || (!order && other->last < source->first))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_of_run(const struct summary *summary, size_t index,
		      const struct summary_source *source)
{
	return index < summary->source_count && !compare_runs(&summary->sources[index], source);
}

/* 0, -EALREADY: the summary has the whole source, or -EEXIST: a part of it. */
static int compare_source(const struct summary *summary, const struct summary_source *source)
{
	size_t index = summary_find_source(summary, source);
	const struct summary_source *other;

	if (!is_of_run(summary, index, source))
		return 0;
	other = &summary->sources[index];
	if (other->first > source->last)
		return 0;
	return other->first <= source->first && other->last >= source->last ? -EALREADY : -EEXIST;
}

int summary_compare_sources(const struct summary *summary, const struct summary *other)
{
	size_t found = 0;

	for (size_t i = 0; i < other->source_count; i++) {
		int err = compare_source(summary, &other->sources[i]);

		if (err == -EEXIST)
			return err;
		found += err == -EALREADY;
	}
	if (!found)
		return 0;
	return found == other->source_count ? -EALREADY : -EEXIST;
}

static void remove_source(struct summary *summary, size_t index)
{
	struct summary_source *source = &summary->sources[index];

	free(source->host);
	free(source->boot);
	memmove(source, source + 1, (summary->source_count - index - 1) * sizeof(*source));
	summary->source_count--;
}

int summary_append_source(struct summary *summary, const struct summary_source *source)
{
	struct summary_source *sources, copy = *source;

	/* array_grow() cannot be used: the count may have become smaller */
	sources = reallocarray(summary->sources, summary->source_count + 1, sizeof(*sources));
	if (!sources)
		return -ENOMEM;
	summary->sources = sources;
	copy.host = strdup(source->host);
	copy.boot = strdup(source->boot);
	if (!copy.host || !copy.boot) {
		free(copy.host);
		free(copy.boot);
		return -ENOMEM;
	}
	sources[summary->source_count++] = copy;
	return 0;
}

static int insert_source(struct summary *summary, size_t index, const struct summary_source *source)
{
	int err = summary_append_source(summary, source);
	struct summary_source *at = &summary->sources[index], copy;

	if (err)
		return err;
	copy = summary->sources[summary->source_count - 1];
	memmove(at + 1, at, (summary->source_count - 1 - index) * sizeof(*at));
	*at = copy;
	return 0;
}

static int compare_sources(const void *left, const void *right)
{
	const struct summary_source *a = left, *b = right;
	int order = compare_runs(a, b);

	return order ? order : (a->first > b->first) - (a->first < b->first);
}

int summary_order_sources(struct summary *summary)
{
	struct summary_source *sources = summary->sources;
	size_t count = summary->source_count, kept = 0;
	int err = 0;

	if (count)
		qsort(sources, count, sizeof(*sources), compare_sources);
	for (size_t i = 0; i < count; i++) {
		struct summary_source *last = kept ? &sources[kept - 1] : NULL;
		bool same_run = last && !compare_runs(last, &sources[i]);

		if (same_run && sources[i].first <= last->last)
			err = -EEXIST;
		if (!same_run || sources[i].first != last->last + 1) {
			sources[kept++] = sources[i];
			continue;
		}
		last->last = sources[i].last;
		free(sources[i].host);
		free(sources[i].boot);
	}
	summary->source_count = kept;
	return err;
}

int summary_add_source(struct summary *summary, const struct summary_source *source)
{
	size_t index = summary_find_source(summary, source);
	bool precedes, follows;

	if (is_of_run(summary, index, source) && summary->sources[index].first <= source->last)
		return -EEXIST;
	follows = index && is_of_run(summary, index - 1, source) &&
		  summary->sources[index - 1].last + 1 == source->first;
	precedes = is_of_run(summary, index, source) &&
		   source->last + 1 == summary->sources[index].first;
	if (follows && precedes) {
		summary->sources[index - 1].last = summary->sources[index].last;
		remove_source(summary, index);
	} else if (follows) {
		summary->sources[index - 1].last = source->last;
	} else if (precedes) {
		summary->sources[index].first = source->first;
	} else {
		return insert_source(summary, index, source);
	}
	return 0;
}

bool summary_is_of_one_host(const struct summary *summary)
{
	size_t count = summary->source_count;

	return count && !strcmp(summary->sources[0].host, summary->sources[count - 1].host);
}

static int compare_texts(const char *a, const char *b)
{
	if (!a || !b)
		return (a != NULL) - (b != NULL);
	return strcmp(a, b);
}

/* Any order will do for two hosts of one name that end a summary at the same time. */
static int compare_hosts(const struct summary_host *a, const struct summary_host *b)
{
	const uint64_t numbers[][2] = {
		{ a->cpus, b->cpus },
		{ a->memory, b->memory },
		{ a->slab_reclaimable, b->slab_reclaimable },
		{ a->slab_unreclaimable, b->slab_unreclaimable },
	};
	int order = compare_texts(a->kernel, b->kernel);

	if (!order)
		order = compare_texts(a->arch, b->arch);
	if (!order)
		order = compare_texts(a->role, b->role);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers) && !order; i++)
		order = (numbers[i][0] > numbers[i][1]) - (numbers[i][0] < numbers[i][1]);
	return order;
}

/* The sum has the sources of both already, but its own end. */
static int add_summary_host(struct summary *sum, const struct summary *other, bool is_first)
{
	if (!summary_is_of_one_host(sum))
		return summary_set_host(sum, &(struct summary_host){ 0 });
	if (is_first || other->end > sum->end ||
	    (other->end == sum->end && compare_hosts(&other->host, &sum->host) > 0))
		return summary_set_host(sum, &other->host);
	return 0;
}

static void clear_live(struct summary_counts *counts)
{
	counts->live_objects = 0;
	counts->live_bytes = 0;
	counts->live_variance = 0;
}

static int add_summary_rows(struct summary *sum, const struct summary *other)
{
	if (other->live_at > sum->live_at)
		for (size_t i = 0; i < sum->row_count; i++)
			clear_live(&sum->rows[i].counts);
	for (size_t i = 0; i < other->row_count; i++) {
		const struct summary_row *from = &other->rows[i];
		struct summary_counts counts = from->counts;
		struct summary_row *row =
			summary_get_row(sum, from->kind, (const char *const *)from->names);

		if (!row)
			return -ENOMEM;
		if (other->live_at < sum->live_at)
			clear_live(&counts);
		summary_add_counts(&row->counts, &counts);
	}
	return 0;
}

int summary_add(struct summary *sum, const struct summary *other)
{
	bool is_first = !sum->source_count;
	int err = other->source_count ? summary_compare_sources(sum, other) : -EINVAL;

	for (size_t i = 0; i < other->source_count && !err; i++)
		err = summary_add_source(sum, &other->sources[i]);
	if (!err)
		err = add_summary_host(sum, other, is_first);
	if (!err)
		err = add_summary_rows(sum, other);
	if (err)
		return err;
	if (is_first || other->live_at > sum->live_at) {
		sum->resident = other->resident;
		sum->live_hosts = other->live_hosts;
	} else if (other->live_at == sum->live_at) {
		number_add(&sum->resident, other->resident);
		number_add(&sum->live_hosts, other->live_hosts);
	}
	sum->begin = is_first ? other->begin : MIN(sum->begin, other->begin);
	sum->end = MAX(sum->end, other->end);
	sum->live_at = MAX(sum->live_at, other->live_at);
	number_add(&sum->cpu_ns, other->cpu_ns);
	missing_add(&sum->missing, &other->missing);
	return 0;
}
