// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The details count since the begin; an interval has the difference to the last summary. A row of
 * the details that makes room moves its counts to the rest. Then the row is missing or its
 * difference is negative, and the difference of the rest is too large by the same counts, which are
 * subtracted from it. So the rows of a kind add up to all that was counted.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tracer/publish/summary_owners.h"

#define OWN_NAME_SIZE 64 /* of a task, with a backslash; a cgroup begins with a slash */

static const enum details_owner owner_of[SUMMARY_KINDS] = {
	[SUMMARY_CGROUP] = DETAILS_CGROUP,
	[SUMMARY_COMM] = DETAILS_COMM,
};

int summary_owners_init(struct summary_owners *owners, const bool *kinds)
{
	memcpy(owners->kinds, kinds, sizeof(owners->kinds));
	return summary_init(&owners->counted);
}

void summary_owners_deinit(struct summary_owners *owners)
{
	summary_deinit(&owners->counted);
}

static const char *const first_names[DETAILS_FIRST] = {
	[DETAILS_REST] = SUMMARY_REST,
	[DETAILS_INTERRUPT] = SUMMARY_INTERRUPT,
	[DETAILS_UNKNOWN] = SUMMARY_UNKNOWN,
};

/* A task may choose the name of one of the first rows: then its row has a backslash before it. */
static const char *name_of(const struct details_table *table, size_t row, char text[OWN_NAME_SIZE])
{
	const char *name = row < DETAILS_FIRST ? first_names[row] : table->rows[row].name;

	for (size_t i = 0; i < DETAILS_FIRST && row >= DETAILS_FIRST; i++)
		if (!strcmp(name + strspn(name, "\\"), first_names[i])) {
			snprintf(text, OWN_NAME_SIZE, "\\%s", name);
			return text;
		}
	return name;
}

/* All that the details counted for this kind of owners since the begin. */
static int count_kind(struct summary *now, enum summary_kind kind, const struct details *details)
{
	const struct details_table *table = &details->tables[owner_of[kind]];

	for (size_t i = 0; i < table->count; i++) {
		const struct details_counts *counts = &table->rows[i].counts;
		char text[OWN_NAME_SIZE];
		const char *const names[SUMMARY_NAMES] = { name_of(table, i, text) };
		struct summary_row *row = summary_get_row(now, kind, names);

		if (!row)
			return -ENOMEM;
		row->counts.allocations += counts->allocations;
		row->counts.frees += counts->frees;
		row->counts.allocated += counts->allocated;
		row->counts.freed += counts->freed;
	}
	return 0;
}

/* now - before; what is negative is taken from the rest. */
static uint64_t take_difference(uint64_t now, uint64_t before, uint64_t *rest)
{
	if (now >= before)
		return now - before;
	*rest -= before - now;
	return 0;
}

static struct summary_counts find_flows(const struct summary_counts *now,
					const struct summary_counts *before,
					struct summary_counts *rest)
{
	return (struct summary_counts){
		.allocations =
			take_difference(now->allocations, before->allocations, &rest->allocations),
		.frees = take_difference(now->frees, before->frees, &rest->frees),
		.allocated = take_difference(now->allocated, before->allocated, &rest->allocated),
		.freed = take_difference(now->freed, before->freed, &rest->freed),
		.live_objects = now->allocations - now->frees,
		.live_bytes = now->allocated - now->freed,
	};
}

static bool has_counts(const struct summary_counts *counts)
{
	return counts->allocations | counts->frees | counts->live_objects | counts->live_bytes;
}

/* Rows that are gone: their counts are in the rest. */
static int add_missing(struct summary *now, const struct summary *before)
{
	for (size_t i = 0; i < before->row_count; i++) {
		const struct summary_row *row = &before->rows[i];

		if (has_counts(&row->counts) &&
		    !summary_get_row(now, row->kind, (const char *const *)row->names))
			return -ENOMEM;
	}
	return 0;
}

static int add_owner_row(struct summary *summary, const struct summary_row *now,
			 const struct summary_counts *counts)
{
	struct summary_row *row;

	if (!has_counts(counts))
		return 0;
	row = summary_get_row(summary, now->kind, (const char *const *)now->names);
	if (!row)
		return -ENOMEM;
	row->counts = *counts;
	return 0;
}

/* The row of the same names in the other summary. NULL: no memory. */
static struct summary_row *same_row(struct summary *summary, const struct summary_row *row)
{
	return summary_get_row(summary, row->kind, (const char *const *)row->names);
}

/* The rest comes last: the others may have taken from it. */
static int add_kind(struct summary *summary, const struct summary *now, struct summary *before,
		    enum summary_kind kind)
{
	struct summary_counts taken = { 0 }, counts;
	const struct summary_row *rest = NULL, *old;
	int err = 0;

	for (size_t i = 0; i < now->row_count && !err; i++) {
		const struct summary_row *row = &now->rows[i];

		if (row->kind != kind)
			continue;
		if (!strcmp(row->names[0], SUMMARY_REST)) {
			rest = row;
			continue;
		}
		old = same_row(before, row);
		if (!old)
			return -ENOMEM;
		counts = find_flows(&row->counts, &old->counts, &taken);
		err = add_owner_row(summary, row, &counts);
	}
	if (err || !rest)
		return err;
	old = same_row(before, rest);
	if (!old)
		return -ENOMEM;
	counts = find_flows(&rest->counts, &old->counts, &taken);
	/* modulo 2^64: what was taken is negative */
	counts.allocations += taken.allocations;
	counts.frees += taken.frees;
	counts.allocated += taken.allocated;
	counts.freed += taken.freed;
	return add_owner_row(summary, rest, &counts);
}

int summary_owners_add(struct summary_owners *owners, const struct details *details,
		       struct summary *summary)
{
	struct summary now;
	int err = summary_init(&now);

	for (unsigned int kind = 0; kind < SUMMARY_KINDS && !err; kind++)
		if (owners->kinds[kind])
			err = count_kind(&now, kind, details);
	if (!err)
		err = add_missing(&now, &owners->counted);
	for (unsigned int kind = 0; kind < SUMMARY_KINDS && !err; kind++)
		if (owners->kinds[kind])
			err = add_kind(summary, &now, &owners->counted, kind);
	if (err) {
		summary_deinit(&now);
		return err;
	}
	summary_deinit(&owners->counted);
	owners->counted = now;
	summary_sort(summary);
	return 0;
}
