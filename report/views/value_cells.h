/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Values of fields as cells of a table. */
#ifndef REPORT_VIEWS_VALUE_CELLS_H
#define REPORT_VIEWS_VALUE_CELLS_H

#include "analysis/fields/expression.h"
#include "report/render/table.h"

/* The column of the values of an expression, and its type. */
enum column_type value_column_type(const struct expression *expression);
struct column value_column(const struct expression *expression);

/* Sets a cell of such a column. 0 or -ENOMEM. */
int value_set_cell(const struct texts *texts, struct cell *cell, enum column_type type,
		   struct value value);

#endif
