/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One report: one view of a capture, printed in one format. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "report/options.h"
#include "report/views/capture_header.h"
#include "report/views/view.h"

/* Checks --by, the sort keys and -F before a long analysis. 0, or -errno after a message. */
int report_check_columns(const struct report_options *options);

/*
 * Opens the capture at the path, as far as the options need it. EXIT_OK, or EXIT_TROUBLE after a
 * message.
 */
int report_open_capture(struct capture *capture, const struct report_options *options,
			const char *path);

/* A report of one view: set up, made from a capture, freed. 0, or -errno, with errmsg if known. */
int report_init(struct report *report, const struct report_options *options);
int report_make(struct report *report, struct capture *capture);
void report_deinit(struct report *report);

/* The number of rows of each table, by -l or the view; 0: all. */
size_t report_rows(const struct report *report, const struct report_options *options);

/*
 * Sorts and cuts the tables. -s sorts the first one; the others keep their default order. 0,
 * -ENOMEM, or -EINVAL with report->error set.
 */
int report_sort_and_cut(struct report *report, const struct report_options *options);

/* Prints the header and the tables, or the flame; returns the exit status. */
int report_render(const struct report_options *options, const struct header *header,
		  const struct report *report);

/*
 * Makes one view of the capture: the header, and the tables, sorted and cut as the options say. 0,
 * or -errno: report_failed() prints why. The caller calls capture_header_deinit() and
 * report_deinit() in each case.
 */
int report_run(struct report *report, struct capture_header *header,
	       const struct report_options *options, struct capture *capture);

/* Prints why report_run() failed; returns EXIT_TROUBLE. */
int report_failed(const struct report_options *options, const struct report *report, int err);

/* Checks --max-loss; returns the exit status. */
int report_check_max_loss(const struct report_options *options, const struct missing *missing);

/* The same; and prints losses that no header shows. */
int report_check_loss(const struct report_options *options, const struct capture_header *header,
		      const struct report *report);

/* Prints the report of the capture; returns the exit status. */
int report_print(const struct report_options *options, struct capture *capture);

#endif
