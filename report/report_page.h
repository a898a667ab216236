/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* All views of a capture as one HTML page. */
#ifndef REPORT_REPORT_PAGE_H
#define REPORT_REPORT_PAGE_H

#include "report/options.h"

/* Writes the page to options->page_file, or to standard output; returns the exit status. */
int report_page(const struct report_options *options, struct capture *capture);

#endif
