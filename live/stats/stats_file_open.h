/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The open statistics file of a reader, with the buffers that it keeps between reads. */
#ifndef LIVE_STATS_STATS_FILE_OPEN_H
#define LIVE_STATS_STATS_FILE_OPEN_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "live/stats/stats_file.h"
#include "live/stats/stats_file_layout.h"

struct stats_file_reader {
	int file; /* descriptor; -1: none is open */
	dev_t device;
	ino_t inode;
	struct stats_file_layout layout;

	struct stats_file_slot slot;
	struct stats_file_slot_more slot_more; /* all 0: the writer does not have it */
	char *text;
	size_t text_bytes; /* that were copied before and stay valid: names never change */
	struct stats_file_record *records;
	unsigned char *more;	     /* by type, layout.type_more_bytes of each */
	struct type_stats_cpu *row;  /* of one CPU, by type */
	struct type_stats_cpu *cpus; /* by type, slot.cpus of each */
	size_t text_room, more_room, records_room, row_room, cpus_room,
		types_room; /* elements allocated */
};

/* Sets errmsg and returns -err. */
int stats_file_fail(struct stats_file_view *view, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
int stats_file_fail_damaged(struct stats_file_view *view, const char *path, const char *what);

/*
 * Opens the file that the path names now, unless it is open already, and checks that its writer
 * is alive. Returns 0 or -errno as stats_file_read().
 */
int stats_file_open(struct stats_file_view *view, const char *path);
void stats_file_close(struct stats_file_reader *reader);

/* Returns 0; -EBADMSG: the file is too short; or the -errno of a failed pread(). */
int stats_file_copy(struct stats_file_view *view, const char *path, void *to, size_t bytes,
		    uint64_t offset);

#endif
