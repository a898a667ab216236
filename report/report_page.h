/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* All views of a capture as one HTML page, and what the page of summaries has in common with it. */
#ifndef REPORT_REPORT_PAGE_H
#define REPORT_REPORT_PAGE_H

#include <jansson.h>

#include "report/options.h"
#include "report/render/header.h"
#include "report/views/view.h"

/*
 * The data of a view for a page: its tables, in so many bytes; of a flame its totals, and of the
 * summary all sections of the header. NULL: no memory.
 */
json_t *report_page_data(const struct report *report, const struct header *header, size_t bytes);

/* Writes the page to options->page_file, or to standard output; returns the exit status. */
int report_page(const struct report_options *options, struct capture *capture);

#endif
