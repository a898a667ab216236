/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The files of the streams: of each CPU, one in each part of the capture that has one. */
#ifndef CAPTURE_STREAM_FILES_H
#define CAPTURE_STREAM_FILES_H

#include <stddef.h>

#include "capture/parts.h"

struct capture_stream {
	unsigned int cpu;
	char *path;	 /* of its file in the last part that has one */
	uint32_t *parts; /* that have one, ascending: indices of capture_parts.list */
	size_t part_count;
};

/* "cpu3" in a part; NULL: no memory. */
char *capture_stream_path(const struct capture_part *part, unsigned int cpu);

/* The CPU whose stream has this file name, or -1. "cpu01" is not a stream. */
int stream_file_cpu(const char *name);

/*
 * The streams of all parts, by CPU, for stream_files_deinit(), after a failure too. 0, or -errno
 * with *failed, the path that the error belongs to.
 */
int stream_files_find(const struct capture_parts *parts, struct capture_stream **streams,
		      size_t *count, const char **failed);
void stream_files_deinit(struct capture_stream *streams, size_t count);

/* The bytes of its files now. */
uint64_t stream_files_bytes(const struct capture_stream *stream, const struct capture_parts *parts);

/* The sum over all streams. */
uint64_t stream_files_all_bytes(const struct capture_stream *streams, size_t count,
				const struct capture_parts *parts);

#endif
