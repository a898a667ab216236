// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The paths of a flame. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/printable.h"
#include "report/render/flame.h"

#define MEASURE_NAME(name) #name,

const char *const flame_measures[] = { FLAME_MEASURES(MEASURE_NAME) NULL };

void flame_deinit(struct flame *flame)
{
	for (size_t i = 0; i < flame->path_count; i++) {
		free(flame->paths[i].text);
		free(flame->paths[i].labels);
	}
	free(flame->paths);
	free(flame->title);
	free(flame->source);
	*flame = (struct flame){ 0 };
}

struct flame_path *flame_add(struct flame *flame)
{
	struct flame_path *paths =
		array_grow(flame->paths, flame->path_count, sizeof(*flame->paths));

	if (!paths)
		return NULL;
	flame->paths = paths;
	paths[flame->path_count] = (struct flame_path){ .number = flame->path_count };
	return &paths[flame->path_count++];
}

void flame_put_name(FILE *file, const char *name, size_t length)
{
	const char *end = name + length;

	if (!length)
		putc('?', file);
	while (name < end) {
		size_t size = 1;

		if (*name == FLAME_SEPARATOR)
			putc(':', file);
		else
			size = printable_put(file, name);
		if (!size) /* the file cannot be written */
			return;
		name += size;
	}
}

static int compare_paths(const void *left, const void *right)
{
	const struct flame_path *a = left, *b = right;

	int order = strcmp(a->text, b->text);

	return order ? order : (a->number > b->number) - (a->number < b->number);
}

static void add_values(struct flame_values *sum, const struct flame_values *values)
{
	sum->objects += values->objects;
	sum->bytes += values->bytes;
	sum->variance += values->variance;
}

static void merge_paths(struct flame *flame)
{
	size_t count = 0;

	for (size_t i = 0; i < flame->path_count; i++) {
		struct flame_path *path = &flame->paths[i], *last = flame->paths + count - 1;

		if (!count || strcmp(last->text, path->text)) {
			flame->paths[count] = *path;
			count++;
			continue;
		}
		add_values(&last->shown, &path->shown);
		add_values(&last->allocated, &path->allocated);
		add_values(&last->live, &path->live);
		last->is_bound |= path->is_bound;
		free(path->text);
		free(path->labels);
	}
	flame->path_count = count;
}

void flame_sort(struct flame *flame, bool merge)
{
	if (flame->path_count)
		qsort(flame->paths, flame->path_count, sizeof(*flame->paths), compare_paths);
	if (merge)
		merge_paths(flame);
}

bool flame_is_flow(const struct flame *flame)
{
	return flame->measure == FLAME_allocated || flame->measure == FLAME_temporary;
}

bool flame_is_bound(const struct flame *flame)
{
	for (size_t i = 0; i < flame->path_count; i++)
		if (flame->paths[i].is_bound)
			return true;
	return false;
}

struct flame_values flame_total(const struct flame *flame)
{
	struct flame_values sum = { 0 };

	for (size_t i = 0; i < flame->path_count; i++)
		add_values(&sum, &flame->paths[i].shown);
	return sum;
}
