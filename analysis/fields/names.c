// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Lookup of names by key and time. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/fields/labels.h"
#include "analysis/fields/names.h"
#include "analysis/stack_path.h"
#include "base/array.h"
#include "base/hash.h"
#include "base/text.h"
#include "kernel/cgroups.h"
#include "kernel/container.h"
#include "kernel/symbols.h"
#include "kernel/tasks.h"

/* First key of the caches of the capture. Keys of the caches of the analysis are below. */
#define EVENT_CACHES ((uint64_t)1 << 32)

static void map_deinit(struct named_map *map)
{
	free(map->list);
	hash_map_deinit(&map->index);
}

int names_init(struct names *names, struct texts *texts)
{
	int err;

	memset(names, 0, sizeof(*names));
	names->texts = texts;
	err = hash_map_init(&names->sites.index);
	if (!err)
		err = hash_map_init(&names->tasks.index);
	if (!err)
		err = hash_map_init(&names->flags.index);
	if (!err)
		err = hash_map_init(&names->stacks.index);
	if (!err)
		err = hash_map_init(&names->user_stacks.index);
	if (!err)
		err = hash_map_init(&names->cgroups.index);
	return err ? err : hash_map_init(&names->caches.index);
}

void names_deinit(struct names *names)
{
	map_deinit(&names->sites);
	map_deinit(&names->tasks);
	map_deinit(&names->flags);
	map_deinit(&names->caches);
	map_deinit(&names->stacks);
	map_deinit(&names->user_stacks);
	map_deinit(&names->cgroups);
}

/* Forgets all entries. 0 or -ENOMEM. */
static int map_clear(struct named_map *map)
{
	map_deinit(map);
	memset(map, 0, sizeof(*map));
	return hash_map_init(&map->index);
}

int names_refresh(struct names *names)
{
	unsigned int changes = names->capture->changes;
	int err;

	if (changes == names->changes)
		return 0;
	names->changes = changes;
	err = map_clear(&names->tasks);
	if (!err)
		err = map_clear(&names->cgroups);
	if (!err)
		err = map_clear(&names->user_stacks);
	return err ? err : map_clear(&names->stacks);
}

static bool holds_at(const struct named *named, uint64_t key, uint64_t time)
{
	return named->key == key && time >= named->since &&
	       (time < named->until || named->until == UINT64_MAX);
}

/* The entry of the key at the time; or, with *is_new, a new one without names. NULL: no memory. */
static struct named *find_named(struct named_map *map, uint64_t key, uint64_t time, bool *is_new)
{
	uint32_t *memo = &map->memo[(key * 0x9e3779b97f4a7c15) >> (64 - NAMES_MEMO_BITS)];
	uint32_t first, found;
	struct named *list;

	*is_new = false;
	if (*memo && holds_at(&map->list[*memo - 1], key, time))
		return &map->list[*memo - 1];
	first = found = hash_map_find(&map->index, key);
	while (found != HASH_MAP_NONE) {
		if (holds_at(&map->list[found], key, time)) {
			*memo = found + 1;
			return &map->list[found];
		}
		found = map->list[found].next ? map->list[found].next : HASH_MAP_NONE;
	}
	list = array_grow(map->list, map->count, sizeof(*list));
	if (!list)
		return NULL;
	map->list = list;
	list[map->count] = (struct named){ .key = key, .until = UINT64_MAX };
	if (first != HASH_MAP_NONE) {
		list[map->count].next = list[first].next;
		list[first].next = (uint32_t)map->count;
	} else if (hash_map_add(&map->index, key, (uint32_t)map->count)) {
		return NULL;
	}
	*is_new = true;
	*memo = (uint32_t)map->count + 1;
	return &map->list[map->count++];
}

/* The same symbols are known in this range of time. */
static void limit_to_snapshot(struct named *named, const struct symbols *symbols, uint64_t time)
{
	for (size_t i = 0; i < symbols->snapshot_count; i++) {
		uint64_t since = symbols->snapshots[i].since;

		if (since <= time)
			named->since = since;
		else if (since < named->until)
			named->until = since;
	}
}

const struct named *names_site(struct names *names, uint64_t address, uint64_t time)
{
	const struct symbols *symbols = &names->capture->symbols;
	const char *module;
	bool is_new;
	struct named *named = find_named(&names->sites, address, time, &is_new);

	if (!named || !is_new)
		return named;
	limit_to_snapshot(named, symbols, time);
	module = label_find_module(symbols, address, time);
	named->site = texts_take(names->texts, label_site(symbols, address, time));
	named->function = texts_take(names->texts, label_function(symbols, address, time));
	if (module)
		named->module = texts_take(names->texts, label_module(module));
	return named->site && named->function && (named->module || !module) ? named : NULL;
}

const struct named *names_task(struct names *names, uint32_t tid, uint64_t time)
{
	const struct tasks *tasks = &names->capture->tasks;
	bool is_new;
	struct named *named = find_named(&names->tasks, tid, time, &is_new);
	const struct task *task;

	if (!named || !is_new)
		return named;
	task = tasks_find(tasks, tid, time);
	named->pid = task ? (int64_t)task->tgid : -1;
	named->uid = task && task->has_uid ? (int64_t)task->uid : -1;
	if (task && task->since <= time)
		named->since = task->since;
	if (task && task + 1 < tasks->list + tasks->count && task[1].tid == tid)
		named->until = task[1].since;
	if (task)
		named->comm = texts_add(names->texts, task->comm);
	named->task = texts_take(names->texts, label_task(task, tid));
	named->thread = texts_take(names->texts, label_thread(task, tid));
	if (named->uid >= 0)
		named->user = texts_take(names->texts, label_user(tasks, task->uid));
	return named->task && named->thread && (named->comm || !task) &&
			       (named->user || named->uid < 0)
		       ? named
		       : NULL;
}

