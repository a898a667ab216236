/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The common part of the files of the ClickHouse store. */
#ifndef FLEET_STORE_CLICKHOUSE_H
#define FLEET_STORE_CLICKHOUSE_H

#include "base/texts.h"
#include "fleet/clickhouse/client.h"
#include "fleet/clickhouse/rows.h"
#include "fleet/clickhouse/schema.h"
#include "fleet/clickhouse/stream.h"
#include "fleet/store.h"

/* The state of a load for one server. */
struct clickhouse_batch {
	struct clickhouse_rows rows;
	uint64_t *days; /* since 1970, in order: the sums of hours and days must be computed */
	size_t day_count;
};

struct clickhouse_store {
	struct clickhouse_url url;
	struct clickhouse_credentials credentials;
	struct clickhouse_settings settings;
	struct clickhouse_client *clients; /* by server, as all of these */
	struct clickhouse_streams streams;
	struct clickhouse_batch *batches;
	bool *is_used;	 /* it has rows of the answers, and answers */
	bool is_cluster; /* one server has the rows of all */
	size_t failed;	 /* the server of the last failure; SIZE_MAX: none */

	/* of a load */
	struct summary known; /* sources: the summaries that the servers have, or get */
	struct texts runs;    /* whose summaries are in known */
	bool has_checked_order;
};

/* Sets errmsg after a failure of a server, and returns err. */
int clickhouse_store_fail(struct store *store, size_t server, const char *errmsg, int err);

/* Sets the message; returns -ENOMEM. */
int clickhouse_store_fail_memory(struct store *store);

/* The functions of struct store_ops of the same names. */
int clickhouse_store_query(struct store *store, const char *sql, const struct store_reader *reader);

int clickhouse_store_begin(struct store *store);
int clickhouse_store_put(struct store *store, const struct summary *summary);
int clickhouse_store_commit(struct store *store);
void clickhouse_store_cancel(struct store *store);
int clickhouse_store_finish(struct store *store);

/* Frees the state of a load. */
void clickhouse_store_end_load(struct clickhouse_store *clickhouse);

#endif
