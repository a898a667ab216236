/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The unobserved paths as one text, as a statistics file and libmemstat store them. */
#ifndef LIVE_STATS_STATS_PATHS_H
#define LIVE_STATS_STATS_PATHS_H

#include "capture/status.h"

/*
 * The names of the paths that are not observed, separated by commas; the caller frees it. NULL: no
 * memory. A status without any path does not say which are observed.
 */
char *stats_paths_unobserved(const struct status *status);

#endif
