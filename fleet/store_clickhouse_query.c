// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Asks every server the same question, and makes one answer of theirs while they come. Since each
 * host is on one server, rows by host need no sum; a host that is on two servers would count twice,
 * and is an error.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "fleet/store_clickhouse.h"

#define EXCEPTION_MAX 100000 /* numbers of ClickHouse's errors are below */
#define SUM_SIZE 40

struct join {
	struct store *store;
	struct clickhouse_store *clickhouse;
	const struct store_reader *reader;
	bool *has_row;
	/* of sums */
	const char **texts;
	char (*sums)[SUM_SIZE];
	size_t columns;
};

/* An error of the query itself: to wait, or to ask other servers, does not help. */
static bool is_of_query(const struct clickhouse_client *client)
{
	/* another server of the cluster, memory, or the number of queries */
	static const long of_server[] = { 159, 160, 202, 209, 210, 236, 241, 242, 279, 394, 999 };

	for (size_t i = 0; i < sizeof(of_server) / sizeof(*of_server); i++)
		if (client->reason == of_server[i])
			return false;
	return client->reason > 0 && client->reason < EXCEPTION_MAX;
}

static struct store_row make_row(const struct join *join, size_t server, const char *const *texts)
{
	const struct clickhouse_stream *stream = &join->clickhouse->streams.list[server];

	return (struct store_row){ .count = stream->columns,
				   .names = (const char *const *)stream->names,
				   .texts = texts,
				   .server = join->store->servers > 1 ? stream->client.server
								      : NULL };
}

/* The row of the server itself. */
static struct store_row own_row(const struct join *join, size_t server)
{
	return make_row(join, server,
			(const char *const *)join->clickhouse->streams.list[server].texts);
}

static int check_row(const struct join *join, size_t server)
{
	const struct store_row row = own_row(join, server);

	return store_check_row(join->store, join->clickhouse->url.servers[server], join->reader,
			       &row);
}

static int advance_server(struct join *join, size_t server)
{
	struct clickhouse_stream *stream = &join->clickhouse->streams.list[server];
	int result = clickhouse_stream_next(&join->clickhouse->streams, server);

	join->has_row[server] = result == 1;
	if (result >= 0)
		return result ? check_row(join, server) : 0;
	if (result == -EAGAIN && join->reader->join == STORE_OF_USER &&
	    is_of_query(&stream->client))
		result = -EINVAL;
	return clickhouse_store_fail(join->store, server, stream->client.errmsg, result);
}

static int send_own(const struct join *join, size_t server)
{
	const struct store_row row = own_row(join, server);

	return join->reader->row(join->reader->data, &row);
}

static const char *column_text(const struct join *join, size_t server, size_t column)
{
	const struct clickhouse_stream *stream = &join->clickhouse->streams.list[server];

	return column < stream->columns && stream->texts[column] ? stream->texts[column] : "";
}

static int compare_server_rows(const struct join *join, size_t server, size_t other)
{
	size_t keys = join->reader->join == STORE_SUMS ? join->reader->keys : 1;
	int order = 0;

	for (size_t i = 0; i < keys && !order; i++)
		order = strcmp(column_text(join, server, i), column_text(join, other, i));
	return order;
}

/* The server whose row is the next; SIZE_MAX: none has one. */
static size_t find_first(const struct join *join)
{
	size_t first = SIZE_MAX;

	for (size_t i = 0; i < join->clickhouse->url.server_count; i++)
		if (join->has_row[i] &&
		    (first == SIZE_MAX || compare_server_rows(join, i, first) < 0))
			first = i;
	return first;
}

/* Only one server has rows of the host of this one. */
static int check_host(const struct join *join, size_t server)
{
	for (size_t i = 0; i < join->clickhouse->url.server_count; i++)
		if (i != server && join->has_row[i] && !compare_server_rows(join, i, server))
			return store_fail(
				join->store, -EPROTO,
				"%s and %s both have rows of %s, which would count twice: name the servers of a store always in the same order, and load the summaries again into another database",
				join->clickhouse->url.servers[i],
				join->clickhouse->url.servers[server],
				column_text(join, server, 0));
	return 0;
}

static int join_by_host(struct join *join)
{
	size_t server = SIZE_MAX;
	char *host = NULL;
	int err = 0;

	while (!err) {
		if (server == SIZE_MAX || !join->has_row[server] ||
		    strcmp(host, column_text(join, server, 0)) != 0) {
			server = find_first(join);
			if (server == SIZE_MAX)
				break;
			free(host);
			host = strdup(column_text(join, server, 0));
			err = host ? check_host(join, server) : -ENOMEM;
		}
		if (!err)
			err = send_own(join, server);
		if (!err)
			err = advance_server(join, server);
	}
	free(host);
	return err;
}

