/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One line on the terminal that is drawn over itself, at most ten times a second, to say how far
 * something is. On standard error; nothing, if that is no terminal.
 */
#ifndef TERMINAL_LINE_H
#define TERMINAL_LINE_H

#include <stdbool.h>
#include <stdint.h>

#define TERMINAL_INTERVAL 100000000ULL /* ns */
#define TERMINAL_DELAY 1000000000ULL   /* ns: what is done by then needs no line */

struct terminal_line {
	bool shown;	     /* stderr is a terminal, and somebody wants it */
	bool dirty;	     /* it stands there */
	uint64_t begin, due; /* ns of terminal_now(): when it may be drawn next */
	const char *what;    /* is read, for terminal_line_bytes() */
};

uint64_t terminal_now(void);

/* Nothing is drawn before the delay, ns, is over. */
void terminal_line_init(struct terminal_line *line, bool quiet, uint64_t delay);

/* Is it time to draw it? */
static inline bool terminal_line_is_due(const struct terminal_line *line, uint64_t now)
{
	return line->shown && now >= line->due;
}

__attribute__((format(printf, 3, 4))) void
terminal_line_draw(struct terminal_line *line, uint64_t now, const char *format, ...);

/* Says how many of the bytes are done, if it is time. line: a struct terminal_line. */
void terminal_line_bytes(void *line, uint64_t done, uint64_t bytes);

/* Wipes it, so that something else can be printed. Takes NULL. */
void terminal_line_clear(struct terminal_line *line);

#endif
