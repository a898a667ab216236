/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The answers of several servers to one query, row by row. All servers work at the same time, and
 * an answer of any size needs little memory: a server that is ahead waits.
 */
#ifndef FLEET_CLICKHOUSE_STREAM_H
#define FLEET_CLICKHOUSE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fleet/clickhouse/client.h"

struct clickhouse_stream {
	struct clickhouse_client client; /* errmsg */
	char **names, **types, **texts;	 /* of the columns, and of the row; NULL: null */
	size_t columns;

	char *address, *query;
	char *data; /* from the server: data[begin] up to data[end] is not read yet */
	size_t begin, end, space;
	char *line, *name_line, *type_line;
	size_t line_space;
	bool is_running, is_paused;
	uint64_t timeout, patience; /* ns of waiting: the limit for an empty answer; the rest */
	int err;		    /* of the request; 1: it is not done */
};

struct clickhouse_streams {
	void *multi;
	struct clickhouse_stream *list; /* by server */
	size_t count;
};

/* As clickhouse_open(), for each server of the URL. 0 or -ENOMEM. */
int clickhouse_streams_open(struct clickhouse_streams *streams, const struct clickhouse_url *url,
			    const struct clickhouse_settings *settings);
void clickhouse_streams_close(struct clickhouse_streams *streams); /* all zero is allowed */

/*
 * Begins a query, without a FORMAT; of a user: it may only read, and its tables are in the database
 * of the URL. Cancels a query that runs there. 0 or -ENOMEM.
 */
int clickhouse_stream_start(struct clickhouse_streams *streams, size_t server, const char *query,
			    bool is_of_user);
void clickhouse_stream_cancel(struct clickhouse_streams *streams, size_t server);

/*
 * Waits for the next row. 1: it is in texts until the next call; 0: the answer has ended, and was
 * whole; or as clickhouse_query() with errmsg of the client.
 */
int clickhouse_stream_next(struct clickhouse_streams *streams, size_t server);

#endif
