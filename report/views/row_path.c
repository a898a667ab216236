// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Adds up the bytes of a row by process name and kernel stack. A sample stands for as many bytes as
 * its interval says, so that samples of different intervals add up.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/estimate.h"
#include "analysis/fields/names.h"
#include "analysis/live_stacks.h"
#include "base/array.h"
#include "base/text.h"
#include "report/render/flame.h"
#include "report/views/flame_paths.h"
#include "report/views/row_path.h"

#define WORK "work:" /* the entry of a work: any thread of a pool runs it */

/* The objects with one path. */
struct path_sum {
	uint32_t comm, stack; /* texts; comm 0: none */
	uint64_t objects;
	double bytes;
};

struct row_paths {
	const struct report *report;
	struct texts texts;
	struct names names;
};

void row_paths_request(struct report *report)
{
	report->settings.live_stacks = true;
}

int row_paths_open(struct row_paths **paths, const struct report *report)
{
	int err;

	*paths = NULL;
	if (!report->analysis.live_stacks)
		return 0;
	*paths = calloc(1, sizeof(**paths));
	if (!*paths)
		return -ENOMEM;
	(*paths)->report = report;
	err = texts_init(&(*paths)->texts);
	if (!err)
		err = names_init(&(*paths)->names, &(*paths)->texts);
	(*paths)->names.capture = report->capture;
	return err;
}

void row_paths_close(struct row_paths *paths)
{
	if (!paths)
		return;
	names_deinit(&paths->names);
	texts_deinit(&paths->texts);
	free(paths);
}

/* 1: sum is the path of the object; 0: it has none that is known; or -ENOMEM. */
static int find_object_path(struct row_paths *paths, const struct slab_object *object,
			    struct path_sum *sum)
{
	const struct live_stack *stack =
		live_stacks_find(paths->report->analysis.live_stacks, object);
	const struct named *named;
	bool has_process;

	if (!stack || !stack->kernel_stack)
		return 0;
	named = names_stack(&paths->names, stack->kernel_stack, stack->call_site, object->time);
	if (!named)
		return -ENOMEM;
	*sum = (struct path_sum){ .stack = named->stack, .objects = 1 };
	sum->bytes = estimate_sample_weight(object, stack->interval) * object->allocated;
	has_process = !(object->flags & OBJECT_IN_INTERRUPT) &&
		      strncmp(named->syscall ? texts_get(&paths->texts, named->syscall) : "", WORK,
			      strlen(WORK));
	if (!sum->stack || !has_process)
		return sum->stack != 0;
	named = names_task(&paths->names, object->task, object->time);
	if (!named)
		return -ENOMEM;
	sum->comm = named->comm ? named->comm : texts_add(&paths->texts, "?");
	return sum->comm ? 1 : -ENOMEM;
}

static int compare_keys(const void *left, const void *right)
{
	const struct path_sum *a = left, *b = right;

	if (a->stack != b->stack)
		return a->stack < b->stack ? -1 : 1;
	return (a->comm > b->comm) - (a->comm < b->comm);
}

/* Equal paths become one. Returns their number. */
static size_t add_up_paths(struct path_sum *list, size_t count)
{
	size_t kept = 0;

	qsort(list, count, sizeof(*list), compare_keys);
	for (size_t i = 1; i < count; i++) {
		if (compare_keys(&list[kept], &list[i])) {
			list[++kept] = list[i];
			continue;
		}
		list[kept].objects += list[i].objects;
		list[kept].bytes += list[i].bytes;
	}
	return count ? kept + 1 : 0;
}

static const char *text_or_empty(const struct row_paths *paths, uint32_t text)
{
	return text ? texts_get(&paths->texts, text) : "";
}

/* Numbers of texts depend on the order of the objects: equal sums are ordered by their texts. */
static bool is_heavier(const struct row_paths *paths, const struct path_sum *a,
		       const struct path_sum *b)
{
	int order;

	if (a->bytes < b->bytes || a->bytes > b->bytes)
		return a->bytes > b->bytes;
	if (a->objects != b->objects)
		return a->objects > b->objects;
	order = strcmp(text_or_empty(paths, a->comm), text_or_empty(paths, b->comm));
	if (!order)
		order = strcmp(text_or_empty(paths, a->stack), text_or_empty(paths, b->stack));
	return order < 0;
}

static char *make_text(const struct row_paths *paths, const struct path_sum *sum)
{
	char *text = NULL;
	size_t size;
	FILE *file = text_open(&text, &size);

	if (!file)
		return NULL;
	if (sum->comm) {
		const char *comm = texts_get(&paths->texts, sum->comm);

		flame_put_name(file, comm, strlen(comm));
		putc(FLAME_SEPARATOR, file);
	}
	flame_put_stack(file, texts_get(&paths->texts, sum->stack), false);
	return text_close(file, &text) ? NULL : text;
}

static int list_paths(struct row_paths *paths, const struct slab_object *const *list, size_t count,
		      struct path_sum **sums, size_t *sum_count)
{
	for (size_t i = 0; i < count; i++) {
		struct path_sum sum, *grown;
		int found = find_object_path(paths, list[i], &sum);

		if (found < 0)
			return found;
		if (!found)
			continue;
		grown = array_grow(*sums, *sum_count, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		*sums = grown;
		grown[(*sum_count)++] = sum;
	}
	return 0;
}

int row_path_set(struct row_paths *paths, const struct slab_object *const *list, size_t count,
		 struct table *table)
{
	struct path_sum *sums = NULL, *best;
	size_t sum_count = 0;
	int err = paths ? list_paths(paths, list, count, &sums, &sum_count) : 0;

	if (!err && sum_count) {
		table_cell(table, COLUMN_stack_objects)->number = sum_count;
		sum_count = add_up_paths(sums, sum_count);
		best = sums;
		for (size_t i = 1; i < sum_count; i++)
			if (is_heavier(paths, &sums[i], best))
				best = &sums[i];
		table_cell(table, COLUMN_path_objects)->number = best->objects;
		table_cell(table, COLUMN_path)->text = make_text(paths, best);
		err = table_cell(table, COLUMN_path)->text ? 0 : -ENOMEM;
	}
	free(sums);
	return err;
}
