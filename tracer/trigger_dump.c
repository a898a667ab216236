// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Requests wait for the switch to the next piece. */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/files.h"
#include "base/utc.h"
#include "cli/message.h"
#include "cli/stop.h"
#include "tracer/trigger_dump.h"

#define SECOND 1000000000ULL

struct set_dump_settings session_dump_settings(const struct session *session)
{
	return (struct set_dump_settings){
		.set = session->options->rotation.enabled ? session->pieces.set.fd : -1,
		.first = session->pieces.number,
		.path = session->pieces.path,
		.in_memory = session->options->rotation.in_memory,
		.max_bytes = session->options->rotation.max_disk / DUMP_LIMITS_SHARE / 4 * 3,
	};
}

static void say(const char *text)
{
	error_msg("%s", text);
}

int session_dump_open(struct session *session)
{
	struct set_dump_settings settings;
	int err;

	if (!session->pieces.path)
		return 0;
	settings = session_dump_settings(session);
	err = set_dump_find_left(&session->dump.left, &settings, say);
	return err ? error_set_at(&session->error, err, "the dumps") : 0;
}

static void ask_keeper(struct session *session, enum keeper_request_kind kind, unsigned int piece)
{
	/* a keeper that has ended is noticed elsewhere */
	if (session->options->rotation.enabled)
		keeper_request(&session->pieces.keeper, kind, piece, 0);
}

static void send(struct session *session, const struct trigger_request *request)
{
	if (!trigger_process_request(&session->trigger_process, request)) {
		error_msg(
			"trigger '%s': its dump and its command are left out: too many wait for their turn",
			request->trigger);
		return;
	}
	/* triggers that fire together have one dump */
	if (request->last_piece != session->dump.last_piece)
		ask_keeper(session, KEEPER_DUMP, request->last_piece);
	session->dump.last_piece = request->last_piece;
}

/* An older text stays if there is no memory for the new one. */
static void replace(char **text, const char *value)
{
	char *copy = strdup(value);

	if (!copy)
		return;
	free(*text);
	*text = copy;
}

/* For --status. */
static void remember(struct daemon_status *status, const struct trigger_answer *answer)
{
	char when[40], failure[DUMP_PATH + TRIGGER_LENGTH + 400];
	struct timespec time;

	clock_gettime(CLOCK_REALTIME, &time);
	utc_text((uint64_t)time.tv_sec * SECOND + (uint64_t)time.tv_nsec, when, sizeof(when));
	strcpy(strchrnul(when, '.'), "Z");
	if (answer->err) {
		snprintf(failure, sizeof(failure), "%s %s: %s: %s", when, answer->trigger,
			 answer->path, answer->errmsg);
		replace(&status->dump_failure, failure);
		return;
	}
	replace(&status->dump, answer->path);
	replace(&status->dump_time, when);
	replace(&status->dump_trigger, answer->trigger);
	free(status->dump_failure);
	status->dump_failure = NULL;
}

void session_dump_written(struct session *session, const struct trigger_answer *answer)
{
	remember(&session->daemon_status, answer);
	ask_keeper(session, KEEPER_DUMPED, answer->is_left ? 0 : session->dump.last_piece);
}

/* While streams are switched, the last events may be in the next piece. */
static unsigned int present_piece(const struct session *session)
{
	const struct pieces *pieces = &session->pieces;

	return pieces->number + (pieces->state == PIECES_SWITCHING ? 1 : 0);
}

void session_dump_request(struct session *session, const struct trigger_request *request)
{
	struct session_dump *dump = &session->dump;

	if (!session->options->rotation.overwrite || dump->count == DUMP_REQUESTS) {
		send(session, request);
		return;
	}
	dump->requests[dump->count++] = *request;
	dump->piece = present_piece(session);
	session->pieces.requested = true;
}

static void send_all(struct session *session, unsigned int last)
{
	struct session_dump *dump = &session->dump;

	for (size_t i = 0; i < dump->count; i++) {
		dump->requests[i].last_piece = last;
		send(session, &dump->requests[i]);
	}
	dump->count = 0;
}

void session_dump_step(struct session *session)
{
	const struct trigger_request request = { .trigger = "SIGUSR2", .is_signal = true };
	const struct pieces *pieces = &session->pieces;

	if (!session->options->rotation.overwrite)
		return;
	if (stop_take_request(SIGUSR2))
		session_dump_request(session, &request);
	if (session->dump.count && pieces->state == PIECES_IDLE &&
	    pieces->number > session->dump.piece)
		send_all(session, pieces->number - 1);
}

void session_dump_finish(struct session *session)
{
	const struct trigger_request request = { .trigger = "the end", .is_signal = true };

	if (session->options->rotation.in_memory && session->dump.count < DUMP_REQUESTS)
		session->dump.requests[session->dump.count++] = request;
	send_all(session, session->pieces.number);
}
