/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A message if --cache matches no slab cache of the capture. */
#ifndef REPORT_UNKNOWN_CACHE_H
#define REPORT_UNKNOWN_CACHE_H

#include "report/options.h"

/* After the analysis. Names the cache that the user probably means. */
void say_unknown_cache(const struct report_options *options, const struct report *report);

#endif
