/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds the file and the offset of each frame of a user stack while the code is mapped, and writes
 * them to kernel/user_symbols; at the end, the names of the functions.
 */
#ifndef TRACER_NAMES_USER_STACKS_H
#define TRACER_NAMES_USER_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "capture/directory.h"
#include "kernel/user_symbols.h"
#include "tracer/host/process_maps.h"

struct function_namer;
struct kmt_stack_message;

/*
 * The changes of the code that is mapped in all processes, as perf events report them: mappings,
 * with the build id of the file since Linux 5.12, new programs, forks and ends of processes.
 */

enum mapping_event_kind {
	MAPPING_ADDED,
	MAPPING_FORK,
	MAPPING_EXEC,
	MAPPING_EXIT,
};

struct mapping_event {
	uint64_t time;	/* ns */
	uint64_t order; /* of events with one time */
	enum mapping_event_kind kind;
	uint32_t pid, parent;
	struct mapping mapping;
};

struct mapping_events {
	struct process_maps *maps;  /* gets the files */
	struct mapping_ring *rings; /* of each CPU; NULL: not open */
	unsigned int count;
	char *record;		    /* that wraps around the end of a ring */
	struct mapping_event *list; /* of the last read, in the order of time */
	size_t event_count;
	uint64_t lost; /* records that found no room */
};

/* 0 or -errno. */
int mapping_events_open(struct mapping_events *events, struct process_maps *maps,
			unsigned int possible_cpus);
void mapping_events_close(struct mapping_events *events);

/* Replaces the list by the events since the last call. 0 or -ENOMEM. */
int mapping_events_read(struct mapping_events *events);

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

/*
 * A process that finds the names of functions in the files of other processes. It is forked before
 * kmemtraced gives up its privileges, waits until the end of the capture, and opens the files; a
 * child of its own that may do nothing else reads each.
 */

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
