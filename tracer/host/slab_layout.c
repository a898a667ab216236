// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Reads the layout of each slab cache from /sys/kernel/slab. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/files.h"
#include "base/number.h"
#include "tracer/host/snapshot.h"

/* /sys/kernel/slab, which is closed by its user. */
struct layout_reader {
	int folder; /* a file descriptor */
	int err;    /* -errno: a file that the kernel offers could not be read */
};

/* False: there is no such folder, or reader->err is set. */
static bool open_reader(struct layout_reader *reader)
{
	int fd = open("/sys/kernel/slab", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	*reader = (struct layout_reader){ .folder = fd };
	if (fd < 0 && !error_is_unavailable(-errno))
		reader->err = -errno;
	return fd >= 0;
}

/* 0 if there is no such file, or no number at its begin. */
static uint64_t read_number(struct layout_reader *reader, const char *cache, const char *file)
{
	char path[128], *text;
	const char *at;
	uint64_t number;
	int err;

	snprintf(path, sizeof(path), "%s/%s", cache, file);
	err = read_file(reader->folder, path, SYSFS_BYTES_MAX, &text, NULL);
	if (err && !error_is_unavailable(err))
		reader->err = err;
	if (err)
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

static uint32_t read_size(struct layout_reader *reader, const char *cache, const char *file)
{
	uint64_t size = read_number(reader, cache, file);

	return size > UINT32_MAX ? 0 : (uint32_t)size;
}

int slab_layout_add_sizes(struct slabinfo_snapshot *snapshot)
{
	struct layout_reader reader;

	if (!open_reader(&reader))
		return reader.err;
	for (size_t i = 0; i < snapshot->count; i++) {
		struct slabinfo_cache *cache = &snapshot->list[i];

		cache->object_size = read_size(&reader, cache->name, "object_size");
		cache->size = read_size(&reader, cache->name, "slab_size");
	}
	close(reader.folder);
	return reader.err;
}

int slab_layout_add_held(struct slabinfo_snapshot *snapshot, const struct topology *topology)
{
	uint64_t nodes = count_nodes(topology);
	struct layout_reader reader;

	if (!open_reader(&reader))
		return reader.err;
	for (size_t i = 0; i < snapshot->count; i++) {
		struct slabinfo_cache *cache = &snapshot->list[i];
		struct slabinfo_layout layout = {
			.per_slab = read_number(&reader, cache->name, "objs_per_slab"),
		};

		if (!layout.per_slab)
			continue;
		layout.cpu_partial = read_number(&reader, cache->name, "cpu_partial");
		layout.sheaf_capacity = read_number(&reader, cache->name, "sheaf_capacity");
		cache->held = slabinfo_held_max(&layout, topology->count, nodes);
	}
	close(reader.folder);
	return reader.err;
}
