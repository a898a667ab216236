// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The rows of processes, task names and cgroups, and which of them make room for others. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "live/stats/details.h"
#include "live/stats/details_stacks.h"

/* Above this, rows and tallies of tasks that have ended make room. */
#define FULL(max) ((max) / 4 * 3)
#define SWEEP_EVERY 1024 /* rows and tallies that were added since the last time */

static int append_row(struct details_table *table, uint64_t key, const char *name)
{
	struct details_row *rows = array_grow(table->rows, table->count, sizeof(*rows));

	if (!rows)
		return -ENOMEM;
	table->rows = rows;
	rows[table->count] = (struct details_row){ .key = key, .name = name ? strdup(name) : NULL };
	return name && !rows[table->count].name ? -ENOMEM : (table->count++, 0);
}

int details_tables_init(struct details *details)
{
	struct task_tally *list = details->tasks.list;
	int err = 0;

	for (size_t i = 0; i < DETAILS_OWNERS && !err; i++) {
		struct details_table *table = &details->tables[i];

		err = hash_map_init(&table->by_key);
		while (!err && table->count < DETAILS_FIRST)
			err = append_row(table, 0, NULL);
		list[TASK_TALLY_REST].owners[i] = DETAILS_REST;
		list[TASK_TALLY_INTERRUPT].owners[i] = DETAILS_INTERRUPT;
	}
	return err;
}

void details_tables_deinit(struct details *details)
{
	for (size_t i = 0; i < DETAILS_OWNERS; i++) {
		struct details_table *table = &details->tables[i];

		for (size_t j = 0; j < table->count; j++)
			free(table->rows[j].name);
		free(table->rows);
		hash_map_deinit(&table->by_key);
	}
}

/* The index of the row, which is added if there is room, else of the rest; or -ENOMEM. */
int64_t details_get_row(struct details_table *table, uint64_t key, const char *name)
{
	uint32_t index = hash_map_find(&table->by_key, key);
	int err;

	if (index != HASH_MAP_NONE)
		return index;
	if (table->count == DETAILS_ROWS_MAX)
		return DETAILS_REST;
	err = append_row(table, key, name);
	if (!err)
		err = hash_map_add(&table->by_key, key, (uint32_t)table->count - 1);
	return err ? err : (int64_t)table->count - 1;
}

static void flush_tally(struct details *details, struct task_tally *tally)
{
	const struct details_counts counts = { tally->allocations, tally->frees, tally->allocated,
					       tally->freed };

	if (!counts.allocations && !counts.frees)
		return;
	for (size_t i = 0; i < DETAILS_OWNERS; i++)
		details_counts_add(&details->tables[i].rows[tally->owners[i]].counts, &counts);
	tally->allocations = tally->frees = tally->allocated = tally->freed = 0;
}

struct sweep {
	struct details *details;
	bool keeps_holders; /* ended tasks with live objects stay */
};

/* Is the task alive, or one of its objects? */
static bool is_needed_task(void *data, const struct task_tally *last)
{
	const struct sweep *sweep = data;
	char path[32];

	if (sweep->keeps_holders && last->live)
		return true;
	snprintf(path, sizeof(path), "/proc/%u", last->task);
	return !last->task || !access(path, F_OK);
}

/* The objects of the tally count for the rest when they are freed: so they move there. */
static void give_to_rest(void *data, const struct task_tally *tally)
{
	const struct sweep *sweep = data;

	for (size_t i = 0; i < DETAILS_OWNERS && tally->live; i++) {
		struct details_row *rows = sweep->details->tables[i].rows;
		struct details_row *row = &rows[tally->owners[i]];

		row->counts.allocations -= tally->live;
		row->counts.allocated -= tally->live_bytes;
		rows[DETAILS_REST].counts.allocations += tally->live;
		rows[DETAILS_REST].counts.allocated += tally->live_bytes;
	}
}

