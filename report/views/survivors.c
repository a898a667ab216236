// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Lists the live objects by group: counts those of each group, then puts each at its place. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "report/views/survivors.h"

int survivors_init(struct survivors *survivors, const struct analysis *analysis)
{
	size_t groups = analysis->group_count, next = 0, sum = 0;
	const struct slab_object *object;

	*survivors = (struct survivors){ 0 };
	survivors->first = calloc(groups + 2, sizeof(*survivors->first));
	/* first[group + 2] counts the group; after the sums, first[group + 1] is its next place */
	while (survivors->first && (object = analysis_next_live(analysis, &next))) {
		survivors->first[object->group + 2]++;
		survivors->count++;
	}
	survivors->list = calloc(survivors->count + 1, sizeof(*survivors->list));
	if (!survivors->list || !survivors->first) {
		survivors_deinit(survivors);
		return -ENOMEM;
	}
	for (size_t i = 0; i <= groups + 1; i++) {
		sum += survivors->first[i];
		survivors->first[i] = sum;
	}
	for (next = 0; (object = analysis_next_live(analysis, &next));)
		survivors->list[survivors->first[object->group + 1]++] = object;
	return 0;
}

void survivors_deinit(struct survivors *survivors)
{
	free(survivors->list);
	free(survivors->first);
	survivors->list = NULL;
	survivors->first = NULL;
}

static int compare_survivors(const void *left, const void *right)
{
	const struct slab_object *a = *(const struct slab_object *const *)left;
	const struct slab_object *b = *(const struct slab_object *const *)right;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return (a->address > b->address) - (a->address < b->address);
}

const struct slab_object *const *survivors_sort(struct survivors *survivors, size_t group,
						size_t *count)
{
	qsort(survivors->list + survivors->first[group],
	      survivors->first[group + 1] - survivors->first[group],
	      sizeof(const struct slab_object *), compare_survivors);
	return survivors_of(survivors, group, count);
}
