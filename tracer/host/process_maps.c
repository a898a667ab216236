// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Lists of mappings by process. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/files.h"
#include "base/inside.h"
#include "tracer/host/process_maps.h"

#define TEXT_OVERHEAD 64 /* bytes: of an entry of struct texts */

static void clear_mappings(struct mapped_process *process)
{
	free(process->list);
	free(process->before);
	process->list = process->before = NULL;
	process->count = process->before_count = 0;
}

int process_maps_init(struct process_maps *maps)
{
	int err;

	memset(maps, 0, sizeof(*maps));
	err = texts_init(&maps->files);
	return err ? err : hash_map_init(&maps->index);
}

void process_maps_deinit(struct process_maps *maps)
{
	for (size_t i = 0; i < maps->count; i++)
		clear_mappings(&maps->list[i]);
	free(maps->list);
	hash_map_deinit(&maps->index);
	texts_deinit(&maps->files);
	memset(maps, 0, sizeof(*maps));
}

int process_maps_file(struct process_maps *maps, const char *build_id, uint64_t inode,
		      const char *path, uint32_t *file)
{
	__attribute__((cleanup(free_text))) char *text = NULL;
	size_t bytes;

	if (asprintf(&text, "%s %" PRIu64 " %s", build_id, inode, path) < 0) {
		text = NULL;
		return -ENOMEM;
	}
	*file = texts_find(&maps->files, text);
	if (*file)
		return 0;
	bytes = strlen(text) + TEXT_OVERHEAD;
	if (maps->file_bytes + bytes > PROCESS_MAPS_FILE_BYTES) {
		maps->lost++;
		return 0;
	}
	maps->file_bytes += bytes;
	*file = texts_add(&maps->files, text);
	return *file ? 0 : -ENOMEM;
}

static struct mapped_process *find_mapped_process(const struct process_maps *maps, uint32_t pid)
{
	uint32_t index = hash_map_find(&maps->index, pid);

	return index == HASH_MAP_NONE ? NULL : &maps->list[index];
}

static struct mapped_process *find_or_add(struct process_maps *maps, uint32_t pid)
{
	struct mapped_process *list, *process = find_mapped_process(maps, pid);

	if (process)
		return process;
	list = array_grow(maps->list, maps->count, sizeof(*list));
	if (!list)
		return NULL;
	maps->list = list;
	list[maps->count] = (struct mapped_process){ 0 };
	if (hash_map_add(&maps->index, pid, (uint32_t)maps->count))
		return NULL;
	return &list[maps->count++];
}

