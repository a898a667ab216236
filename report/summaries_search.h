/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Files of summaries that are not merged yet: a report reads one file. */
#ifndef REPORT_SUMMARIES_SEARCH_H
#define REPORT_SUMMARIES_SEARCH_H

#include <stdbool.h>

/* Does the name end as that of a file of summaries? */
bool summaries_search_name(const char *name);

/* Is there such a file in the directory, or in its directories? */
bool summaries_search(const char *directory);

#endif