/* The server shows a double without a fraction as a whole number: only the type says what it is. */
static void add_to_sum(char sum[SUM_SIZE], const char *text, const char *type)
{
	uint64_t whole = strtoull(sum, NULL, 10);

	if (type && strncmp(type, "Float", strlen("Float")) == 0) {
		snprintf(sum, SUM_SIZE, "%.17g", strtod(sum, NULL) + strtod(text, NULL));
		return;
	}
	number_add(&whole, strtoull(text, NULL, 10));
	snprintf(sum, SUM_SIZE, "%" PRIu64, whole);
}

static int prepare_sums(struct join *join, size_t server)
{
	size_t columns = join->clickhouse->streams.list[server].columns;

	if (join->sums)
		return 0;
	join->columns = columns;
	join->sums = calloc(columns, sizeof(*join->sums));
	join->texts = calloc(columns, sizeof(*join->texts));
	return join->sums && join->texts ? 0 : -ENOMEM;
}

/* Sends the sum of the rows with the keys of this server's, which are no longer next. */
static int send_sum(struct join *join, size_t server)
{
	size_t count = join->clickhouse->url.server_count, keys = join->reader->keys;
	int err = prepare_sums(join, server);

	if (err)
		return err;
	for (size_t i = 0; i < join->columns; i++) {
		snprintf(join->sums[i], SUM_SIZE, "%s",
			 i < keys ? "" : column_text(join, server, i));
		join->texts[i] = i < keys ? column_text(join, server, i) : join->sums[i];
	}
	for (size_t i = server + 1; i < count && !err; i++) {
		if (!join->has_row[i] || compare_server_rows(join, i, server))
			continue;
		for (size_t j = keys; j < join->columns; j++)
			add_to_sum(join->sums[j], column_text(join, i, j),
				   join->clickhouse->streams.list[server].types[j]);
		err = advance_server(join, i);
	}
	if (!err) {
		const struct store_row row = make_row(join, server, join->texts);

		err = join->reader->row(join->reader->data, &row);
	}
	return err ? err : advance_server(join, server);
}

static int join_sums(struct join *join)
{
	size_t first;
	int err = 0;

	while (!err && (first = find_first(join)) != SIZE_MAX)
		err = send_sum(join, first);
	return err;
}

static int join_each(struct join *join)
{
	int err = 0;

	for (size_t i = 0; i < join->clickhouse->url.server_count; i++) {
		while (!err && join->has_row[i]) {
			err = send_own(join, i);
			if (!err)
				err = advance_server(join, i);
		}
	}
	return err;
}

static int start_query(struct join *join, const char *sql)
{
	struct clickhouse_store *clickhouse = join->clickhouse;
	bool is_of_user = join->reader->join == STORE_OF_USER;
	size_t count = clickhouse->url.server_count;
	int err = 0;

	for (size_t i = 0; i < count && !err; i++) {
		if (!clickhouse->is_used[i])
			continue;
		err = clickhouse_stream_start(&clickhouse->streams, i, sql, is_of_user);
		if (err)
			clickhouse_store_fail(join->store, i,
					      clickhouse->streams.list[i].client.errmsg, err);
	}
	for (size_t i = 0; i < count && !err; i++)
		if (clickhouse->is_used[i])
			err = advance_server(join, i);
	return err;
}

/* Of a user's query, without the semicolon that ends it: FORMAT comes behind it. */
static char *without_end(const char *sql)
{
	size_t length = strlen(sql);

	while (length && strchr("; \t\n", sql[length - 1]))
		length--;
	return strndup(sql, length);
}

int clickhouse_store_query(struct store *store, const char *sql, const struct store_reader *reader)
{
	struct join join = { .store = store, .clickhouse = store->data, .reader = reader };
	char *query = without_end(sql);
	int err;

	join.has_row = calloc(join.clickhouse->url.server_count, sizeof(*join.has_row));
	err = query && join.has_row ? start_query(&join, query)
				    : store_fail(store, -ENOMEM, "%s", strerror(ENOMEM));
	if (!err && reader->join == STORE_BY_HOST)
		err = join_by_host(&join);
	else if (!err && reader->join == STORE_SUMS)
		err = join_sums(&join);
	else if (!err)
		err = join_each(&join);
	for (size_t i = 0; i < join.clickhouse->url.server_count; i++)
		clickhouse_stream_cancel(&join.clickhouse->streams, i);
	free(query);
	free(join.has_row);
	free(join.sums);
	free(join.texts);
	return err;
}
