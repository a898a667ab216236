// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The view lifetimes: a histogram by group, with a row for each power of two of ns. */
#include "config.h"

#include <errno.h>

#include "report/views/row_names.h"
#include "report/views/view.h"

enum lifetime_column {
	LIFETIME_NAME,
	LIFETIME_ADDRESS,
	LIFETIME_GROUP_FREES,
	LIFETIME_FROM,
	LIFETIME_TO,
	LIFETIME_FREES,
	LIFETIME_PERCENT,
	LIFETIME_BAR,
	LIFETIME_COLUMNS
};

static const struct column columns[LIFETIME_COLUMNS] = {
	[LIFETIME_NAME] = { "site", "site", "", COLUMN_TEXT, 0, COLUMN_ALWAYS,
			    "the kernel code that allocated: symbol+offset/size [module]" },
	[LIFETIME_ADDRESS] = { "address", "address", "", COLUMN_HEX, 0, COLUMN_NOT_IN_TEXT, NULL },
	[LIFETIME_GROUP_FREES] = { "frees_in_all", "frees", "in all", COLUMN_NUMBER, 0,
				   COLUMN_NOT_IN_TEXT, NULL },
	[LIFETIME_FROM] = { "from_ns", "lived", "from", COLUMN_DURATION, 0, COLUMN_ALWAYS,
			    "time from the allocation to the recorded free; objects without a recorded free are not counted" },
	[LIFETIME_TO] = { "to_ns", "lived", "to", COLUMN_DURATION, 0, COLUMN_ALWAYS, NULL },
	[LIFETIME_FREES] = { "frees", "frees", "", COLUMN_NUMBER, 0, COLUMN_ALWAYS,
			     "frees of the site's objects with this lifetime" },
	[LIFETIME_PERCENT] = { "percent", "share", "%", COLUMN_DECIMAL, 1, COLUMN_ALWAYS,
			       "of all frees of the site's objects" },
	[LIFETIME_BAR] = { "bar", "", "", COLUMN_BAR, 0, COLUMN_ALWAYS, NULL },
};

#define POWERS 64 /* rows: below 2 ns, then each power of two */

static unsigned int power_of(unsigned int bucket)
{
	uint64_t ns = lifetime_first(bucket);

	return ns ? 63 - (unsigned int)__builtin_clzll(ns) : 0;
}

static int add_row(struct report *report, struct table *table, const struct group *group,
		   unsigned int power, uint64_t frees)
{
	const struct analysis *analysis = &report->analysis;
	struct cell *row = table_add(table);

	if (!row)
		return -ENOMEM;
	row[LIFETIME_NAME].text = group_name(report, group);
	row[LIFETIME_ADDRESS].number = group_number(report, group);
	row[LIFETIME_GROUP_FREES].number = group->frees;
	row[LIFETIME_FROM].number = power ? (uint64_t)1 << power : 0;
	row[LIFETIME_TO].number =
		power < power_of(LIFETIME_BUCKETS - 1)
			? lifetimes_limit(group->lifetimes, ((uint64_t)2 << power) - 1,
					  analysis->window_end - analysis->window_begin)
			: CELL_UNKNOWN;
	row[LIFETIME_FREES].number = frees;
	row[LIFETIME_BAR].decimal = (double)frees / (double)group->frees;
	row[LIFETIME_PERCENT].decimal = 100 * row[LIFETIME_BAR].decimal;
	return row[LIFETIME_NAME].text ? 0 : -ENOMEM;
}

/* Rows from the first to the last with frees, including empty ones between, to show gaps. */
static int add_group(struct report *report, struct table *table, const struct group *group)
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
		err = add_row(report, table, group, power, frees[power]);
	return err;
}

static int make(struct report *report)
{
	const struct analysis *analysis = &report->analysis;
	struct table *table = report_add_table(report, columns, LIFETIME_COLUMNS);
	int err = 0;

	table->key = "lifetimes";
	table->empty = "No object has a recorded allocation and a recorded free.";
	/* equal rows keep their order: the rows of a group stay together */
	table->sort = "frees_in_all";
	table->tiebreak = LIFETIME_NAME;
	for (size_t i = 0; i < analysis->group_count && !err; i++)
		if (analysis->groups[i].lifetimes)
			err = add_group(report, table, &analysis->groups[i]);
	return err;
}

const struct view view_lifetimes = {
	.name = "lifetimes",
	.summary = "lifetimes of the freed objects of each call site: a histogram",
	.columns = columns,
	.column_count = LIFETIME_COLUMNS,
	.has_by = true,
	.by = GROUP_BY_SITE,
	.lifetimes = true,
	.rows = 100,
	.make = make,
};
