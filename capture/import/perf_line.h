/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A line that perf script prints:
 *	comm tid|pid/tid [cpu] seconds.fraction: kmem:event: key=value …
 */
#ifndef CAPTURE_IMPORT_PERF_LINE_H
#define CAPTURE_IMPORT_PERF_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perf_line {
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

enum perf_line_kind {
	PERF_OTHER, /* not a kmem event: another subsystem, a stack, a comment, ... */
	PERF_EVENT,
	PERF_LOST,
	PERF_BAD,     /* a kmem event without a valid task in front of it */
	PERF_NO_TIME, /* a kmem event without a time */
};

enum perf_line_kind perf_line_parse(struct perf_line *parsed, const char *line);

/*
 * The value of key ("ptr="), up to the text until (NULL: up to a space) or the end of the line. It
 * is cut to size. False: the line has no such key.
 */
bool perf_line_field(const struct perf_line *line, const char *key, const char *until, char *value,
		     size_t size);
bool perf_line_number(const struct perf_line *line, const char *key, uint64_t *number);

#endif
