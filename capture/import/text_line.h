/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A line of a text of kmem events. The fields behind the name of the event are the same in all
 * texts; the words in front of it differ:
 * perf script:
 *	comm tid|pid/tid [cpu] seconds.fraction: kmem:event: key=value …
 * ftrace, trace-cmd report:
 *	comm-tid (pid) [cpu] flags seconds.fraction: event: key=value …
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
	char buffer[64];   /* the buffer that trace-cmd report names in front of the task, or "" */
	uint32_t tid, pid; /* pid: of the process, or tid if the line has only that */
	bool has_cpu;
	unsigned int cpu;
	bool has_time;
	uint64_t time; /* ns, or a number of an unknown unit if is_number */
	bool coarse;   /* the time is in whole microseconds */
	bool is_number;
	bool has_lost;
	uint64_t lost; /* of TEXT_LOST, if has_lost */
};

enum text_line_kind {
	TEXT_OTHER, /* no event: a stack, a comment, ... */
	TEXT_EVENT,
	TEXT_LOST,
	TEXT_BAD,     /* a kmem event without a valid task in front of it */
	TEXT_NO_TIME, /* a kmem event without a time */
};

/* Parses a line without its newline: of perf script, and of ftrace or trace-cmd report. */
enum text_line_kind perf_line_parse(struct text_line *parsed, const char *line);
enum text_line_kind ftrace_line_parse(struct text_line *parsed, const char *line);

/*
 * The value of key ("ptr="), up to the text until (NULL: up to a space) or the end of the line. It
 * is cut to size. False: the line has no such key.
 */
bool text_line_field(const struct text_line *line, const char *key, const char *until, char *value,
		     size_t size);
/* A decimal number, or a hexadecimal one with 0x. */
bool text_line_number(const struct text_line *line, const char *key, uint64_t *number);

/* The KMT_ id of an allocation or free; KMT_NONE: another event. */
uint8_t text_line_id(const struct text_line *line);

/* Parts of a line's head, for the parsers of lines. */

/* Finds the last word before *end, and sets *end to its beginning. Its size, or 0. */
size_t text_word_before(const char *line, const char **end);
/* "16322.129882", with 6 or 9 digits behind the point. */
bool text_parse_time(const char *word, size_t size, struct text_line *parsed);
/* "[003]" */
bool text_parse_cpu(const char *word, size_t size, struct text_line *parsed);
/* The name of the task: the text up to end, without the blanks around it. */
void text_set_comm(struct text_line *parsed, const char *begin, const char *end);

#endif
