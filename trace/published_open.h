/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the reader of a published file keeps between readings, and the file that it reads. */
#ifndef TRACE_PUBLISHED_OPEN_H
#define TRACE_PUBLISHED_OPEN_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "trace/published.h"
#include "trace/published_layout.h"

struct published_memory {
	int file; /* -1: none is open */
	dev_t device;
	ino_t inode;
	struct published_layout layout;

	struct published_slot slot;
	char *text;
	size_t text_bytes, text_room; /* that are known for good: names never change */
	struct published_record *records;
	struct tally_cpu *row;	/* of one CPU, by type */
	struct tally_cpu *cpus; /* by type, slot.cpus of each */
	size_t records_room, row_room, cpus_room, types_room;
};

/* Sets why and returns -err. */
int published_fail(struct published_view *view, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
int published_fail_damaged(struct published_view *view, const char *path, const char *what);

/*
 * Opens the file that the path names now, if it is not the one that is open, and looks whether
 * it has a writer. 0 or -errno as published_read().
 */
int published_open(struct published_view *view, const char *path);
void published_close(struct published_memory *memory);

/* 0, -EBADMSG: the file is shorter, or the -errno of a read that failed. */
int published_copy(struct published_view *view, const char *path, void *to, size_t bytes,
		   uint64_t at);

#endif
