/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The counts of events that the figures of a capture, of summaries or of a fleet do not include. */
#ifndef ANALYSIS_MISSING_H
#define ANALYSIS_MISSING_H

#include <stdbool.h>
#include <stdint.h>

struct missing {
	uint64_t recorded;	/* events; uncounted is a part of them */
	uint64_t lost, skipped; /* events without a record */
	uint64_t uncounted;	/* recorded events that the figures do not include in full */
	uint64_t unobserved;	/* paths of the allocator; of several captures the most */
	uint64_t sampling;	/* bytes: the largest interval of samples; 0: none */
	bool names_lost;	/* of caches: objects may count for another cache */
	bool skipped_partial;	/* more events may be skipped */
	uint64_t counted;	/* all events of a profile, which records some; 0: no profile */
};

struct analysis;

/* After analysis_run(): of the whole capture. */
struct missing missing_of_capture(const struct analysis *analysis);

/* Adds what another part of the figures lacks. Sums do not exceed UINT64_MAX. */
void missing_add(struct missing *sum, const struct missing *missing);

/* The events that are lost, skipped or uncounted. */
uint64_t missing_events(const struct missing *missing);

/* The share of these in all events. */
double missing_percent(const struct missing *missing);

#endif
