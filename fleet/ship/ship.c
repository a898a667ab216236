// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "config.h"

#include "fleet/ship/ship.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/message.h"
#include "cli/stop.h"
#include "fleet/clickhouse/schema.h"
#include "fleet/summary/summary_file.h"
#include "fleet/summary/summary_storable.h"

int ship_open(struct ship *ship, const struct ship_settings *settings,
	      const struct clickhouse_url *url, const struct clickhouse_settings *client_settings,
	      const char *state_path, const char *url_text)
{
	int err;

	*ship = (struct ship){ .settings = settings, .url = url };
	ship->servers = calloc(url->server_count, sizeof(*ship->servers));
	ship->last_rolled_up = ship_now();
	err = ship->servers ? accepted_open(&ship->accepted, state_path, url_text) : -ENOMEM;
	/* no one chose this file, and no one may be there to remove it */
	if (err == -EBADMSG && settings->socket >= 0) {
		error_msg(
			"%s: the state is damaged: all summaries are sent again, which changes nothing in the store",
			state_path);
		err = 0;
	}
	if (err) {
		error_msg("%s", ship->servers ? ship->accepted.errmsg : strerror(ENOMEM));
		return err;
	}
	for (size_t i = 0; i < url->server_count; i++) {
		err = ship_server_open(&ship->servers[i], url, i, client_settings);
		if (err) {
			error_msg("%s", strerror(-err));
			return err;
		}
	}
	err = ship_files_scan(&ship->files, settings->paths, settings->path_count);
	if (err)
		error_msg("%s", ship->files.errmsg);
	return err;
}

void ship_close(struct ship *ship)
{
	for (size_t i = 0; ship->servers && i < ship->url->server_count; i++)
		ship_server_close(&ship->servers[i]);
	free(ship->servers);
	ship->servers = NULL;
	ship_files_deinit(&ship->files);
	accepted_close(&ship->accepted);
}

int ship_failure(const struct ship *ship, uint64_t *failing_ns)
{
	uint64_t now = ship_now();
	int err = 0;

	*failing_ns = 0;
	for (size_t i = 0; i < ship->url->server_count; i++) {
		const struct ship_server *server = &ship->servers[i];

		if (!server->failure)
			continue;
		if (now - server->failing_since > *failing_ns)
			*failing_ns = now - server->failing_since;
		/* one that waiting does not solve is the answer */
		if (!err || err == -EAGAIN)
			err = server->failure;
	}
	return err;
}

static int send_batch(struct ship *ship, struct ship_server *server)
{
	size_t sent;
	int err = ship_server_send(server, &ship->accepted, ship->settings->max_wait, &sent);

	ship->sent += sent;
	if (sent)
		ship->last_sent = (uint64_t)time(NULL) * 1000000000;
	if (err)
		ship->has_left = ship->batch_failed = true;
	return err == -EAGAIN || err == -EPROTO ? 0 : err;
}

/* The rest of the file is read again in another turn. */
static void leave_rest(struct ship *ship, struct ship_file *file)
{
	ship->has_left = true;
	file->left_size = file->size;
	file->left_turn = ship->turn;
}

static int take_summary(struct ship *ship, struct ship_file *file, const struct summary *summary)
{
	const char *why = summary_why_not_stored(summary);
	struct ship_server *server;
	int err;

	if (why) {
		ship->unsuitable++;
		if (!file->unsuitable)
			error_msg("%s: a summary is not sent: %s", file->path, why);
		file->unsuitable = true;
		return 0;
	}
	if (accepted_has(&ship->accepted, summary))
		return 0;
	server = &ship->servers[clickhouse_url_server(ship->url, summary->sources->host)];
	if (!ship_server_is_ready(server, ship_now())) {
		server->has_left = true;
		leave_rest(ship, file);
		return 0;
	}
	err = ship_server_add(server, summary);
	if (err) {
		error_msg("%s: %s", file->path, strerror(-err));
		return err;
	}
	return ship_server_is_full(server) ? send_batch(ship, server) : 0;
}

/* A block that is torn off at the end is not damage while the file is being written. */
static void note_damage(struct ship *ship, struct ship_file *file,
			const struct summary_reader *reader)
{
	uint64_t end = reader->buffer_offset + reader->at;
	bool is_torn = reader->ended && reader->at == reader->filled;

	if ((is_torn && ship->settings->follow) || end <= file->reported)
		return;
	file->reported = end;
	ship->damaged++;
	error_msg("%s: it is left out", reader->errmsg);
}

/* Could any server take something now? */
static bool may_send(const struct ship *ship)
{
	uint64_t now = ship_now();

	for (size_t i = 0; i < ship->url->server_count; i++) {
		if (ship_server_is_ready(&ship->servers[i], now))
			return true;
	}
	return false;
}

/* One file does not stop the others. */
static int fail_file(struct ship *ship, struct ship_file *file, int err, const char *errmsg)
{
	if (err == -ENOMEM) {
		error_msg("%s", errmsg);
		return err;
	}
	if (!file->failed)
		error_msg("%s", errmsg);
	file->failed = true;
	/* its contents do not change, but permissions and disks do */
	if (err == -EBADMSG || err == -EPROTONOSUPPORT || !ship->settings->follow) {
		file->unusable = true;
		ship->damaged++;
	}
	return 0;
}

