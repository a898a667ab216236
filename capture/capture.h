/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* An opened capture: its metadata, its status, its tables of names, the list of its streams. */
#ifndef CAPTURE_CAPTURE_H
#define CAPTURE_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "kernel/allocinfo.h"
#include "kernel/caches.h"
#include "kernel/cgroups.h"
#include "kernel/gfp.h"
#include "kernel/process_memory.h"
#include "kernel/heap.h"
#include "kernel/slabinfo.h"
#include "kernel/stacks.h"
#include "kernel/user_symbols.h"
#include "kernel/symbols.h"
#include "kernel/tasks.h"
#include "kernel/topology.h"
#include "kernel/tracks.h"
#include "kernel/where.h"
#include "capture/checkpoint_state.h"
#include "capture/metadata.h"
#include "capture/parts.h"
#include "capture/status.h"
#include "capture/stream_files.h"

/* A table, or the status, that is missing or damaged. */
struct unread_table {
	const char *key;   /* status, symbols, hidden or the name of the table */
	int err;	   /* -ENOENT: the file does not exist, …; 0: the file is incomplete */
	char summary[320]; /* for the user: the missing part and the consequence */
};

#define UNREAD_TABLES_MAX 12

struct live_capture;

struct capture {
	char *path;
	struct capture_parts parts;	    /* the directories that it is read from */
	struct checkpoint_state checkpoint; /* begin 0: there is none */
	bool goes_on; /* the streams of its first part have events of earlier pieces before them */
	struct metadata metadata;
	struct status status;
	bool has_status; /* kernel/status exists and could be parsed */
	struct symbols symbols;
	struct caches caches;
	struct tasks tasks;
	struct topology topology;
	struct gfp_table gfp;
	struct heap_readings heap;		/* empty in captures of some kernels and versions */
	struct tracks tracks;			/* the same */
	struct allocinfo allocinfo;		/* the same */
	struct where where;			/* the same */
	struct slabinfo slabinfo;		/* empty in captures of some kernels and versions */
	struct process_memories process_memory; /* empty without --proc-mem */
	struct cgroups cgroups;			/* empty in older and imported captures */
	struct stacks stacks;			/* empty without --stacks and --profile */
	struct user_symbols user_symbols;	/* empty without --user-stacks */
	struct capture_stream *streams;		/* by cpu */
	size_t stream_count;
	bool being_written; /* not finished, and kmemtraced is running */
	struct unread_table unread[UNREAD_TABLES_MAX];
	size_t unread_count;
	struct live_capture *live; /* it grows while it is read; NULL: all is there */
	unsigned int changes;	   /* of the tables of a live capture, counted: names may differ */
	struct error error;	   /* after a failure */
};

#define CAPTURE_DEFAULT "kmemtrace.data"

/*
 * Opens a capture. 0, or -errno with error set: -ENOENT (the path does not exist, or is an empty
 * directory), -ENOTDIR, -EINVAL (not a capture), -EPROTONOSUPPORT (the format is newer), …. A
 * missing or damaged table is not an error: it is empty, and `unread` names it. It is an error if a
 * table could not be read because of a shortage of memory or of file descriptors.
 */
int capture_open(struct capture *capture, const char *path);

/* The same, but of a set only the pieces of the range are read: see capture_parts_find(). */
int capture_open_range(struct capture *capture, const char *path,
		       const struct capture_range *range);

/* The same for a capture or piece alone, without its checkpoint. -EISDIR: it is a set. */
int capture_open_alone(struct capture *capture, const char *path);
void capture_close(struct capture *capture);

/* Does the status list the tasks of kmemtraced itself? */
bool capture_knows_own(const struct capture *capture);

/* Does the capture know how many events the kernel skipped, up to the capture's end? */
bool capture_knows_skips(const struct capture *capture);

/* Is a program writing the capture? The program holds a lock (flock) on the metadata. */
bool capture_is_being_written(const char *path);

#endif
