/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Substitutes for the addresses and names of one capture: equal originals have equal substitutes,
 * and different originals different ones.
 */
#ifndef CAPTURE_PACK_SUBSTITUTES_H
#define CAPTURE_PACK_SUBSTITUTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/capture.h"
#include "capture/pack/code_ranges.h"
#include "capture/pack/scattered_blocks.h"

#define SUBSTITUTE_HOST "anonymized"
#define SUBSTITUTE_TASK_SIZE 16	  /* of a task's name */
#define SUBSTITUTE_USER_SIZE 16	  /* of a user's name */
#define SUBSTITUTE_CGROUP_SIZE 96 /* of a part of a cgroup's path */

struct substitutes {
	bool of_tasks; /* the names of tasks have substitutes too */
	bool narrow;   /* addresses have 32 bits */
	uint8_t uuid[16], old_uuid[16];
	const char *host; /* the original name; empty: it is too short or too common */
	struct random_numbers random;
	struct code_ranges code;
	struct scattered_blocks objects;    /* the addresses of objects and caches */
	struct scattered_blocks other_code; /* call sites outside of the ranges of code */
	struct hash_map tasks;		    /* hash_keyed_text() of a name -> number, from 0 */
	struct hash_map users;		    /* the same for users */
	struct hash_map cgroups;	    /* the same for parts of paths */
	struct hash_map stacks;		    /* id of a stack -> number, from 0 */
	int error; /* of the first address without a substitute; -ERANGE: there are too many */
};

/* 0 or -errno, -ERANGE too. */
int substitutes_init(struct substitutes *substitutes, const struct capture *capture, bool of_tasks);
void substitutes_deinit(struct substitutes *substitutes);

/* The substitute of an address of data. 0, with error set: it could not be made. */
uint64_t substitute_object(struct substitutes *substitutes, uint64_t address);

/* The same for an address of code, which another function moves. */
uint64_t substitute_code(struct substitutes *substitutes, uint64_t address);

/* The same for the id of a stack, which is a hash of addresses. */
uint64_t substitute_stack(struct substitutes *substitutes, uint64_t id);

/*
 * Replaces each address of this capture in a name of another thing, such as a cache that was named
 * by the address of its user: 16 hexadecimal digits, or 8 with 32 bits.
 */
void substitute_in_name(struct substitutes *substitutes, char *name);

/* Is the original name of the host a word of the text? */
bool substitutes_show_host(const struct substitutes *substitutes, const char *text);

/* The substitute of a task's name, written to text, of SUBSTITUTE_TASK_SIZE bytes; returns text. */
const char *substitute_task(struct substitutes *substitutes, const char *name, char *text);

/* The same for a user's name and SUBSTITUTE_USER_SIZE. */
const char *substitute_user(struct substitutes *substitutes, const char *name, char *text);

/*
 * The substitute of a part of a cgroup's path, written to text, of SUBSTITUTE_CGROUP_SIZE bytes;
 * returns text. That of a container is the name of one, too; that of a unit of systemd keeps its
 * suffix.
 */
const char *substitute_cgroup(struct substitutes *substitutes, const char *name, char *text);

#endif
