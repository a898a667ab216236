// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Writes the names that events from the begin of the next piece on can need: of the tasks and
 * cgroups at that time, and of the live objects.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/checkpoint.h"
#include "analysis/checkpoint_parts.h"
#include "analysis/slab_growth.h"
#include "base/array.h"
#include "base/cleanup.h"
#include "base/number.h"
#include "base/text.h"
#include "capture/parts.h"

#define TEXT_BYTES_MAX ((size_t)64 << 20)

/* Could the thread exist at the begin of the next piece? since: of its last name. */
static bool may_exist(const struct checkpoint *checkpoint, uint32_t tid, uint64_t since)
{
	const struct checkpoint_threads *threads = checkpoint->threads;
	size_t low = 0, high;

	if (!threads || since >= threads->time)
		return true;
	for (high = threads->count; low < high;) {
		size_t middle = low + (high - low) / 2;

		if (threads->ids[middle] < tid)
			low = middle + 1;
		else
			high = middle;
	}
	return low < threads->count && threads->ids[low] == tid;
}

static int write_tasks(struct checkpoint *checkpoint, FILE *file)
{
	const struct tasks *tasks = &checkpoint->capture->tasks;
	__attribute__((cleanup(free_text))) char *keep = calloc(tasks->count + 1, 1);
	const struct slab_object *object;
	size_t next = 0;
	int err = keep ? 0 : -ENOMEM;

	while (!err && (object = object_table_next(&checkpoint->analysis->objects, &next))) {
		const struct task *task = tasks_find(tasks, object->task, object->time);

		if (task && checkpoint_is_live(object))
			keep[task - tasks->list] = 1;
	}
	for (size_t i = 0; i < tasks->count && !err; i++) {
		const struct task *task = &tasks->list[i];
		bool is_last = i + 1 == tasks->count || task[1].tid != task->tid ||
			       task[1].since > checkpoint->begin;

		if (keep[i] || (is_last && may_exist(checkpoint, task->tid, task->since)))
			err = task_write(file, task);
	}
	for (size_t i = 0; i < tasks->users.count && !err; i++)
		err = user_write(file, &tasks->users.list[i]);
	return err;
}

static int write_caches(struct checkpoint *checkpoint, FILE *file)
{
	const struct caches *caches = &checkpoint->capture->caches;
	const struct analysis *analysis = checkpoint->analysis;
	int err = 0;

	for (size_t i = 0; i < caches->count && !err; i++) {
		const struct cache *cache = &caches->list[i];
		bool is_needed = cache->until >= checkpoint->begin;

		for (size_t j = 0; j < analysis->cache_count && !is_needed; j++)
			is_needed = analysis->caches[j].cache == cache &&
				    analysis->caches[j].live_objects;
		if (!is_needed)
			continue;
		err = caches_write_cache(file, cache);
		if (!err && cache->until != CACHE_FOREVER)
			err = caches_write_gone(file, cache->address, cache->until);
	}
	for (size_t i = 0; i < caches->alias_count && !err; i++)
		err = caches_write_alias(file, caches->aliases[i].name, caches->aliases[i].others);
	for (size_t i = 0; i < caches->kmalloc_count && !err; i++)
		err = caches_write_kmalloc(file, &caches->kmalloc[i]);
	for (size_t i = 0; i < caches->debugged_count && !err; i++)
		err = caches_write_debug(file, &caches->debugged[i]);
	for (size_t i = 0; i < caches->reclaim_count && !err; i++)
		err = caches_write_reclaim(file, &caches->reclaims[i]);
	return err;
}

/* Marks the line of the thread or process that holds at the time, if there is one. */
static void keep_member(const struct cgroups *cgroups, char *keep, bool is_process, uint32_t number,
			uint64_t time)
{
	size_t low = 0, high = cgroups->member_count;
	const struct cgroup_member *member;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		member = &cgroups->members[middle];
		if (member->is_process < is_process ||
		    (member->is_process == is_process &&
		     (member->number < number ||
		      (member->number == number && member->since <= time))))
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return;
	member = &cgroups->members[low - 1];
	if (member->is_process == is_process && member->number == number)
		keep[low - 1] = 1;
}

static void keep_members_of_objects(struct checkpoint *checkpoint, char *keep)
{
	const struct capture *capture = checkpoint->capture;
	const struct slab_object *object;
	size_t next = 0;

	while ((object = object_table_next(&checkpoint->analysis->objects, &next))) {
		const struct task *task = tasks_find(&capture->tasks, object->task, object->time);

		if (!checkpoint_is_live(object))
			continue;
		keep_member(&capture->cgroups, keep, false, object->task, object->time);
		if (task)
			keep_member(&capture->cgroups, keep, true, task->tgid, object->time);
	}
}

/* Numbers of cgroups. */
struct ids {
	uint64_t *list; /* ascending, once they are sorted */
	size_t count;
};

static int add_id(struct ids *ids, uint64_t id)
{
	uint64_t *list = array_grow(ids->list, ids->count, sizeof(*list));

	if (!list)
		return -ENOMEM;
	ids->list = list;
	list[ids->count++] = id;
	return 0;
}

static bool has_id(const struct ids *ids, uint64_t id)
{
	return ids->count && bsearch(&id, ids->list, ids->count, sizeof(*ids->list), compare_u64);
}