const struct named *names_cgroup(struct names *names, uint32_t tid, uint64_t time)
{
	const struct named *task = names_task(names, tid, time);
	char container[CONTAINER_TEXT];
	struct cgroup_span span;
	struct named *named;
	bool is_new;

	if (!task)
		return NULL;
	named = find_named(&names->cgroups, tid, time, &is_new);
	if (!named || !is_new)
		return named;
	cgroups_find(&names->capture->cgroups, tid, task->pid >= 0, (uint32_t)task->pid, time,
		     &span);
	named->since = span.since > task->since ? span.since : task->since;
	named->until = span.until < task->until ? span.until : task->until;
	if (!span.path)
		return named;
	named->cgroup = texts_add(names->texts, span.path);
	if (container_name(span.path, container))
		named->container = texts_add(names->texts, container);
	return named->cgroup ? named : NULL;
}

const struct named *names_flags(struct names *names, uint32_t gfp)
{
	bool is_new;
	struct named *named = find_named(&names->flags, gfp, 0, &is_new);

	if (!named || !is_new)
		return named;
	named->text = texts_take(names->texts, label_gfp(&names->capture->gfp, gfp));
	return named->text ? named : NULL;
}

static char *stack_label(const struct capture *capture, const struct stack_path *path,
			 uint64_t time)
{
	char *text = NULL;
	size_t size;
	FILE *file = text_open(&text, &size);

	if (!file)
		return NULL;
	for (uint32_t i = 0; i < path->count; i++) {
		char *function =
			label_function(&capture->symbols, path->frames[i] - (i != 0), time);

		fprintf(file, "%s%s", i ? STACK_SEPARATOR : "", function ? function : "?");
		free(function);
	}
	if (*path->entry)
		fprintf(file, "%s%s", STACK_SEPARATOR, path->entry);
	return text_close(file, &text) ? NULL : text;
}

const struct named *names_stack(struct names *names, uint64_t id, uint64_t call_site, uint64_t time)
{
	const uint64_t parts[] = { id, call_site };
	uint64_t key = hash_keyed(names->stacks.index.seed, parts, sizeof(parts));
	struct stack_path path;
	bool is_new;
	struct named *named = find_named(&names->stacks, key, time, &is_new);

	if (!named || !is_new)
		return named;
	limit_to_snapshot(named, &names->capture->symbols, time);
	if (!stack_path_find(&path, names->capture, id, call_site, time))
		return named;
	named->stack = texts_take(names->texts, stack_label(names->capture, &path, time));
	if (*path.entry)
		named->syscall = texts_add(names->texts, path.entry);
	return named->stack && (named->syscall || !*path.entry) ? named : NULL;
}

static char *user_stack_label(const struct capture *capture, const struct stack *stack)
{
	const struct user_frames *found = user_symbols_find(&capture->user_symbols, stack->id);
	uint32_t count = stack->frame_count;
	char *text = NULL;
	size_t size;
	FILE *file = text_open(&text, &size);

	if (!file)
		return NULL;
	/* of both, the table with the names ends where the code does */
	if (found && found->count && found->count < count)
		count = found->count;
	for (uint32_t i = 0; i < count; i++) {
		struct user_frame address = {
			.offset = stacks_frames(&capture->stacks, stack)[i],
		};
		const struct user_frame *frame =
			found && i < found->count ? &capture->user_symbols.frames[found->first + i]
						  : &address;
		char *label = user_symbols_label(&capture->user_symbols, frame);

		fprintf(file, "%s%s", i ? STACK_SEPARATOR : "", label ? label : "?");
		free(label);
	}
	return text_close(file, &text) ? NULL : text;
}

const struct named *names_user_stack(struct names *names, uint64_t id)
{
	const struct stack *stack = stacks_find(&names->capture->stacks, id);
	bool is_new;
	struct named *named = find_named(&names->user_stacks, id, 0, &is_new);

	if (!named || !is_new || !stack || !stack->frame_count)
		return named;
	named->text = texts_take(names->texts, user_stack_label(names->capture, stack));
	return named->text ? named : NULL;
}

static const struct named *find_cache_name(struct names *names, uint64_t key, const char *name)
{
	bool is_new;
	struct named *named = find_named(&names->caches, key, 0, &is_new);

	if (!named || !is_new)
		return named;
	named->text = texts_add(names->texts, name);
	return named->text ? named : NULL;
}

const struct named *names_cache(struct names *names, const struct analysis *analysis,
				uint32_t cache)
{
	return find_cache_name(names, cache, analysis->caches[cache].name);
}

const struct named *names_event_cache(struct names *names, const struct cache *cache)
{
	return find_cache_name(
		names, EVENT_CACHES + (uint64_t)(cache - names->capture->caches.list), cache->name);
}
