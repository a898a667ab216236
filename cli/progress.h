/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One line on the terminal that is drawn over itself, at most ten times a second, to say how far
 * something is. On standard error; nothing, if that is no terminal.
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#define PROGRESS_INTERVAL 100000000ULL /* ns */
#define PROGRESS_DELAY 1000000000ULL   /* ns: what is done by then needs no line */

struct progress_line {
	bool shown;	     /* stderr is a terminal, and somebody wants it */
	bool dirty;	     /* it stands there */
	uint64_t begin, due; /* ns of progress_now(): when it may be drawn next */
	const char *what;    /* is read, for progress_line_bytes() */
};

uint64_t progress_now(void);

/* Nothing is drawn before the delay, ns, is over. */
void progress_line_init(struct progress_line *line, bool quiet, uint64_t delay);

/* Is it time to draw it? */
static inline bool progress_line_is_due(const struct progress_line *line, uint64_t now)
{
	return line->shown && now >= line->due;
}

__attribute__((format(printf, 3, 4))) void
progress_line_draw(struct progress_line *line, uint64_t now, const char *format, ...);

/* Says how many of the bytes are done, if it is time. line: a struct progress_line. */
void progress_line_bytes(void *line, uint64_t done, uint64_t bytes);

/* Wipes it, so that something else can be printed. Takes NULL. */
void progress_line_clear(struct progress_line *line);

#endif
