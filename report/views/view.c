// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The tables of a report, as the views add them. */
#include "config.h"

#include <errno.h>
#include <stdio.h>

#include "report/views/view.h"

struct table *report_add_table(struct report *report, const struct column *columns,
			       size_t column_count)
{
	struct table *table = &report->tables[report->table_count++];

	if (report->columns && columns == report->view->columns)
		columns = report->columns;
	table_init(table, columns, column_count);
	return table;
}

int report_bind_query(struct report *report, struct value_source *source)
{
	int err = query_bind(report->query, source, &report->capture->gfp);

	if (err == -EINVAL)
		snprintf(report->errmsg, sizeof(report->errmsg), "%s", report->query->errmsg);
	return err;
}
