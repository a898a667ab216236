/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The options of --summaries. */
#ifndef TRACER_PUBLISH_SUMMARIES_OPTIONS_H
#define TRACER_PUBLISH_SUMMARIES_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/option_table.h"
#include "fleet/summary/summary.h"

#define SUMMARIES_PARENT "/var/lib/kmemtrace"
#define SUMMARIES_DIRECTORY SUMMARIES_PARENT "/summaries"   /* the default */
#define SUMMARIES_KEEP_DEFAULT (30 * 86400 * 1000000000ULL) /* ns */
#define SUMMARIES_SHIP_MAX (1ULL << 30)			    /* bytes: the default with --ship-to */

struct summaries_options {
	uint64_t interval_ns;	/* 0: --summaries was not given */
	const char *directory;	/* of the files */
	uint64_t keep_ns;	/* of the files; UINT64_MAX: for ever */
	uint64_t max_bytes;	/* of the files; 0: the default, UINT64_MAX: no limit */
	const char *role;	/* of the host; "": none */
	bool by[SUMMARY_KINDS]; /* cgroup or comm: with rows of these too */
};

extern const struct option_row summaries_rows[];

#endif
