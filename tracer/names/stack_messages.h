/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads the stacks that the BPF programs send, and writes them to kernel/stacks. */
#ifndef TRACER_NAMES_STACK_MESSAGES_H
#define TRACER_NAMES_STACK_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/hash_map.h"
#include "capture/directory.h"

struct ring_buffer;
struct user_stacks;

struct stack_messages {
	struct directory *directory;
	FILE **published;	    /* gets kernel stacks too, if it is open; NULL: none */
	struct user_stacks *user;   /* gets user stacks; NULL: none are recorded */
	struct ring_buffer *buffer; /* NULL: no stacks are recorded */
	FILE *file;
	struct hash_map written, sent; /* the ids in the file, and published ones */
	size_t count;		       /* of stacks in the file */
	bool is_full;		       /* it has its largest size: no more stacks are written */
	int err;		       /* the first error of a message */
	char errmsg[400];
};

/* frames_fd: the BPF ring buffer. 0 or -errno with errmsg set, as all functions below. */
int stack_messages_open(struct stack_messages *stacks, struct directory *directory, int frames_fd,
			struct user_stacks *user);

/* Writes the stacks that came since the last call to the file, and flushes it. */
int stack_messages_read(struct stack_messages *stacks);

/* Goes on in another directory: see table_switch(). A stack is written once, in any of them. */
int stack_messages_switch(struct stack_messages *stacks, struct directory *to, uint64_t mark);

/* Closes the file. 0, or -errno: not all was written. Does nothing if it is not open. */
int stack_messages_close(struct stack_messages *stacks);

#endif
