/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A line of what perf script prints:
 *	comm tid|pid/tid [cpu] seconds.fraction: kmem:event: key=value …
 */
#ifndef IMPORT_PERF_LINE_H
#define IMPORT_PERF_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perf_line {
	const char *event; /* "kmalloc", or "PERF_RECORD_LOST"; not ended by a NUL */
	size_t event_size;
	const char *fields; /* what follows the event's name */
	char comm[64];
	uint32_t tid, pid; /* pid: of the process; tid where it is not told */
	bool has_cpu;
	unsigned int cpu;
	uint64_t time; /* ns */
	bool coarse;   /* only whole microseconds are told */
};

enum perf_line_kind {
	PERF_OTHER, /* no event of kmem: of another system, of a stack, a comment, … */
	PERF_EVENT,
	PERF_LOST,
	PERF_BAD,     /* an event of kmem without what must stand before it */
	PERF_NO_TIME, /* the same: without a time */
};

/* Takes line apart. */
enum perf_line_kind perf_line_parse(struct perf_line *parsed, const char *line);

/*
 * The value of key ("ptr="), which goes up to the next " until", or " " if that is NULL, or the end
 * of the line. Cut to size; false: there is no such key.
 */
bool perf_line_field(const struct perf_line *line, const char *key, const char *until, char *value,
		     size_t size);
bool perf_line_number(const struct perf_line *line, const char *key, uint64_t *number);

#endif
