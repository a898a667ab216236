/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Adds up the summaries of many files by the ends of their intervals, in one pass: memory holds the
 * sum of one interval, one summary, and a few numbers of each file.
 */
#ifndef FLEET_MERGE_MERGE_SUMMARIES_H
#define FLEET_MERGE_MERGE_SUMMARIES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "fleet/merge/merge_inputs.h"

#define MERGE_INTERVAL_ALL UINT64_MAX

struct merge_settings {
	uint64_t interval; /* ns: of the output; 0: as the input; or MERGE_INTERVAL_ALL */
	bool quiet;
};

/* Writes a file of summaries. An exit status, after messages. */
int merge_summaries(const struct merge_inputs *inputs, const struct merge_settings *settings,
		    FILE *output);

#endif
