// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Tables of the summary's text: a few call sites, each in one line if its name is short. */
#include "config.h"

#include <errno.h>

#include "report/views/row_names.h"
#include "report/views/view.h"

#define ROWS 3

enum waste_column {
	WASTE_NAME,
	WASTE_ADDRESS,
	WASTE_PEAK,
	WASTE_SHARE,
	WASTE_LIVE,
	WASTE_BOUND,
	WASTE_COLUMNS
};

static const struct column waste_columns[WASTE_COLUMNS] = {
	[WASTE_NAME] = { "site", "What is wasted (view sizes)", "", COLUMN_TEXT, 0, COLUMN_ALWAYS,
			 "the kernel code that allocated" },
	[WASTE_ADDRESS] = { "address", "address", "", COLUMN_HEX, 0, COLUMN_NOT_IN_TEXT, NULL },
	[WASTE_PEAK] = { "peak_waste", "at peak", "bytes", COLUMN_NULLABLE, 0, COLUMN_ALWAYS,
			 "bytes that were not requested, of the objects that were live at the peak of all live bytes" },
	[WASTE_SHARE] = { "share_percent", "% of waste", "", COLUMN_DECIMAL, 1, COLUMN_ALWAYS,
			  "share of all waste at the peak" },
	[WASTE_LIVE] = { "live_waste", "at end", "bytes", COLUMN_LIVE, 0, COLUMN_ALWAYS,
			 "bytes that were not requested, of the objects that are live at the end" },
	[WASTE_BOUND] = { "live_upper_bound", "bound", "", COLUMN_BOUND, 0, COLUMN_NOT_IN_TEXT,
			  NULL },
};

enum crossing_column {
	CROSSING_NAME,
	CROSSING_ADDRESS,
	CROSSING_FREES,
	CROSSING_SHARE,
	CROSSING_COLUMNS
};

static const struct column crossing_columns[CROSSING_COLUMNS] = {
	[CROSSING_NAME] = { "site", "What crosses CPUs (view cpus)", "", COLUMN_TEXT, 0,
			    COLUMN_ALWAYS, "the kernel code that allocated" },
	[CROSSING_ADDRESS] = { "address", "address", "", COLUMN_HEX, 0, COLUMN_NOT_IN_TEXT, NULL },
	[CROSSING_FREES] = { "cross_cpu_frees", "frees", "", COLUMN_NUMBER, 0, COLUMN_ALWAYS,
			     "cross-CPU frees: on another CPU than the allocation" },
	[CROSSING_SHARE] = { "share_percent", "% of its frees", "", COLUMN_DECIMAL, 1,
			     COLUMN_ALWAYS, "share of the frees of the objects of the call site" },
};

static struct table *add_table(struct report *report, const struct column *columns, size_t count,
			       const char *key)
{
	struct table *table = report_add_table(report, columns, count);

	table->key = key;
	table->leads = table->is_compact = true;
	table->text_rows = ROWS;
	return table;
}

int glance_waste_table(struct report *report)
{
	const struct analysis *analysis = &report->analysis;
	bool is_known = analysis->peak_heap->is_known;
	struct table *table = add_table(report, waste_columns, WASTE_COLUMNS, "waste");

	table->empty = "Nothing is wasted.";
	table->sort = is_known ? "peak_waste,live_waste" : "live_waste";
	table->tiebreak = WASTE_ADDRESS;
	for (size_t i = 0; i < analysis->group_count; i++) {
		const struct heap_waste *waste = &report->wastes.groups[i];
		struct cell *row = waste->peak || waste->live ? table_add(table) : NULL;

		if (!waste->peak && !waste->live)
			continue;
		if (!row)
			return -ENOMEM;
		row[WASTE_NAME].text = group_name(report, &analysis->groups[i]);
		row[WASTE_ADDRESS].number = group_number(report, &analysis->groups[i]);
		row[WASTE_PEAK].number = is_known ? waste->peak : CELL_UNKNOWN;
		row[WASTE_SHARE].decimal =
			report->wastes.total.peak
				? 100 * (double)waste->peak / (double)report->wastes.total.peak
				: NAN;
		row[WASTE_LIVE].number = waste->live;
		row[WASTE_BOUND].truth = report->bounds.groups[i];
		if (!row[WASTE_NAME].text)
			return -ENOMEM;
	}
	return 0;
}

int glance_crossing_table(struct report *report)
{
	const struct analysis *analysis = &report->analysis;
	struct table *table = add_table(report, crossing_columns, CROSSING_COLUMNS, "crossing");

	table->empty = "No object was freed on another CPU.";
	table->sort = "cross_cpu_frees,share_percent";
	table->tiebreak = CROSSING_ADDRESS;
	for (size_t i = 0; i < analysis->group_count; i++) {
		const struct group *group = &analysis->groups[i];
		struct cell *row;

		if (!group->cross_cpu_frees)
			continue;
		row = table_add(table);
		if (!row)
			return -ENOMEM;
		row[CROSSING_NAME].text = group_name(report, group);
		row[CROSSING_ADDRESS].number = group_number(report, group);
		row[CROSSING_FREES].number = group->cross_cpu_frees;
		row[CROSSING_SHARE].decimal =
			100 * (double)group->cross_cpu_frees / (double)group->frees;
		if (!row[CROSSING_NAME].text)
			return -ENOMEM;
	}
	return 0;
}
