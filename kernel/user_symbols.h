/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The names of the frames of user stacks: the file and the offset in it of each frame of a stack,
 * and the functions at these offsets. A file is known by its build id, so that it can be named
 * later, on another machine too.
 */
#ifndef KERNEL_USER_SYMBOLS_H
#define KERNEL_USER_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/texts.h"

struct user_file {
	uint32_t number;	 /* from 1 */
	uint32_t order;		 /* of its line */
	uint32_t build_id, path; /* texts in strings */
};

struct user_function {
	uint32_t file;	     /* its number */
	uint32_t order;	     /* of its line */
	uint32_t name;	     /* a text in strings */
	uint64_t begin, end; /* offsets in the file, as are those of frames */
};

struct user_frame {
	uint32_t file;	 /* its number; 0: none, and offset is the address */
	uint64_t offset; /* of the instruction that the process ran, or of the call */
};

/*
 * The frames of the stack of this id, in the order of kernel/stacks, up to the first whose address
 * is not in code.
 */
struct user_frames {
	uint64_t id;
	uint32_t count;
	size_t first;
};

struct user_symbols {
	struct texts strings;		 /* empty while there are no other lists */
	struct user_file *files;	 /* by number */
	struct user_function *functions; /* by file and begin */
	struct user_frames *stacks;	 /* by id */
	struct user_frame *frames;
	size_t file_count, function_count, stack_count, frame_count;
};

/*
 * Lines "file NUMBER BUILD-ID PATH", "function NUMBER BEGIN END NAME" and "frames ID [NUMBER
 * OFFSET]..." of kernel/user_symbols; numbers of files are decimal, all others hexadecimal. Other
 * lines are skipped; of two lines with one number, begin or id, the first counts. 0 or -errno.
 */
int user_symbols_parse(struct user_symbols *symbols, const char *text);
void user_symbols_deinit(struct user_symbols *symbols);

/* Writes all lines. 0 or -errno. */
int user_symbols_write(FILE *file, const struct user_symbols *symbols);

/* Write a line; 0 or -errno. */
int user_file_write(FILE *file, uint32_t number, const char *build_id, const char *path);
int user_function_write(FILE *file, uint32_t number, uint64_t begin, uint64_t end,
			const char *name);
int user_frames_write(FILE *file, uint64_t id, const struct user_frame *frames, uint32_t count);

/* NULL: the table does not have it. */
const struct user_frames *user_symbols_find(const struct user_symbols *symbols, uint64_t id);

/* A new string: the function, "program+0x10" or "0x401000". NULL: no memory. */
char *user_symbols_label(const struct user_symbols *symbols, const struct user_frame *frame);

#endif
