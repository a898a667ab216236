// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* kmemtraced's side: two pipes, one for requests and one for answers. */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/worker.h"
#include "tracer/pieces/keeper.h"

#define PAUSE_NS 5000000
#define PAUSES_PER_SECOND 200

static int fail_keeper(struct keeper *keeper, int err, const char *what)
{
	snprintf(keeper->errmsg, sizeof(keeper->errmsg),
		 "the process that keeps the pieces: %s: %s", what, strerror(-err));
	return err;
}

/* It has closed its pipes: it ended. */
static int fail_end(struct keeper *keeper)
{
	int status = worker_wait(keeper->worker.pid);
	char text[100];

	worker_close(&keeper->worker);
	keeper->worker.pid = 0;
	snprintf(keeper->errmsg, sizeof(keeper->errmsg), "the process that keeps the pieces: %s",
		 worker_end_text(status, text, sizeof(text)));
	keeper->failed = status;
	return -ECHILD;
}

static int run_keeper(void *data, int requests, int answers)
{
	return keeper_work(data, requests, answers) ? 1 : 0;
}

int keeper_start(struct keeper *keeper, const struct keeper_settings *settings)
{
	struct keeper_settings copy = *settings;
	int err;

	memset(keeper, 0, sizeof(*keeper));
	err = worker_start(&keeper->worker, run_keeper, &copy);
	return err ? fail_keeper(keeper, err, "cannot be started") : 0;
}

int keeper_request(struct keeper *keeper, enum keeper_request_kind kind, unsigned int piece,
		   uint64_t bytes)
{
	const struct keeper_request request = { .kind = kind, .piece = piece, .bytes = bytes };

	/* a request is written as a whole or not at all; there are few, so the pipe has room */
	if (write(keeper->worker.requests, &request, sizeof(request)) != sizeof(request))
		return errno == EPIPE ? fail_end(keeper)
				      : fail_keeper(keeper, -errno, "cannot be asked");
	if (kind == KEEPER_MAKE_ROOM)
		keeper->making_room = true;
	return 0;
}

static void take_answer(struct keeper *keeper, struct keeper_answer *answer,
			void (*say)(const char *))
{
	switch (answer->kind) {
	case KEEPER_PREPARED:
		keeper->prepared = answer->err ? 0 : answer->piece;
		break;
	case KEEPER_ROOM:
		keeper->making_room = false;
		keeper->no_room = answer->err;
		/* fall through */
	case KEEPER_SIZES:
		keeper->bytes = answer->bytes;
		keeper->dump_bytes = answer->dump_bytes;
		keeper->pieces = answer->pieces;
		keeper->dumps = answer->dumps;
		keeper->writing = answer->piece;
		break;
	case KEEPER_SAYS:
		answer->text[sizeof(answer->text) - 1] = '\0';
		say(answer->text);
		break;
	default:
		break;
	}
}

int keeper_read(struct keeper *keeper, void (*say)(const char *text))
{
	char *partial = (char *)&keeper->partial;
	ssize_t got;

	while ((got = read(keeper->worker.answers, partial + keeper->partial_size,
			   sizeof(keeper->partial) - keeper->partial_size)) > 0) {
		keeper->partial_size += (size_t)got;
		if (keeper->partial_size < sizeof(keeper->partial))
			continue;
		keeper->partial_size = 0;
		take_answer(keeper, &keeper->partial, say);
	}
	if (!got)
		return fail_end(keeper);
	return errno == EAGAIN || errno == EINTR ? 0
						 : fail_keeper(keeper, -errno, "cannot be read");
}

int keeper_finish(struct keeper *keeper, unsigned int seconds, void (*say)(const char *text))
{
	const struct timespec pause = { .tv_nsec = PAUSE_NS };

	if (!keeper->worker.pid)
		return 0;
	close(keeper->worker.requests);
	keeper->worker.requests = -1;
	for (unsigned int i = 0; i < seconds * PAUSES_PER_SECOND && !keeper_read(keeper, say); i++)
		nanosleep(&pause, NULL);
	return keeper->failed ? -ECHILD : 0;
}

void keeper_close(struct keeper *keeper)
{
	if (!keeper->worker.pid)
		return;
	worker_close(&keeper->worker);
	kill(keeper->worker.pid, SIGKILL);
	worker_wait(keeper->worker.pid);
	keeper->worker.pid = 0;
}
