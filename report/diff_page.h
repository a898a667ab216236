/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A comparison of two captures as an HTML page. */
#ifndef REPORT_DIFF_PAGE_H
#define REPORT_DIFF_PAGE_H

#include "report/options.h"
#include "report/render/header.h"
#include "report/render/table.h"

struct diff_page {
	const struct header *header;
	const struct table *tables;
	size_t table_count;
	const char *unit; /* of flows */
};

/*
 * Writes the page of tables with columns for programs to options->page_file, or to standard output;
 * returns the exit status.
 */
int diff_page_print(const struct report_options *options, const struct diff_page *page);

#endif
