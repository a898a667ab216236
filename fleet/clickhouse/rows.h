/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Summaries as rows of the two tables, which are sent together. */
#ifndef FLEET_CLICKHOUSE_ROWS_H
#define FLEET_CLICKHOUSE_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "fleet/clickhouse/client.h"
#include "fleet/summary/summary.h"

struct clickhouse_rows {
	FILE *intervals, *figures; /* text_open() */
	char *interval_text, *figure_text;
	size_t interval_size, figure_size; /* bytes, after clickhouse_rows_add() */
	size_t summaries, rows;		   /* rows of both tables */
};

int clickhouse_rows_init(struct clickhouse_rows *rows);	   /* 0 or -ENOMEM */
void clickhouse_rows_deinit(struct clickhouse_rows *rows); /* all zero is allowed */

/*
 * Of a summary that a store takes, see summary_storable.h. 0 or -ENOMEM: then *rows can only be
 * deinited.
 */
int clickhouse_rows_add(struct clickhouse_rows *rows, const struct summary *summary);

/*
 * Inserts all of them; as often as it is called, the tables have each row once in effect. A row of
 * intervals comes after those of its figures: if it is there, they are too. As clickhouse_insert().
 */
int clickhouse_rows_send(struct clickhouse_rows *rows, struct clickhouse_client *client);

#endif
