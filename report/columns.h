/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Columns of the first table of a report: the keys of --by, the columns of -F, and sort keys. A
 * column may be named by its key, or by any name of the field whose values it shows.
 */
#ifndef REPORT_COLUMNS_H
#define REPORT_COLUMNS_H

#include "report/views/view.h"

/*
 * With --by: names the first columns by the groups, or replaces them by a column for each key. Call
 * it when the view made its tables; without a table of the analysis, there are columns only. 0,
 * -ENOMEM, or -EINVAL with report->error set.
 */
int columns_of_groups(struct report *report);

/* Keeps the columns that the text lists, in its order. 0, -ENOMEM or -EINVAL with error set. */
int columns_choose(struct report *report, const char *text);

/* In a text, shows the columns by which the text sorts. 0 or -ENOMEM. */
int columns_show(struct table *table, const char *text);

/* The sort keys of a text by the keys of the table's columns. A new string, or NULL: no memory. */
char *columns_sort_keys(const struct table *table, const char *text);

#endif
