// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Counts live objects by group and cache, at the peak, and by cache in time slices. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "report/views/live_parts.h"

int live_parts_init(struct live_parts *parts)
{
	memset(parts, 0, sizeof(*parts));
	return hash_map_init(&parts->index);
}

void live_parts_deinit(struct live_parts *parts)
{
	for (size_t i = 0; i < parts->cache_space; i++)
		free(parts->caches[i]);
	free(parts->caches);
	free(parts->list);
	hash_map_deinit(&parts->index);
	memset(parts, 0, sizeof(*parts));
}

static struct live_part *find_part(struct live_parts *parts, uint32_t group, uint32_t cache)
{
	uint64_t key = (uint64_t)group << 32 | cache;
	uint32_t found = hash_map_find(&parts->index, key);
	struct live_part *list;

	if (found != HASH_MAP_NONE)
		return &parts->list[found];
	list = array_grow(parts->list, parts->count, sizeof(*list));
	if (!list)
		return NULL;
	parts->list = list;
	if (hash_map_add(&parts->index, key, (uint32_t)parts->count))
		return NULL;
	list += parts->count++;
	*list = (struct live_part){ .group = group, .cache = cache };
	return list;
}

int live_parts_change(struct live_parts *parts, uint32_t group, uint32_t cache,
		      struct live_objects added)
{
	struct live_part *part = find_part(parts, group, cache);

	if (!part)
		return -ENOMEM;
	if (part->peak != parts->peaks) {
		part->peak = parts->peaks;
		part->at_peak = part->live;
	}
	part->live.objects += added.objects;
	part->live.bytes += added.bytes;
	return 0;
}

int live_parts_change_slice(struct live_parts *parts, uint32_t cache, size_t slice,
			    uint64_t objects)
{
	struct live_changes **list = array_grow_zeroed(parts->caches, &parts->cache_space,
						       (size_t)cache + 1, sizeof(*list));

	if (!list)
		return -ENOMEM;
	parts->caches = list;
	if (!list[cache])
		list[cache] = calloc(1, sizeof(*list[cache]));
	if (!list[cache])
		return -ENOMEM;
	list[cache]->objects[slice] += (int64_t)objects;
	return 0;
}

void live_parts_merge(struct live_parts *parts)
{
	for (size_t i = 0; i < parts->cache_space; i++)
		if (parts->caches[i])
			slices_merge(parts->caches[i]->objects);
}

void live_parts_sum_groups(const struct live_parts *parts, const struct live_bounds *bounds,
			   struct live_group *groups)
{
	for (size_t i = 0; i < parts->count; i++) {
		const struct live_part *part = &parts->list[i];
		const struct live_objects live = live_parts_at_peak(parts, part);
		struct live_group *group = &groups[part->group];

		group->live.objects += live.objects;
		group->live.bytes += live.bytes;
		group->is_bound |= live.objects && bounds->caches[part->cache];
	}
}

void live_parts_find_bounds(const struct live_parts *parts, const struct live_bounds *bounds,
			    bool slices[SLICES_MAX])
{
	memset(slices, 0, SLICES_MAX * sizeof(*slices));
	for (size_t cache = 0; cache < parts->cache_space; cache++) {
		const struct live_changes *changes = parts->caches[cache];
		int64_t live = 0;

		if (!changes || !bounds->caches[cache])
			continue;
		for (size_t i = 0; i < SLICES_MAX; i++) {
			live += changes->objects[i];
			slices[i] |= live > 0;
		}
	}
}
