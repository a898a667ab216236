// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The view summary: growth, the top call sites and slab caches, and the findings. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/render/render.h"
#include "report/views/estimate_columns.h"
#include "report/views/row_path.h"
#include "report/views/view.h"

#define SUMMARY_ROWS 10
#define GLANCE_FINDINGS 2

/* The text of the summary shows or hides some columns, unlike the view of the table. */
static const struct column_choice site_differences[] = {
	{ .name = COLUMN_bytes_requested, .where = COLUMN_ALWAYS },
	{ .name = COLUMN_peak_bytes, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_temporary, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_lifetime_p50_ns, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_lifetime_p99_ns, .where = COLUMN_NOT_IN_TEXT },
	{ 0 },
};
static const struct column_choice finding_differences[] = {
	{ .name = COLUMN_first_case, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_because, .where = COLUMN_NOT_IN_TEXT },
	{ 0 },
};

/* The text of the glance hides more. */
static const struct column_choice glance_differences[] = {
	{ .name = COLUMN_gfp, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_free_cache, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_other_site, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_certainty, .where = COLUMN_NOT_IN_TEXT },
	{ 0 },
};

static void show_columns(struct table *table, const struct column_choice *differences)
{
	for (; differences->name; differences++)
		table->chosen[table_column(table, differences->name)].where = differences->where;
}

/* On one screen: what grew, what is wasted, what crosses CPUs and what is wrong. */
static int make_glance(struct report *report)
{
	/* -s and -F are of the call sites, and -l prints them */
	struct table *table = report_add_table(report, sites_columns);
	int err;

	estimate_add_columns(report, table);
	table->not_in_text = true;
	table->sort = "site";
	err = growth_table(report);
	if (!err)
		err = glance_waste_table(report);
	if (!err)
		err = glance_crossing_table(report);
	/* findings need all events */
	if (err || report->settings.estimate)
		return err;
	table = report_add_table(report, view_findings.columns);
	show_columns(table, finding_differences);
	show_columns(table, glance_differences);
	table->chosen[0].header = "What is wrong (view findings)";
	err = findings_table(report, table);
	table->is_compact = true;
	table->text_rows = GLANCE_FINDINGS;
	table->not_in_text = !table->rows_made;
	return err;
}

static int make_summary(struct report *report)
{
	struct table *table;
	int err;

	if (report->is_glance)
		return make_glance(report);
	table = report_add_table(report, sites_columns);
	show_columns(table, site_differences);
	err = sites_table(report, table);
	if (err)
		return err;
	table = report_add_table(report, view_caches.columns);
	err = caches_table(report, table);
	if (!err && !report->renderer->for_people)
		err = glance_waste_table(report);
	if (!err && !report->renderer->for_people)
		err = glance_crossing_table(report);
	if (err)
		return err;
	/* findings need all events */
	if (report->settings.estimate)
		return growth_table(report);
	table = report_add_table(report, view_findings.columns);
	show_columns(table, finding_differences);
	err = findings_table(report, table);
	table->title = "Certain findings (details: kmemtrace-report findings)";
	if (!err)
		err = finding_counts_table(report);
	return err ? err : growth_table(report);
}

static int begin_summary(struct report *report)
{
	row_paths_request(report);
	return 0;
}

const struct view view_summary = {
	.name = "summary",
	.summary = "all at a glance: growth, waste, cross-CPU frees, findings (default)",
	.columns = sites_columns,
	.by = GROUP_BY_SITE,
	.lifetimes = true,
	.findings = true,
	.peak_heap = true,
	.rows = SUMMARY_ROWS,
	.has_intervals = true,
	.begin = begin_summary,
	.make = make_summary,
};
