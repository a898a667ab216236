/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The statistics file: counters of the running system by memory type. One process writes it and
 * any number of processes read it, with no lock between writer and readers. The writer never
 * waits. A reader copies one consistent snapshot, or tries again.
 *
 * The writer maps the file. A reader copies the used parts with pread(): a copy is as fast as a
 * mapping, and a hostile, truncated or full file system cannot end a reader with SIGBUS.
 *
 * The file is sparse. It has space for all types that it may ever hold, times the possible CPUs;
 * only the used parts take memory. Its numbers are in the byte order of this machine.
 */
#ifndef LIVE_STATS_STATS_FILE_H
#define LIVE_STATS_STATS_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "live/stats/type_stats.h"

#define STATS_FILE_PATH "/run/kmemtrace/memstat" /* the default */
#define STATS_FILE_LOST_UNKNOWN UINT64_MAX

/* The time, losses and begin of a snapshot, without its types. */
struct stats_snapshot {
	uint64_t time;	/* ns, CLOCK_MONOTONIC: the counters include every event before it */
	uint64_t lost;	/* events that no counter includes, or STATS_FILE_LOST_UNKNOWN */
	uint64_t begin; /* ns: when tracing began */
	/* Readers that do not choose show the objects that existed when tracing began, too. */
	bool with_base;
	/* The unobserved paths, separated by commas; NULL: not known which paths are observed. */
	const char *paths;
};

struct stats_file_settings {
	const char *path;
	gid_t group;			    /* may read too; (gid_t)-1: only the owner may read */
	const char *group_name;		    /* for messages; NULL: they print its number */
	size_t cpus;			    /* possible CPUs: the highest number + 1 */
	size_t types_max[TYPE_STATS_KINDS]; /* as in struct type_stats_settings */
};

struct stats_file; /* of the writer */

/*
 * Creates the file, and its directory (mode 0755) if that is missing, and locks the file with an
 * open file description lock, which ends with the process. Returns 0; or -errno with error set,
 * -EBUSY if another process publishes there. Readers find nothing before the first
 * stats_file_write().
 */
int stats_file_create(struct stats_file **stats_file, const struct stats_file_settings *settings,
		      struct error *error);

/*
 * Writes the counters as a new snapshot, which replaces the last one. The cost is proportional to
 * the number of types that changed: the caller increments type_stats->generation after each call.
 * Cannot fail: a type for which there is no space is omitted, and its events are added to lost.
 */
void stats_file_write(struct stats_file *stats_file, const struct type_stats *type_stats,
		      const struct stats_snapshot *snapshot);

/* The types for which there was no space. */
struct stats_file_omitted {
	int err;	 /* errno of the first failure; 0: none */
	size_t types;	 /* omitted from the last snapshot */
	uint64_t events; /* of these types, by their counters now */
};

void stats_file_omitted(const struct stats_file *stats_file, const struct type_stats *type_stats,
			struct stats_file_omitted *omitted);

/* Bytes that the file takes at most, by its settings, and now. */
size_t stats_file_bytes_max(const struct stats_file *stats_file);
size_t stats_file_bytes(const struct stats_file *stats_file);

/* The descriptor of its directory, where the file is renamed and removed. */
int stats_file_directory(const struct stats_file *stats_file);

/* Unmaps and removes the file. NULL is allowed. -errno: its name stays; readers see its end. */
int stats_file_remove(struct stats_file *stats_file);

/* A snapshot that a reader copied. */
struct stats_file_view {
	struct stats_snapshot snapshot;
	size_t cpus; /* possible CPUs; a type has counters of at most as many */
	size_t class_count;
	size_t class_bytes[TYPE_STATS_CLASSES_MAX];
	struct type_stats_type *types; /* in order of first appearance; changed is not set */
	size_t count;
	char errmsg[400];		  /* after a failure, when there are no types */
	struct stats_file_reader *reader; /* the open file and buffers for the next read */
};

/*
 * Copies the snapshot that is published at path into the view, which is all zero before the first
 * call. Returns 0, or -errno with errmsg set:
 *	-ENOENT		nothing is published there, or not yet, or the writer has ended
 *	-ENOTDIR	a part of the path is not a directory
 *	-EACCES		the file may not be read
 *	-EPROTONOSUPPORT the file has another version
 *	-EBADMSG	the file is damaged, or not a statistics file
 *	-EAGAIN		the writer replaced the snapshot during each of a hundred reads
 *	-ENOMEM
 */
int stats_file_read(struct stats_file_view *view, const char *path);
void stats_file_view_deinit(struct stats_file_view *view);

#endif
