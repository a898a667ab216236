// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Lookup of names by key and time. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "report/render/render.h"
#include "report/views/event_names.h"
#include "report/views/row_names.h"

#define GFP_TEXT 4096 /* bytes: 64 flags of 40 */
/* First key of the caches of the capture. Keys of the caches of the analysis are below. */
#define EVENT_CACHES ((uint64_t)1 << 32)

static void map_deinit(struct event_map *map)
{
	for (size_t i = 0; i < map->count; i++)
		free(map->list[i].name.text);
	free(map->list);
	hash_map_deinit(&map->index);
}

int event_names_init(struct event_names *names, const struct report *report)
{
	int err;

	memset(names, 0, sizeof(*names));
	names->report = report;
	err = hash_map_init(&names->sites.index);
	if (!err)
		err = hash_map_init(&names->tasks.index);
	if (!err)
		err = hash_map_init(&names->flags.index);
	return err ? err : hash_map_init(&names->caches.index);
}

void event_names_deinit(struct event_names *names)
{
	map_deinit(&names->sites);
	map_deinit(&names->tasks);
	map_deinit(&names->flags);
	map_deinit(&names->caches);
}

static bool holds(const struct event_name *name, uint64_t time)
{
	return name->name.text && time >= name->since &&
	       (time < name->until || name->until == UINT64_MAX);
}

/* The entry of the key at the time, or a new one without a name. NULL: no memory. */
static struct event_name *find(struct event_map *map, uint64_t key, uint64_t time)
{
	uint32_t first = hash_map_find(&map->index, key), found = first;
	struct event_name *list;

	while (found != HASH_MAP_NONE) {
		struct event_name *name = &map->list[found];

		if (holds(name, time))
			return name;
		found = name->next ? name->next : HASH_MAP_NONE;
	}
	list = array_grow(map->list, map->count, sizeof(*list));
	if (!list)
		return NULL;
	map->list = list;
	list[map->count] = (struct event_name){ .until = UINT64_MAX };
	if (first != HASH_MAP_NONE) {
		list[map->count].next = list[first].next;
		list[first].next = (uint32_t)map->count;
	} else if (hash_map_add(&map->index, key, (uint32_t)map->count)) {
		return NULL;
	}
	return &list[map->count++];
}

/* Sets the name of a new entry, and frees text. */
static const struct event_name *set_name(const struct event_names *names, struct event_name *name,
					 char *text, bool word)
{
	int err = -ENOMEM;

	if (text)
		err = names->report->renderer->rows.quote(&name->name, text, word);
	free(text);
	return err ? NULL : name;
}

const struct event_name *event_names_site(struct event_names *names, uint64_t address,
					  uint64_t time)
{
	const struct symbols *symbols = &names->report->capture->symbols;
	struct event_name *name = find(&names->sites, address, time);

	if (!name || name->name.text)
		return name;
	for (size_t i = 0; i < symbols->snapshot_count; i++) {
		uint64_t since = symbols->snapshots[i].since;

		if (since <= time)
			name->since = since;
		else if (since < name->until)
			name->until = since;
	}
	return set_name(names, name, site_name(names->report, address, time), false);
}

const struct event_name *event_names_task(struct event_names *names, uint32_t tid, uint64_t time)
{
	const struct tasks *tasks = &names->report->capture->tasks;
	struct event_name *name = find(&names->tasks, tid, time);
	const struct task *task;

	if (!name || name->name.text)
		return name;
	task = tasks_find(tasks, tid, time);
	name->number = task ? (int64_t)task->tgid : -1;
	if (task && task->since <= time)
		name->since = task->since;
	if (task && task + 1 < tasks->list + tasks->count && task[1].tid == tid)
		name->until = task[1].since;
	if (names->report->renderer->for_people)
		return set_name(names, name, task_name(names->report, tid, time), true);
	return set_name(names, name, strdup(task ? task->comm : ""), true);
}

const struct event_name *event_names_flags(struct event_names *names, uint32_t gfp)
{
	struct event_name *name = find(&names->flags, gfp, 0);
	char *text;

	if (!name || name->name.text)
		return name;
	text = malloc(GFP_TEXT);
	if (text)
		gfp_text(&names->report->capture->gfp, gfp, text, GFP_TEXT);
	return set_name(names, name, text, true);
}

const struct event_name *event_names_cache(struct event_names *names, uint32_t cache)
{
	struct event_name *name = find(&names->caches, cache, 0);

	if (!name || name->name.text)
		return name;
	return set_name(names, name, strdup(cache_name(names->report, cache)), true);
}

const struct event_name *event_names_event_cache(struct event_names *names,
						 const struct cache *cache)
{
	uint64_t number = (uint64_t)(cache - names->report->capture->caches.list);
	struct event_name *name = find(&names->caches, EVENT_CACHES + number, 0);

	if (!name || name->name.text)
		return name;
	return set_name(names, name, strdup(cache->name), true);
}
