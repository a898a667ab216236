// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Reads /proc, /sys and tracefs; writes the tables of kernel/. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <zlib.h>

#include "base/files.h"
#include "kernel/caches.h"
#include "kernel/gfp.h"
#include "kernel/slabinfo.h"
#include "kernel/symbols.h"
#include "tracer/kallsyms.h"
#include "tracer/load/formats.h"
#include "tracer/load/machine.h"
#include "tracer/slab_layout.h"
#include "tracer/snapshot.h"

#define SLABINFO_BYTES_MAX ((size_t)64 << 20)

static int fail(struct directory *directory, int err, const char *what)
{
	snprintf(directory->errmsg, sizeof(directory->errmsg), "%s: %s", what, strerror(err));
	return -err;
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
	return err ? fail(directory, -err, "kernel/symbols, from /proc/kallsyms") : 0;
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
	int err, failed;

	if (!file)
		return -errno;
	err = topology_write(topology, file);
	failed = directory_close(directory, file, "kernel/topology");
	return err ? err : failed;
}

static int save_gfp(struct directory *directory, const char *format)
{
	struct gfp_table table = { 0 };
	FILE *file;
	int err, failed;

	err = gfp_parse_format(&table, format);
	if (err)
		return fail(directory, -err, "the GFP names in kmalloc's format");
	file = directory_open(directory, "kernel/gfp", false);
	if (!file) {
		gfp_deinit(&table);
		return -errno;
	}
	err = gfp_write(&table, file);
	failed = directory_close(directory, file, "kernel/gfp");
	gfp_deinit(&table);
	return err ? err : failed;
}

int snapshot_formats(struct directory *directory)
{
	static const char *const events[] = { "kmalloc",	  "kfree",
					      "kmem_cache_alloc", "kmem_cache_free",
					      "kmalloc_node",	  "kmem_cache_alloc_node" };
	int tracefs = formats_open(), err = 0, failed;
	char name[64], *text;
	FILE *file;

	if (tracefs < 0)
		return fail(directory, -tracefs, "tracefs");
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]) && !err; i++) {
		snprintf(name, sizeof(name), "kmem/%s", events[i]);
		text = formats_read(tracefs, name);
		if (!text)
			continue;
		snprintf(name, sizeof(name), "kernel/formats/%s.format", events[i]);
		file = directory_open(directory, name, false);
		if (file) {
			fputs(text, file);
			err = directory_close(directory, file, name);
		} else {
			err = -errno;
		}
		if (!err && i == 0)
			err = save_gfp(directory, text);
		free(text);
	}
	failed = faccessat(tracefs, "events/kmem/kmalloc/format", R_OK, 0) ? -errno : 0;
	close(tracefs);
	if (failed && !err)
		err = fail(directory, -failed, "tracefs: events/kmem/kmalloc/format");
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

/* Lists the symbolic links, each with its target, sorted by target. */
static int read_slab_names(struct slab_name **list, size_t *count)
{
	DIR *dir = opendir("/sys/kernel/slab");
	struct dirent *entry;
	struct slab_name *more;
	ssize_t length;

	*list = NULL;
	*count = 0;
	if (!dir)
		return 0; /* this kernel has no such directory */
	while ((entry = readdir(dir))) {
		struct slab_name found = { 0 };

		length = readlinkat(dirfd(dir), entry->d_name, found.target,
				    sizeof(found.target) - 1);
		if (length <= 0 || strlen(entry->d_name) >= sizeof(found.name))
			continue;
		strcpy(found.name, entry->d_name);
		more = realloc(*list, (*count + 1) * sizeof(**list));
		if (!more) {
			closedir(dir);
			return -ENOMEM;
		}
		*list = more;
		more[(*count)++] = found;
	}
	closedir(dir);
	if (*count)
		qsort(*list, *count, sizeof(**list), by_target);
	return 0;
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

static int write_kmalloc_of_sysfs(FILE *file)
{
	DIR *dir = opendir("/sys/kernel/slab");
	struct dirent *entry;
	int err = 0;

	while (dir && !err && (entry = readdir(dir)))
		if (caches_is_kmalloc(entry->d_name))
			err = caches_write_kmalloc(file, entry->d_name);
	if (dir)
		closedir(dir);
	return dir ? err : -ENOENT;
}

static int write_kmalloc_of_slabinfo(FILE *file)
{
	FILE *slabinfo = fopen("/proc/slabinfo", "re");
	char line[512], name[128];
	int err = 0;

	while (slabinfo && !err && fgets(line, sizeof(line), slabinfo))
		if (sscanf(line, "%127s", name) == 1 && caches_is_kmalloc(name))
			err = caches_write_kmalloc(file, name);
	if (slabinfo)
		fclose(slabinfo);
	return err;
}

int snapshot_kmalloc(struct directory *directory)
{
	FILE *file = directory_open(directory, "kernel/caches", true);
	int err, failed;

	if (!file)
		return -errno;
	err = write_kmalloc_of_sysfs(file);
	if (err == -ENOENT)
		err = write_kmalloc_of_slabinfo(file);
	failed = directory_close(directory, file, "kernel/caches");
	return err ? err : failed;
}

int snapshot_aliases(struct directory *directory)
{
	struct slab_name *list;
	size_t count, end;
	FILE *file;
	int err, failed;

	err = read_slab_names(&list, &count);
	if (err)
		return fail(directory, -err, "/sys/kernel/slab");
	file = directory_open(directory, "kernel/caches", true);
	if (!file)
		err = -errno;
	for (size_t i = 0; i < count && !err; i = end) {
		for (end = i + 1; end < count && !strcmp(list[end].target, list[i].target);)
			end++;
		if (end - i > 1)
			err = write_group(file, list + i, end - i);
	}
	free(list);
	if (!file)
		return err;
	failed = directory_close(directory, file, "kernel/caches");
	return err ? err : failed;
}

int snapshot_read_slabinfo(struct slabinfo_snapshot *snapshot, uint64_t time)
{
	char *text = NULL;
	int err = read_file(AT_FDCWD, "/proc/slabinfo", SLABINFO_BYTES_MAX, &text, NULL);

	err = err ? -ENODATA : slabinfo_parse_proc(snapshot, text, time);
	if (!err)
		snapshot->until = machine_now();
	free(text);
	return err == -EINVAL ? -ENODATA : err;
}

static int write_slabinfo(struct directory *directory, const struct slabinfo_snapshot *snapshot,
			  int (*write)(FILE *file, const struct slabinfo_snapshot *snapshot))
{
	FILE *file;
	int err, failed;

	if (!snapshot->count)
		return 0;
	file = directory_open(directory, "kernel/slabinfo", true);
	if (!file)
		return -errno;
	err = write(file, snapshot);
	failed = directory_close(directory, file, "kernel/slabinfo");
	return err && !failed ? fail(directory, -err, "kernel/slabinfo") : failed;
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
		return err == -ENODATA ? 0 : fail(directory, -err, "/proc/slabinfo");
	slab_layout_add_sizes(&snapshot);
	err = write_slabinfo(directory, &snapshot, slabinfo_write_sizes);
	slabinfo_snapshot_deinit(&snapshot);
	return err;
}

int snapshot_slabinfo(struct directory *directory, uint64_t time)
{
	struct slabinfo_snapshot snapshot;
	int err = snapshot_read_slabinfo(&snapshot, time);

	if (err)
		return err == -ENODATA ? 0 : fail(directory, -err, "/proc/slabinfo");
	err = snapshot_write_slabinfo(directory, &snapshot);
	slabinfo_snapshot_deinit(&snapshot);
	return err;
}
