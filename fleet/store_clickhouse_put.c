// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Loads summaries into ClickHouse servers. There are no transactions: rows go in batches, those of
 * figures before those of intervals, and a row that is sent twice replaces the first. So a load
 * that was killed at any time is repeated, and the summaries whose intervals are there are left
 * out.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "cli/stop.h"
#include "fleet/store_clickhouse.h"

#define BATCH_BYTES ((size_t)8 << 20) /* of rows, before they are packed */
#define BATCH_SUMMARIES 4096
#define TRIES 5
#define FIRST_WAIT_MS 250
#define NS_PER_DAY (24 * 3600 * UINT64_C(1000000000))
#define SAMPLE_HOSTS "100"

static int fail_load(struct store *store, size_t server, const char *errmsg, int err)
{
	struct clickhouse_store *clickhouse = store->data;

	clickhouse->failed = server;
	return store_fail(store, err,
			  "%s; what was loaded before stays: load the same files again to continue",
			  errmsg);
}

static size_t server_of(const struct clickhouse_store *clickhouse, const char *host)
{
	size_t server = 0;

	if (!clickhouse->is_cluster)
		return clickhouse_url_server(&clickhouse->url, host);
	while (!clickhouse->is_used[server])
		server++;
	return server;
}

static int fail_order(struct store *store, size_t server, const char *host)
{
	struct clickhouse_store *clickhouse = store->data;

	return store_fail(
		store, -EPROTO,
		"%s has rows of %s, which would go to %s now: name the servers of a store "
		"always in the same order",
		clickhouse->url.servers[server], host,
		clickhouse->url.servers[server_of(clickhouse, host)]);
}

/* Do the servers have the hosts that the order of their names gives them? */
static int check_order(struct store *store, size_t server)
{
	struct clickhouse_store *clickhouse = store->data;
	struct clickhouse_streams *streams = &clickhouse->streams;
	int result, err = 0;

	if (clickhouse_stream_start(streams, server,
				    "SELECT DISTINCT host FROM intervals_rows LIMIT " SAMPLE_HOSTS,
				    false))
		return clickhouse_store_fail_memory(store);
	while ((result = clickhouse_stream_next(streams, server)) == 1 && !err) {
		const char *host = streams->list[server].texts[0];

		if (host && server_of(clickhouse, host) != server)
			err = fail_order(store, server, host);
	}
	if (result < 0 && !err)
		err = clickhouse_store_fail(store, server, streams->list[server].client.errmsg,
					    result);
	clickhouse_stream_cancel(streams, server);
	return err;
}

int clickhouse_store_begin(struct store *store)
{
	struct clickhouse_store *clickhouse = store->data;
	size_t count = clickhouse->url.server_count;
	int err = 0;

	if (clickhouse->has_checked_order)
		return 0;
	if (texts_init(&clickhouse->runs) || summary_init(&clickhouse->known))
		return clickhouse_store_fail_memory(store);
	for (size_t i = 0; i < count && !err; i++)
		if (clickhouse_rows_init(&clickhouse->batches[i].rows))
			err = clickhouse_store_fail_memory(store);
	for (size_t i = 0; i < count && !err; i++)
		if (count > 1 && !clickhouse->is_cluster)
			err = check_order(store, i);
	clickhouse->has_checked_order = !err;
	return err;
}

void clickhouse_store_end_load(struct clickhouse_store *clickhouse)
{
	for (size_t i = 0; clickhouse->batches && i < clickhouse->url.server_count; i++) {
		clickhouse_rows_deinit(&clickhouse->batches[i].rows);
		free(clickhouse->batches[i].days);
		clickhouse->batches[i] = (struct clickhouse_batch){ 0 };
	}
	texts_deinit(&clickhouse->runs);
	clickhouse->runs = (struct texts){ 0 };
	summary_deinit(&clickhouse->known);
	clickhouse->known = (struct summary){ 0 };
}

/* Numbers come in order: those without a gap between become one source. */
static int add_numbers(struct store *store, size_t server, const struct summary_source *run)
{
	struct clickhouse_store *clickhouse = store->data;
	struct clickhouse_streams *streams = &clickhouse->streams;
	struct summary_source source = *run;
	bool is_open = false;
	int result, err = 0;

	while (!err && (result = clickhouse_stream_next(streams, server)) == 1) {
		const char *text = streams->list[server].texts[0];
		uint64_t number = text ? strtoull(text, NULL, 10) : 0;

		if (is_open && number != source.last + 1) {
			err = summary_add_source(&clickhouse->known, &source);
			is_open = false;
		}
		if (!is_open)
			source.first = number;
		source.last = number;
		is_open = true;
	}
	if (!err && result < 0)
		return fail_load(store, server, streams->list[server].client.errmsg, result);
	if (!err && is_open)
		err = summary_add_source(&clickhouse->known, &source);
	return err ? clickhouse_store_fail_memory(store) : 0;
}

static char *known_query(struct store *store, const struct summary_source *run)
{
	char *text;
	size_t size;
	FILE *sql = text_open(&text, &size);

	if (!sql)
		return NULL;
	fputs("SELECT number FROM intervals_rows WHERE host = ", sql);
	store_quote(store, sql, run->host);
	fputs(" AND boot = ", sql);
	store_quote(store, sql, run->boot);
	fprintf(sql, " AND run = %llu GROUP BY number ORDER BY number",
		(unsigned long long)run->run);
	return text_close(sql, &text) ? NULL : text;
}

