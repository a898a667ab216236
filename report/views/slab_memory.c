// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The memory of slabs by the last reading of the slab allocator, or of /proc/slabinfo. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/slab_growth.h"
#include "kernel/cache_aliases.h"
#include "report/render/column_layout.h"
#include "report/render/header.h"
#include "report/views/slab_memory.h"

/* A line names a cache from here on: its slabs are at most so full, and have so much free. */
#define NEARLY_EMPTY_PERCENT 25.0
#define MUCH_BYTES (1 << 20)

/* The slab allocator's own lists at the end; NULL: not known. */
static const struct census *census_at_end(const struct report *report)
{
	return report->capture && report->analysis.audit.time ? &report->census : NULL;
}

static const struct slabinfo_snapshot *slabinfo_at_end(const struct report *report)
{
	const struct select *select = report->settings.select;

	if (!report->capture || (select && select->before))
		return NULL;
	return slab_growth_last_snapshot(report->capture);
}

bool slab_memory_is_known(const struct report *report)
{
	return census_at_end(report) || slabinfo_at_end(report);
}

static struct slab_memory memory_by_slabinfo(const struct slabinfo_cache *cache, uint32_t size)
{
	uint64_t active = cache->active < cache->total ? cache->active : cache->total;
	struct slab_memory memory = { 0 };

	size = cache->size ? cache->size : size;
	memory.is_known = size &&
			  !__builtin_mul_overflow(cache->total, (uint64_t)size, &memory.bytes) &&
			  memory.bytes < CELL_UNKNOWN;
	memory.free_bytes = (cache->total - active) * size;
	memory.full_percent = cache->total ? 100 * (double)active / (double)cache->total : NAN;
	return memory;
}

static struct slab_memory memory_by_census(const struct census_cache *cache)
{
	return (struct slab_memory){
		.is_known = true,
		.bytes = cache->slab_bytes,
		.free_bytes = (cache->room - cache->given) * cache->size,
		.full_percent = cache->room ? census_full_percent(cache) : NAN,
	};
}

/* The kernel's own name of the cache. False: it has no slab, or is not known. */
static bool find_by_name(const struct report *report, const char *name, uint32_t size,
			 struct slab_memory *memory)
{
	const struct census *census = census_at_end(report);
	const struct slabinfo_snapshot *slabinfo = slabinfo_at_end(report);
	const struct slabinfo_cache *found;
	struct census_cache sum = { 0 };

	/* several caches can have one name, as those of two mounts */
	for (size_t i = 0; census && i < census->count; i++)
		if (!strcmp(census->list[i].name, name)) {
			sum.size = census->list[i].size;
			census_add(&sum, &census->list[i]);
		}
	if (sum.slabs) {
		*memory = memory_by_census(&sum);
		return true;
	}
	found = !census && slabinfo ? slabinfo_find(slabinfo, name) : NULL;
	if (found)
		*memory = memory_by_slabinfo(found, size);
	return found;
}

struct slab_memory slab_memory_find(const struct report *report, const char *cache, uint32_t size)
{
	const char *aliases = slab_memory_is_known(report)
				      ? caches_find_aliases(&report->capture->caches, cache)
				      : NULL;
	struct slab_memory memory = { 0 };
	bool found = find_by_name(report, cache, size, &memory);
	char alias[CACHE_NAME];

	while (!found && cache_aliases_next(&aliases, alias))
		found = find_by_name(report, alias, size, &memory);
	return memory;
}

/* Calls add() for each cache. */
static void list_memories(const struct report *report,
			  void (*add)(void *data, const char *name,
				      const struct slab_memory *memory),
			  void *data)
{
	const struct census *census = census_at_end(report);
	const struct slabinfo_snapshot *slabinfo = slabinfo_at_end(report);
	struct slab_memory memory;

	for (size_t i = 0; census && i < census->count; i++) {
		memory = memory_by_census(&census->list[i]);
		add(data, census->list[i].name, &memory);
	}
	for (size_t i = 0; !census && slabinfo && i < slabinfo->count; i++) {
		memory = memory_by_slabinfo(&slabinfo->list[i], 0);
		add(data, slabinfo->list[i].name, &memory);
	}
}

/* The caches whose slabs are nearly empty. */
struct nearly_empty {
	const char *most; /* the cache with the most free bytes */
	struct slab_memory largest;
	size_t count;
};

static void add_nearly_empty(void *data, const char *name, const struct slab_memory *memory)
{
	struct nearly_empty *found = data;

	if (!memory->is_known || memory->free_bytes < MUCH_BYTES ||
	    !(memory->full_percent <= NEARLY_EMPTY_PERCENT))
		return;
	found->count++;
	if (memory->free_bytes > found->largest.free_bytes) {
		found->largest = *memory;
		found->most = name;
	}
}

int slab_memory_add_line(const struct report *report, struct header *header)
{
	char bytes[TEXT_CELL], free_bytes[TEXT_CELL], others[60] = "";
	struct nearly_empty found = { 0 };

	list_memories(report, add_nearly_empty, &found);
	if (!found.most)
		return 0;
	if (found.count > 1)
		snprintf(others, sizeof(others), "; %zu other cache%s", found.count - 1,
			 found.count == 2 ? "" : "s");
	return header_add_line(header, "slabs", false,
			       "%s: %s of slabs, %s%.0f%% full, so %s free in them%s", found.most,
			       column_layout_bytes_text(found.largest.bytes, bytes),
			       census_at_end(report) ? "" : "at most ", found.largest.full_percent,
			       column_layout_bytes_text(found.largest.free_bytes, free_bytes),
			       others);
}
