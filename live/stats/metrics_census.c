// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The memory of slabs in the text format of Prometheus: the caches with the most, and all others in
 * one row.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "live/stats/metrics.h"

enum figure {
	SLAB_BYTES,
	SPARE_BYTES,
	GIVEN_BYTES,
	GIVEN_OBJECTS,
	FIGURES
};

static const struct {
	const char *name, *help;
} figures[FIGURES] = {
	[SLAB_BYTES] = { "slab_bytes", "Memory of slabs" },
	[SPARE_BYTES] = { "slab_spare_bytes",
			  "Memory of slabs that would come back if their objects were packed" },
	[GIVEN_BYTES] = { "slab_given_bytes",
			  "Bytes that the slab allocator has given out, since the boot" },
	[GIVEN_OBJECTS] = { "slab_given_objects",
			    "Objects that the slab allocator has given out, since the boot" },
};

int metrics_take_reading(struct metrics *metrics, const struct heap_reading *reading)
{
	struct census census;
	int err = census_init(&census, reading);

	if (err)
		return err;
	census_deinit(&metrics->census);
	metrics->census = census;
	return 0;
}

static uint64_t value_of_figure(const struct census_cache *cache, enum figure figure)
{
	switch (figure) {
	case SPARE_BYTES:
		return cache->spare_bytes;
	case GIVEN_BYTES:
		return cache->given_bytes;
	case GIVEN_OBJECTS:
		return cache->given;
	default:
		return cache->slab_bytes;
	}
}

static int compare_memory(const void *left, const void *right)
{
	const struct census_cache *a = left, *b = right;

	if (a->slab_bytes != b->slab_bytes)
		return a->slab_bytes < b->slab_bytes ? 1 : -1;
	return strcmp(a->name, b->name);
}

static int compare_cache_names(const void *left, const void *right)
{
	const struct census_cache *a = left, *b = right;

	return strcmp(a->name, b->name);
}

/*
 * The caches that have slabs, with the most memory first. Several caches can have one name, as
 * those of two mounts: they are one. 0 or -ENOMEM.
 */
static int list_caches(const struct census *census, struct census_cache **result, size_t *count)
{
	struct census_cache *list = calloc(census->count, sizeof(*list));
	size_t named = 0;

	if (!list)
		return -ENOMEM;
	*count = 0;
	for (size_t i = 0; i < census->count; i++)
		if (census->list[i].slabs)
			list[named++] = census->list[i];
	qsort(list, named, sizeof(*list), compare_cache_names);
	for (size_t i = 0; i < named; i++)
		if (*count && !strcmp(list[*count - 1].name, list[i].name))
			census_add(&list[*count - 1], &list[i]);
		else
			list[(*count)++] = list[i];
	qsort(list, *count, sizeof(*list), compare_memory);
	*result = list;
	return 0;
}

static void write_row(FILE *file, enum figure figure, const char *name,
		      const struct census_cache *cache)
{
	fprintf(file, "kmemtrace_cache_%s{cache=\"", figures[figure].name);
	metrics_write_label(file, name);
	fprintf(file, "\"} %" PRIu64 "\n", value_of_figure(cache, figure));
}

/* list: the shown caches, and rest all others. */
static void write_figure(const struct census *census, const struct census_cache *list, size_t count,
			 const struct census_cache *rest, enum figure figure, FILE *file)
{
	const char *name = figures[figure].name, *help = figures[figure].help;

	fprintf(file,
		"# HELP kmemtrace_%s %s\n# TYPE kmemtrace_%s gauge\nkmemtrace_%s %" PRIu64 "\n",
		name, help, name, name, value_of_figure(&census->all, figure));
	fprintf(file, "# HELP kmemtrace_cache_%s %s, by slab cache\n", name, help);
	fprintf(file, "# TYPE kmemtrace_cache_%s gauge\n", name);
	for (size_t i = 0; i < count; i++)
		write_row(file, figure, list[i].name, &list[i]);
	write_row(file, figure, METRICS_REST, rest);
}

int metrics_census_write(const struct metrics *metrics, FILE *file)
{
	const struct census *census = &metrics->census;
	struct census_cache rest = { 0 }, *list;
	size_t count, shown;

	if (!census->count)
		return 0;
	if (list_caches(census, &list, &count))
		return -ENOMEM;
	shown = count < metrics->top ? count : metrics->top;
	for (size_t i = shown; i < count; i++)
		census_add(&rest, &list[i]);
	for (unsigned int figure = 0; figure < FIGURES; figure++)
		write_figure(census, list, shown, &rest, figure, file);
	free(list);
	return 0;
}