/* Asks once for each run which of its summaries are there. */
static int learn_run(struct store *store, size_t server, const struct summary_source *run)
{
	struct clickhouse_store *clickhouse = store->data;
	size_t before = clickhouse->runs.count;
	char *name, *query;
	int err;

	/* a host and a boot have no space */
	if (asprintf(&name, "%s %s %llu", run->host, run->boot, (unsigned long long)run->run) < 0)
		return clickhouse_store_fail_memory(store);
	if (!texts_take(&clickhouse->runs, name))
		return clickhouse_store_fail_memory(store);
	if (clickhouse->runs.count == before)
		return 0;
	query = known_query(store, run);
	err = query ? clickhouse_stream_start(&clickhouse->streams, server, query, false) : -ENOMEM;
	free(query);
	err = err ? clickhouse_store_fail_memory(store) : add_numbers(store, server, run);
	clickhouse_stream_cancel(&clickhouse->streams, server);
	return err;
}

/* The day of an interval is that of its end, as in the tables. */
static int add_day(struct store *store, struct clickhouse_batch *batch, uint64_t until)
{
	uint64_t day = (until - 1) / NS_PER_DAY, *days;
	size_t at = batch->day_count;

	while (at && batch->days[at - 1] > day)
		at--;
	if (at && batch->days[at - 1] == day)
		return 0;
	days = reallocarray(batch->days, batch->day_count + 1, sizeof(*days));
	if (!days)
		return clickhouse_store_fail_memory(store);
	batch->days = days;
	memmove(days + at + 1, days + at, (batch->day_count - at) * sizeof(*days));
	days[at] = day;
	batch->day_count++;
	return 0;
}

static void pause_ms(unsigned int ms)
{
	const struct timespec time = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L };

	nanosleep(&time, NULL);
}

/* A server that has too much to do for a moment gets a second. */
static int send_batch(struct store *store, size_t server)
{
	struct clickhouse_store *clickhouse = store->data;
	struct clickhouse_client *client = &clickhouse->clients[server];
	struct clickhouse_rows *rows = &clickhouse->batches[server].rows;
	unsigned int wait = FIRST_WAIT_MS;
	int err = 0;

	if (!rows->summaries)
		return 0;
	for (int i = 0; i < TRIES; i++, wait *= 2) {
		err = clickhouse_rows_send(rows, client);
		if (err != -EAGAIN || i + 1 == TRIES || stop_signal())
			break;
		pause_ms(wait);
	}
	if (err)
		return fail_load(store, server, client->errmsg, err);
	clickhouse_rows_deinit(rows);
	return clickhouse_rows_init(rows) ? clickhouse_store_fail_memory(store) : 0;
}

int clickhouse_store_put(struct store *store, const struct summary *summary)
{
	struct clickhouse_store *clickhouse = store->data;
	size_t server = server_of(clickhouse, summary->sources->host);
	struct clickhouse_batch *batch = &clickhouse->batches[server];
	int err = learn_run(store, server, summary->sources);

	/* also of those that are there: the load before may have ended before its sums */
	if (!err)
		err = add_day(store, batch, summary->end);
	if (err)
		return err;
	if (summary_compare_sources(&clickhouse->known, summary))
		return 0;
	if (clickhouse_rows_add(&batch->rows, summary) ||
	    summary_add_source(&clickhouse->known, summary->sources))
		return clickhouse_store_fail_memory(store);
	if (batch->rows.figure_size >= BATCH_BYTES || batch->rows.summaries >= BATCH_SUMMARIES)
		err = send_batch(store, server);
	return err ? err : 1;
}

int clickhouse_store_commit(struct store *store)
{
	struct clickhouse_store *clickhouse = store->data;
	int err = 0;

	for (size_t i = 0; i < clickhouse->url.server_count && !err; i++)
		err = send_batch(store, i);
	return err;
}

/* The rows that were sent stay, so the known summaries would be wrong for another load. */
void clickhouse_store_cancel(struct store *store)
{
	struct clickhouse_store *clickhouse = store->data;

	clickhouse_store_end_load(clickhouse);
	clickhouse->has_checked_order = false;
}

/* The sums of hours and days. */
int clickhouse_store_finish(struct store *store)
{
	struct clickhouse_store *clickhouse = store->data;

	for (size_t i = 0; i < clickhouse->url.server_count; i++) {
		struct clickhouse_batch *batch = &clickhouse->batches[i];
		struct clickhouse_client *client = &clickhouse->clients[i];
		const char *host = clickhouse->known.source_count == 1
					   ? clickhouse->known.sources->host
					   : NULL;

		for (size_t day = 0; day < batch->day_count && !stop_signal(); day++) {
			uint64_t begin = batch->days[day] * NS_PER_DAY;
			int err = clickhouse_roll_up(client, host, begin, begin + NS_PER_DAY);

			if (err)
				return fail_load(store, i, client->errmsg, err);
		}
	}
	return 0;
}
