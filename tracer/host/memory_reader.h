/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads /proc/PID/statm of all processes into kernel/process_memory. A reading writes the processes
 * that have changed since the one before it. It can be made in steps, between which the rings are
 * drained.
 */
#ifndef TRACER_HOST_MEMORY_READER_H
#define TRACER_HOST_MEMORY_READER_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "kernel/process_memory.h"

#define MEMORY_READER_BYTES_MAX ((long)60 << 20) /* a reader of captures takes 64 MiB */

struct memory_reader_list {
	struct process_memory *list; /* in the order of /proc, which is that of process ids */
	size_t count, space;
};

struct memory_reader {
	FILE *file; /* NULL: nothing is read */
	DIR *proc;
	uint64_t interval, next; /* ns; interval 0: only on request */
	bool requested;
	bool reading;		     /* a reading has begun */
	bool is_full;		     /* the file has its largest size: there are no more readings */
	uint64_t begin;		     /* of the reading */
	struct process_reading last; /* the last whole reading */
	struct memory_reader_list before, now;
	size_t compared; /* processes of before */
};

/* The file stays the caller's. 0 or -errno. */
int memory_reader_open(struct memory_reader *reader, FILE *file, uint64_t interval);
void memory_reader_close(struct memory_reader *reader);

/* The next step begins a reading, if none has begun. */
void memory_reader_request(struct memory_reader *reader);

/* Has no reading begun, and was none requested? */
bool memory_reader_is_idle(const struct memory_reader *reader);

/*
 * Between two readings: goes on in another file, which gets all processes of the last reading. 0 or
 * -errno.
 */
int memory_reader_switch(struct memory_reader *reader, FILE *file);

/* Reads all processes. 0 or -errno. */
int memory_reader_run(struct memory_reader *reader);

/* Reads some processes, if it is time for a reading. 0 or -errno. */
int memory_reader_step(struct memory_reader *reader, uint64_t time);

#endif
