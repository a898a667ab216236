// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Summaries on ClickHouse servers. Each host's rows are on one of them, which the hash of its name
 * selects; or the servers are a cluster, and each answers for all.
 */
#include "config.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/stop.h"
#include "fleet/store_clickhouse.h"

#define HOSTS_PER_QUERY 100

int clickhouse_store_fail(struct store *store, size_t server, const char *errmsg, int err)
{
	struct clickhouse_store *clickhouse = store->data;

	clickhouse->failed = server;
	return store_fail(store, err, "%s", errmsg);
}

int clickhouse_store_fail_memory(struct store *store)
{
	return store_fail(store, -ENOMEM, "%s", strerror(ENOMEM));
}

/* "": the server has no tables; else the engine of the table of intervals. */
static int read_engine(struct store *store, size_t server, char engine[80])
{
	struct clickhouse_store *clickhouse = store->data;
	struct clickhouse_client *client = &clickhouse->clients[server];
	char *query;
	int err;

	if (asprintf(&query,
		     "SELECT engine FROM system.tables WHERE database = '%s' AND name = "
		     "'intervals_rows'",
		     clickhouse->url.database) < 0)
		return clickhouse_store_fail_memory(store);
	err = clickhouse_query(client, query);
	free(query);
	if (err)
		return clickhouse_store_fail(store, server, client->errmsg, err);
	snprintf(engine, 80, "%s", client->answer.text ? client->answer.text : "");
	engine[strcspn(engine, "\n")] = '\0';
	return 0;
}

static int check_server(struct store *store, size_t server, enum store_mode mode)
{
	struct clickhouse_store *clickhouse = store->data;
	char engine[80];
	int err = read_engine(store, server, engine);

	/* a question that accepts that servers are missing goes on without it */
	if (err == -EAGAIN && mode == STORE_READ)
		return 0;
	if (err)
		return err;
	if (!*engine)
		return store_fail(store, -ENOENT,
				  "%s: the database %s has no tables of a fleet: make them with "
				  "kmemtrace-fleet init",
				  clickhouse->url.servers[server], clickhouse->url.database);
	if (strcmp(engine, "Distributed") == 0 && !clickhouse->is_cluster) {
		clickhouse->is_cluster = true;
		memset(clickhouse->is_used, 0,
		       clickhouse->url.server_count * sizeof(*clickhouse->is_used));
		clickhouse->is_used[server] = true;
		store->servers = 1;
	}
	return 0;
}

static int open_servers(struct store *store)
{
	struct clickhouse_store *clickhouse = store->data;
	size_t count = clickhouse->url.server_count;
	int err = 0;

	clickhouse->clients = calloc(count, sizeof(*clickhouse->clients));
	clickhouse->batches = calloc(count, sizeof(*clickhouse->batches));
	clickhouse->is_used = calloc(count, sizeof(*clickhouse->is_used));
	if (!clickhouse->clients || !clickhouse->batches || !clickhouse->is_used)
		return clickhouse_store_fail_memory(store);
	for (size_t i = 0; i < count && !err; i++) {
		clickhouse->is_used[i] = true;
		err = clickhouse_open(&clickhouse->clients[i], &clickhouse->url, i,
				      &clickhouse->settings);
	}
	if (!err)
		err = clickhouse_streams_open(&clickhouse->streams, &clickhouse->url,
					      &clickhouse->settings);
	store->servers = count;
	return err ? clickhouse_store_fail_memory(store) : 0;
}

static int clickhouse_store_open(struct store *store, const char *location, enum store_mode mode)
{
	struct clickhouse_store *clickhouse = calloc(1, sizeof(*clickhouse));
	int err;

	if (!clickhouse)
		return clickhouse_store_fail_memory(store);
	store->data = clickhouse;
	clickhouse->failed = SIZE_MAX;
	clickhouse->settings = (struct clickhouse_settings){
		.credentials = &clickhouse->credentials,
		.ca_file = store->settings->ca_file,
		/* half of it is the longest silence */
		.timeout_s = 2 * store->settings->timeout_s,
		.stop = stop_signal,
	};
	curl_global_init(CURL_GLOBAL_DEFAULT);
	err = clickhouse_url_parse(&clickhouse->url, location);
	if (err)
		return *clickhouse->url.error.text
			       ? store_fail(store, err, "--db: %s", clickhouse->url.error.text)
			       : clickhouse_store_fail_memory(store);
	err = clickhouse_credentials_load(&clickhouse->credentials, store->settings->credentials);
	if (err)
		return store_fail(store, err, "%s", clickhouse->credentials.error.text);
	err = open_servers(store);
	for (size_t i = 0; !err && mode != STORE_INIT && i < clickhouse->url.server_count; i++)
		err = check_server(store, i, mode);
	return err;
}

