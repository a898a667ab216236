/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A line that perf script prints:
 *	comm tid|pid/tid [cpu] seconds.fraction: kmem:event: key=value …
 */
#ifndef CAPTURE_IMPORT_TEXT_LINE_H
#define CAPTURE_IMPORT_TEXT_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text_line {
	const char *event; /* "kmalloc", or "PERF_RECORD_LOST"; not ended by a NUL */
	size_t event_size;
	const char *fields; /* what follows the event's name */
	char comm[64];
	uint32_t tid, pid; /* pid: of the process, or tid if the line has only that */
	bool has_cpu;
	unsigned int cpu;
	uint64_t time; /* ns */
	bool coarse;   /* the time is in whole microseconds */
};

enum text_line_kind {
	TEXT_OTHER, /* not a kmem event: another subsystem, a stack, a comment, ... */
	TEXT_EVENT,
	TEXT_LOST,
	TEXT_BAD,     /* a kmem event without a valid task in front of it */
	TEXT_NO_TIME, /* a kmem event without a time */
};

enum text_line_kind text_line_parse(struct text_line *parsed, const char *line);

/*
 * The value of key ("ptr="), up to the text until (NULL: up to a space) or the end of the line. It
 * is cut to size. False: the line has no such key.
 */
bool text_line_field(const struct text_line *line, const char *key, const char *until, char *value,
		     size_t size);
bool text_line_number(const struct text_line *line, const char *key, uint64_t *number);

#endif
