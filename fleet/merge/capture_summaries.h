/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The summaries of a capture, interval by interval, as a file of summaries. */
#ifndef FLEET_MERGE_CAPTURE_SUMMARIES_H
#define FLEET_MERGE_CAPTURE_SUMMARIES_H

#include <stddef.h>
#include <stdint.h>

struct progress_line;

#define CAPTURE_SUMMARIES_MAX 100000 /* of a capture; a longer time needs longer intervals */

struct capture_summaries {
	uint64_t interval;	    /* ns; 0: one summary of all */
	const char *directory;	    /* for files until the end */
	struct progress_line *line; /* or NULL */
	uint64_t damaged_bytes;	    /* result: of the capture */
	size_t left_out;	    /* result: pieces of a set */
	char errmsg[400];	    /* after a failure */
};

/*
 * Analyses the capture and writes its summaries to a new file. Intervals end at multiples of the
 * interval in the time since 1970, if the capture knows it. 0 or -errno with errmsg set.
 */
int capture_summaries_write(struct capture_summaries *summaries, const char *capture_path,
			    const char *path);

#endif
