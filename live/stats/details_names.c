// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Each line that changes the name, the process or the cgroup of a task begins a tally of it. A
 * cgroup keeps the path that it had when the task got into it.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/text.h"
#include "live/stats/details.h"

#define PATH_BYTES 4096

/* Begins a tally of the task, without counts. *result is NULL if there are too many. */
static int begin_tally(struct details *details, uint32_t task, uint64_t since,
		       struct task_tally **result)
{
	uint32_t last = task_tallies_search(&details->tasks, task);
	struct task_tally *tally = &details->tasks.list[last];
	int64_t index;

	*result = tally;
	if (last && tally->since == since && !tally->live && !tally->allocations && !tally->frees)
		return 0;
	index = task_tallies_begin(&details->tasks, task, since);
	if (index < 0)
		return (int)index;
	*result = index ? &details->tasks.list[index] : NULL;
	for (size_t i = 0; !last && index && i < DETAILS_OWNERS; i++)
		(*result)->owners[i] = DETAILS_UNKNOWN;
	return 0;
}

static int rename_row(struct details_row *row, const char *name)
{
	char *copy;

	if (!row->name || !strcmp(row->name, name))
		return 0;
	copy = strdup(name);
	if (!copy)
		return -ENOMEM;
	free(row->name);
	row->name = copy;
	return 0;
}

static int64_t get_named_row(struct details_table *table, const char *name)
{
	return details_get_row(table, hash_keyed_text(table->by_key.seed, name), name);
}

/* task TID SINCE TGID COMM [UID] */
static int take_task(struct details *details, struct line *line)
{
	struct details_table *processes = &details->tables[DETAILS_PROCESS];
	struct task_tally *tally;
	uint32_t tid, tgid;
	int64_t process, comm;
	uint64_t since;
	char name[16];
	int err;

	if (!line_u32(line, &tid) || !line_u64(line, 10, &since) || !line_u32(line, &tgid))
		return 0;
	line_word(line, name, sizeof(name));
	err = begin_tally(details, tid, since, &tally);
	if (err || !tally)
		return err;
	process = details_get_row(processes, tgid, name);
	comm = get_named_row(&details->tables[DETAILS_COMM], name);
	if (process < 0 || comm < 0)
		return -ENOMEM;
	tally->owners[DETAILS_PROCESS] = (uint32_t)process;
	tally->owners[DETAILS_COMM] = (uint32_t)comm;
	return tid == tgid ? rename_row(&processes->rows[process], name) : 0;
}

/* cgroup ID SINCE PATH */
static int take_cgroup(struct details *details, struct line *line)
{
	struct details_cgroups *cgroups = &details->cgroups;
	struct details_cgroup *list;
	uint64_t id, since;
	char path[PATH_BYTES];
	uint32_t index;
	char *copy;

	if (!line_u64(line, 10, &id) || !line_u64(line, 10, &since))
		return 0;
	line_word(line, path, sizeof(path));
	copy = strdup(path);
	if (!copy)
		return -ENOMEM;
	index = hash_map_find(&cgroups->by_id, id);
	if (index != HASH_MAP_NONE) {
		free(cgroups->list[index].path);
		cgroups->list[index].path = copy;
		return 0;
	}
	list = array_grow(cgroups->list, cgroups->count, sizeof(*list));
	if (list)
		cgroups->list = list;
	if (!list || hash_map_add(&cgroups->by_id, id, (uint32_t)cgroups->count)) {
		free(copy);
		return -ENOMEM;
	}
	list[cgroups->count++] = (struct details_cgroup){ id, copy };
	return 0;
}

/* gone ID TIME: an id is never used again. */
static void take_gone(struct details *details, struct line *line)
{
	struct details_cgroups *cgroups = &details->cgroups;
	uint32_t index;
	uint64_t id;

	if (!line_u64(line, 10, &id))
		return;
	index = hash_map_find(&cgroups->by_id, id);
	if (index == HASH_MAP_NONE)
		return;
	free(cgroups->list[index].path);
	cgroups->list[index].path = NULL;
}

/* The row of a cgroup by its id, or -ENOMEM. */
static int64_t find_cgroup(struct details *details, uint64_t id)
{
	uint32_t index = hash_map_find(&details->cgroups.by_id, id);
	const char *path;

	if (index == HASH_MAP_NONE || !details->cgroups.list[index].path)
		return DETAILS_UNKNOWN;
	path = details->cgroups.list[index].path;
	return get_named_row(&details->tables[DETAILS_CGROUP], path);
}

static int move_task(struct details *details, uint32_t task, uint64_t since, int64_t cgroup)
{
	struct task_tally *tally;
	struct details_row *process;
	int err;

	if (cgroup < 0)
		return -ENOMEM;
	err = begin_tally(details, task, since, &tally);
	if (err || !tally)
		return err;
	tally->owners[DETAILS_CGROUP] = (uint32_t)cgroup;
	process = &details->tables[DETAILS_PROCESS].rows[tally->owners[DETAILS_PROCESS]];
	if (process->name && process->key == task)
		process->cgroup = (uint32_t)cgroup;
	return 0;
}

/* All threads of a process. */
static int move_process(struct details *details, uint32_t process, uint64_t since, int64_t cgroup)
{
	const struct details_table *processes = &details->tables[DETAILS_PROCESS];
	uint32_t row = hash_map_find(&processes->by_key, process);
	size_t count = details->tasks.count;
	int err = 0;

	for (size_t i = TASK_TALLY_FIRST; row != HASH_MAP_NONE && i < count && !err; i++) {
		const struct task_tally *tally = &details->tasks.list[i];

		if (tally->owners[DETAILS_PROCESS] == row &&
		    task_tallies_search(&details->tasks, tally->task) == i)
			err = move_task(details, tally->task, since, cgroup);
	}
	return err;
}

/* member TID SINCE ID; process PID SINCE ID */
static int take_member(struct details *details, struct line *line, bool is_process)
{
	uint64_t since, id;
	uint32_t number;

	if (!line_u32(line, &number) || !line_u64(line, 10, &since) || !line_u64(line, 10, &id))
		return 0;
	return is_process ? move_process(details, number, since, find_cgroup(details, id))
			  : move_task(details, number, since, find_cgroup(details, id));
}

int details_names(struct details *details, const char *text)
{
	struct line line;
	int err = 0;

	while (!err && line_next(&line, &text)) {
		if (line_key(&line, "task"))
			err = take_task(details, &line);
		else if (line_key(&line, "cgroup"))
			err = take_cgroup(details, &line);
		else if (line_key(&line, "gone"))
			take_gone(details, &line);
		else if (line_key(&line, "member"))
			err = take_member(details, &line, false);
		else if (line_key(&line, "process"))
			err = take_member(details, &line, true);
		else if (details->with_stacks && line_key(&line, "stack"))
			err = details_stacks_take(&details->stacks, &line);
	}
	return err;
}

void details_cgroups_deinit(struct details_cgroups *cgroups)
{
	for (size_t i = 0; i < cgroups->count; i++)
		free(cgroups->list[i].path);
	free(cgroups->list);
	hash_map_deinit(&cgroups->by_id);
}
