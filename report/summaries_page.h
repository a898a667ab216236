/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Summaries as an HTML page. */
#ifndef REPORT_SUMMARIES_PAGE_H
#define REPORT_SUMMARIES_PAGE_H

#include "report/options.h"
#include "report/summaries/tables.h"

/*
 * Writes the page of summaries, which were read with wants_growth, to options->page_file, or to
 * standard output. Returns the exit status, after a message if it fails.
 */
int summaries_page_print(const struct report_options *options, const struct summaries_view *view);

#endif
