/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Imports a text of kmem events. Sources differ in the words in front of an event. */
#ifndef CAPTURE_IMPORT_TEXT_IMPORT_H
#define CAPTURE_IMPORT_TEXT_IMPORT_H

#include "capture/import/function_addresses.h"
#include "capture/import/gfp_bits.h"
#include "capture/import/import_source.h"
#include "capture/import/text_line.h"
#include "capture/import/text_stack.h"

#define TEXT_LINE_BYTES 16384 /* a longer line is ignored */

struct text_format {
	enum text_line_kind (*parse)(struct text_line *parsed, const char *line);
	bool stack_follows;	  /* the stack of an event is in the lines behind it */
	const char *tracer;	  /* that counts lost events of all kinds together */
	const char *record;	  /* how to make a text with kmem events */
	const char *add_time;	  /* how to print times */
	const char *add_ns;	  /* "; X prints nanoseconds" */
	const char *add_lost;	  /* ": X prints them, if there are any", or "" */
	const char *add_offset;	  /* "; X prints it" */
	const char *add_pointers; /* "; X prints addresses", or "" */
};

struct first_line {
	uint64_t number; /* 0: there is none */
	char why[64];
};

/* An event whose stack may be in the next lines. */
struct held_event {
	bool is_held, takes_frames;
	struct import_event event;
	char call_site[512], cache[64];
	uint64_t line;
	struct text_stack stack;
};

struct text_import {
	const struct text_format *format;
	struct import_target *target;
	const char *path;
	struct function_addresses functions;
	struct gfp_bits gfp_bits;
	uint64_t line;	       /* the number of the current line */
	uint64_t time;	       /* of the event before */
	uint64_t shifted;      /* events that got a later time, to keep their order */
	char buffer[64];       /* whose events are imported: that of the first event */
	struct text_line lost; /* of lost_count events before the next line, which has a time */
	uint64_t lost_count;
	bool coarse;	/* times are microseconds */
	bool is_number; /* times have an unknown unit */
	bool cut;	/* the last line has no newline */
	uint64_t bad_lines, no_time, no_cpu, no_pointer, hashed, all_lost;
	struct first_line bad, rejected, other_kmem; /* rejected: bad ones too, and lost events */
	uint64_t rejected_lines;
	struct held_event held;
	bool has_stacks;
	struct text_stack_counts stack_counts;
	uint64_t other_stacks; /* behind another event than their own */
	uint64_t unknown_lost, other_buffers, overwritten;
};

/* For struct import_source. */
int text_import(const struct text_format *format, struct import_target *target, const char *path);

/* After the last line: lines for the user. */
void text_import_add_notes(const struct text_import *text);

/* The text has no event that can be imported: sets the error. Returns its code. */
int text_import_refuse(const struct text_import *text);

#endif
