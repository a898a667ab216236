/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The figures of the running system in a file: written by one process, read by any number, with
 * no lock between them. The writer never waits; a reader takes a whole moment, or tries again.
 *
 * The writer maps the file. A reader copies what is used of it: that is as fast, and no file,
 * however hostile, cut or full its file system, can end a reader with SIGBUS.
 *
 * The file has room for all types that it may ever hold, times the CPUs that the machine may ever
 * have; only what is used takes memory. Of this machine alone: in its byte order.
 */
#ifndef STATS_STATS_FILE_H
#define STATS_STATS_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "stats/type_stats.h"

#define STATS_FILE_PATH "/run/kmemtrace/memstat" /* unless one is named */
#define STATS_FILE_LOST_UNKNOWN UINT64_MAX

/* What a moment says besides its types. */
struct stats_snapshot {
	uint64_t time;	/* ns, CLOCK_MONOTONIC: the figures have all events before it, */
	uint64_t lost;	/* but for so many that are in none; or STATS_FILE_LOST_UNKNOWN */
	uint64_t begin; /* ns: tracing began then */
};

struct stats_file_settings {
	const char *path;
	gid_t group;			    /* who may read, beside the owner; (gid_t)-1: nobody */
	const char *group_name;		    /* as messages call it; NULL: its number */
	size_t cpus;			    /* possible CPUs: the highest number + 1 */
	size_t types_max[TYPE_STATS_KINDS]; /* as the tally's */
};

struct stats_file; /* the writer's side */

/*
 * Makes the file anew, with its directory (mode 0755) if that is missing, and locks it (an open
 * file description lock, which ends with the process). 0; or -errno with errmsg set: -EBUSY:
 * another process publishes there, …. Nothing is to be read until the first stats_file_write().
 */
int stats_file_create(struct stats_file **stats_file, const struct stats_file_settings *settings,
		      char *errmsg, size_t errmsg_size);

/*
 * The tally as it is now takes the place of what was written before. Costs in proportion to the
 * types that changed since: the caller steps tally->generation by one after each call. Cannot
 * fail: a type that finds no room is left out, and its events are added to those that are lost.
 */
void stats_file_write(struct stats_file *stats_file, const struct type_stats *type_stats,
		      const struct stats_snapshot *moment);

/* What found no room. */
struct stats_file_left_out {
	int err;	 /* errno that said so, first; 0: nothing */
	size_t types;	 /* by the last stats_file_write() */
	uint64_t events; /* that these have in the tally as it is now */
};

void stats_file_left_out(const struct stats_file *stats_file, const struct type_stats *type_stats,
			 struct stats_file_left_out *left_out);

/* Bytes that the file takes at most, by its settings, and now. */
size_t stats_file_bytes_max(const struct stats_file *stats_file);
size_t stats_file_bytes(const struct stats_file *stats_file);

/* Unmaps and removes the file. NULL is allowed. */
void stats_file_remove(struct stats_file *stats_file);

/* The reader's side: a moment, copied. */

struct stats_file_view {
	struct stats_snapshot moment;
	size_t cpus; /* possible CPUs; a type tells of as many as it needs */
	size_t class_count;
	size_t class_bytes[TYPE_STATS_CLASSES_MAX];
	struct type_stats_type *types; /* in order of first appearance; changed is not set */
	size_t count;
	char errmsg[400];		  /* after a failure: then there are no types */
	struct stats_file_memory *memory; /* kept for the next reading */
};

/*
 * Copies the moment that is published at path into the view (all zero before the first time; then
 * its memory is used again). 0, or -errno with errmsg set: -ENOENT: nothing is published, or not
 * yet, or the writer is gone; -ENOTDIR: of its directory; -EACCES; -EPROTONOSUPPORT: of another
 * version; -EBADMSG: it is damaged, or no such file; -ENOMEM; -EAGAIN: the writer was faster a
 * hundred times.
 */
int stats_file_read(struct stats_file_view *view, const char *path);
void stats_file_view_deinit(struct stats_file_view *view);

#endif
