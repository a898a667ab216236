// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Reads the layout of each slab cache from /sys/kernel/slab. */
#include "config.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/files.h"
#include "base/number.h"
#include "tracer/slab_layout.h"

#define FILE_BYTES_MAX 4096

/* 0 if there is no such file, or no number at its begin. */
static uint64_t read_number(int folder, const char *cache, const char *file)
{
	char path[128], *text;
	const char *at;
	uint64_t number;

	snprintf(path, sizeof(path), "%s/%s", cache, file);
	if (read_file(folder, path, FILE_BYTES_MAX, &text, NULL))
		return 0;
	at = text;
	if (!number_parse(&at, 10, &number))
		number = 0;
	free(text);
	return number;
}

static uint64_t count_nodes(const struct topology *topology)
{
	uint64_t count = 0;

	for (size_t i = 0; i < topology->count; i++) {
		bool is_new = true;

		for (size_t k = 0; k < i && is_new; k++)
			is_new = topology->list[k].node != topology->list[i].node;
		count += is_new;
	}
	return count;
}

static uint32_t read_size(int folder, const char *cache, const char *file)
{
	uint64_t size = read_number(folder, cache, file);

	return size > UINT32_MAX ? 0 : (uint32_t)size;
}

void slab_layout_add_sizes(struct slabinfo_snapshot *snapshot)
{
	int folder = open("/sys/kernel/slab", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (folder < 0)
		return;
	for (size_t i = 0; i < snapshot->count; i++) {
		struct slabinfo_cache *cache = &snapshot->list[i];

		cache->object_size = read_size(folder, cache->name, "object_size");
		cache->size = read_size(folder, cache->name, "slab_size");
	}
	close(folder);
}

void slab_layout_add_held(struct slabinfo_snapshot *snapshot, const struct topology *topology)
{
	uint64_t nodes = count_nodes(topology);
	int folder = open("/sys/kernel/slab", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (folder < 0)
		return;
	for (size_t i = 0; i < snapshot->count; i++) {
		struct slabinfo_cache *cache = &snapshot->list[i];
		struct slabinfo_layout layout = {
			.per_slab = read_number(folder, cache->name, "objs_per_slab"),
		};

		if (!layout.per_slab)
			continue;
		layout.cpu_partial = read_number(folder, cache->name, "cpu_partial");
		layout.sheaf_capacity = read_number(folder, cache->name, "sheaf_capacity");
		cache->held = slabinfo_held_max(&layout, topology->count, nodes);
	}
	close(folder);
}
