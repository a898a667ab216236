/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The checks that need the whole capture: its streams, metadata and tables. */
#ifndef CHECK_CHECK_CAPTURE_H
#define CHECK_CHECK_CAPTURE_H

#include "check/stream_state.h"

struct capture_state;

struct capture_check {
	struct check_info info;
	const char *file; /* the part of the capture that its problems are about */
	void (*run)(struct capture_state *state);
};

struct capture_state {
	struct check_problems *problems;
	const struct capture_check *check; /* the check that runs now */
	const struct capture *capture;
	const struct stream_state
		*streams; /* one for each stream of the capture, read to the end */
	int err;	  /* -errno of a check that could not be made */
};

extern const struct capture_check capture_checks[];
extern const size_t capture_check_count;

int check_capture_run(struct capture_state *state); /* 0 or -errno */

/* The table is absent: a later version wrote it in a format that this version cannot read. */
bool check_table_is_newer(const struct capture *capture, const struct unread_table *unread);

#endif
