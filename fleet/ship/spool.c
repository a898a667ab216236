// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* --max-spool and --status: the bound of the files that wait, and what is said about them. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd_message.h"
#include "base/text.h"
#include "base/utc.h"
#include "cli/message.h"
#include "fleet/ship/ship.h"
#include "fleet/summary/summary_file.h"

/* How many summaries of the file are not in the store. */
static uint64_t count_unsent(const struct ship *ship, const struct ship_file *file)
{
	struct summary_reader reader;
	struct summary summary;
	uint64_t unsent = 0;
	int found;

	if (!ship_file_has_more(file) || ship_file_read(file, &reader))
		return 0;
	found = file->offset ? summary_reader_seek(&reader, file->offset) : 0;
	if (!found) {
		while ((found = summary_reader_next(&reader, &summary)) == 1 || found == -EBADMSG) {
			if (found != 1)
				continue;
			unsent += !accepted_has(&ship->accepted, &summary);
			summary_deinit(&summary);
		}
	}
	summary_reader_close(&reader);
	return unsent;
}

void ship_count_gone(struct ship *ship)
{
	for (size_t i = 0; i < ship->files.gone_count; i++) {
		const struct ship_file *file = &ship->files.gone[i];
		uint64_t unsent = count_unsent(ship, file);

		if (unsent)
			error_msg("%s: was removed with %" PRIu64 " summar%s that no server has",
				  file->path, unsent, unsent == 1 ? "y" : "ies");
		ship->dropped += unsent;
	}
	ship_files_forget_gone(&ship->files);
}

static uint64_t spool_bytes(const struct ship *ship)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < ship->files.count; i++) {
		if (ship->files.list[i].in_directory)
			bytes += ship->files.list[i].size;
	}
	return bytes;
}

/* The oldest file, of those that are sent if there are any; never the newest, which kmemtraced may
 * be writing. NULL: none. */
static struct ship_file *find_oldest(struct ship *ship)
{
	struct ship_file *first = NULL;

	for (size_t i = 0; i + 1 < ship->files.count; i++) {
		struct ship_file *file = &ship->files.list[i];

		if (!file->in_directory || file->received || !file->size)
			continue;
		if (!ship_file_has_more(file))
			return file;
		if (!first)
			first = file;
	}
	return first;
}

int ship_bound_spool(struct ship *ship)
{
	struct ship_file *file;

	if (!ship->settings->max_spool)
		return 0;
	while (spool_bytes(ship) > ship->settings->max_spool && (file = find_oldest(ship))) {
		uint64_t unsent = count_unsent(ship, file);

		if (unlink(file->path) && errno != ENOENT) {
			if (!ship->cannot_remove)
				error_msg("%s: cannot remove it for --max-spool: %s", file->path,
					  strerror(errno));
			ship->cannot_remove = true;
			return -EACCES;
		}
		if (unsent)
			error_msg("%s: removed for --max-spool with %" PRIu64
				  " summar%s that no server has",
				  file->path, unsent, unsent == 1 ? "y" : "ies");
		ship->dropped += unsent;
		ship->dropped_files++;
		file->size = file->sent_size = 0; /* until the next scan: it was counted here */
	}
	return 0;
}

static uint64_t waiting_bytes(const struct ship *ship)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < ship->files.count; i++) {
		const struct ship_file *file = &ship->files.list[i];

		if (ship_file_has_more(file))
			bytes += file->size - file->offset;
	}
	return bytes;
}

/* When the first of the servers that fail now began to; ns since 1970; 0: none fails. */
static uint64_t failing_since(const struct ship *ship)
{
	uint64_t failing;

	return ship_failure(ship, &failing) ? utc_now() - failing : 0;
}

static void print_time(FILE *file, const char *key, uint64_t time)
{
	char date[64] = "-";

	if (time)
		utc_text(time, date, sizeof(date));
	fprintf(file, "%s %s\n", key, date);
}

static void print_status(const struct ship *ship, FILE *file)
{
	fprintf(file, "sent %" PRIu64 "\n", ship->sent);
	print_time(file, "last_sent", ship->last_sent);
	fprintf(file,
		"waiting_bytes %" PRIu64 "\ndamaged %" PRIu64 "\nunsuitable %" PRIu64
		"\ndropped %" PRIu64 "\n",
		waiting_bytes(ship), ship->damaged, ship->unsuitable, ship->dropped);
	print_time(file, "failing_since", failing_since(ship));
	for (size_t i = 0; i < ship->url->server_count; i++) {
		const struct ship_server *server = &ship->servers[i];

		fputs(server->failure ? "failed " : "ok ", file);
		text_write_rest(file, server->failure && server->reported ? server->reported
									  : server->client.server);
		putc('\n', file);
	}
}

char *ship_status_text(const struct ship *ship)
{
	char *text = NULL;
	size_t size;
	FILE *file = text_open(&text, &size);

	if (!file)
		return NULL;
	print_status(ship, file);
	return text_close(file, &text) ? NULL : text;
}

static void write_file(struct ship *ship, const char *path, const char *text)
{
	char *temporary;
	FILE *file;
	bool failed;

	if (asprintf(&temporary, "%s.new", path) < 0)
		return;
	file = fopen(temporary, "we");
	failed = !file;
	if (file) {
		failed = fputs(text, file) < 0;
		failed |= fclose(file) != 0;
		failed = failed || rename(temporary, path);
	}
	if (failed && !ship->cannot_write_status)
		error_msg("%s: %s", path, strerror(errno));
	ship->cannot_write_status = failed;
	free(temporary);
}

void ship_write_status(struct ship *ship)
{
	const struct ship_settings *settings = ship->settings;
	char *text = settings->status_file || settings->socket >= 0 ? ship_status_text(ship) : NULL;

	if (!text)
		return;
	if (settings->status_file)
		write_file(ship, settings->status_file, text);
	/* a reader that is late gets the next status */
	if (settings->socket >= 0)
		fd_message_send(settings->socket, text, strlen(text), -1);
	free(text);
}
