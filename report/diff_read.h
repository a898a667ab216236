/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads one of the two captures of a comparison, or summaries in place of it. */
#ifndef REPORT_DIFF_READ_H
#define REPORT_DIFF_READ_H

#include "report/diff_header.h"

/*
 * Fills the side, and capture->header or capture->summaries_header, from what the user named as the
 * path. Returns the exit status, after messages; the caller frees all, whatever it is.
 */
int diff_read(const struct report_options *options, const char *path, struct diff_capture *capture,
	      struct diff_side *side);

/* Prints errmsg of the report, or else the text of err. Returns the exit status. */
int diff_print_error(const struct report *report, const char *path, int err);

#endif
