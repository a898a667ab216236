// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The view census: what each slab cache has given out at the end, by the slab allocator itself, and
 * how full its slabs are. Of objects that are older than the capture too.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "report/render/render.h"
#include "report/views/view.h"

static const struct column_choice columns[] = {
	{ .name = COLUMN_cache,
	  .legend =
		  "the slab cache; (all): all of them. Caches that the kernel merged have one name" },
	{ .name = COLUMN_size },
	{ .name = COLUMN_given_objects, .type = COLUMN_LIVE },
	{ .name = COLUMN_given_bytes, .type = COLUMN_LIVE },
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
	{ .name = COLUMN_given_upper_bound, .where = COLUMN_NOT_IN_TEXT },
	{ 0 },
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

static const struct column_choice node_columns[] = {
	{ .name = COLUMN_node, .legend = "NUMA node of the memory; - if it is not known" },
	{ .name = COLUMN_given_objects, .type = COLUMN_LIVE },
	{ .name = COLUMN_given_bytes, .type = COLUMN_LIVE },
	{ .name = COLUMN_slabs },
	{ .name = COLUMN_slab_bytes, .legend = "memory of the slabs on the node at the end" },
	{ .name = COLUMN_slab_full_percent,
	  .legend = "given objects / all objects that the slabs have room for" },
	{ .name = COLUMN_slabs_unknown, .where = COLUMN_IN_TEXT_IF_USED },
	{ .name = COLUMN_given_upper_bound, .where = COLUMN_NOT_IN_TEXT },
	{ 0 },
};

/* Of a cache of the last reading, or of all: its objects at the first reading. */
struct before {
	uint64_t given, given_bytes;
};

/* before: NULL: there was no first reading. */
static int add_census_row(struct table *table, const struct census_cache *census,
			  const struct before *before)
{
	static const unsigned int below[] = { COLUMN_slabs_below_quarter, COLUMN_slabs_below_half,
					      COLUMN_slabs_below_three_quarters };

	if (!table_add(table))
		return -ENOMEM;
	table_cell(table, COLUMN_cache)->text = strdup(*census->name ? census->name : "(all)");
	table_cell(table, COLUMN_size)->number = census->size ? census->size : CELL_UNKNOWN;
	table_cell(table, COLUMN_given_objects)->number = census->given;
	table_cell(table, COLUMN_given_bytes)->number = census->given_bytes;
	table_cell(table, COLUMN_given_growth_objects)->change =
		before ? (int64_t)(census->given - before->given) : CHANGE_UNKNOWN;
	table_cell(table, COLUMN_given_growth_bytes)->change =
		before ? (int64_t)(census->given_bytes - before->given_bytes) : CHANGE_UNKNOWN;
	table_cell(table, COLUMN_slabs)->number = census->slabs;
	table_cell(table, COLUMN_slab_bytes)->number = census->slab_bytes;
	table_cell(table, COLUMN_slab_full_percent)->decimal = census_full_percent(census);
	table_cell(table, COLUMN_slab_spare_bytes)->number = census->spare_bytes;
	for (unsigned int i = 0; i < 3; i++)
		table_cell(table, below[i])->number = census->below[i];
	table_cell(table, COLUMN_slabs_unknown)->number = census->unknown;
	table_cell(table, COLUMN_given_upper_bound)->number = census_is_upper_bound(census);
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

/*
 * list: by number of the cache in the last reading; then the sum of all, those that are gone
 * too.
 */
static int count_before(const struct heap_readings *heap, struct before *list)
{
	const struct heap_reading *last = &heap->list[1], *first = &heap->list[0];
	struct before *all = &list[last->cache_count];
	struct census census;
	int err = census_init(&census, first);

	for (size_t i = 0; i < census.count && !err; i++) {
		size_t at = find_later_cache(last, &first->caches[i], i);

		if (at == last->cache_count)
			continue;
		list[at].given += census.list[i].given;
		list[at].given_bytes += census.list[i].given_bytes;
	}
	*all = (struct before){ census.all.given, census.all.given_bytes };
	census_deinit(&census);
	return err;
}

static int add_rows(struct table *table, const struct census *census, const struct before *before)
{
	int err = 0;

	for (size_t i = 0; i < census->count && !err; i++)
		if (census->list[i].slabs || (before && before[i].given))
			err = add_census_row(table, &census->list[i], before ? &before[i] : NULL);
	return err ? err
		   : add_census_row(table, &census->all, before ? &before[census->count] : NULL);
}

/* by_node: by number of the node; then memory whose node is not known. */
static int add_node_rows(struct report *report, const struct census_cache *by_node, size_t count)
{
	struct table *table = report_add_table(report, node_columns);

	table->key = "census_nodes";
	table->title = "Slabs by NUMA node";
	table->sort = "node";
	for (size_t i = 0; i < count; i++) {
		if (!by_node[i].slabs)
			continue;
		if (!table_add(table))
			return -ENOMEM;
		table_cell(table, COLUMN_node)->number = i + 1 == count ? CELL_UNKNOWN : i;
		table_cell(table, COLUMN_given_objects)->number = by_node[i].given;
		table_cell(table, COLUMN_given_bytes)->number = by_node[i].given_bytes;
		table_cell(table, COLUMN_slabs)->number = by_node[i].slabs;
		table_cell(table, COLUMN_slab_bytes)->number = by_node[i].slab_bytes;
		table_cell(table, COLUMN_slab_full_percent)->decimal =
			census_full_percent(&by_node[i]);
		table_cell(table, COLUMN_slabs_unknown)->number = by_node[i].unknown;
		table_cell(table, COLUMN_given_upper_bound)->number =
			census_is_upper_bound(&by_node[i]);
	}
	return 0;
}

/* A text has no table of a machine with one node. */
static int add_nodes(struct report *report, const struct heap_reading *last)
{
	const struct memory_nodes *memory = &report->capture->topology.memory;
	struct census_cache *by_node;
	int most = -1, err = 0;

	for (size_t i = 0; i < memory->count; i++)
		most = MAX(most, memory->list[i].node);
	by_node = calloc((size_t)most + 2, sizeof(*by_node));
	if (!by_node)
		return -ENOMEM;
	for (size_t i = 0; i < last->slab_count; i++) {
		int node = memory_nodes_find(memory, last->slabs[i].address);

		census_add_slab(&by_node[node < 0 ? most + 1 : node], last, &last->slabs[i]);
	}
	if (most > 0 || !report->renderer->for_people)
		err = add_node_rows(report, by_node, (size_t)most + 2);
	free(by_node);
	return err;
}

static int make_census(struct report *report)
{
	const struct heap_readings *heap = &report->capture->heap;
	struct table *table = report_add_table(report, columns);
	const struct census *census = &report->census;
	struct before *before;
	int err = 0;

	table->key = "census";
	table->empty =
		"The capture has no reading of the slab allocator: kmemtraced --doctor says whether one is possible; --no-audit and --profile take none.";
	table->sort = "slab_bytes";
	table->tiebreak = table_column(table, COLUMN_cache);
	if (!census->all.slabs)
		return 0;
	before = calloc(census->count + 1, sizeof(*before));
	if (!before)
		return -ENOMEM;
	if (heap->count == 2)
		err = count_before(heap, before);
	if (!err)
		err = add_rows(table, census, heap->count == 2 ? before : NULL);
	free(before);
	return err ? err : add_nodes(report, &heap->list[heap->count - 1]);
}

const struct view view_census = {
	.name = "census",
	.summary = "what each slab cache has given out, and how full its slabs are",
	.columns = columns,
	.begin = begin_census,
	.make = make_census,
};
