/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The capture that is made of another recorder's data: its streams, its tables and its status.
 * Events must come in order of time.
 */
#ifndef IMPORT_IMPORT_TARGET_H
#define IMPORT_IMPORT_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <zlib.h>

#include "import/name_table.h"
#include "import/cache_guess.h"
#include "kernel/gfp.h"
#include "capture/directory.h"
#include "capture/metadata.h"
#include "capture/status.h"
#include "capture/writer.h"

struct target_cpu {
	unsigned int cpu;
	struct writer writer;
	uint64_t sequence; /* of its next event */
	uint64_t recorded, lost;
};

/* What the four tracepoints tell; the ids of kernel/record.h name them. */
struct target_event {
	uint64_t time; /* ns */
	uint64_t pointer, call_site;
	uint64_t requested, allocated; /* bytes; 0 in a free */
	const char *cache;	       /* its name; NULL: none, or not told */
	uint32_t gfp;
	uint32_t task;
	int64_t node;
	unsigned int cpu;
	uint8_t id; /* KMT_KMALLOC to KMT_CACHE_FREE */
};

struct import_target {
	struct directory *directory;
	struct metadata metadata;
	struct status status;
	struct gfp_table gfp;
	struct cache_guesses objects;
	struct name_table comms; /* names of tasks */
	struct hash_map tasks;	 /* by thread id: the place in task_comms */
	uint32_t *task_comms;	 /* number of the last name */
	struct target_cpu **cpus;
	size_t cpu_count;
	FILE *task_lines;
	gzFile symbols;
	bool has_symbols;
	bool begun;
	uint64_t begin, end;			   /* of what came */
	uint64_t events, seen[KMT_CACHE_FREE + 1]; /* by id */
	bool wide;				   /* a pointer has more than 32 bits */
	FILE *notes;
	char *note_text;
	size_t note_size;
	char errmsg[400]; /* after a failure */
};

/*
 * Of a directory that is made; source: what is imported, in words. 0 or -errno with errmsg set, as
 * all that follow.
 */
int target_open(struct import_target *target, struct directory *directory, const char *source);
void target_close(struct import_target *target);

/* The CPU has a stream, even if nothing happened on it. The first call of all begins the time. */
int target_cpu(struct import_target *target, unsigned int cpu, uint64_t time);
int target_put(struct import_target *target, const struct target_event *event);

/* So many events of the CPU, before time and after what was put, are lost. */
int target_lose(struct import_target *target, unsigned int cpu, uint64_t count, uint64_t time);

/* The thread has this name from time on; tells only what is new. */
int target_task(struct import_target *target, uint32_t tid, uint32_t tgid, const char *comm,
		uint64_t time);

/* A function; module NULL: of the kernel itself. */
int target_symbol(struct import_target *target, uint64_t address, const char *name,
		  const char *module);

/* The symbols of a file in the form of kallsyms or System.map, plain or gzip. */
int target_symbols(struct import_target *target, const char *path);

/* Writes all that comes last. */
int target_finish(struct import_target *target);

/* Sets errmsg; returns -err. */
int target_fail(struct import_target *target, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* A sentence for the user at the end: what this source cannot tell, or what was wrong with it. */
void target_note(struct import_target *target, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
