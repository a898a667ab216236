/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which part of the fleet's data an answer has: hosts, intervals, events. */
#ifndef FLEET_COVERAGE_H
#define FLEET_COVERAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/missing.h"

struct header;
struct scope;

struct coverage_host {
	char *name;
	char *kernel, *role; /* of the last run; NULL: not seen */
	bool seen, expected;
	size_t runs;
	uint64_t begin, end;	   /* of all its intervals */
	uint64_t intervals;	   /* that are there */
	uint64_t gaps;		   /* numbers that are missing in a run */
	uint64_t silent;	   /* intervals since its last one */
	uint64_t longest, covered; /* ns: the longest interval of the last run, and all */
	uint64_t ahead;		   /* ns: its end after that of the others: its clock is wrong */
	uint64_t behind;	   /* ns: its begin before theirs, if it jumped or is silent */
	bool jumped;		   /* the time of a run is longer than its intervals */
	bool impossible;	   /* an interval is longer than a load takes now */
	struct missing missing;
	uint64_t cpu_ns, resident; /* of kmemtraced */
};

struct coverage {
	struct coverage_host *hosts; /* in order of their names */
	size_t count, space;
	size_t seen, expected, seen_expected, silent_hosts, gap_hosts, ahead_hosts;
	uint64_t begin, end;   /* on which enough hosts agree, see fleet/agreement.h */
	uint64_t intervals;    /* that are there */
	uint64_t gaps, silent; /* sums over the hosts */
	struct missing missing;
	size_t servers, servers_missing;
	const char *servers_missing_names; /* of the store */
};

/* 0 or -errno with errmsg of the store set, or -ENOMEM. */
int coverage_init(struct coverage *coverage, const struct scope *scope);
void coverage_deinit(struct coverage *coverage);

/* Is a host, an interval or a server missing, or may all hosts but a few be silent? */
bool coverage_has_gaps(const struct coverage *coverage);

/* NULL: no host has this name. */
const struct coverage_host *coverage_find(const struct coverage *coverage, const char *name);

/*
 * The intervals that are missing before the first of a run, which has this number and begin;
 * longest: the longest interval of the run.
 */
uint64_t coverage_missing_before(const struct scope *scope, uint64_t run, uint64_t number,
				 uint64_t begin, uint64_t longest);

/* Adds what is missing to the header, and the note, which must stay. 0 or -ENOMEM. */
int coverage_add_header(const struct coverage *coverage, struct header *header, const char *note);

/* The same in one sentence, for a message; to be freed. NULL: no memory. */
char *coverage_sentence(const struct coverage *coverage);

#endif
