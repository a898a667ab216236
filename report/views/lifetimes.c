// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The view lifetimes: a histogram by group, with a row for each power of two of ns. */
#include "config.h"

#include <errno.h>

#include "report/views/row_names.h"
#include "report/views/view.h"

static const struct column_choice columns[] = {
	{ .name = COLUMN_site },
	{ .name = COLUMN_address, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_frees_in_all, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_from_ns },
	{ .name = COLUMN_to_ns },
	{ .name = COLUMN_frees, .legend = "frees of the site's objects with this lifetime" },
	{ .name = COLUMN_percent, .legend = "of all frees of the site's objects" },
	{ .name = COLUMN_bar },
	{ 0 },
};

#define POWERS 64 /* rows: below 2 ns, then each power of two */

static unsigned int power_of(unsigned int bucket)
{
	uint64_t ns = lifetime_first(bucket);

	return ns ? 63 - (unsigned int)__builtin_clzll(ns) : 0;
}

static int add_lifetime_row(struct report *report, struct table *table, const struct group *group,
			    unsigned int power, uint64_t frees)
{
	const struct analysis *analysis = &report->analysis;

	if (!table_add(table))
		return -ENOMEM;
	table_cell(table, COLUMN_site)->text = group_name(report, group);
	table_cell(table, COLUMN_address)->number = group_number(report, group);
	table_cell(table, COLUMN_frees_in_all)->number = group->frees;
	table_cell(table, COLUMN_from_ns)->number = power ? (uint64_t)1 << power : 0;
	table_cell(table, COLUMN_to_ns)->number =
		power < power_of(LIFETIME_BUCKETS - 1)
			? lifetimes_limit(group->lifetimes, ((uint64_t)2 << power) - 1,
					  analysis->window_end - analysis->window_begin)
			: CELL_UNKNOWN;
	table_cell(table, COLUMN_frees)->number = frees;
	table_cell(table, COLUMN_bar)->decimal = (double)frees / (double)group->frees;
	table_cell(table, COLUMN_percent)->decimal = 100 * table_cell(table, COLUMN_bar)->decimal;
	return table_cell(table, COLUMN_site)->text ? 0 : -ENOMEM;
}

/* Rows from the first to the last with frees, including empty ones between, to show gaps. */
static int add_group_lifetimes(struct report *report, struct table *table,
			       const struct group *group)
{
	uint64_t frees[POWERS] = { 0 };
	unsigned int first = POWERS, last = 0;
	int err = 0;

	for (unsigned int i = 0; i < LIFETIME_BUCKETS; i++) {
		unsigned int power = power_of(i);
		uint64_t count = lifetimes_in(group->lifetimes, i);

		if (!count)
			continue;
		frees[power] += count;
		if (first == POWERS)
			first = power;
		last = power;
	}
	for (unsigned int power = first; power <= last && !err; power++)
		err = add_lifetime_row(report, table, group, power, frees[power]);
	return err;
}

static int make_lifetimes(struct report *report)
{
	const struct analysis *analysis = &report->analysis;
	struct table *table = report_add_table(report, columns);
	int err = 0;

	table->key = "lifetimes";
	table->empty = "No object has a recorded allocation and a recorded free.";
	/* equal rows keep their order: the rows of a group stay together */
	table->sort = "frees_in_all";
	table->tiebreak = table_column(table, COLUMN_site);
	for (size_t i = 0; i < analysis->group_count && !err; i++)
		if (analysis->groups[i].lifetimes)
			err = add_group_lifetimes(report, table, &analysis->groups[i]);
	return err;
}

const struct view view_lifetimes = {
	.name = "lifetimes",
	.summary = "lifetimes of the freed objects of each call site: a histogram",
	.columns = columns,
	.has_by = true,
	.by = GROUP_BY_SITE,
	.lifetimes = true,
	.rows = 100,
	.make = make_lifetimes,
};