/* Marks the rows that a task, or a process, refers to. */
static void mark_rows(const struct details *details, enum details_owner owner, uint32_t *marks)
{
	const struct details_table *processes = &details->tables[DETAILS_PROCESS];

	for (size_t i = 0; i < details->tasks.count; i++)
		marks[details->tasks.list[i].owners[owner]] = 1;
	for (size_t i = 0; owner == DETAILS_CGROUP && i < processes->count; i++)
		marks[processes->rows[i].cgroup] = 1;
}

/* Moves the marked rows together, and adds the others to the rest. marks become new numbers. */
static void move_rows(struct details_table *table, uint32_t *marks)
{
	size_t count = DETAILS_FIRST;

	for (uint32_t i = 0; i < DETAILS_FIRST; i++)
		marks[i] = i;
	for (size_t i = DETAILS_FIRST; i < table->count; i++) {
		struct details_row *row = &table->rows[i];

		if (marks[i]) {
			marks[i] = (uint32_t)count;
			table->rows[count++] = *row;
		} else {
			details_counts_add(&table->rows[DETAILS_REST].counts, &row->counts);
			free(row->name);
		}
	}
	table->count = count;
}

static void renumber_owner(struct details *details, enum details_owner owner,
			   const uint32_t *numbers)
{
	struct details_table *processes = &details->tables[DETAILS_PROCESS];

	for (size_t i = 0; i < details->tasks.count; i++) {
		uint32_t *number = &details->tasks.list[i].owners[owner];

		*number = numbers[*number];
	}
	for (size_t i = 0; owner == DETAILS_CGROUP && i < processes->count; i++)
		processes->rows[i].cgroup = numbers[processes->rows[i].cgroup];
}

/* Adds the rows that no task needs to the rest. 0 or -ENOMEM. */
static int drop_rows(struct details *details, enum details_owner owner)
{
	struct details_table *table = &details->tables[owner];
	uint32_t *marks = calloc(table->count, sizeof(*marks));
	struct hash_map by_key;
	int err;

	if (!marks)
		return -ENOMEM;
	err = hash_map_init(&by_key);
	by_key.seed = table->by_key.seed; /* the keys of names depend on it */
	mark_rows(details, owner, marks);
	for (size_t i = DETAILS_FIRST, count = i; i < table->count && !err; i++)
		if (marks[i])
			err = hash_map_add(&by_key, table->rows[i].key, (uint32_t)count++);
	if (err) {
		hash_map_deinit(&by_key);
	} else {
		move_rows(table, marks);
		renumber_owner(details, owner, marks);
		hash_map_deinit(&table->by_key);
		table->by_key = by_key;
	}
	free(marks);
	return err;
}

static size_t size_of(const struct details *details)
{
	size_t size = details->tasks.count;

	for (size_t i = 0; i < DETAILS_OWNERS; i++)
		size += details->tables[i].count;
	return size;
}

static bool is_nearly_full(const struct details *details)
{
	for (size_t i = 0; i < DETAILS_OWNERS; i++)
		if (details->tables[i].count > FULL(DETAILS_ROWS_MAX))
			return true;
	return details->tasks.count > FULL(TASK_TALLIES_MAX);
}

/* First tasks that have ended and hold nothing make room; then those that hold something, too. */
static int make_room(struct details *details)
{
	int err = 0;

	for (int step = 0; step < 2 && !err && is_nearly_full(details); step++) {
		struct sweep sweep = { details, !step };
		const struct task_tallies_sweeper sweeper = { is_needed_task, give_to_rest,
							      &sweep };

		err = task_tallies_sweep(&details->tasks, details->taken, &sweeper);
		for (unsigned int i = 0; i < DETAILS_OWNERS && !err; i++)
			err = drop_rows(details, i);
	}
	details->swept = size_of(details);
	details->drops++;
	/* it has numbers of rows that are others now */
	details_scan_deinit(&details->scan);
	details->scan = (struct details_scan){ 0 };
	return err;
}

int details_flush(struct details *details, uint64_t time)
{
	for (size_t i = 0; i < details->tasks.count; i++)
		flush_tally(details, &details->tasks.list[i]);
	details->taken = time;
	return is_nearly_full(details) && size_of(details) >= details->swept + SWEEP_EVERY
		       ? make_room(details)
		       : 0;
}
