// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The tables of a report, as the views add them. */
#include "config.h"

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
