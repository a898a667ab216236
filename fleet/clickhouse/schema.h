/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The tables of a store, for ClickHouse 18.16 and later. People query the views intervals and
 * figures. Behind each is a table whose name ends with _rows, in which a repeated row replaces the
 * first, and the view shows each row once (FINAL). In a cluster, _rows is distributed over tables
 * whose names end with _local: then a URL names one of the servers.
 *
 * figures_hourly and figures_daily have sums of figures by host. A materialized view would count a
 * repeated batch twice, since it sees each insert: clickhouse_roll_up() computes them from the
 * rows.
 */
#ifndef FLEET_CLICKHOUSE_SCHEMA_H
#define FLEET_CLICKHOUSE_SCHEMA_H

#include <stdbool.h>
#include <stdint.h>

#include "fleet/clickhouse/client.h"

enum clickhouse_table {
	CLICKHOUSE_INTERVALS,
	CLICKHOUSE_FIGURES,
	CLICKHOUSE_HOURLY,
	CLICKHOUSE_DAILY,
	CLICKHOUSE_TABLES
};

struct clickhouse_layout {
	const char *cluster; /* of the server's configuration; NULL: each server has its own rows */
	bool replicated;     /* with the replicas of the cluster */
};

/* Makes the database, its tables and views, unless they are there. As clickhouse_query(). */
int clickhouse_create(struct clickhouse_client *client, const struct clickhouse_layout *layout);

/*
 * Drops the days that ended before this time, ns since 1970, of the tables of this server; the sums
 * of days stay. *dropped: the number of days that a table lost, of all tables. As
 * clickhouse_query().
 */
int clickhouse_drop_before(struct clickhouse_client *client, uint64_t time, unsigned int *dropped);

/*
 * Deletes the rows of all tables of this server that " WHERE ..." selects, and waits until they are
 * gone: at most as long as for an answer. As clickhouse_query().
 */
int clickhouse_delete(struct clickhouse_client *client, const char *where);

/*
 * Computes the sums of the hours and days that overlap the time from begin to until, again; of one
 * host, or of all: NULL. As clickhouse_query().
 */
int clickhouse_roll_up(struct clickhouse_client *client, const char *host, uint64_t begin,
		       uint64_t until);

/* "INSERT INTO ...", for rows in the order of the columns; to be freed. NULL: no memory. */
char *clickhouse_insert_query(const char *database, enum clickhouse_table table);

#endif
