// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Reads the layout and the flags of each slab cache from /sys/kernel/slab. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/inside.h"
#include "base/number.h"
#include "kernel/caches.h"
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

/* none: if there is no such file, or no number at its begin. */
static uint64_t read_number_or(struct layout_reader *reader, const char *cache, const char *file,
			       uint64_t none)
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
		return none;
	at = text;
	if (!number_parse(&at, 10, &number))
		number = none;
	free(text);
	return number;
}

static uint64_t read_number(struct layout_reader *reader, const char *cache, const char *file)
{
	return read_number_or(reader, cache, file, 0);
}

static uint32_t read_size(struct layout_reader *reader, const char *cache, const char *file)
{
	uint64_t size = read_number(reader, cache, file);

	return size > UINT32_MAX ? 0 : (uint32_t)size;
}

/* The letters of the kernel's parameter for the debugging that the cache has. */
static void read_debug_flags(struct layout_reader *reader, const char *cache, char flags[8])
{
	static const struct {
		char letter;
		const char *file;
	} files[] = { { 'F', "sanity_checks" },
		      { 'Z', "red_zone" },
		      { 'P', "poison" },
		      { 'U', "store_user" },
		      { 'T', "trace" } };

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		if (read_number(reader, cache, files[i].file))
			*flags++ = files[i].letter;
	*flags = '\0';
}

/* A cache without debugging has its objects as close to one another as their alignment allows. */
static int write_debug(struct layout_reader *reader, const char *cache, FILE *file)
{
	struct cache_debug debug = { 0 };
	uint64_t object, align, size;

	read_debug_flags(reader, cache, debug.flags);
	if (!*debug.flags)
		return 0;
	snprintf(debug.name, sizeof(debug.name), "%s", cache);
	object = read_number(reader, cache, "object_size");
	align = read_number(reader, cache, "align");
	size = read_number(reader, cache, "slab_size");
	if (align)
		object = (object + align - 1) / align * align;
	if (size > object && size - object <= UINT32_MAX)
		debug.bytes = (uint32_t)(size - object);
	return caches_write_debug(file, &debug);
}

static int write_kmalloc(struct layout_reader *reader, const char *cache, FILE *file)
{
	struct kmalloc_name kmalloc = { 0 };

	if (!caches_is_kmalloc(cache))
		return 0;
	kmalloc.object_size = read_size(reader, cache, "object_size");
	kmalloc.size = read_size(reader, cache, "slab_size");
	snprintf(kmalloc.text, sizeof(kmalloc.text), "%s", cache);
	return caches_write_kmalloc(file, &kmalloc);
}

static int write_reclaim(struct layout_reader *reader, const char *cache, FILE *file)
{
	struct cache_reclaim_account account = { 0 };
	uint64_t value = read_number_or(reader, cache, "reclaim_account", UINT64_MAX);

	if (value > 1)
		return 0;
	account.reclaim = value ? CACHE_RECLAIMABLE : CACHE_UNRECLAIMABLE;
	snprintf(account.name, sizeof(account.name), "%s", cache);
	return caches_write_reclaim(file, &account);
}

/* Calls write() for each cache, until it fails. */
static int write_caches(FILE *file,
			int (*write)(struct layout_reader *reader, const char *cache, FILE *file))
{
	struct layout_reader reader;
	const char *entry;
	int err = 0;
	DIR *folder;

	if (!open_reader(&reader))
		return reader.err ? reader.err : -ENOENT;
	folder = fdopendir(reader.folder);
	if (!folder) {
		err = -errno;
		close(reader.folder);
		return err;
	}
	/* merged caches have names too */
	while (!err && (entry = inside_next(folder, &err)))
		if (*entry != ':') {
			err = write(&reader, entry, file);
			err = err ? err : reader.err;
		}
	closedir(folder);
	return err;
}

int slab_layout_write_kmalloc(FILE *file)
{
	return write_caches(file, write_kmalloc);
}

int slab_layout_write_reclaim(FILE *file)
{
	int err = write_caches(file, write_reclaim);

	return error_is_unavailable(err) ? 0 : err;
}

/* Is there debugging, or was it asked for of a cache that may come? */
static bool is_debugging(void)
{
	struct layout_reader reader;
	char flags[8] = "", *parameters;
	bool found = false;

	if (open_reader(&reader)) {
		read_debug_flags(&reader, "kmalloc-64", flags);
		close(reader.folder);
	}
	if (!read_file(AT_FDCWD, "/proc/cmdline", SYSFS_BYTES_MAX, &parameters, NULL)) {
		found = strstr(parameters, "slab_debug=") || strstr(parameters, "slub_debug");
		free(parameters);
	}
	return found || *flags;
}

int slab_layout_write_debug(FILE *file)
{
	static enum {
		UNKNOWN,
		NO,
		YES
	} debugging; /* found by the first call: later, kmemtraced is confined */

	if (debugging == UNKNOWN)
		debugging = is_debugging() ? YES : NO;
	return debugging == YES ? write_caches(file, write_debug) : 0;
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
