/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The progress line: one line on the terminal, redrawn at most ten times a second. It goes to
 * standard error, and nothing is drawn unless that is a terminal.
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#define PROGRESS_INTERVAL 100000000ULL /* ns */
#define PROGRESS_DELAY 1000000000ULL   /* ns: work that ends within it shows no line */

struct progress_line {
	bool enabled;	      /* standard error is a terminal, and --quiet is not given */
	uint64_t begin, due;  /* CLOCK_MONOTONIC, ns; it is not drawn before due */
	const char *file;     /* for progress_line_bytes() */
	uint64_t last;	      /* progress_line_events(): when it was drawn last, ns */
	uint64_t last_events; /* and the events at that time */
};

/* Nothing is drawn before the delay, ns, is over. */
void progress_line_init(struct progress_line *line, bool quiet, uint64_t delay);

/* Draws how many of the bytes of the file are read, if it is time. line: a struct progress_line. */
void progress_line_bytes(void *line, uint64_t done, uint64_t bytes);

/* Draws the time since the beginning, the events and their rate, and the lost events, if it is
 * time. */
void progress_line_events(struct progress_line *line, uint64_t events, uint64_t lost);

/* Clears the line that is on the terminal, if any, so that something else can be printed. */
void progress_line_clear(void);

#endif
