// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The view census: what each slab cache has given out at the end, by the slab allocator itself, and
 * how full its slabs are. Of objects that are older than the capture too.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/views/view.h"

static const struct column_choice columns[] = {
	{ .name = COLUMN_cache,
	  .legend =
		  "the slab cache; (all): all of them. Caches that the kernel merged have one name" },
	{ .name = COLUMN_size },
	{ .name = COLUMN_given_objects },
	{ .name = COLUMN_given_bytes },
	{ .name = COLUMN_given_growth_objects },
	{ .name = COLUMN_given_growth_bytes },
	{ .name = COLUMN_slabs, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_slab_bytes, .legend = "memory of the slabs of the cache at the end" },
	{ .name = COLUMN_slab_full_percent,
	  .legend = "given objects / all objects that the slabs have room for" },
	{ .name = COLUMN_slab_spare_bytes },
	{ .name = COLUMN_slabs_below_quarter, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_slabs_below_half, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_slabs_below_three_quarters, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_slabs_unknown, .where = COLUMN_IN_TEXT_IF_USED },
	{ 0 },
};

/* Of a cache, or of all. */
struct census {
	const char *name;
	uint64_t size; /* bytes from one object to the next; CELL_UNKNOWN: several */
	uint64_t given, given_bytes, room;
	uint64_t slabs, slab_bytes, spare_bytes, unknown;
	uint64_t below[3];	       /* slabs: a quarter full, half, three quarters */
	uint64_t before, before_bytes; /* given at the first reading */
};

static int begin_census(struct report *report)
{
	if (!report->settings.select)
		return 0;
	return error_format(
		&report->error, -EINVAL,
		"%s: the slab allocator was read at the begin and at the end, and counts all objects: use the view census without filters and --time",
		report->capture->path);
}

static void add_slab(struct census *census, const struct heap_reading *reading,
		     const struct heap_slab *slab)
{
	uint32_t given = slab->objects - heap_slab_free(reading, slab);

	census->slabs++;
	census->slab_bytes += slab->bytes;
	census->unknown += slab->is_unknown;
	census->room += slab->objects;
	census->given += given;
	census->given_bytes += (uint64_t)given * reading->caches[slab->cache].size;
	for (unsigned int i = 0; i < 3; i++)
		census->below[i] += !slab->is_unknown &&
				    4 * (uint64_t)given < (i + 1) * (uint64_t)slab->objects;
}

/* The slabs that the objects would fill, if they were moved together; all slabs are of one size. */
static void count_spare(struct census *census)
{
	uint64_t per_slab = census->slabs ? census->room / census->slabs : 0, needed;

	if (!per_slab)
		return;
	needed = (census->given + per_slab - 1) / per_slab;
	if (needed < census->slabs)
		census->spare_bytes = census->slab_bytes / census->slabs * (census->slabs - needed);
}

static void add_to_all(struct census *all, const struct census *census)
{
	all->given += census->given;
	all->given_bytes += census->given_bytes;
	all->room += census->room;
	all->slabs += census->slabs;
	all->slab_bytes += census->slab_bytes;
	all->spare_bytes += census->spare_bytes;
	all->unknown += census->unknown;
	all->before += census->before;
	all->before_bytes += census->before_bytes;
	for (unsigned int i = 0; i < 3; i++)
		all->below[i] += census->below[i];
}

static int add_census_row(struct table *table, const struct census *census, bool has_before)
{
	static const unsigned int below[] = { COLUMN_slabs_below_quarter, COLUMN_slabs_below_half,
					      COLUMN_slabs_below_three_quarters };

	if (!table_add(table))
		return -ENOMEM;
	table_cell(table, COLUMN_cache)->text = strdup(census->name);
	table_cell(table, COLUMN_size)->number = census->size;
	table_cell(table, COLUMN_given_objects)->number = census->given;
	table_cell(table, COLUMN_given_bytes)->number = census->given_bytes;
	table_cell(table, COLUMN_given_growth_objects)->change =
		has_before ? (int64_t)(census->given - census->before) : CHANGE_UNKNOWN;
	table_cell(table, COLUMN_given_growth_bytes)->change =
		has_before ? (int64_t)(census->given_bytes - census->before_bytes) : CHANGE_UNKNOWN;
	table_cell(table, COLUMN_slabs)->number = census->slabs;
	table_cell(table, COLUMN_slab_bytes)->number = census->slab_bytes;
	table_cell(table, COLUMN_slab_full_percent)->decimal =
		census->room ? 100 * (double)census->given / (double)census->room : 0;
	table_cell(table, COLUMN_slab_spare_bytes)->number = census->spare_bytes;
	for (unsigned int i = 0; i < 3; i++)
		table_cell(table, below[i])->number = census->below[i];
	table_cell(table, COLUMN_slabs_unknown)->number = census->unknown;
	return table_cell(table, COLUMN_cache)->text ? 0 : -ENOMEM;
}

/* The number of a cache of the first reading in the last one, or the count of these: it is gone. */
static size_t find_later_cache(const struct heap_reading *last, const struct heap_cache *cache,
			       size_t number)
{
	for (size_t i = 0; i < last->cache_count; i++) {
		/* mostly the same number */
		size_t at = (number + i) % last->cache_count;

		if (last->caches[at].address == cache->address &&
		    !strcmp(last->caches[at].name, cache->name))
			return at;
	}
	return last->cache_count;
}

/* list: of the caches of the last reading, and one more, of those that are gone. */
static void count_census(struct census *list, const struct heap_readings *heap)
{
	const struct heap_reading *last = &heap->list[heap->count - 1], *first = &heap->list[0];

	for (size_t i = 0; i < last->cache_count; i++) {
		list[i].name = last->caches[i].name;
		list[i].size = last->caches[i].size;
	}
	for (size_t i = 0; i < last->slab_count; i++)
		add_slab(&list[last->slabs[i].cache], last, &last->slabs[i]);
	for (size_t i = 0; heap->count == 2 && i < first->slab_count; i++) {
		const struct heap_slab *slab = &first->slabs[i];
		const struct heap_cache *cache = &first->caches[slab->cache];
		uint64_t given = slab->objects - heap_slab_free(first, slab);
		struct census *census = &list[find_later_cache(last, cache, slab->cache)];

		census->before += given;
		census->before_bytes += given * cache->size;
	}
}

static int make_census(struct report *report)
{
	const struct heap_readings *heap = &report->capture->heap;
	struct table *table = report_add_table(report, columns);
	struct census all = { .name = "(all)", .size = CELL_UNKNOWN }, *list;
	size_t count = heap->count ? heap->list[heap->count - 1].cache_count : 0;
	int err = 0;

	table->key = "census";
	table->empty =
		"The capture has no reading of the slab allocator: kmemtraced --doctor says whether one is possible; --no-audit and --profile take none.";
	table->sort = "slab_bytes";
	table->tiebreak = table_column(table, COLUMN_cache);
	list = calloc(count + 1, sizeof(*list));
	if (!list)
		return -ENOMEM;
	if (count)
		count_census(list, heap);
	for (size_t i = 0; i <= count && !err; i++) {
		count_spare(&list[i]);
		add_to_all(&all, &list[i]);
		if (list[i].name && (list[i].slabs || list[i].before))
			err = add_census_row(table, &list[i], heap->count == 2);
	}
	if (!err && all.slabs)
		err = add_census_row(table, &all, heap->count == 2);
	free(list);
	return err;
}

const struct view view_census = {
	.name = "census",
	.summary = "what each slab cache has given out, and how full its slabs are",
	.columns = columns,
	.begin = begin_census,
	.make = make_census,
};
