/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which summaries a store has accepted, by host, boot, run and number; and the state file that
 * keeps this from one run of kmemtrace-ship to the next. Files of summaries can be renamed, copied
 * and merged: what counts is what is in them. A state file that is lost costs a repetition only.
 */
#ifndef FLEET_SHIP_ACCEPTED_H
#define FLEET_SHIP_ACCEPTED_H

#include <stdbool.h>
#include <stdint.h>

#include "fleet/summary/summary.h"

/* The time of which the sums of hours and days are not computed yet; ns since 1970. */
struct ship_span {
	uint64_t begin, until; /* until 0: none */
};

struct accepted {
	const char *path, *url; /* the caller's */
	struct summary set;	/* its sources */
	struct ship_span to_roll_up;
	int lock;	  /* -1: none */
	bool cannot_save; /* the last attempt failed, and this was printed */
	char errmsg[400];
};

/*
 * Locks the state file and reads it, if it exists. 0 or -errno with errmsg set. -EBADMSG: the file
 * is damaged, or another one, and nothing is known; a save replaces it.
 */
int accepted_open(struct accepted *accepted, const char *path, const char *url);
void accepted_close(struct accepted *accepted);

bool accepted_has(const struct accepted *accepted, const struct summary *summary);

/* A source that is there already counts once. 0 or -ENOMEM. */
int accepted_add(struct accepted *accepted, const struct summary_source *source);

void ship_span_add(struct ship_span *span, uint64_t begin, uint64_t until);

/* Replaces the state file at once. A failure is printed once: without it, all goes on, but after
 * the next start the same summaries are sent again. */
void accepted_save(struct accepted *accepted);

/* The state file of a URL, where nothing else was said; its folder is made. NULL with a message. */
char *accepted_default_path(const char *url);

#endif
