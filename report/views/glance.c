// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Tables of the summary's text: a few call sites, each in one line if its name is short. */
#include "config.h"

#include <errno.h>

#include "report/views/row_names.h"
#include "report/views/view.h"

#define ROWS 2

static const struct column_choice waste_columns[] = {
	{ .name = COLUMN_site, .header = "What is wasted (view sizes)" },
	{ .name = COLUMN_address, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_peak_waste, .header = "at peak", .unit = "bytes" },
	{ .name = COLUMN_share_percent },
	{ .name = COLUMN_live_waste, .header = "at end", .unit = "bytes" },
	{ .name = COLUMN_live_upper_bound, .where = COLUMN_NOT_IN_TEXT },
	{ 0 },
};

static const struct column_choice crossing_columns[] = {
	{ .name = COLUMN_site, .header = "What crosses CPUs (view cpus)" },
	{ .name = COLUMN_address, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_cross_cpu_frees, .header = "frees", .unit = "" },
	{ .name = COLUMN_share_percent,
	  .header = "% of its frees",
	  .legend = "share of the frees of the objects of the call site" },
	{ 0 },
};

static struct table *add_glance_table(struct report *report, const struct column_choice *columns,
				      const char *key)
{
	struct table *table = report_add_table(report, columns);

	table->key = key;
	table->leads = table->is_compact = true;
	table->text_rows = ROWS;
	return table;
}

int glance_waste_table(struct report *report)
{
	const struct analysis *analysis = &report->analysis;
	bool is_known = analysis->peak_heap->is_known;
	struct table *table = add_glance_table(report, waste_columns, "waste");

	table->empty = "Nothing is wasted.";
	table->sort = is_known ? "peak_waste,live_waste" : "live_waste";
	table->tiebreak = table_column(table, COLUMN_address);
	for (size_t i = 0; i < analysis->group_count; i++) {
		const struct heap_waste *waste = &report->wastes.groups[i];

		if (!waste->peak && !waste->live)
			continue;
		if (!table_add(table))
			return -ENOMEM;
		table_cell(table, COLUMN_site)->text = group_name(report, &analysis->groups[i]);
		table_cell(table, COLUMN_address)->number =
			group_number(report, &analysis->groups[i]);
		table_cell(table, COLUMN_peak_waste)->number = is_known ? waste->peak
									: CELL_UNKNOWN;
		table_cell(table, COLUMN_share_percent)->decimal =
			report->wastes.total.peak
				? 100 * (double)waste->peak / (double)report->wastes.total.peak
				: NAN;
		table_cell(table, COLUMN_live_waste)->number = waste->live;
		table_cell(table, COLUMN_live_upper_bound)->truth = report->bounds.groups[i];
		if (!table_cell(table, COLUMN_site)->text)
			return -ENOMEM;
	}
	return 0;
}

int glance_crossing_table(struct report *report)
{
	const struct analysis *analysis = &report->analysis;
	struct table *table = add_glance_table(report, crossing_columns, "crossing");

	table->empty = "No object was freed on another CPU.";
	table->sort = "cross_cpu_frees,share_percent";
	table->tiebreak = table_column(table, COLUMN_address);
	for (size_t i = 0; i < analysis->group_count; i++) {
		const struct group *group = &analysis->groups[i];

		if (!group->cross_cpu_frees)
			continue;
		if (!table_add(table))
			return -ENOMEM;
		table_cell(table, COLUMN_site)->text = group_name(report, group);
		table_cell(table, COLUMN_address)->number = group_number(report, group);
		table_cell(table, COLUMN_cross_cpu_frees)->number = group->cross_cpu_frees;
		table_cell(table, COLUMN_share_percent)->decimal =
			100 * (double)group->cross_cpu_frees / (double)group->frees;
		if (!table_cell(table, COLUMN_site)->text)
			return -ENOMEM;
	}
	return 0;
}
