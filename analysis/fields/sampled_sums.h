/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The variances of the figures of groups of events, where each sampled object stands for several.
 * All events of an object were sampled together: if x is the sum of their values in a group, and
 * the weight of the object has the variance v, they add v x^2 to the variance of the group's sum.
 */
#ifndef ANALYSIS_FIELDS_SAMPLED_SUMS_H
#define ANALYSIS_FIELDS_SAMPLED_SUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash_map.h"

/* The object of an event. */
struct sampled_object {
	uint64_t address, time; /* of its allocation */
	double variance;	/* of its weight */
	uint32_t allocated;	/* bytes */
};

struct sampled_sums {
	struct hash_map index; /* by hash of a group and an object */
	double *list;	       /* for each: a sum for each figure */
	size_t count, figures;
};

int sampled_sums_init(struct sampled_sums *sums, size_t figures); /* 0 or -ENOMEM */
void sampled_sums_deinit(struct sampled_sums *sums);

/*
 * The sums of the object in the group, to be updated by sampled_sums_add(); all 0 at first, with
 * *is_new set. Valid until the next call. NULL: no memory.
 */
double *sampled_sums_find(struct sampled_sums *sums, uint64_t group,
			  const struct sampled_object *object, bool *is_new);

/* Adds a value to a sum. Returns by how much the variance of the group's sum grows. */
static inline double sampled_sums_add(double *sum, double value,
				      const struct sampled_object *object)
{
	double before = *sum;

	*sum += value;
	return object->variance * (*sum * *sum - before * before);
}

#endif
