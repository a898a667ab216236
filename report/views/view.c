// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The tables of a report, as the views add them. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "report/views/view.h"

/* The first column by kind of group. */
static const struct {
	const char *text, *legend;
} kinds[] = {
	[GROUP_BY_SITE] = { "site", NULL },
	[GROUP_BY_FUNCTION] = { "function", "the kernel function that allocated: symbol [module]" },
	[GROUP_BY_MODULE] = { "module",
			      "the code that allocated: a [module], the kernel itself, or unknown" },
	[GROUP_BY_CACHE] = { "cache",
			     "the slab cache of the objects, or the kmalloc() size class" },
	[GROUP_BY_SIZE] = { "size", "bytes that an allocation requested" },
	[GROUP_BY_TASK] = { "task", "name and process of the task that allocated" },
	[GROUP_BY_CPU] = { "cpu", "the CPU that allocated" },
	[GROUP_BY_NODE] = { "node", "the NUMA node of the CPU that allocated" },
	[GROUP_BY_GFP] = { "gfp", "GFP flags of the allocation" },
};

const char *group_by_text(enum group_by by)
{
	return kinds[by].text;
}

void report_name_group(struct column *columns, enum group_by by)
{
	columns[0].key = columns[0].header = kinds[by].text;
	columns[0].legend = kinds[by].legend;
	if (by == GROUP_BY_FUNCTION || strcmp(columns[1].key, "address"))
		return;
	columns[1].key = columns[1].header = "number";
	columns[1].legend = "the group as a number";
	if (by != GROUP_BY_GFP)
		columns[1].type = COLUMN_ID;
}

struct table *report_add_table(struct report *report, const struct column_choice *columns)
{
	struct table *table = report_add_table_of(report, NULL, 0);
	enum group_by by = report->settings.by;

	table_choose(table, columns);
	if (columns == report->view->columns && report->view->has_by && by != GROUP_BY_SITE &&
	    by != GROUP_BY_CALLER)
		report_name_group(table->chosen, by);
	return table;
}

struct table *report_add_table_of(struct report *report, const struct column *columns,
				  size_t column_count)
{
	struct table *table = &report->tables[report->table_count++];

	table_init(table, columns, column_count);
	return table;
}

int report_bind_query(struct report *report, struct value_source *source)
{
	int err = query_bind(report->query, source, &report->capture->gfp);

	if (err == -EINVAL)
		error_set(&report->error, err, report->query->error.text);
	return err;
}
