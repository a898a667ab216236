// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The view summary: growth, the top call sites and slab caches, and the findings. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/render/render.h"
#include "report/views/estimate_columns.h"
#include "report/views/view.h"

#define SUMMARY_ROWS 10
#define GLANCE_FINDINGS 2

/* A column that the text of the summary shows or hides, unlike the view of the table. */
struct difference {
	const char *key;
	enum column_where where;
};

static const struct difference site_differences[] = {
	{ "bytes_requested", COLUMN_ALWAYS },	   { "peak_bytes", COLUMN_NOT_IN_TEXT },
	{ "temporary", COLUMN_NOT_IN_TEXT },	   { "lifetime_p50_ns", COLUMN_NOT_IN_TEXT },
	{ "lifetime_p99_ns", COLUMN_NOT_IN_TEXT }, { NULL, COLUMN_ALWAYS },
};
static const struct difference finding_differences[] = {
	{ "first_case", COLUMN_NOT_IN_TEXT },
	{ "because", COLUMN_NOT_IN_TEXT },
	{ NULL, COLUMN_ALWAYS },
};

static void copy_columns(struct column *to, const struct column *from, size_t count,
			 const struct difference *differences)
{
	memcpy(to, from, count * sizeof(*to));
	for (size_t i = 0; i < count; i++)
		for (const struct difference *other = differences; other->key; other++)
			if (strcmp(to[i].key, other->key) == 0)
				to[i].where = other->where;
}

/* The text of the glance has other columns of the findings. */
static const struct difference glance_differences[] = {
	{ "first_case", COLUMN_NOT_IN_TEXT },
	{ "because", COLUMN_NOT_IN_TEXT },
	{ "gfp", COLUMN_NOT_IN_TEXT },
	{ "free_cache", COLUMN_NOT_IN_TEXT },
	{ "other_site", COLUMN_NOT_IN_TEXT },
	{ "certainty", COLUMN_NOT_IN_TEXT },
	{ NULL, COLUMN_ALWAYS },
};

/* On one screen: what grew, what is wasted, what crosses CPUs and what is wrong. */
static int make_glance(struct report *report)
{
	size_t count = view_findings.column_count;
	struct column *columns = calloc(count, sizeof(*columns));
	struct table *table;
	int err;

	if (!columns)
		return -ENOMEM;
	report->second_columns = columns;
	copy_columns(columns, view_findings.columns, count, glance_differences);
	columns[0].header = "What is wrong (view findings)";
	/* -s and -F are of the call sites, and -l prints them */
	table = report_add_table(report, sites_columns,
				 estimate_column_count(report, SITES_COLUMNS));
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
	table = report_add_table(report, columns, count);
	err = findings_table(report, table);
	table->is_compact = true;
	table->text_rows = GLANCE_FINDINGS;
	table->not_in_text = !table->rows_made;
	return err;
}

static int make(struct report *report)
{
	size_t sites = estimate_column_count(report, SITES_COLUMNS);
	size_t count = view_findings.column_count;
	struct column *columns;
	struct table *table;
	int err;

	if (report->is_glance)
		return make_glance(report);
	columns = calloc(sites + count, sizeof(*columns));
	if (!columns)
		return -ENOMEM;
	report->columns = columns;
	copy_columns(columns, sites_columns, sites, site_differences);
	copy_columns(columns + sites, view_findings.columns, count, finding_differences);

	table = report_add_table(report, columns, sites);
	err = sites_table(report, table);
	if (err)
		return err;
	table = report_add_table(report, view_caches.columns,
				 estimate_column_count(report, view_caches.column_count));
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
	table = report_add_table(report, columns + sites, count);
	err = findings_table(report, table);
	table->title = "Certain findings (details: kmemtrace-report findings)";
	if (!err)
		err = finding_counts_table(report);
	return err ? err : growth_table(report);
}

const struct view view_summary = {
	.name = "summary",
	.summary = "all at a glance: growth, waste, cross-CPU frees, findings (default)",
	.columns = sites_columns,
	.column_count = SITES_COLUMNS,
	.by = GROUP_BY_SITE,
	.lifetimes = true,
	.findings = true,
	.peak_heap = true,
	.rows = SUMMARY_ROWS,
	.has_intervals = true,
	.make = make,
};
