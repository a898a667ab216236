/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds the file and the offset of each frame of a user stack while the code is mapped, and writes
 * them to kernel/user_symbols; at the end, the names of the functions.
 */
#ifndef TRACER_NAMES_USER_STACKS_H
#define TRACER_NAMES_USER_STACKS_H

#include <stdbool.h>
#include <stdio.h>

#include "capture/directory.h"
#include "kernel/user_symbols.h"
#include "tracer/host/process_maps.h"
#include "tracer/names/mapping_events.h"

struct kmt_stack_message;
struct function_namer;

/* A frame whose function has to be named. */
struct wanted_name {
	struct user_frame frame;
	uint32_t pid; /* of a process with it */
};

struct user_stacks {
	struct directory *directory;
	FILE *file; /* NULL: no user stacks are recorded */
	struct process_maps maps;
	struct mapping_events events;
	struct kmt_stack_message *waiting; /* for the events up to their time */
	size_t waiting_count;
	struct hash_map wanted_index, written_files;
	struct wanted_name *wanted;
	size_t wanted_count;
	bool is_full; /* the table has its largest size */
	char errmsg[400];
};

/* Before the programs are attached. 0 or -errno with errmsg set, as all functions below. */
int user_stacks_open(struct user_stacks *stacks, struct directory *directory,
		     unsigned int possible_cpus);

int user_stacks_add(struct user_stacks *stacks, const struct kmt_stack_message *message);

/* Writes the frames of the stacks that were added. */
int user_stacks_step(struct user_stacks *stacks);

/* Goes on in another directory: see table_switch(). */
int user_stacks_switch(struct user_stacks *stacks, struct directory *to, uint64_t mark);

/* After the last step: adds the names that the namer finds. */
int user_stacks_name(struct user_stacks *stacks, struct function_namer *namer);

int user_stacks_close(struct user_stacks *stacks);

#endif
