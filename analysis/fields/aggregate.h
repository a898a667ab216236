/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Counts events and their values by group. Memory grows with the number of groups only. */
#ifndef ANALYSIS_FIELDS_AGGREGATE_H
#define ANALYSIS_FIELDS_AGGREGATE_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/fields/query.h"
#include "analysis/fields/sampled_sums.h"

#define AGGREGATE_LOG_BUCKETS 65 /* negative, 0, then each power of two of the positive ones */

/* One statistic of one group. */
struct accumulator {
	uint64_t values; /* that are known */
	int64_t number;	 /* the sum, the least or the most */
	bool overflowed; /* the sum does not fit */
	uint64_t *buckets;
	double variance; /* of values, or of a sum, if it is an estimate */
};

struct aggregate_group {
	uint64_t events, samples;	/* samples: of sampled objects */
	double variance;		/* of events */
	uint64_t bytes;			/* of the objects of sampled events, by weight */
	uint32_t next;			/* another group with the same hash, + 1; 0: none */
	struct accumulator *statistics; /* behind the keys */
	struct value keys[];
};

struct aggregate {
	const struct query *query;
	struct hash_map index; /* by hash of the keys */
	struct aggregate_group **groups;
	size_t count;
	struct sampled_sums sampled; /* events, then the statistics */
	uint64_t events, excluded;   /* counted; and excluded by query_takes() */
};

int aggregate_init(struct aggregate *aggregate, const struct query *query); /* 0 or -ENOMEM */
void aggregate_deinit(struct aggregate *aggregate);

/* The index of the group with these keys, which is added if need be; or -ENOMEM. */
int64_t aggregate_find(struct aggregate *aggregate, const struct value *keys);

/*
 * Counts the event that the source took weight times, at least once. object: if the weight is an
 * estimate, the event's; or NULL. 0 or -ENOMEM.
 */
int aggregate_add(struct aggregate *aggregate, struct value_source *source,
		  const struct transition *transition, uint64_t weight,
		  const struct sampled_object *object);

/* Buckets of a histogram, and the first and last value of each; INT64_MIN or _MAX: open. */
size_t aggregate_buckets(const struct statistic *statistic);
int64_t aggregate_first(const struct statistic *statistic, size_t bucket);
int64_t aggregate_last(const struct statistic *statistic, size_t bucket);

#endif
