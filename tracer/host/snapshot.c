// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Reads /proc, /sys and tracefs; writes the tables of kernel/. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zlib.h>

#include "base/cleanup.h"
#include "base/files.h"
#include "base/inside.h"
#include "kernel/caches.h"
#include "kernel/gfp.h"
#include "kernel/slabinfo.h"
#include "kernel/symbols.h"
#include "tracer/host/kallsyms.h"
#include "tracer/host/snapshot.h"
#include "tracer/load/formats.h"
#include "tracer/load/machine.h"

#define SLABINFO_BYTES_MAX ((size_t)64 << 20)

static int fail_snapshot(struct directory *directory, int err, const char *what)
{
	snprintf(directory->errmsg, sizeof(directory->errmsg), "%s: %s", what, strerror(err));
	return -err;
}

/* The text of /proc/slabinfo. -ENODATA: the kernel does not offer it to this user. */
static int read_slabinfo(char **text)
{
	int err = read_file(AT_FDCWD, "/proc/slabinfo", SLABINFO_BYTES_MAX, text, NULL);

	return error_is_unavailable(err) ? -ENODATA : err;
}

/* Closes a table; err is the result of writing it. */
static int close_table(struct directory *directory, FILE *file, const char *name, int err)
{
	int failed = directory_close(directory, file, name);

	return err && !failed ? fail_snapshot(directory, -err, name) : failed;
}

int snapshot_symbols(struct directory *directory, off_t *modules_at)
{
	gzFile file = directory_open_gz(directory, "kernel/symbols", false);
	int err;

	if (!file)
		return -EIO;
	err = kallsyms_copy(file, modules_at);
	if (gzclose(file) != Z_OK && !err)
		err = errno ? -errno : -EIO;
	return err ? fail_snapshot(directory, -err, "kernel/symbols, from /proc/kallsyms") : 0;
}

bool snapshot_has_addresses(void)
{
	FILE *kallsyms = fopen("/proc/kallsyms", "re");
	uint64_t address = 0;
	char *line = NULL;
	size_t space = 0;

	while (kallsyms && !address && getline(&line, &space, kallsyms) > 0)
		if (symbols_is_code(line))
			address = strtoull(line, NULL, 16);
	free(line);
	if (kallsyms)
		fclose(kallsyms);
	return address;
}

int snapshot_topology(struct directory *directory, const struct topology *topology)
{
	FILE *file = directory_open(directory, "kernel/topology", false);

	if (!file)
		return -errno;
	return close_table(directory, file, "kernel/topology", topology_write(topology, file));
}

static int save_gfp(struct directory *directory, const char *format)
{
	struct gfp_table table = { 0 };
	FILE *file;
	int err;

	err = gfp_parse_format(&table, format);
	if (err) {
		fail_snapshot(directory, -err, "the GFP names in kmalloc's format");
		return err == -ENODATA ? 1 : err;
	}
	file = directory_open(directory, "kernel/gfp", false);
	if (!file) {
		gfp_deinit(&table);
		return -errno;
	}
	err = gfp_write(&table, file);
	gfp_deinit(&table);
	return close_table(directory, file, "kernel/gfp", err);
}

static int write_format(struct directory *directory, const char *name, const char *text)
{
	FILE *file = directory_open(directory, name, false);

	if (!file)
		return -errno;
	fputs(text, file);
	return directory_close(directory, file, name);
}

static int save_formats(struct directory *directory, int tracefs)
{
	static const char *const events[] = { "kmalloc",	  "kfree",
					      "kmem_cache_alloc", "kmem_cache_free",
					      "kmalloc_node",	  "kmem_cache_alloc_node" };
	int err = 0, missing = 0;

	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]) && !err; i++) {
		__attribute__((cleanup(free_text))) char *text = NULL;
		char event[64], name[64];

		snprintf(event, sizeof(event), "kmem/%s", events[i]);
		err = formats_read(tracefs, event, &text);
		if (error_is_unavailable(err)) {
			missing = i ? missing : err;
			err = 0;
			continue;
		}
		if (err)
			return fail_snapshot(directory, -err, event);
		snprintf(name, sizeof(name), "kernel/formats/%s.format", events[i]);
		err = write_format(directory, name, text);
		if (!err && i == 0)
			err = save_gfp(directory, text);
	}
	if (!missing || err)
		return err;
	fail_snapshot(directory, -missing, "tracefs: events/kmem/kmalloc/format");
	return 1;
}

int snapshot_formats(struct directory *directory)
{
	int tracefs = formats_open(), err;

	if (tracefs < 0) {
		fail_snapshot(directory, -tracefs, "tracefs");
		return error_is_unavailable(tracefs) ? 1 : tracefs;
	}
	err = save_formats(directory, tracefs);
	close(tracefs);
	return err;
}

struct slab_name {
	char name[128], target[128];
};

static int by_target(const void *a, const void *b)
{
	const struct slab_name *left = a, *right = b;
	int order = strcmp(left->target, right->target);

	return order ? order : strcmp(left->name, right->name);
}

/* 1: entry is not a symbolic link, or is gone. */
static int read_slab_name(DIR *dir, const char *entry, struct slab_name *found)
{
	ssize_t length;

	*found = (struct slab_name){ 0 };
	length = readlinkat(dirfd(dir), entry, found->target, sizeof(found->target) - 1);
	if (length < 0)
		return errno == EINVAL || errno == ENOENT ? 1 : -errno;
	if (!length || strlen(entry) >= sizeof(found->name))
		return 1;
	strcpy(found->name, entry);
	return 0;
}

