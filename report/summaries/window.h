/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The summaries that --time and --at select: those of intervals that lie within it. */
#ifndef REPORT_SUMMARIES_WINDOW_H
#define REPORT_SUMMARIES_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/select.h"
#include "fleet/summary/summary.h"

struct summaries_window {
	bool is_open;		/* all summaries are in it */
	uint64_t after, before; /* ns since 1970 */
	uint64_t begin, end;	/* of the file */
};

enum window_place {
	WINDOW_BEFORE, /* it begins before the window */
	WINDOW_INSIDE,
	WINDOW_AFTER, /* it ends after the window */
};

/*
 * select NULL: open. Durations count from the begin of the first summary of the file on, which is
 * read for it without its rows. 0, or -errno after a message.
 */
int summaries_window_init(struct summaries_window *window, const struct select *select,
			  const char *path);

enum window_place summaries_window_find(const struct summaries_window *window,
					const struct summary *summary);

#endif
