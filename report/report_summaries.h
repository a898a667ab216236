/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reports on summaries, in place of a capture. */
#ifndef REPORT_REPORT_SUMMARIES_H
#define REPORT_REPORT_SUMMARIES_H

#include <stdbool.h>

#include "report/options.h"
#include "report/summaries/groups.h"
#include "report/summaries/summaries_header.h"

/*
 * Does the path name summaries: a file of them, or a directory that kmemtrace-merge made? Then
 * *file is the path of the file, to be freed, or NULL: no memory.
 */
bool report_summaries_find(const char *path, char **file);

/* For a comparison: is there an option that needs events? EXIT_TROUBLE after a message. */
int report_summaries_check_diff(const struct report_options *options);

enum summaries_by report_summaries_by(const struct report_options *options);

/* --max-loss, and parts of the file that were skipped: the exit status, after messages. */
int report_summaries_check_loss(const struct report_options *options,
				const struct summaries *summaries);

/* As report_run(), of summaries that are grouped. */
int report_summaries_run(struct report *report, struct summaries_header *header,
			 const struct report_options *options, const struct summaries_view *view);

/*
 * Reads and groups the summaries of a file. EXIT_OK, or EXIT_TROUBLE after a message. The caller
 * calls summaries_view_deinit() in each case; *view is all zero.
 */
int report_summaries_open(struct summaries_view *view, const struct report_options *options,
			  const char *file);

/* Prints the report; returns the exit status. */
int report_summaries_print(const struct report_options *options, const struct summaries_view *view);

#endif
