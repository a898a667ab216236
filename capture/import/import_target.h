/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The capture that an import writes. Events must be added in order of time. */
#ifndef CAPTURE_IMPORT_IMPORT_TARGET_H
#define CAPTURE_IMPORT_IMPORT_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <zlib.h>

#include "base/error.h"
#include "capture/directory.h"
#include "capture/import/cache_guess.h"
#include "capture/metadata.h"
#include "capture/status.h"
#include "capture/writer.h"
#include "kernel/gfp.h"

struct import_cpu {
	unsigned int cpu;
	struct writer writer;
	uint64_t sequence; /* of its next event */
	uint64_t recorded, lost;
};

/* One event of the four tracepoints that all recorders know. */
struct import_event {
	uint64_t time; /* ns */
	uint64_t pointer;
	uint64_t call_site;	       /* 0: unknown */
	uint64_t requested, allocated; /* bytes; 0 in a free */
	const char *cache;	       /* its name; NULL: none or unknown */
	uint32_t gfp;
	uint32_t task;
	int64_t node;
	unsigned int cpu;
	uint8_t id;		/* KMT_KMALLOC to KMT_CACHE_FREE */
	bool has_stack;		/* the recording has stacks of allocations */
	const uint64_t *frames; /* return addresses, the innermost first; none: it has no stack */
	uint32_t frame_count;	/* at most STACK_FRAMES_MAX */
};

/* Lines for the user. */
struct import_notes {
	FILE *file;
	char *text;
	size_t size;
};

struct import_target {
	struct directory *directory;
	struct metadata metadata;
	struct status status;
	struct gfp_table gfp;
	struct cache_guesses caches;
	struct texts comms;    /* names of tasks */
	struct hash_map tasks; /* by thread id: the index in task_comms */
	uint32_t *task_comms;  /* the number of the task's last name in comms */
	struct import_cpu **cpus;
	size_t cpu_count;
	FILE *task_lines;
	FILE *stack_lines;   /* NULL: there is no stack so far */
	struct texts stacks; /* the addresses of each stack, as text: its number is its id */
	gzFile symbols;
	bool has_symbols;
	bool begun;				   /* begin is set */
	uint64_t begin, end;			   /* of the events so far, ns */
	uint64_t events, seen[KMT_CACHE_FREE + 1]; /* by id */
	bool wide;				   /* a pointer has more than 32 bits */
	uint64_t unknown_sites;			   /* events without a call site */
	uint64_t impossible;			   /* events that are counted as lost */
	struct import_notes notes, damages;
	struct error error; /* after a failure */
};

/*
 * Begins a capture in a directory that exists; source: a description of the recording. This and the
 * functions below return 0 or -errno with error set.
 */
int import_target_open(struct import_target *target, struct directory *directory,
		       const char *source);
void import_target_close(struct import_target *target);

/* Gives the CPU a stream, even if it has no events. The first call sets the begin. */
int import_target_add_cpu(struct import_target *target, unsigned int cpu, uint64_t time);

/* An event with values that no kernel reports is counted as lost, and in `impossible`. */
int import_target_put_event(struct import_target *target, const struct import_event *event);

/* Counts events of the CPU as lost: between its last event and time. */
int import_target_count_lost(struct import_target *target, unsigned int cpu, uint64_t count,
			     uint64_t time);

/* The thread has this name from time on. A name that it has already is not written again. */
int import_target_name_task(struct import_target *target, uint32_t tid, uint32_t tgid,
			    const char *comm, uint64_t time);

/* A function; module NULL: of the kernel itself. */
int import_target_add_symbol(struct import_target *target, uint64_t address, const char *name,
			     const char *module);

/* Sets the error after a failed write to symbols. */
int import_target_fail_symbols(struct import_target *target);

/* Adds a note for the user: what the recording lacks. */
void import_target_note(struct import_target *target, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Adds a line about a part of the recording that cannot be read: the import is incomplete. */
void import_target_damage(struct import_target *target, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
