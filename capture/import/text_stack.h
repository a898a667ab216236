/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The stack behind an event of a text: a line for each frame, the innermost first.
 *	ffffffff816cc5c4 getname_flags.part.0+0x24 ([kernel.kallsyms])	perf script
 *	 => getname_flags.part.0						ftrace
 */
#ifndef CAPTURE_IMPORT_TEXT_STACK_H
#define CAPTURE_IMPORT_TEXT_STACK_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/import/function_addresses.h"
#include "kernel/stacks.h"

struct text_stack {
	uint64_t frames[STACK_FRAMES_MAX];
	uint32_t count;
	bool has_call_site; /* a frame is the call site of the event */
	bool in_process;    /* the later frames are of the process */
};

/* Frames that lack something, in all stacks of a text. */
struct text_stack_counts {
	uint64_t process_frames, without_offset;
};

/* A line of a stack. */
struct text_frame {
	uint64_t address; /* 0: unknown */
	char name[512];	  /* "function+0xoffset", "function", or "": unknown */
	char owner[256];  /* "[kernel.kallsyms]", a file, or "" */
};

/* False: the line is not one of a stack. */
bool text_frame_parse(struct text_frame *frame, const char *line);

/*
 * Adds a frame of the kernel, and gives it an address as its call site has one. call_site,
 * site_text: of the event. 0 or -errno with target->error set.
 */
int text_stack_add(struct text_stack *stack, const struct text_frame *frame,
		   struct function_addresses *functions, struct import_target *target,
		   uint64_t call_site, const char *site_text, struct text_stack_counts *counts);

#endif
