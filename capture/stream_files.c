// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Finds the streams by the names of their files. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/inside.h"
#include "base/number.h"
#include "capture/stream_files.h"

#define CPU_MAX 65535

int stream_file_cpu(const char *name)
{
	const char *end = name;
	unsigned int cpu;

	if (!cpu_name_parse(&end, CPU_MAX, &cpu) || *end || (name[3] == '0' && name[4]))
		return -1;
	return (int)cpu;
}

char *capture_stream_path(const struct capture_part *part, unsigned int cpu)
{
	char *path;

	return asprintf(&path, "%s/cpu%u", part->path, cpu) < 0 ? NULL : path;
}

/* A file of a stream: sorted, a stream has its files one behind the other. */
struct stream_file {
	uint32_t cpu, part;
};

struct stream_file_list {
	struct stream_file *list;
	size_t count;
};

static int compare_stream_files(const void *a, const void *b)
{
	const struct stream_file *x = a, *y = b;

	if (x->cpu != y->cpu)
		return x->cpu > y->cpu ? 1 : -1;
	return (x->part > y->part) - (x->part < y->part);
}

static int add_stream_files(struct stream_file_list *files, const struct capture_part *part,
			    size_t index)
{
	__attribute__((cleanup(close_directory))) DIR *directory = opendir(part->path);
	const char *entry;
	int cpu, err = 0;

	if (!directory)
		return -errno;
	while ((entry = inside_next(directory, &err))) {
		struct stream_file *list;

		cpu = stream_file_cpu(entry);
		if (cpu < 0)
			continue;
		list = array_grow(files->list, files->count, sizeof(*list));
		if (!list)
			return -ENOMEM;
		files->list = list;
		list[files->count++] = (struct stream_file){ (uint32_t)cpu, (uint32_t)index };
	}
	return err;
}

static int make_stream(struct capture_stream *stream, const struct capture_parts *parts,
		       const struct stream_file *files, size_t count)
{
	stream->cpu = files->cpu;
	stream->parts = calloc(count, sizeof(*stream->parts));
	stream->part_count = count;
	stream->path = capture_stream_path(&parts->list[files[count - 1].part], files->cpu);
	for (size_t i = 0; stream->parts && i < count; i++)
		stream->parts[i] = files[i].part;
	return stream->parts && stream->path ? 0 : -ENOMEM;
}

static int make_streams(const struct capture_parts *parts, const struct stream_file_list *files,
			struct capture_stream **streams, size_t *count)
{
	size_t end;
	int err = 0;

	for (size_t i = 0; i < files->count; i++)
		*count += !i || files->list[i].cpu != files->list[i - 1].cpu;
	*streams = calloc(*count, sizeof(**streams));
	if (!*streams) {
		err = *count ? -ENOMEM : 0;
		*count = 0;
		return err;
	}
	for (size_t i = 0, at = 0; i < files->count && !err; i = end, at++) {
		end = i + 1;
		while (end < files->count && files->list[end].cpu == files->list[i].cpu)
			end++;
		err = make_stream(&(*streams)[at], parts, &files->list[i], end - i);
	}
	return err;
}

int stream_files_find(const struct capture_parts *parts, struct capture_stream **streams,
		      size_t *count, const char **failed)
{
	struct stream_file_list files = { 0 };
	int err = 0;

	*streams = NULL;
	*count = 0;
	for (size_t i = 0; i < parts->count && !err; i++) {
		*failed = parts->list[i].path;
		err = add_stream_files(&files, &parts->list[i], i);
	}
	if (!err && files.count) {
		qsort(files.list, files.count, sizeof(*files.list), compare_stream_files);
		err = make_streams(parts, &files, streams, count);
	}
	free(files.list);
	return err;
}

void stream_files_deinit(struct capture_stream *streams, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(streams[i].path);
		free(streams[i].parts);
	}
	free(streams);
}

uint64_t stream_files_bytes(const struct capture_stream *stream, const struct capture_parts *parts)
{
	uint64_t bytes = 0;
	struct stat about;

	for (size_t i = 0; i < stream->part_count; i++) {
		__attribute__((cleanup(free_text))) char *path =
			capture_stream_path(&parts->list[stream->parts[i]], stream->cpu);

		if (path && !stat(path, &about))
			bytes += (uint64_t)about.st_size;
	}
	return bytes;
}

uint64_t stream_files_all_bytes(const struct capture_stream *streams, size_t count,
				const struct capture_parts *parts)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < count; i++)
		bytes += stream_files_bytes(&streams[i], parts);
	return bytes;
}