/* The first mapping that ends after the address. */
static size_t find_first_after(const struct mapping *list, size_t count, uint64_t address)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (list[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Puts mappings in the place of those from first up to last, as far as there is room. */
static int replace_mappings(struct process_maps *maps, struct mapped_process *process, size_t first,
			    size_t last, const struct mapping *mappings, size_t count)
{
	size_t others = process->count - (last - first);
	struct mapping *list = process->list;

	if (count > PROCESS_MAPS_MAX - others) {
		maps->lost += count - (PROCESS_MAPS_MAX - others);
		count = PROCESS_MAPS_MAX - others;
	}
	if (others + count > process->count) {
		/* array_grow() needs each count once */
		list = realloc(list, (others + count) * sizeof(*list));
		if (!list)
			return -ENOMEM;
		process->list = list;
	}
	if (last < process->count)
		memmove(list + first + count, list + last, (process->count - last) * sizeof(*list));
	for (size_t i = 0; i < count; i++)
		list[first + i] = mappings[i];
	process->count = others + count;
	return 0;
}

int process_maps_add(struct process_maps *maps, uint32_t pid, const struct mapping *mapping)
{
	struct mapped_process *process = find_or_add(maps, pid);
	struct mapping mappings[3]; /* the new one, between rests of older ones */
	size_t first, last, count = 0;

	if (!process)
		return -ENOMEM;
	if (mapping->begin >= mapping->end)
		return 0;
	first = last = find_first_after(process->list, process->count, mapping->begin);
	while (last < process->count && process->list[last].begin < mapping->end)
		last++;
	if (first < last && process->list[first].begin < mapping->begin) {
		mappings[count] = process->list[first];
		mappings[count++].end = mapping->begin;
	}
	mappings[count++] = *mapping;
	if (first < last && process->list[last - 1].end > mapping->end) {
		mappings[count] = process->list[last - 1];
		mappings[count].offset += mapping->end - mappings[count].begin;
		mappings[count++].begin = mapping->end;
	}
	return replace_mappings(maps, process, first, last, mappings, count);
}

int process_maps_fork(struct process_maps *maps, uint32_t pid, uint32_t parent)
{
	struct mapped_process *process = find_or_add(maps, pid);
	const struct mapped_process *from = find_mapped_process(maps, parent);

	if (!process)
		return -ENOMEM;
	clear_mappings(process);
	process->generation++;
	if (!from || !from->count)
		return 0;
	process->list = malloc(from->count * sizeof(*process->list));
	if (!process->list)
		return -ENOMEM;
	memcpy(process->list, from->list, from->count * sizeof(*process->list));
	process->count = from->count;
	return 0;
}

void process_maps_exec(struct process_maps *maps, uint32_t pid)
{
	struct mapped_process *process = find_mapped_process(maps, pid);

	if (!process)
		return;
	free(process->before);
	process->before = process->list;
	process->before_count = process->count;
	process->list = NULL;
	process->count = 0;
}

void process_maps_exit(struct process_maps *maps, uint32_t pid)
{
	size_t place = maps->ended_count % PROCESS_MAPS_ENDED;
	struct mapped_process *process = find_mapped_process(maps, pid), *oldest;

	if (!process)
		return;
	if (maps->ended_count++ >= PROCESS_MAPS_ENDED) {
		oldest = &maps->list[maps->ended[place].process];
		if (oldest->generation == maps->ended[place].generation)
			clear_mappings(oldest);
	}
	maps->ended[place].process = (uint32_t)(process - maps->list);
	maps->ended[place].generation = process->generation;
}

static const struct mapping *find_mapping(const struct mapping *list, size_t count,
					  uint64_t address)
{
	size_t place = find_first_after(list, count, address);

	return place < count && list[place].begin <= address ? &list[place] : NULL;
}

const struct mapping *process_maps_find(const struct process_maps *maps, uint32_t pid,
					uint64_t address)
{
	const struct mapped_process *process = find_mapped_process(maps, pid);

	return process ? find_mapping(process->list, process->count, address) : NULL;
}

const struct mapping *process_maps_find_before(const struct process_maps *maps, uint32_t pid,
					       uint64_t address)
{
	const struct mapped_process *process = find_mapped_process(maps, pid);

	return process ? find_mapping(process->before, process->before_count, address) : NULL;
}

static int read_process(struct process_maps *maps, uint32_t pid)
{
	__attribute__((cleanup(free_text))) char *line = NULL;
	char path[64], mode[8];
	struct mapping mapping;
	size_t size = 0;
	uint64_t inode;
	int err = 0, at;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/maps", pid);
	file = fopen(path, "re");
	if (!file)
		return 0; /* it has ended, or may not be read */
	errno = 0;
	while (!err && getline(&line, &size, file) > 0) {
		line[strcspn(line, "\n")] = '\0';
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %" SCNu64 " %n",
			   &mapping.begin, &mapping.end, mode, &mapping.offset, &inode, &at) < 5 ||
		    mode[2] != 'x')
			continue;
		/* a path, "[vdso]", or a name without either, as "anon_inode:[perf_event]" */
		mapping.file = 0;
		if (line[at])
			err = process_maps_file(maps, "-", inode, line + at, &mapping.file);
		if (!err)
			err = process_maps_add(maps, pid, &mapping);
	}
	if (!err && !feof(file))
		err = errno ? -errno : -EIO;
	fclose(file);
	/* it may end while it is read */
	return error_is_unavailable(err) ? 0 : err;
}

int process_maps_read(struct process_maps *maps)
{
	__attribute__((cleanup(close_directory))) DIR *proc = opendir("/proc");
	const char *name;
	int err = 0;

	while (proc && (name = inside_next(proc, &err)))
		if (*name >= '1' && *name <= '9')
			err = read_process(maps, (uint32_t)atol(name));
	return err;
}
