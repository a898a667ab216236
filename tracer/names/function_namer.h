/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A process that finds the names of functions in the files of other processes. It is forked before
 * kmemtraced gives up its privileges, waits until the end of the capture, and opens the files; a
 * child of its own that may do nothing else reads each.
 */
#ifndef TRACER_NAMES_FUNCTION_NAMER_H
#define TRACER_NAMES_FUNCTION_NAMER_H

#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

struct function_namer {
	pid_t pid; /* 0: none */
	int go;	   /* a pipe: a byte says that the questions are written */
	FILE *questions;
	int answers; /* a memory file, as that of the questions */
};

/* 0 or -errno, as all functions below. */
int function_namer_start(struct function_namer *namer);

/* The text of a file: see process_maps_file(). The offsets that follow are in it. */
int function_namer_ask_file(struct function_namer *namer, uint32_t number, uint32_t pid,
			    const char *text);
int function_namer_ask_offset(struct function_namer *namer, uint64_t offset);

/*
 * Waits for the answer, a new string: lines of kernel/user_symbols. -ETIMEDOUT: there was none in a
 * minute.
 */
int function_namer_answer(struct function_namer *namer, char **text);

void function_namer_close(struct function_namer *namer);

#endif
