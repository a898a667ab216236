// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "kernel/cache_aliases.h"
#include "live/top/columns.h"

const struct column_info columns[COLUMNS] = {
	[COLUMN_LIVE] = { 'l', "live", "LIVE", "live bytes: who holds" },
	[COLUMN_ERROR] = { 'e', "error", "+-%", "estimates: half of the 95 % interval" },
	[COLUMN_OBJECTS] = { 'o', "objects", "OBJS", "live objects" },
	[COLUMN_GROWTH] = { 'g', "growth", "GROW/S", "growth of the live bytes in a second" },
	[COLUMN_SINCE] = { 'd', "since", "SINCE", "growth of the live bytes since start or r" },
	[COLUMN_ALLOCATIONS] = { 'a', "allocations", "NEW/S", "allocations in a second" },
	[COLUMN_FREES] = { 'f', "frees", "FREE/S", "frees in a second" },
	[COLUMN_BYTES] = { 'b', "bytes", "BYTE/S", "bytes allocated in a second" },
	[COLUMN_NAME] = { 'n', "name", "NAME", "the name of the row" },
};

/* value: at least base; gets three digits and a unit. */
static void scaled_text(double value, double base, const char *units, const char *sign,
			char text[NUMBER_BYTES])
{
	size_t unit = 0;

	value /= base;
	while (value >= 999.5 && units[unit + 1]) {
		value /= base;
		unit++;
	}
	snprintf(text, NUMBER_BYTES, "%s%.*f%c", sign,
		 value < 9.995	 ? 2
		 : value < 99.95 ? 1
				 : 0,
		 value, units[unit]);
}

const char *count_text(double count, bool is_rate, char text[NUMBER_BYTES])
{
	if (count >= 99999.5)
		scaled_text(count, 1000, "kMGTP", "", text);
	else
		snprintf(text, NUMBER_BYTES, "%.*f", is_rate && count > 0 && count < 9.95 ? 1 : 0,
			 count);
	return text;
}

const char *bytes_text(double bytes, bool is_signed, char text[NUMBER_BYTES])
{
	double size = fabs(bytes);
	const char *sign = size < 0.5 ? "" : bytes < 0 ? "-" : is_signed ? "+" : "";

	if (size >= 9999.5)
		scaled_text(size, 1024, "KMGTP", sign, text);
	else
		snprintf(text, NUMBER_BYTES, "%s%.0f", sign, size);
	return text;
}

const char *column_text(enum column column, const struct row_figures *figures,
			char text[NUMBER_BYTES])
{
	bool is_rate = column != COLUMN_LIVE && column != COLUMN_ERROR &&
		       column != COLUMN_OBJECTS && column != COLUMN_SINCE;

	if (is_rate && !figures->has_rates)
		return "-";
	switch (column) {
	case COLUMN_LIVE:
		return bytes_text((double)figures->live_bytes, false, text);
	case COLUMN_ERROR:
		return isnan(figures->error) ? "-" : count_text(figures->error, true, text);
	case COLUMN_OBJECTS:
		return count_text((double)figures->live_objects, false, text);
	case COLUMN_GROWTH:
		return bytes_text(figures->growth_s, true, text);
	case COLUMN_SINCE:
		return bytes_text((double)figures->since_mark, true, text);
	case COLUMN_ALLOCATIONS:
		return count_text(figures->allocations_s, true, text);
	case COLUMN_FREES:
		return count_text(figures->frees_s, true, text);
	default:
		return bytes_text(figures->allocated_s, false, text);
	}
}

static double value_of_column(enum column column, const struct row_figures *figures)
{
	switch (column) {
	case COLUMN_LIVE:
		return (double)figures->live_bytes;
	case COLUMN_ERROR:
		return isnan(figures->error) ? 0 : figures->error;
	case COLUMN_OBJECTS:
		return (double)figures->live_objects;
	case COLUMN_GROWTH:
		return figures->growth_s;
	case COLUMN_SINCE:
		return (double)figures->since_mark;
	case COLUMN_ALLOCATIONS:
		return figures->allocations_s;
	case COLUMN_FREES:
		return figures->frees_s;
	case COLUMN_BYTES:
		return figures->allocated_s;
	default:
		return 0;
	}
}

/* The largest first, equal ones by live bytes, then by name. Names ascend. */
static int compare_listed(const void *left, const void *right, void *data)
{
	const struct listed *a = left, *b = right;
	const struct list_settings *settings = data;
	double x = value_of_column(settings->sort, &a->figures),
	       y = value_of_column(settings->sort, &b->figures);
	int order = (x < y) - (x > y);

	if (!order && settings->sort != COLUMN_NAME)
		order = (a->figures.live_bytes < b->figures.live_bytes) -
			(a->figures.live_bytes > b->figures.live_bytes);
	if (!order)
		order = strcmp(a->row->name, b->row->name);
	return settings->reverse ? -order : order;
}

static int add_listed(struct row_list *list, const struct top_table *table,
		      const struct table_row *row)
{
	struct listed *rows =
		array_grow_zeroed(list->rows, &list->space, list->count + 1, sizeof(*rows));

	if (!rows)
		return -ENOMEM;
	list->rows = rows;
	rows[list->count].row = row;
	table_figures(table, row, &rows[list->count].figures);
	list->count++;
	return 0;
}

/* The aliases of a slab cache; NULL: it has none. */
static const char *find_aliases(const struct stats_file_view *types, const char *cache)
{
	for (size_t i = 0; types && i < types->count; i++)
		if (types->types[i].kind == TYPE_STATS_CACHE &&
		    !strcmp(types->types[i].name, cache))
			return types->types[i].aliases;
	return NULL;
}

/* Merged caches are one row, which has the name of any: 1, 0 or -ENOMEM. */
static int takes_row(const struct list_settings *settings, const struct table_row *row)
{
	int takes = settings->filter ? text_matches(settings->filter, row->name) : 1;
	const char *aliases = takes ? NULL : find_aliases(settings->types, row->key);
	char alias[CACHE_NAME];

	while (!takes && cache_aliases_next(&aliases, alias))
		takes = text_matches(settings->filter, alias);
	return takes;
}

int list_fill(struct row_list *list, const struct top_table *table,
	      const struct list_settings *settings)
{
	int err = 0;

	list->count = 0;
	list->all = table->count;
	for (size_t i = 0; i < table->count && !err; i++) {
		const struct table_row *row = &table->rows[i];
		int takes = takes_row(settings, row);

		err = takes < 0 ? takes : takes ? add_listed(list, table, row) : 0;
	}
	if (list->count)
		qsort_r(list->rows, list->count, sizeof(*list->rows), compare_listed,
			(void *)settings);
	return err;
}

void list_deinit(struct row_list *list)
{
	free(list->rows);
	memset(list, 0, sizeof(*list));
}