/* Lists the symbolic links, each with its target, sorted by target. */
static int read_slab_names(struct slab_name **list, size_t *count)
{
	__attribute__((cleanup(close_directory))) DIR *dir = opendir("/sys/kernel/slab");
	struct slab_name *more, found;
	const char *entry;
	int err = 0, skip;

	*list = NULL;
	*count = 0;
	if (!dir)
		return error_is_unavailable(-errno) ? 0 : -errno;
	while ((entry = inside_next(dir, &err))) {
		skip = read_slab_name(dir, entry, &found);
		if (skip > 0)
			continue;
		more = skip ? NULL : realloc(*list, (*count + 1) * sizeof(**list));
		if (!more) {
			err = skip ? skip : -ENOMEM;
			break;
		}
		*list = more;
		more[(*count)++] = found;
	}
	if (*count)
		qsort(*list, *count, sizeof(**list), by_target);
	return err;
}

/* Writes a line for each name of a group: any of them may be the cache's own name. */
static int write_group(FILE *file, const struct slab_name *group, size_t count)
{
	size_t size = count * sizeof(group->name) + 1;
	char *others = malloc(size);
	int err = 0;

	if (!others)
		return -ENOMEM;
	for (size_t i = 0; i < count && !err; i++) {
		size_t at = 0;

		for (size_t k = 0; k < count; k++)
			if (k != i)
				at += snprintf(others + at, size - at, "%s%s", at ? "," : "",
					       group[k].name);
		err = caches_write_alias(file, group[i].name, others);
	}
	free(others);
	return err;
}

static int write_kmalloc_of_slabinfo(FILE *file)
{
	__attribute__((cleanup(free_text))) char *text = NULL;
	int err = read_slabinfo(&text);

	for (const char *line = text; line && *line && !err; line += *line == '\n') {
		struct kmalloc_name kmalloc = { 0 };

		if (sscanf(line, "%63s", kmalloc.text) == 1 && caches_is_kmalloc(kmalloc.text))
			err = caches_write_kmalloc(file, &kmalloc);
		line = strchrnul(line, '\n');
	}
	return err == -ENODATA ? 0 : err;
}

/* err: of reading; a failed write is found here. */
static int close_caches(struct directory *directory, FILE *file, int err)
{
	int failed = directory_close(directory, file, "kernel/caches");

	return err && !failed ? fail_snapshot(directory, -err, "/sys/kernel/slab") : failed;
}

int snapshot_kmalloc(struct directory *directory)
{
	FILE *file = directory_open(directory, "kernel/caches", true);
	int err;

	if (!file)
		return -errno;
	err = slab_layout_write_kmalloc(file);
	if (error_is_unavailable(err))
		err = write_kmalloc_of_slabinfo(file);
	return close_caches(directory, file, err);
}

int snapshot_aliases(struct directory *directory)
{
	struct slab_name *list;
	size_t count, end;
	FILE *file;
	int err;

	err = read_slab_names(&list, &count);
	if (err) {
		free(list);
		return fail_snapshot(directory, -err, "/sys/kernel/slab");
	}
	file = directory_open(directory, "kernel/caches", true);
	if (!file) {
		free(list);
		return -errno;
	}
	for (size_t i = 0; i < count && !err; i = end) {
		for (end = i + 1; end < count && !strcmp(list[end].target, list[i].target);)
			end++;
		if (end - i > 1)
			err = write_group(file, list + i, end - i);
	}
	free(list);
	if (!err)
		err = slab_layout_write_debug(file);
	if (!err)
		err = slab_layout_write_reclaim(file);
	return close_caches(directory, file, err);
}

int snapshot_read_slabinfo(struct slabinfo_snapshot *snapshot, uint64_t time)
{
	__attribute__((cleanup(free_text))) char *text = NULL;
	int err = read_slabinfo(&text);

	if (!err)
		err = slabinfo_parse_proc(snapshot, text, time);
	if (!err)
		snapshot->until = machine_now();
	return err == -EINVAL ? -ENODATA : err;
}

static int write_slabinfo(struct directory *directory, const struct slabinfo_snapshot *snapshot,
			  int (*write)(FILE *file, const struct slabinfo_snapshot *snapshot))
{
	FILE *file;

	if (!snapshot->count)
		return 0;
	file = directory_open(directory, "kernel/slabinfo", true);
	if (!file)
		return -errno;
	return close_table(directory, file, "kernel/slabinfo", write(file, snapshot));
}

int snapshot_write_slabinfo(struct directory *directory, const struct slabinfo_snapshot *snapshot)
{
	return write_slabinfo(directory, snapshot, slabinfo_write);
}

int snapshot_slab_sizes(struct directory *directory)
{
	struct slabinfo_snapshot snapshot;
	int err = snapshot_read_slabinfo(&snapshot, 0);

	if (err)
		return err == -ENODATA ? 0 : fail_snapshot(directory, -err, "/proc/slabinfo");
	err = slab_layout_add_sizes(&snapshot);
	err = err ? fail_snapshot(directory, -err, "/sys/kernel/slab")
		  : write_slabinfo(directory, &snapshot, slabinfo_write_sizes);
	slabinfo_snapshot_deinit(&snapshot);
	return err;
}

int snapshot_slabinfo(struct directory *directory, uint64_t time)
{
	struct slabinfo_snapshot snapshot;
	int err = snapshot_read_slabinfo(&snapshot, time);

	if (err)
		return err == -ENODATA ? 0 : fail_snapshot(directory, -err, "/proc/slabinfo");
	err = snapshot_write_slabinfo(directory, &snapshot);
	slabinfo_snapshot_deinit(&snapshot);
	return err;
}