/* The cgroups that were removed before the next piece. */
static int find_gone(struct checkpoint *checkpoint, struct ids *gone)
{
	__attribute__((cleanup(free_text))) char *text = NULL;
	int err = capture_parts_read(&checkpoint->capture->parts, "kernel/cgroups", TEXT_BYTES_MAX,
				     &text);
	const char *rest = text;
	struct line line;
	uint64_t id, time;

	while (!err && line_next(&line, &rest))
		if (line_key(&line, "gone") && line_u64(&line, 10, &id) &&
		    line_u64(&line, 10, &time) && time < checkpoint->begin)
			err = add_id(gone, id);
	if (gone->count)
		qsort(gone->list, gone->count, sizeof(*gone->list), compare_u64);
	return err == -ENOENT ? 0 : err;
}

static int write_members(struct checkpoint *checkpoint, FILE *file, struct ids *used)
{
	const struct cgroups *cgroups = &checkpoint->capture->cgroups;
	__attribute__((cleanup(free_text))) char *keep = calloc(cgroups->member_count + 1, 1);
	int err = keep ? 0 : -ENOMEM;

	if (!err)
		keep_members_of_objects(checkpoint, keep);
	for (size_t i = 0; i < cgroups->member_count && !err; i++) {
		const struct cgroup_member *member = &cgroups->members[i];
		bool is_last = i + 1 == cgroups->member_count ||
			       member[1].is_process != member->is_process ||
			       member[1].number != member->number ||
			       member[1].since > checkpoint->begin;

		if (!keep[i] && !(is_last && may_exist(checkpoint, member->number, member->since)))
			continue;
		err = add_id(used, member->id);
		if (!err)
			err = cgroups_write_member(file, member);
	}
	if (used->count)
		qsort(used->list, used->count, sizeof(*used->list), compare_u64);
	return err;
}

static int write_cgroups(struct checkpoint *checkpoint, FILE *file)
{
	const struct cgroups *cgroups = &checkpoint->capture->cgroups;
	struct ids used = { 0 }, gone = { 0 };
	int err = write_members(checkpoint, file, &used);

	if (!err)
		err = find_gone(checkpoint, &gone);
	for (size_t i = 0; i < cgroups->count && !err; i++) {
		const struct cgroup *cgroup = &cgroups->list[i];

		/* two pieces can have one line */
		if (i && cgroup[-1].id == cgroup->id && !strcmp(cgroup[-1].path, cgroup->path))
			continue;
		if (!has_id(&gone, cgroup->id) || has_id(&used, cgroup->id))
			err = cgroups_write_cgroup(file, cgroup->id, cgroup->since, cgroup->path);
	}
	if (!err && cgroups->is_uncharged)
		err = cgroups_write_uncharged(file);
	free(used.list);
	free(gone.list);
	return err;
}

/* One piece of all names a stack. A later event, too, can have a stack that no live object has. */
static int write_stacks(struct checkpoint *checkpoint, FILE *file)
{
	const struct stacks *stacks = &checkpoint->capture->stacks;
	int err = 0;

	for (size_t i = 0; i < stacks->count && !err; i++)
		err = stack_write(file, &stacks->list[i], stacks_frames(stacks, &stacks->list[i]));
	return err;
}

/* Each piece names the files of its frames, so that the text of all pieces repeats them. */
static int write_user_symbols(struct checkpoint *checkpoint, FILE *file)
{
	return user_symbols_write(file, &checkpoint->capture->user_symbols);
}

/*
 * Writes the first reading of all, and the readings from the begin of the piece on, which are here
 * if the first piece has all tables.
 */
static int write_slabinfo(struct checkpoint *checkpoint, FILE *file)
{
	const struct capture *capture = checkpoint->capture;
	const struct slabinfo *slabinfo = &capture->slabinfo;
	const struct slabinfo_snapshot *first = slab_growth_first_snapshot(capture);
	int err = first ? slabinfo_write(file, first) : 0;

	if (first && !err)
		err = slabinfo_write_sizes(file, first);
	for (size_t i = 0; first && i < slabinfo->count && !err; i++) {
		const struct slabinfo_snapshot *later = &slabinfo->snapshots[i];

		if (later->time > first->time && later->time >= checkpoint->begin)
			err = slabinfo_write(file, later);
	}
	return err;
}

int checkpoint_write_tables(struct checkpoint *checkpoint)
{
	static const struct {
		const char *name;
		int (*write)(struct checkpoint *checkpoint, FILE *file);
	} tables[] = {
		{ "kernel/tasks", write_tasks },
		{ "kernel/caches", write_caches },
		{ "kernel/cgroups", write_cgroups },
		{ "kernel/stacks", write_stacks },
		{ "kernel/user_symbols", write_user_symbols },
		{ "kernel/slabinfo", write_slabinfo },
	};
	int err = 0;

	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables) && !err; i++) {
		int fd = checkpoint_create(checkpoint, tables[i].name);
		FILE *file = fd < 0 ? NULL : fdopen(fd, "w");

		if (fd < 0)
			return fd;
		if (!file) {
			close(fd);
			return error_set_at(checkpoint->error, -ENOMEM, tables[i].name);
		}
		err = tables[i].write(checkpoint, file);
		if (fclose(file) && !err)
			err = -errno;
		if (err)
			error_set_at(checkpoint->error, err, tables[i].name);
	}
	return err;
}
