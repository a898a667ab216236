// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The answers of the keeper's process: texts, and the sizes of pieces and dumps. */
#include "config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/inside.h"
#include "capture/parts.h"
#include "tracer/pieces/keeper_work.h"
#include "tracer/pieces/piece_set.h"

void keeper_answer(struct keeper_work *work, const struct keeper_answer *answer)
{
	size_t done = 0;

	while (done < sizeof(*answer)) {
		ssize_t got =
			write(work->answers, (const char *)answer + done, sizeof(*answer) - done);

		if (got < 0 && errno != EINTR)
			return; /* kmemtraced has ended */
		done += got > 0 ? (size_t)got : 0;
	}
}

void keeper_say(struct keeper_work *work, const char *format, ...)
{
	struct keeper_answer text = { .kind = KEEPER_SAYS };
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text.text, sizeof(text.text), format, arguments);
	va_end(arguments);
	keeper_answer(work, &text);
}

/* Of the checkpoint that is being made. */
static uint64_t job_bytes(const struct keeper_work *work)
{
	char name[PIECE_NAME_SIZE];
	uint64_t bytes = 0;
	int piece;

	if (!work->job)
		return 0;
	piece = inside_open_directory(work->settings->set, piece_name(work->job_piece, name));
	if (piece < 0)
		return 0;
	piece_set_measure_checkpoint(piece, &bytes);
	close(piece);
	return bytes;
}

void keeper_send_sizes(struct keeper_work *work, enum keeper_answer_kind kind, bool nothing_left)
{
	struct keeper_answer sizes = { .kind = kind, .piece = work->writing, .err = nothing_left };
	unsigned int *numbers;
	size_t count;

	/* a file that becomes a part of a dump between the two counts more than once, never less */
	if (piece_set_measure(work->settings->set, work->writing, &sizes.bytes) ||
	    dump_limits_measure(&work->settings->dumps, &sizes.dump_bytes, &sizes.dumps) ||
	    parts_list_pieces_at(work->settings->set, &numbers, &count))
		return;
	free(numbers);
	sizes.pieces = (uint32_t)count;
	work->sizes = sizes;
	work->without_job = sizes.bytes - job_bytes(work);
	keeper_answer(work, &sizes);
}

/* kmemtraced counts the bytes of a checkpoint, and of a dump, while it grows. */
void keeper_update_sizes(struct keeper_work *work)
{
	if (work->dumping) {
		keeper_send_sizes(work, KEEPER_SIZES, false);
		return;
	}
	work->sizes.kind = KEEPER_SIZES;
	work->sizes.err = 0;
	work->sizes.piece = work->writing;
	work->sizes.bytes = work->without_job + job_bytes(work);
	keeper_answer(work, &work->sizes);
}

static void say_dump(struct keeper_work *work, bool removed, const char *text)
{
	if (*text && (removed || !work->said_dump))
		keeper_say(work, "%s", text);
	work->said_dump = !removed && (*text || work->said_dump);
}

void keeper_limit_dumps(struct keeper_work *work)
{
	bool removed = true;

	while (removed) {
		char text[sizeof(work->sizes.text)] = "";

		removed = dump_limits_keep_most(&work->settings->dumps, text, sizeof(text));
		say_dump(work, removed, text);
	}
}

bool keeper_remove_dump(struct keeper_work *work)
{
	char text[sizeof(work->sizes.text)] = "";
	bool removed = dump_limits_make_room(&work->settings->dumps, text, sizeof(text));

	say_dump(work, removed, text);
	return removed;
}
