/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads the stacks that the BPF programs send, and writes them to kernel/stacks. */
#ifndef TRACER_STACK_MESSAGES_H
#define TRACER_STACK_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/hash_map.h"
#include "capture/directory.h"

struct ring_buffer;
struct user_stacks;

struct stack_messages {
	struct directory *directory;
	struct user_stacks *user;   /* gets user stacks; NULL: none are recorded */
	struct ring_buffer *buffer; /* NULL: no stacks are recorded */
	FILE *file;
	struct hash_map written; /* the ids */
	size_t count;		 /* of stacks in the file */
	bool is_full;		 /* it has its largest size: no more stacks are written */
	int err;		 /* the first error of a message */
	char errmsg[400];
};

/* frames_fd: the BPF ring buffer. 0 or -errno with errmsg set, as all functions below. */
int stack_messages_open(struct stack_messages *stacks, struct directory *directory, int frames_fd,
			struct user_stacks *user);

/* Writes the stacks that came since the last call to the file, and flushes it. */
int stack_messages_read(struct stack_messages *stacks);

/* Closes the file. 0, or -errno: not all was written. Does nothing if it is not open. */
int stack_messages_close(struct stack_messages *stacks);

#endif
