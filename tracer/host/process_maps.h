/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The code that is mapped in each process: which file an address is of. Changes come in the order
 * of time. The code of a process that has ended is kept for a while, since its last stacks may come
 * later.
 */
#ifndef TRACER_HOST_PROCESS_MAPS_H
#define TRACER_HOST_PROCESS_MAPS_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash_map.h"
#include "base/texts.h"

#define PROCESS_MAPS_ENDED 512		    /* processes whose code is kept */
#define PROCESS_MAPS_MAX 4096		    /* mappings of a process; a browser has 300 */
#define PROCESS_MAPS_FILE_BYTES (64U << 20) /* the memory of all texts of files */

struct mapping {
	uint64_t begin, end; /* addresses */
	uint64_t offset;     /* of begin in the file */
	uint32_t file;	     /* see process_maps_file(); 0: code without a known file */
};

struct mapped_process {
	struct mapping *list; /* by address; none overlaps another */
	size_t count;
	/* of the program before: execve() still allocates after it has mapped the new program */
	struct mapping *before;
	size_t before_count;
	uint32_t generation; /* processes that had this id before */
};

struct process_maps {
	struct texts files;
	size_t file_bytes;
	uint64_t lost; /* mappings that found no room, or no room for the text of their file */
	struct hash_map index; /* by process id */
	struct mapped_process *list;
	size_t count;
	struct {
		uint32_t process, generation;
	} ended[PROCESS_MAPS_ENDED]; /* a ring */
	size_t ended_count;
};

int process_maps_init(struct process_maps *maps); /* 0 or -ENOMEM, as all functions below */
void process_maps_deinit(struct process_maps *maps);

/*
 * The number of a file, by its text "BUILD-ID INODE PATH": build id "-" or inode 0 if they are not
 * known. 0: there is no room for it.
 */
int process_maps_file(struct process_maps *maps, const char *build_id, uint64_t inode,
		      const char *path, uint32_t *file);

/* The mapping takes the place of the earlier ones in its addresses. */
int process_maps_add(struct process_maps *maps, uint32_t pid, const struct mapping *mapping);
int process_maps_fork(struct process_maps *maps, uint32_t pid, uint32_t parent);
/* The process executes another program, which is mapped next. */
void process_maps_exec(struct process_maps *maps, uint32_t pid);
void process_maps_exit(struct process_maps *maps, uint32_t pid);

/* NULL: no code is mapped there. Valid until the next change. */
const struct mapping *process_maps_find(const struct process_maps *maps, uint32_t pid,
					uint64_t address);

/* The same in the program that the process executed before this one. */
const struct mapping *process_maps_find_before(const struct process_maps *maps, uint32_t pid,
					       uint64_t address);

/* Reads the code that is mapped in each process now from /proc. */
int process_maps_read(struct process_maps *maps);

#endif
