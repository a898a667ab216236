// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Requests wait for the switch to the next piece. */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/files.h"
#include "base/utc.h"
#include "cli/message.h"
#include "cli/stop.h"
#include "tracer/trigger_watch.h"

struct set_dump_settings trigger_dump_settings(const struct pieces *pieces)
{
	return (struct set_dump_settings){
		.set = pieces->options->rotation.enabled ? pieces->set.fd : -1,
		.first = pieces->number,
		.path = pieces->path,
		.in_memory = pieces->options->rotation.in_memory,
		.max_bytes = pieces->options->rotation.max_disk / DUMP_LIMITS_SHARE / 4 * 3,
	};
}

static void say_error(const char *text)
{
	error_msg("%s", text);
}

int trigger_watch_find_dumps(struct trigger_watch *watch)
{
	struct set_dump_settings settings;
	int err;

	if (!watch->pieces->path)
		return 0;
	settings = trigger_dump_settings(watch->pieces);
	err = set_dump_find_left(&watch->dumps.left, &settings, say_error);
	return err ? error_set_at(watch->pieces->error, err, "the dumps") : 0;
}

static void ask_keeper(struct trigger_watch *watch, enum keeper_request_kind kind,
		       unsigned int piece)
{
	/* a keeper that has ended is noticed elsewhere */
	if (watch->pieces->options->rotation.enabled)
		keeper_request(&watch->pieces->keeper, kind, piece, 0);
}

static void send_dump_request(struct trigger_watch *watch, const struct trigger_request *request)
{
	trigger_dump_check(watch);
	if (*watch->failure || !trigger_process_request(&watch->process, request)) {
		error_msg("trigger '%s': its dump and its command are left out: %s",
			  request->trigger,
			  *watch->failure ? watch->failure : "too many wait for their turn");
		return;
	}
	/* triggers that fire together have one dump */
	if (request->last_piece && request->last_piece != watch->dumps.last_piece) {
		ask_keeper(watch, KEEPER_DUMP, request->last_piece);
		watch->dumps.unfinished++;
	}
	watch->dumps.last_piece = request->last_piece;
}

/* An older text stays if there is no memory for the new one. */
static void replace_text(char **text, const char *value)
{
	char *copy = strdup(value);

	if (!copy)
		return;
	free(*text);
	*text = copy;
}

/* For --status: a dump, or all of them. */
static void remember_failure(struct daemon_status *status, const char *what)
{
	char when[40], *text;

	utc_text_second(utc_now(), when, sizeof(when));
	if (asprintf(&text, "%s %s", when, what) < 0)
		return;
	free(status->dump_failure);
	status->dump_failure = text;
}

void trigger_dump_check(struct trigger_watch *watch)
{
	int status;

	if (!watch->process.pid || waitpid(watch->process.pid, &status, WNOHANG) <= 0)
		return;
	watch->process.pid = 0;
	trigger_dump_fail(watch, status);
}

void trigger_dump_fail(struct trigger_watch *watch, int status)
{
	char text[100];

	snprintf(watch->failure, sizeof(watch->failure),
		 "the process that writes dumps and runs the commands of triggers: %s",
		 worker_end_text(status, text, sizeof(text)));
	error_msg("%s: kmemtraced goes on without them: restart it", watch->failure);
	remember_failure(watch->daemon_status, watch->failure);
	/* the keeper keeps more pieces while a dump is written */
	for (; watch->dumps.unfinished; watch->dumps.unfinished--)
		ask_keeper(watch, KEEPER_DUMPED, watch->dumps.last_piece);
}

/* For --status. */
static void remember_dump(struct daemon_status *status, const struct trigger_answer *answer)
{
	char when[40], failure[DUMP_PATH + TRIGGER_LENGTH + 600];

	if (answer->err) {
		snprintf(failure, sizeof(failure), "%s: %s: %s", answer->trigger, answer->path,
			 answer->error.text);
		remember_failure(status, failure);
		return;
	}
	utc_text_second(utc_now(), when, sizeof(when));
	replace_text(&status->dump, answer->path);
	replace_text(&status->dump_time, when);
	replace_text(&status->dump_trigger, answer->trigger);
	free(status->dump_failure);
	status->dump_failure = NULL;
}

void trigger_dump_written(struct trigger_watch *watch, const struct trigger_answer *answer)
{
	remember_dump(watch->daemon_status, answer);
	ask_keeper(watch, KEEPER_DUMPED, answer->is_left ? 0 : watch->dumps.last_piece);
	watch->dumps.unfinished -= !answer->is_left && watch->dumps.unfinished;
}

/* While streams are switched, the last events may be in the next piece. */
static unsigned int present_piece(const struct trigger_watch *watch)
{
	const struct pieces *pieces = watch->pieces;

	return pieces->number + (pieces->state == PIECES_SWITCHING ? 1 : 0);
}

void trigger_dump_request(struct trigger_watch *watch, const struct trigger_request *request)
{
	struct trigger_dumps *dumps = &watch->dumps;

	if (!watch->pieces->options->rotation.overwrite || dumps->count == DUMP_REQUESTS) {
		send_dump_request(watch, request);
		return;
	}
	dumps->requests[dumps->count++] = *request;
	dumps->piece = present_piece(watch);
	watch->pieces->requested = true;
}

static void send_all(struct trigger_watch *watch, unsigned int last)
{
	struct trigger_dumps *dumps = &watch->dumps;

	for (size_t i = 0; i < dumps->count; i++) {
		dumps->requests[i].last_piece = last;
		send_dump_request(watch, &dumps->requests[i]);
	}
	dumps->count = 0;
}

void trigger_watch_dump(struct trigger_watch *watch)
{
	const struct trigger_request request = { .trigger = "SIGUSR2", .is_signal = true };
	const struct pieces *pieces = watch->pieces;

	if (!pieces->options->rotation.overwrite)
		return;
	if (stop_take_request(SIGUSR2))
		trigger_dump_request(watch, &request);
	if (watch->dumps.count && pieces->state == PIECES_IDLE &&
	    pieces->number > watch->dumps.piece)
		send_all(watch, pieces->number - 1);
}

void trigger_dump_finish(struct trigger_watch *watch)
{
	const struct trigger_request request = { .trigger = "the end", .is_signal = true };

	if (watch->pieces->options->rotation.in_memory && watch->dumps.count < DUMP_REQUESTS)
		watch->dumps.requests[watch->dumps.count++] = request;
	send_all(watch, watch->pieces->number);
}
