/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The memory of processes, from /proc/PID/statm, which kmemtraced --proc-mem reads again and again.
 * A reading writes the processes that have changed since the reading before it.
 */
#ifndef KERNEL_PROCESS_MEMORY_H
#define KERNEL_PROCESS_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Pages; those of a kernel thread are 0. */
struct process_pages {
	uint64_t size, resident, shared, text, data;
};

struct process_memory {
	uint32_t pid;
	bool is_gone; /* the reading did not find the process any more */
	uint64_t time;
	struct process_pages pages;
};

/* From begin to end (ns), every process was read once. */
struct process_reading {
	uint64_t begin, end;
};

struct process_memories {
	struct process_memory *list; /* by pid, then time */
	size_t count;
	struct process_reading *readings; /* by end */
	size_t reading_count;
};

/* Parses /proc/PID/statm. False: it has another form. */
bool process_pages_parse(struct process_pages *pages, const char *text);

/*
 * Lines of kernel/process_memory: "statm PID TIME SIZE RESIDENT SHARED TEXT DATA", "gone PID TIME"
 * and "reading BEGIN END"; numbers are decimal. Lines with other keys are skipped. 0 or -errno.
 */
int process_memory_write(FILE *file, const struct process_memory *memory);
int process_reading_write(FILE *file, const struct process_reading *reading);
int process_memories_parse(struct process_memories *memories, const char *text);
void process_memories_deinit(struct process_memories *memories);

/* The memory of the process as it was last read at or before the time; NULL: not known, or gone. */
const struct process_memory *process_memories_find(const struct process_memories *memories,
						   uint32_t pid, uint64_t time);

/*
 * ns: the memory was still the same in a reading that began then. It is the begin of the last
 * reading that ended at or before time, or memory->time, if that is later.
 */
uint64_t process_memories_read_since(const struct process_memories *memories,
				     const struct process_memory *memory, uint64_t time);

#endif