static int read_summaries(struct ship *ship, struct ship_file *file, struct summary_reader *reader)
{
	int err = 0, found;

	file->left_size = 0;
	file->failed = false;
	while (!err) {
		struct summary summary;

		if (stop_signal())
			return -EINTR;
		if (!may_send(ship)) {
			for (size_t i = 0; i < ship->url->server_count; i++)
				ship->servers[i].has_left = true;
			leave_rest(ship, file);
			return 0;
		}
		found = summary_reader_next(reader, &summary);
		if (found == -EBADMSG) {
			note_damage(ship, file, reader);
		} else if (found <= 0) {
			return found ? fail_file(ship, file, found, reader->errmsg) : 0;
		} else {
			err = take_summary(ship, file, &summary);
			summary_deinit(&summary);
		}
	}
	return err;
}

/* *end: behind the last whole summary; 0: of a file that cannot be read. */
static int read_file_from(struct ship *ship, struct ship_file *file, uint64_t *end)
{
	struct summary_reader reader;
	int err = ship_file_read(file, &reader);

	if (err == -ENOENT)
		return 0;
	/* kmemtraced may have made the file just now */
	if (err == -EBADMSG && ship->settings->follow && file->size < strlen(SUMMARY_FILE_HEADER))
		return 0;
	if (!err && file->offset) {
		err = summary_reader_seek(&reader, file->offset);
		if (err)
			summary_reader_close(&reader);
	}
	if (err)
		return fail_file(ship, file, err, reader.errmsg);
	err = read_summaries(ship, file, &reader);
	if (!err && !file->unusable && !file->failed)
		*end = reader.offset;
	summary_reader_close(&reader);
	return err;
}

static int flush_servers(struct ship *ship)
{
	int err = 0;

	for (size_t i = 0; !err && i < ship->url->server_count; i++)
		err = send_batch(ship, &ship->servers[i]);
	return err;
}

static void note_sent(struct ship *ship, const uint64_t *ends)
{
	/* a batch can have summaries of several files */
	if (ship->batch_failed)
		return;
	for (size_t i = 0; i < ship->files.count; i++) {
		struct ship_file *file = &ship->files.list[i];

		if (!ends[i] || file->left_size)
			continue;
		file->offset = ends[i];
		file->sent_size = file->size;
	}
}

/*
 * May a server that was not ready be tried again, or has it answered during the last pass? Then
 * files have another turn.
 */
static void begin_pass(struct ship *ship)
{
	uint64_t now = ship_now();
	bool has_ready = false;

	ship->has_left = ship->batch_failed = false;
	for (size_t i = 0; i < ship->url->server_count; i++) {
		struct ship_server *server = &ship->servers[i];

		if (!server->has_left || !ship_server_is_ready(server, now))
			continue;
		server->has_left = false;
		has_ready = true;
	}
	ship->turn += has_ready;
}

/* Is the file as it was when the servers of this turn left some of its summaries? */
static bool must_wait(const struct ship *ship, const struct ship_file *file)
{
	return file->left_size && file->left_size == file->size && file->left_turn == ship->turn;
}

int ship_pass(struct ship *ship)
{
	uint64_t *ends = calloc(ship->files.count + 1, sizeof(*ends));
	int err = ends ? 0 : -ENOMEM;

	if (err)
		error_msg("%s", strerror(ENOMEM));
	begin_pass(ship);
	for (size_t i = 0; !err && i < ship->files.count; i++) {
		struct ship_file *file = &ship->files.list[i];

		if (!ship_file_has_more(file))
			continue;
		if (must_wait(ship, file)) {
			ship->has_left = true;
			continue;
		}
		if (!may_send(ship)) {
			ship->has_left = true;
			break;
		}
		err = read_file_from(ship, file, &ends[i]);
	}
	if (!err)
		err = flush_servers(ship);
	if (!err)
		note_sent(ship, ends);
	if (ship->accepted.cannot_save)
		accepted_save(&ship->accepted);
	free(ends);
	return err;
}

/* The host of all that is sent, if it is one; else NULL. */
static const char *only_host(const struct ship *ship)
{
	const struct summary *set = &ship->accepted.set;

	for (size_t i = 1; i < set->source_count; i++) {
		if (strcmp(set->sources[i].host, set->sources[0].host) != 0)
			return NULL;
	}
	return set->source_count ? set->sources[0].host : NULL;
}

void ship_roll_up(struct ship *ship)
{
	struct ship_span *span = &ship->accepted.to_roll_up;
	const char *host = only_host(ship);
	bool failed = false;

	ship->last_rolled_up = ship_now();
	if (!span->until)
		return;
	for (size_t i = 0; i < ship->url->server_count; i++) {
		struct ship_server *server = &ship->servers[i];
		int err;

		if (host && i != clickhouse_url_server(ship->url, host))
			continue;
		err = clickhouse_roll_up(&server->client, host, span->begin, span->until);
		ship_server_note(server, err, ship->settings->max_wait);
		failed |= err != 0;
	}
	if (failed)
		return;
	*span = (struct ship_span){ 0 };
	accepted_save(&ship->accepted);
}
