/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A capture directory, opened: its metadata, status, tables of names, and list of streams. */
#ifndef CAPTURE_CAPTURE_H
#define CAPTURE_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>

#include "kernel/caches.h"
#include "kernel/gfp.h"
#include "kernel/slabinfo.h"
#include "kernel/symbols.h"
#include "kernel/tasks.h"
#include "kernel/topology.h"
#include "capture/metadata.h"
#include "capture/status.h"

struct capture_stream {
	unsigned int cpu;
	char *path;
};

/* What a reader must do without. */
struct capture_missing {
	const char *key;   /* status, symbols, hidden or the name of the table */
	int err;	   /* -ENOENT: there is no such file, …; 0: it says less */
	char summary[320]; /* what is missing, and the consequence, for the user */
};

#define CAPTURE_MISSING_MAX 8

struct capture {
	char *path;
	struct metadata metadata;
	struct status status;
	bool has_status; /* kernel/status was there and could be read */
	struct symbols symbols;
	struct caches caches;
	struct tasks tasks;
	struct topology topology;
	struct gfp_table gfp;
	struct slabinfo slabinfo;	/* not every capture has it */
	struct capture_stream *streams; /* by cpu */
	size_t stream_count;
	bool being_written; /* not finished, and a kmemtraced is at it */
	struct capture_missing missing[CAPTURE_MISSING_MAX];
	size_t missing_count;
	char errmsg[300]; /* after a failure */
};

#define CAPTURE_DEFAULT "kmemtrace.data"

/*
 * 0, or -errno with errmsg set: -ENOENT (nothing there, or nothing of a capture), -ENOTDIR, -EINVAL
 * (no capture), -EPROTONOSUPPORT (a newer format), …. A table that is missing or damaged is no
 * failure: it is empty, and missing says so.
 */
int capture_open(struct capture *capture, const char *path);
void capture_close(struct capture *capture);

/* Of all its streams, as large as they are now. */
uint64_t capture_stream_bytes(const struct capture *capture);

/* Does the capture tell which tasks were kmemtraced's own? */
bool capture_knows_own(const struct capture *capture);

/* Does the capture know how many events the kernel skipped, up to the capture's end? */
bool capture_knows_skips(const struct capture *capture);

/* Is a kmemtraced writing it? It holds a lock (flock) on the metadata meanwhile. */
bool capture_is_being_written(const char *path);

#endif
