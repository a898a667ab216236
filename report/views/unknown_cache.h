/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A message if --cache or --where names a slab cache that the capture does not have. */
#ifndef REPORT_VIEWS_UNKNOWN_CACHE_H
#define REPORT_VIEWS_UNKNOWN_CACHE_H

#include "report/views/view.h"

/*
 * After the analysis, which may be of summaries (report->capture is NULL): no message then. Names
 * the cache that the user probably means. query: with the expression of --where; or NULL. input:
 * the name of the capture; NULL: it has none. True: there was a message.
 */
bool say_unknown_cache(const struct report *report, const struct query *query, const char *input);

#endif
