// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The question top: who allocates how much, on all hosts together. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "fleet/question.h"

#define DEVIATIONS 1.96 /* of 95 % of a normal distribution */

enum top_column {
	TOP_NAME,
	TOP_HOSTS,
	TOP_ALLOCATIONS,
	TOP_ALLOCATED,
	TOP_GROWTH,
	TOP_FAILED,
	TOP_CROSS,
	TOP_MISSED,
	TOP_ERROR,
	TOP_VARIANCE,
};

static const struct column columns[] = {
	{ .key = "function", .header = "function", .unit = "", .type = COLUMN_TEXT },
	{ .key = "hosts",
	  .header = "hosts",
	  .unit = "",
	  .type = COLUMN_NUMBER,
	  .legend = "hosts that have it" },
	{ .key = "allocations",
	  .header = "allocated",
	  .unit = "objects",
	  .type = COLUMN_NUMBER,
	  .legend = "objects that were allocated" },
	{ .key = "allocated_bytes",
	  .header = "allocated",
	  .unit = "bytes",
	  .type = COLUMN_NUMBER,
	  .legend = "bytes that were allocated" },
	{ .key = "growth_bytes",
	  .header = "growth",
	  .unit = "bytes",
	  .type = COLUMN_SIGNED,
	  .legend = "bytes allocated - bytes freed" },
	{ .key = "failed",
	  .header = "failed",
	  .unit = "",
	  .type = COLUMN_NUMBER,
	  .where = COLUMN_IN_TEXT_IF_USED,
	  .legend = "allocations that failed" },
	{ .key = "cross_cpu_frees",
	  .header = "cross-CPU",
	  .unit = "frees",
	  .type = COLUMN_NUMBER,
	  .where = COLUMN_IN_TEXT_IF_USED,
	  .legend = "frees on another CPU than that of the allocation" },
	{ .key = "missed_frees",
	  .header = "missed",
	  .unit = "frees",
	  .type = COLUMN_NUMBER,
	  .where = COLUMN_IN_TEXT_IF_USED,
	  .legend = "frees that had no event, proven by the next allocation" },
	{ .key = "error_percent",
	  .header = "error",
	  .unit = "%",
	  .type = COLUMN_DECIMAL,
	  .decimals = 2,
	  .where = COLUMN_IN_TEXT_IF_USED,
	  .legend = "of the allocated bytes, if allocations are sampled: 1.96 standard deviations, "
		    "in which they are with a probability of 95 %" },
	{ .key = "allocated_variance",
	  .header = "variance",
	  .unit = "",
	  .type = COLUMN_DECIMAL,
	  .where = COLUMN_NOT_IN_TEXT,
	  .legend = "of the allocated bytes, if allocations are sampled" },
};

static int add_top_row(void *data, const struct store_row *row)
{
	struct question *question = data;
	size_t at = scope_key_count(&question->scope);
	struct cell *cells = table_add(&question->table);
	double variance;

	if (!cells)
		return -ENOMEM;
	cells[TOP_NAME].text = scope_row_name(&question->scope, row, 0);
	if (!cells[TOP_NAME].text)
		return -ENOMEM;
	cells[TOP_HOSTS].number = store_number(row, at);
	cells[TOP_ALLOCATIONS].number = store_sum(row, at + 1);
	cells[TOP_ALLOCATED].number = store_sum(row, at + 2);
	cells[TOP_GROWTH].change =
		question_growth_of(question, store_sum(row, at + 2), store_sum(row, at + 3));
	cells[TOP_FAILED].number = store_sum(row, at + 4);
	cells[TOP_CROSS].number = store_sum(row, at + 5);
	cells[TOP_MISSED].number = store_sum(row, at + 6);
	variance = strtod(store_text(row, at + 7), NULL);
	cells[TOP_VARIANCE].decimal = variance;
	if (cells[TOP_ALLOCATED].number)
		cells[TOP_ERROR].decimal =
			100 * DEVIATIONS * sqrt(variance) / (double)cells[TOP_ALLOCATED].number;
	return 0;
}

int question_top(struct question *question)
{
	const struct store_reader reader = { .row = add_top_row,
					     .data = question,
					     .texts = scope_key_count(&question->scope),
					     .rest = "nssssssd",
					     .join = STORE_SUMS,
					     .keys = scope_key_count(&question->scope) };
	const char *keys = scope_keys(&question->scope);
	char *text;
	size_t size;
	FILE *sql;
	int err = question_set_table(question, "top", columns, sizeof(columns) / sizeof(*columns),
				     true);

	if (err)
		return err;
	question->table.sort = "allocated_bytes";
	question->table.empty = "No allocations.";
	sql = text_open(&text, &size);
	if (!sql)
		return -ENOMEM;
	fprintf(sql, "SELECT %s, COUNT(DISTINCT host), ", keys);
	scope_sums(&question->scope, sql,
		   "allocations, allocated, freed, failed, cross_cpu, missed");
	fputs(", SUM(allocated_variance)", sql);
	scope_from(&question->scope, sql, "figures");
	scope_where(&question->scope, sql, scope_kind(&question->scope));
	if (scope_begin_intervals(&question->scope, sql))
		putc(')', sql);
	fprintf(sql, " GROUP BY %s ORDER BY %s", keys, keys);
	return scope_ask(&question->scope, sql, &text, &reader);
}
