// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Finds the streams by the names of their files. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static int compare_streams(const void *a, const void *b)
{
	const struct capture_stream *x = a, *y = b;

	return (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

char *capture_stream_path(const struct capture_part *part, unsigned int cpu)
{
	char *path;

	return asprintf(&path, "%s/cpu%u", part->path, cpu) < 0 ? NULL : path;
}

/* Adds the file of a part to the stream of its CPU. */
static int add_stream(struct capture_stream **streams, size_t *count,
		      const struct capture_part *part, unsigned int cpu)
{
	struct capture_stream *list;
	char *path = capture_stream_path(part, cpu);

	if (!path)
		return -ENOMEM;
	for (size_t i = 0; i < *count; i++) {
		if ((*streams)[i].cpu != cpu)
			continue;
		free((*streams)[i].path);
		(*streams)[i].path = path;
		return 0;
	}
	list = reallocarray(*streams, *count + 1, sizeof(*list));
	if (!list) {
		free(path);
		return -ENOMEM;
	}
	*streams = list;
	list[(*count)++] = (struct capture_stream){ cpu, path };
	return 0;
}

static int add_streams(struct capture_stream **streams, size_t *count,
		       const struct capture_part *part)
{
	__attribute__((cleanup(close_directory))) DIR *directory = opendir(part->path);
	const char *entry;
	int cpu, err = 0;

	if (!directory)
		return -errno;
	while ((entry = inside_next(directory, &err))) {
		cpu = stream_file_cpu(entry);
		if (cpu >= 0)
			err = add_stream(streams, count, part, (unsigned int)cpu);
	}
	return err;
}

int stream_files_find(const struct capture_parts *parts, struct capture_stream **streams,
		      size_t *count, const char **failed)
{
	int err = 0;

	*streams = NULL;
	*count = 0;
	for (size_t i = 0; i < parts->count && !err; i++) {
		*failed = parts->list[i].path;
		err = add_streams(streams, count, &parts->list[i]);
	}
	if (!err && *count)
		qsort(*streams, *count, sizeof(**streams), compare_streams);
	return err;
}

void stream_files_deinit(struct capture_stream *streams, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(streams[i].path);
	free(streams);
}
