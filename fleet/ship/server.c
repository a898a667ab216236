// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "config.h"

#include "fleet/ship/server.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "cli/message.h"

#define BATCH_BYTES ((size_t)4 << 20) /* of rows, before they are packed */
#define BATCH_SUMMARIES 1024
#define NS_PER_S 1000000000ULL
#define FIRST_WAIT NS_PER_S

uint64_t ship_now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * NS_PER_S + (uint64_t)time.tv_nsec;
}

static int reset_batch(struct ship_server *server)
{
	clickhouse_rows_deinit(&server->rows);
	summary_deinit(&server->pending);
	server->span = (struct ship_span){ 0 };
	return clickhouse_rows_init(&server->rows) || summary_init(&server->pending) ? -ENOMEM : 0;
}

int ship_server_open(struct ship_server *server, const struct clickhouse_url *url, size_t index,
		     const struct clickhouse_settings *settings)
{
	*server = (struct ship_server){ 0 };
	if (clickhouse_open(&server->client, url, index, settings))
		return -ENOMEM;
	return reset_batch(server);
}

void ship_server_close(struct ship_server *server)
{
	clickhouse_close(&server->client);
	clickhouse_rows_deinit(&server->rows);
	summary_deinit(&server->pending);
	free(server->reported);
	*server = (struct ship_server){ 0 };
}

bool ship_server_is_ready(const struct ship_server *server, uint64_t now)
{
	return !server->failure || now >= server->next_try;
}

int ship_server_add(struct ship_server *server, const struct summary *summary)
{
	int err = summary_add_source(&server->pending, summary->sources);

	if (err == -EEXIST) /* two files have it */
		return 0;
	if (!err)
		err = clickhouse_rows_add(&server->rows, summary);
	if (!err)
		ship_span_add(&server->span, summary->begin, summary->end);
	return err;
}

bool ship_server_is_full(const struct ship_server *server)
{
	return server->rows.figure_size >= BATCH_BYTES || server->rows.summaries >= BATCH_SUMMARIES;
}

/* Twice as long after each failure, and somewhere between a half and the whole of it: many hosts
 * that lost their server at one moment do not come back at one moment. */
static void set_next_try(struct ship_server *server, uint64_t max_wait)
{
	uint64_t now = ship_now(), random = now;

	server->wait = server->wait ? server->wait * 2 : FIRST_WAIT;
	if (server->wait > max_wait)
		server->wait = max_wait;
	if (getrandom(&random, sizeof(random), GRND_NONBLOCK) < 0)
		random = now;
	server->next_try = now + server->wait / 2 + random % (server->wait / 2 + 1);
}

void ship_server_note(struct ship_server *server, int err, uint64_t max_wait)
{
	if (err == -EINTR)
		return;
	if (!err) {
		if (server->reported)
			info_msg("%s: the server answers again", server->client.server);
		free(server->reported);
		server->reported = NULL;
		server->wait = 0;
		server->failure = 0;
		return;
	}
	/* the sentence can have another file or time each time */
	if (!server->reported || server->reason != server->client.reason) {
		error_msg("%s", server->client.errmsg);
		server->reason = server->client.reason;
		free(server->reported);
		server->reported = strdup(server->client.errmsg);
	}
	if (!server->failure)
		server->failing_since = ship_now();
	server->failure = err;
	set_next_try(server, max_wait);
}

static int accept_batch(struct ship_server *server, struct accepted *accepted)
{
	const struct summary *pending = &server->pending;

	for (size_t i = 0; i < pending->source_count; i++) {
		const struct summary_source *source = &pending->sources[i];

		/* one number at a time: some of them may be there already, from other files */
		for (uint64_t number = source->first;; number++) {
			struct summary_source one = *source;

			one.first = one.last = number;
			if (accepted_add(accepted, &one)) {
				error_msg("%s", strerror(ENOMEM));
				return -ENOMEM;
			}
			if (number == source->last)
				break;
		}
	}
	ship_span_add(&accepted->to_roll_up, server->span.begin, server->span.until);
	accepted_save(accepted);
	return 0;
}

int ship_server_send(struct ship_server *server, struct accepted *accepted, uint64_t max_wait,
		     size_t *sent)
{
	size_t summaries = server->rows.summaries;
	int err;

	*sent = 0;
	if (!summaries)
		return 0;
	err = clickhouse_rows_send(&server->rows, &server->client);
	ship_server_note(server, err, max_wait);
	if (!err)
		err = accept_batch(server, accepted);
	if (!err)
		*sent = summaries;
	return reset_batch(server) ? -ENOMEM : err;
}
