/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The state of a repair, which its steps share. */
#ifndef CHECK_REPAIR_REPAIR_STATE_H
#define CHECK_REPAIR_REPAIR_STATE_H

#include "base/error.h"
#include "capture/directory.h"
#include "capture/metadata.h"
#include "check/repair/repair_stream.h"

struct repair {
	char *path;		       /* the directory of the original, not a link to it */
	int original;		       /* file descriptor of this directory */
	struct directory directory;    /* of the new capture */
	struct repair_stream *streams; /* by cpu */
	size_t stream_count;
	struct capture_id id;
	struct metadata metadata;
	bool metadata_read;    /* the old metadata could be read */
	bool metadata_rebuilt; /* the old metadata cannot be copied */
	struct status status;
	struct error status_error; /* why the old status cannot be read */
	/* the counters of the old status add up, so they count lost ends of streams too */
	bool status_consistent;
	struct repair_end end;
	bool quiet;
	struct error *error;
};

/* Prints a line on stdout unless quiet: the path of the capture and, without a space, the text. */
__attribute__((format(printf, 2, 3))) void repair_print(const struct repair *repair,
							const char *format, ...);

#endif
