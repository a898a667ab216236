// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The sums of each sampled object in each group. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/fields/sampled_sums.h"
#include "base/array.h"
#include "base/hash.h"

int sampled_sums_init(struct sampled_sums *sums, size_t figures)
{
	*sums = (struct sampled_sums){ .figures = figures };
	return hash_map_init(&sums->index);
}

void sampled_sums_deinit(struct sampled_sums *sums)
{
	free(sums->list);
	hash_map_deinit(&sums->index);
}

double *sampled_sums_find(struct sampled_sums *sums, uint64_t group,
			  const struct sampled_object *object, bool *is_new)
{
	const uint64_t parts[] = { object->address, object->time, group };
	uint64_t key = hash_keyed(sums->index.seed, parts, sizeof(parts));
	uint32_t number = hash_map_find(&sums->index, key);
	size_t size = sums->figures * sizeof(*sums->list);
	double *list;

	*is_new = number == HASH_MAP_NONE;
	if (!*is_new)
		return sums->list + number * sums->figures;
	list = array_grow(sums->list, sums->count, size);
	if (!list)
		return NULL;
	sums->list = list;
	if (hash_map_add(&sums->index, key, (uint32_t)sums->count))
		return NULL;
	return memset(list + sums->count++ * sums->figures, 0, size);
}
