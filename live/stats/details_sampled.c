// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The rows of stacks and system calls: their names, sums and which of them a text has. A listed row
 * stays listed, so that the row of all others seldom changes by more than what is allocated now.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/stack_path.h"
#include "base/array.h"
#include "base/hash.h"
#include "base/text.h"
#include "live/stats/details_stacks.h"

#define UNKNOWN "(unknown)"
#define RECENT_SHARE 0.9 /* of the bytes before, with each text */

/* A number: a symbol of its module may come later. */
static bool put_function(FILE *file, const struct symbols *symbols, uint64_t address, uint64_t time)
{
	const struct symbol *symbol = symbols_find(symbols, address, time);
	const char *module = symbol ? symbols_string(symbols, symbol->module) : "";
	char text[512];

	if (symbol)
		fprintf(file, "%s%s%s%s", symbols_string(symbols, symbol->name),
			*module ? " [" : "", module, *module ? "]" : "");
	else
		fputs(symbols_text(symbols, address, time, text, sizeof(text)), file);
	return symbol;
}

/* The functions, the innermost first. NULL: no memory. is_known: each has a name. */
static char *make_name(const struct stack_path *path, const struct symbols *symbols, uint64_t time,
		       bool *is_known)
{
	char *name = NULL;
	size_t size;
	FILE *file = text_open(&name, &size);

	if (!file)
		return NULL;
	*is_known = true;
	for (uint32_t i = 0; i < path->count; i++) {
		if (i)
			fputs(STACK_SEPARATOR, file);
		/* a return address may be behind the end of its function */
		*is_known &= put_function(file, symbols, path->frames[i] - (i != 0), time);
	}
	if (*path->entry)
		fprintf(file, STACK_SEPARATOR "%s", path->entry);
	text_close(file, &name);
	return name;
}

/* The row with the name, a new one if there is none; or -ENOMEM. */
static int64_t get_row(struct details_sampled_table *table, const char *name)
{
	struct details_sampled_row *rows, row = { 0 };
	uint64_t hash = hash_keyed_text(table->by_name.seed, name);
	uint32_t index = hash_map_find(&table->by_name, hash);

	if (index != HASH_MAP_NONE)
		return index;
	row.name = strdup(name);
	rows = row.name ? array_grow(table->rows, table->count, sizeof(*rows)) : NULL;
	if (rows)
		table->rows = rows;
	if (!rows || hash_map_add(&table->by_name, hash, (uint32_t)table->count)) {
		free(row.name);
		return -ENOMEM;
	}
	rows[table->count] = row;
	return (int64_t)table->count++;
}

static int name_stack(struct details_stacks *stacks, struct details_stack *stack,
		      const struct symbols *symbols)
{
	struct stack_path path = { .frames = stacks->frames + stack->first_frame,
				   .count = stack->frame_count };
	int64_t row, syscall;
	bool is_known;
	char *name;

	stack_path_cut(&path, symbols, stack->call_site, stack->time);
	name = make_name(&path, symbols, stack->time, &is_known);
	if (!name)
		return -ENOMEM;
	row = get_row(&stacks->tables[DETAILS_STACK], name);
	free(name);
	syscall = get_row(&stacks->tables[DETAILS_SYSCALL], *path.entry ? path.entry : UNKNOWN);
	if (row < 0 || syscall < 0)
		return -ENOMEM;
	stack->rows[DETAILS_STACK] = (uint32_t)row;
	stack->rows[DETAILS_SYSCALL] = (uint32_t)syscall;
	stack->is_named = true;
	stack->is_known = is_known;
	return 0;
}

void details_stacks_symbols_changed(struct details_stacks *stacks)
{
	for (size_t i = 1; i < stacks->count; i++)
		stacks->list[i].is_named &= stacks->list[i].is_known;
}

static void add_estimate(struct details_estimate *sum, const struct details_estimate *estimate)
{
	sum->counts.allocations += estimate->counts.allocations;
	sum->counts.frees += estimate->counts.frees;
	sum->counts.allocated += estimate->counts.allocated;
	sum->counts.freed += estimate->counts.freed;
	sum->allocated_variance += estimate->allocated_variance;
	sum->live_variance += estimate->live_variance;
	sum->samples += estimate->samples;
	sum->live_samples += estimate->live_samples;
}

static int add_up_stacks(struct details_stacks *stacks, const struct symbols *symbols)
{
	int err = 0;

	for (size_t i = 0; i < DETAILS_SAMPLED; i++)
		for (size_t k = 0; k < stacks->tables[i].count; k++)
			stacks->tables[i].rows[k].estimate = (struct details_estimate){ 0 };
	for (size_t i = 0; i < stacks->count && !err; i++) {
		struct details_stack *stack = &stacks->list[i];

		if (!stack->estimate.samples)
			continue;
		if (!stack->is_named)
			err = name_stack(stacks, stack, symbols);
		for (size_t k = 0; k < DETAILS_SAMPLED && !err; k++)
			add_estimate(&stacks->tables[k].rows[stack->rows[k]].estimate,
				     &stack->estimate);
	}
	return err;
}

static double live_bytes(const struct details_sampled_row *row)
{
	return (double)(row->estimate.counts.allocated - row->estimate.counts.freed);
}

static double recent_bytes(const struct details_sampled_row *row)
{
	return row->recent;
}

/* Lists the rows with the most of this, if they have any. */
static void list_heaviest(struct details_sampled_table *table,
			  double (*bytes_of)(const struct details_sampled_row *row))
{
	struct details_sampled_row *best[DETAILS_HEAVIEST];
	size_t count = 0;

	for (size_t i = 1; i < table->count; i++) {
		struct details_sampled_row *row = &table->rows[i];
		double bytes = bytes_of(row);
		size_t at = count;

		if (bytes <= 0)
			continue;
		while (at && bytes_of(best[at - 1]) < bytes)
			at--;
		if (at == DETAILS_HEAVIEST)
			continue;
		count += count < DETAILS_HEAVIEST;
		memmove(&best[at + 1], &best[at], (count - 1 - at) * sizeof(*best));
		best[at] = row;
	}
	for (size_t i = 0; i < count; i++)
		best[i]->is_listed = true;
}

static size_t count_listed(const struct details_sampled_table *table)
{
	size_t count = 0;

	for (size_t i = 0; i < table->count; i++)
		count += table->rows[i].is_listed;
	return count;
}

static void list_rows(struct details_sampled_table *table)
{
	for (size_t i = 1; i < table->count; i++) {
		struct details_sampled_row *row = &table->rows[i];
		uint64_t allocated = row->estimate.counts.allocated;

		/* it is less if a stack got another name */
		row->recent *= RECENT_SHARE;
		if (allocated > row->allocated)
			row->recent += (double)(allocated - row->allocated);
		row->allocated = allocated;
	}
	if (count_listed(table) > DETAILS_LISTED_MAX - 2 * DETAILS_HEAVIEST) {
		for (size_t i = 1; i < table->count; i++)
			table->rows[i].is_listed = false;
		table->drops++;
	}
	list_heaviest(table, live_bytes);
	list_heaviest(table, recent_bytes);
	for (size_t i = 1; i < table->count; i++)
		if (!table->rows[i].is_listed)
			add_estimate(&table->rows[0].estimate, &table->rows[i].estimate);
}

int details_stacks_list(struct details_stacks *stacks, const struct symbols *symbols)
{
	int err = add_up_stacks(stacks, symbols);

	for (size_t i = 0; i < DETAILS_SAMPLED && !err; i++)
		list_rows(&stacks->tables[i]);
	return err;
}