static void clickhouse_store_close(struct store *store)
{
	struct clickhouse_store *clickhouse = store->data;

	if (!clickhouse)
		return;
	clickhouse_store_end_load(clickhouse);
	clickhouse_streams_close(&clickhouse->streams);
	for (size_t i = 0; clickhouse->clients && i < clickhouse->url.server_count; i++)
		clickhouse_close(&clickhouse->clients[i]);
	free(clickhouse->clients);
	free(clickhouse->batches);
	free(clickhouse->is_used);
	clickhouse_credentials_deinit(&clickhouse->credentials);
	clickhouse_url_deinit(&clickhouse->url);
	free(clickhouse);
	store->data = NULL;
	curl_global_cleanup();
}

/* On each server of the URL, also of a cluster. */
static int clickhouse_store_init(struct store *store)
{
	const struct clickhouse_layout layout = { .cluster = store->settings->cluster,
						  .replicated = store->settings->replicated };
	struct clickhouse_store *clickhouse = store->data;

	for (size_t i = 0; i < clickhouse->url.server_count; i++) {
		struct clickhouse_client *client = &clickhouse->clients[i];
		int err = clickhouse_create(client, &layout);

		if (err)
			return clickhouse_store_fail(store, i, client->errmsg, err);
	}
	return 0;
}

/* The same. */
static int clickhouse_store_drop(struct store *store, uint64_t time)
{
	struct clickhouse_store *clickhouse = store->data;

	for (size_t i = 0; i < clickhouse->url.server_count; i++) {
		struct clickhouse_client *client = &clickhouse->clients[i];
		unsigned int dropped;
		int err = clickhouse_drop_before(client, time, &dropped);

		if (err)
			return clickhouse_store_fail(store, i, client->errmsg, err);
	}
	return 0;
}

static int clickhouse_store_drop_hosts(struct store *store, const char *where)
{
	struct clickhouse_store *clickhouse = store->data;

	for (size_t i = 0; i < clickhouse->url.server_count; i++) {
		struct clickhouse_client *client = &clickhouse->clients[i];
		int err = clickhouse_delete(client, where);

		if (err)
			return clickhouse_store_fail(store, i, client->errmsg, err);
	}
	return 0;
}

static bool clickhouse_store_leave_out(struct store *store)
{
	struct clickhouse_store *clickhouse = store->data;
	size_t failed = clickhouse->failed;
	char *names;

	if (failed == SIZE_MAX || !clickhouse->is_used[failed] ||
	    store->left_out + 1 >= store->servers)
		return false;
	if (asprintf(&names, "%s%s%s", store->left_out ? store->left_out_names : "",
		     store->left_out ? ", " : "", clickhouse->url.servers[failed]) < 0)
		return false;
	free(store->left_out_names);
	store->left_out_names = names;
	store->left_out++;
	clickhouse->is_used[failed] = false;
	return true;
}

const struct store_ops store_clickhouse = {
	.name = "ClickHouse",
	.hosts_per_query = HOSTS_PER_QUERY,
	.has_backslashes = true,
	.suffix = "_rows FINAL",
	.sum = "SUM(toDecimal128(%s, 0))",
	.interval_in = "GLOBAL IN", /* of a cluster, too */
	.open = clickhouse_store_open,
	.init = clickhouse_store_init,
	.begin = clickhouse_store_begin,
	.put = clickhouse_store_put,
	.commit = clickhouse_store_commit,
	.cancel = clickhouse_store_cancel,
	.finish = clickhouse_store_finish,
	.drop = clickhouse_store_drop,
	.drop_hosts = clickhouse_store_drop_hosts,
	.query = clickhouse_store_query,
	.leave_out = clickhouse_store_leave_out,
	.close = clickhouse_store_close,
};
