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
	bool some_observe;	/* unobserved is of some captures only: others differ */
	uint64_t sampling;	/* bytes: the largest interval of samples; 0: none */
	bool names_lost;      /* of caches: objects may count for another cache, or without bytes */
	bool skipped_partial; /* more events may be skipped */
	bool no_slab;	      /* events are of the memory of processes only */
	bool counted_unknown; /* of a profile, but counted lacks its events */
	uint64_t counted;     /* all events, if a part is of a profile, which records some; or 0 */
};

struct analysis;

/*
 * Sets the events that the counters of an analysis lack so far, and raises the sampling interval to
 * the largest one of its samples. An event of a slab cache whose name is not known counts: only its
 * bytes are missing.
 */
void missing_set_uncounted(struct missing *missing, const struct analysis *analysis);

/* After analysis_run(): of the whole capture. */
struct missing missing_of_capture(const struct analysis *analysis);

/* Adds the events that another part of the figures lacks. Sums do not exceed UINT64_MAX. */
void missing_add(struct missing *sum, const struct missing *missing);

/* The events that are lost, skipped or uncounted. */
uint64_t missing_events(const struct missing *missing);

/* The share of these in all events; or more, if missing_percent_is_bound(). */
double missing_percent(const struct missing *missing);
bool missing_percent_is_bound(const struct missing *missing);

/* "lost or skipped"; with uncounted events "lost, skipped or uncounted". */
const char *missing_words(const struct missing *missing);

#define MISSING_TEXT 160

enum missing_kind {
	MISSING_EVENTS,
	MISSING_PATHS,
	MISSING_NAMES,
	MISSING_ALL_BUT_SAMPLES, /* all figures are estimates */
	MISSING_KINDS
};

/* Each returns text. The first one: what is missing of this kind, as a sentence; NULL: nothing. */
const char *missing_text(const struct missing *missing, enum missing_kind kind,
			 char text[MISSING_TEXT]);
/* All counts, for a header. */
const char *missing_counts_text(const struct missing *missing, char text[MISSING_TEXT]);
/* The events that are missing, for a message where no header is printed. */
const char *missing_message(const struct missing *missing, char text[MISSING_TEXT]);
/* "0.025%" */
const char *missing_percent_text(double percent, char text[MISSING_TEXT]);
/* "3 paths are not observed" */
const char *missing_paths_text(const struct missing *missing, char text[MISSING_TEXT]);

#endif
