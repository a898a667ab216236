// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Histograms of lifetimes: one bucket for each ns below 8 ns, then 8 buckets for each power of two.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "analysis/lifetimes.h"

#define SUB_BITS LIFETIME_SUB_BITS
#define SUB (1U << SUB_BITS)

uint64_t lifetime_first(unsigned int bucket)
{
	unsigned int power;

	if (bucket < SUB)
		return bucket;
	power = bucket / SUB - 1 + SUB_BITS;
	return (uint64_t)(SUB + bucket % SUB) << (power - SUB_BITS);
}

uint64_t lifetime_last(unsigned int bucket)
{
	return bucket + 1 < LIFETIME_BUCKETS ? lifetime_first(bucket + 1) - 1 : UINT64_MAX;
}

/* Beside the new bucket, as many more as there are: a histogram grows a few times only. */
int lifetimes_grow(struct lifetimes **histogram, unsigned int bucket)
{
	const struct lifetimes *old = *histogram;
	unsigned int first = bucket, end = bucket + 1;
	struct lifetimes *grown;

	if (old && bucket < old->first) {
		first = old->first > old->count ? MIN(bucket, old->first - old->count) : 0;
		end = old->first + old->count;
	} else if (old) {
		first = old->first;
		end = MIN(MAX(end, first + 2 * old->count), LIFETIME_BUCKETS);
	}
	grown = calloc(1, sizeof(*grown) + (end - first) * sizeof(*grown->counts));
	if (!grown)
		return -ENOMEM;
	grown->first = first;
	grown->count = end - first;
	if (old) {
		grown->longest = old->longest;
		memcpy(&grown->counts[old->first - first], old->counts,
		       old->count * sizeof(*old->counts));
	}
	free(*histogram);
	*histogram = grown;
	return 0;
}

int lifetimes_add(struct lifetimes **to, const struct lifetimes *from)
{
	for (unsigned int i = 0; from && i < from->count; i++) {
		int err = from->counts[i] ? lifetimes_count(to, lifetime_first(from->first + i),
							    from->counts[i])
					  : 0;

		if (err)
			return err;
	}
	if (from && *to && from->longest > (*to)->longest)
		(*to)->longest = from->longest;
	return 0;
}

uint64_t lifetimes_limit(const struct lifetimes *lifetimes, uint64_t ns, uint64_t window)
{
	uint64_t limit = lifetimes->longest > window ? lifetimes->longest : window;

	return ns < limit ? ns : limit;
}

uint64_t lifetimes_percentile(const struct lifetimes *lifetimes, double percent, uint64_t window)
{
	uint64_t sum = 0, below = 0;

	for (unsigned int i = 0; i < lifetimes->count; i++)
		sum += lifetimes->counts[i];
	for (unsigned int i = 0; i < lifetimes->count; i++) {
		below += lifetimes->counts[i];
		if (below && (double)below >= (double)sum * percent / 100)
			return lifetimes_limit(lifetimes, lifetime_last(lifetimes->first + i),
					       window);
	}
	return 0;
}
