/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The limits of the dumps of a set: their number (--max-dumps), and with the pieces of the set
 * their bytes on disk (--max-disk). The oldest dumps are removed; of the bytes, the newest one
 * stays if it has at most half. A dump is renamed before it is removed: so each dump is whole.
 */
#ifndef TRACER_PIECES_DUMP_LIMITS_H
#define TRACER_PIECES_DUMP_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DUMP_LIMITS_SHARE 2 /* the newest dump stays if it has one of so many parts of max_disk */

struct dump_limits {
	int parent;	      /* the open directory that holds the dumps; -1: no limits */
	const char *set_path; /* absolute, of the set */
	unsigned int most;    /* dumps; 0: any number */
	uint64_t max_disk;    /* bytes; 0: no limit */
};

/* Removes the rest of dumps whose removal was interrupted. */
void dump_limits_clean(const struct dump_limits *limits);

/* The bytes of all dumps, also of unfinished ones, and the number of finished ones. 0 or -errno. */
int dump_limits_measure(const struct dump_limits *limits, uint64_t *bytes, uint32_t *count);

/* Removes the oldest dump, if there are too many. False: there are not. text: for the user. */
bool dump_limits_keep_most(const struct dump_limits *limits, char *text, size_t size);

/* Removes the oldest dump, because room is needed. False: the dumps that are left stay. */
bool dump_limits_make_room(const struct dump_limits *limits, char *text, size_t size);

#endif
