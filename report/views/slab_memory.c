// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Reads the last reading of /proc/slabinfo for the memory of slabs. */
#include "config.h"

#include <math.h>
#include <stdio.h>

#include "analysis/slab_growth.h"
#include "kernel/cache_aliases.h"
#include "report/render/column_layout.h"
#include "report/render/header.h"
#include "report/views/slab_memory.h"

/* A line names a cache from here on: its slabs are at most so full, and have so much free. */
#define NEARLY_EMPTY_PERCENT 25.0
#define MUCH_BYTES (1 << 20)

static const struct slabinfo_snapshot *reading_at_end(const struct report *report)
{
	const struct select *select = report->settings.select;

	if (!report->capture || (select && select->before))
		return NULL;
	return slab_growth_last_snapshot(report->capture);
}

bool slab_memory_is_known(const struct report *report)
{
	return reading_at_end(report);
}

static struct slab_memory slab_memory_of(const struct slabinfo_cache *cache, uint32_t size)
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

struct slab_memory slab_memory_find(const struct report *report, const char *cache, uint32_t size)
{
	const struct slabinfo_snapshot *reading = reading_at_end(report);
	const struct slabinfo_cache *found = reading ? slabinfo_find(reading, cache) : NULL;
	const char *aliases = reading ? caches_find_aliases(&report->capture->caches, cache) : NULL;
	char alias[CACHE_NAME];

	while (!found && cache_aliases_next(&aliases, alias))
		found = slabinfo_find(reading, alias);
	return found ? slab_memory_of(found, size) : (struct slab_memory){ 0 };
}

int slab_memory_add_line(const struct report *report, struct header *header)
{
	const struct slabinfo_snapshot *reading = reading_at_end(report);
	char bytes[TEXT_CELL], free_bytes[TEXT_CELL], others[60] = "";
	const struct slabinfo_cache *most = NULL;
	struct slab_memory largest = { 0 };
	size_t count = 0;

	for (size_t i = 0; reading && i < reading->count; i++) {
		struct slab_memory memory = slab_memory_of(&reading->list[i], 0);

		if (!memory.is_known || memory.free_bytes < MUCH_BYTES ||
		    !(memory.full_percent <= NEARLY_EMPTY_PERCENT))
			continue;
		count++;
		if (memory.free_bytes > largest.free_bytes) {
			largest = memory;
			most = &reading->list[i];
		}
	}
	if (!most)
		return 0;
	if (count > 1)
		snprintf(others, sizeof(others), "; %zu other cache%s", count - 1,
			 count == 2 ? "" : "s");
	return header_add_line(header, "slabs", false,
			       "%s: %s of slabs, at most %.0f%% full, so %s free in them%s",
			       most->name, column_layout_bytes_text(largest.bytes, bytes),
			       largest.full_percent,
			       column_layout_bytes_text(largest.free_bytes, free_bytes), others);
}
