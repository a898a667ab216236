// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Writes the text. Numbers are most of it, so they are written without fprintf(). */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "base/array.h"
#include "base/text.h"
#include "live/stats/details_text.h"

#define SITE_BYTES 512
#define DIGITS_MAX 20

/* A space and the number. */
static void put_spaced_number(FILE *file, uint64_t number)
{
	char text[DIGITS_MAX + 1], *at = text + sizeof(text);

	do {
		*--at = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	*--at = ' ';
	fwrite(at, 1, (size_t)(text + sizeof(text) - at), file);
}

static void put_key(FILE *file, const char *key, uint64_t number)
{
	fputs(key, file);
	put_spaced_number(file, number);
}

/* An empty name is "-". */
static void put_word(FILE *file, const char *name)
{
	putc(' ', file);
	text_write_word(file, *name ? name : "-");
}

static void put_name(FILE *file, const char *name)
{
	put_word(file, name);
	putc('\n', file);
}

static void put_counts(FILE *file, const struct details_counts *counts)
{
	put_spaced_number(file, counts->allocations);
	put_spaced_number(file, counts->frees);
	put_spaced_number(file, counts->allocated);
	put_spaced_number(file, counts->freed);
}

/* The name of a site, which it keeps even if its module is unloaded; NULL: no memory. */
static const char *site_name(struct details *details, const struct analysis *analysis, size_t site)
{
	const struct group *group = &analysis->groups[site];
	char text[SITE_BYTES], **sites;

	if (site >= details->site_count) {
		sites = array_grow_zeroed(details->sites, &details->site_count,
					  analysis->group_count, sizeof(*sites));
		if (!sites)
			return NULL;
		details->sites = sites;
	}
	if (!details->sites[site])
		details->sites[site] = strdup(symbols_text(&details->capture->symbols, group->key,
							   group->first_time, text, sizeof(text)));
	return details->sites[site];
}

static int write_sites(struct details *details, const struct analysis *analysis, FILE *file)
{
	for (size_t i = 0; i < analysis->cache_count; i++) {
		put_key(file, "cache", i);
		put_name(file, analysis->caches[i].name);
	}
	for (size_t i = 0; i < analysis->group_count; i++) {
		const char *name = site_name(details, analysis, i);

		if (!name)
			return -ENOMEM;
		put_key(file, "site", i);
		put_name(file, name);
	}
	return 0;
}

static void write_lifetimes(FILE *file, size_t pair, const uint64_t *lifetimes)
{
	bool any = false;

	for (size_t i = 0; i < TALLY_LIFETIMES; i++) {
		if (!lifetimes[i])
			continue;
		if (!any)
			put_key(file, "lifetimes", pair);
		any = true;
		put_spaced_number(file, i);
		putc(':', file);
		fprintf(file, "%" PRIu64, lifetimes[i]);
	}
	if (any)
		putc('\n', file);
}

static void write_pairs(const struct details *details, FILE *file)
{
	size_t count = MIN(details->pair_count, details->tallies->count);

	for (size_t i = 0; i < count; i++) {
		const struct details_pair *pair = &details->pairs[i];

		if (!pair->counts.allocations)
			continue;
		put_key(file, "pair", i);
		put_spaced_number(file, details->tallies->list[i].group);
		put_spaced_number(file, details->tallies->list[i].cache);
		put_counts(file, &pair->counts);
		putc('\n', file);
		write_lifetimes(file, i, pair->lifetimes);
	}
}

static void write_owners(const struct details *details, FILE *file)
{
	static const char *const keys[] = {
		[DETAILS_PROCESS] = "process",
		[DETAILS_COMM] = "comm",
		[DETAILS_CGROUP] = "cgroup",
	};

	for (unsigned int owner = 0; owner < DETAILS_OWNERS; owner++) {
		const struct details_table *table = &details->tables[owner];

		for (size_t i = 0; i < table->count; i++) {
			const struct details_row *row = &table->rows[i];

			if (!row->counts.allocations)
				continue;
			put_key(file, keys[owner], i);
			if (owner == DETAILS_PROCESS)
				put_spaced_number(file, row->key);
			put_counts(file, &row->counts);
			put_word(file, row->name ? row->name : "");
			if (owner == DETAILS_PROCESS)
				put_spaced_number(file, row->cgroup);
			putc('\n', file);
		}
	}
}

static void write_ages(FILE *file, size_t pair, const struct tally_lifetimes *ages)
{
	put_key(file, "ages", pair);
	for (size_t i = 0; i < TALLY_LIFETIMES; i++) {
		if (!ages->counts[i])
			continue;
		put_spaced_number(file, i);
		fprintf(file, ":%" PRIu32, ages->counts[i]);
	}
	putc('\n', file);
}

static void write_scan(const struct details_scan *scan, FILE *file)
{
	put_key(file, "scan", scan->time);
	putc('\n', file);
	for (size_t i = 0; i < scan->pair_count; i++) {
		const struct details_live *live = &scan->pairs[i];

		if (!live->objects)
			continue;
		put_key(file, "live", i);
		put_spaced_number(file, live->objects);
		put_spaced_number(file, live->requested);
		put_spaced_number(file, live->least);
		put_spaced_number(file, live->most);
		putc('\n', file);
		write_ages(file, i, &live->ages);
	}
	for (size_t i = 0; i < MIN(scan->held_count, DETAILS_HELD_MAX); i++) {
		const struct details_held *held = &scan->held[i];

		put_key(file, "held", held->pair);
		put_spaced_number(file, held->process);
		put_spaced_number(file, held->objects);
		put_spaced_number(file, held->bytes);
		putc('\n', file);
	}
}

static uint64_t standard_error(double variance)
{
	return variance > 0 ? (uint64_t)(sqrt(variance) + 0.5) : 0;
}

static void write_sampled(const struct details_sampled_table *table, const char *key, FILE *file)
{
	for (size_t i = 0; i < table->count; i++) {
		const struct details_sampled_row *row = &table->rows[i];
		const struct details_estimate *estimate = &row->estimate;

		if (!estimate->samples || (row->name && !row->is_listed))
			continue;
		put_key(file, key, i);
		put_counts(file, &estimate->counts);
		put_spaced_number(file, standard_error(estimate->allocated_variance));
		put_spaced_number(file, standard_error(estimate->live_variance));
		put_spaced_number(file, estimate->samples);
		put_spaced_number(file, estimate->live_samples);
		put_name(file, row->name ? row->name : "");
	}
}

static int write_stacks(struct details *details, uint64_t interval_most, FILE *file)
{
	const struct status_sampling *sampling = &details->capture->status.sampling;
	const struct details_sampled_table *tables = details->stacks.tables;
	int err = details_stacks_list(&details->stacks, &details->capture->symbols);

	if (err)
		return err;
	put_key(file, "sampling", sampling->interval);
	put_spaced_number(file, MAX(sampling->interval, interval_most));
	put_name(file, details->only_stacks ? "profile" : "stacks");
	write_sampled(&tables[DETAILS_STACK], "stack", file);
	write_sampled(&tables[DETAILS_SYSCALL], "syscall", file);
	put_key(file, "unlisted", tables[DETAILS_STACK].drops);
	put_spaced_number(file, tables[DETAILS_SYSCALL].drops);
	putc('\n', file);
	return 0;
}

static int write_counted(struct details *details, const struct analysis *analysis, FILE *file)
{
	int err = write_sites(details, analysis, file);

	if (err)
		return err;
	write_pairs(details, file);
	write_owners(details, file);
	write_scan(&details->scan, file);
	return 0;
}

static void write_slabs(const struct details_slabs *slabs, FILE *file)
{
	if (!slabs->time)
		return;
	put_key(file, "slabs", slabs->time);
	put_spaced_number(file, slabs->given);
	put_spaced_number(file, slabs->room);
	put_spaced_number(file, slabs->given_bytes);
	put_spaced_number(file, slabs->slab_bytes);
	put_spaced_number(file, slabs->spare_bytes);
	putc('\n', file);
}

int details_write(struct details *details, const struct analysis *analysis,
		  const struct details_moment *moment, FILE *file)
{
	int err;

	put_key(file, "details", DETAILS_VERSION);
	putc('\n', file);
	put_key(file, "moment", moment->time);
	put_spaced_number(file, moment->begin);
	if (moment->lost == UINT64_MAX)
		fputs(" -", file);
	else
		put_spaced_number(file, moment->lost);
	put_spaced_number(file, details->drops);
	putc('\n', file);
	write_slabs(&details->slabs, file);
	err = details->only_stacks ? 0 : write_counted(details, analysis, file);
	if (!err && details->with_stacks)
		err = write_stacks(details, moment->interval_most, file);
	fputs("end\n", file);
	return err;
}
