// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Compares the end of each stream of a piece with the begin of the same stream in the next piece.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "capture/parts.h"
#include "capture/reader.h"
#include "capture/stream_files.h"
#include "check/check_pieces.h"

const struct check_info check_pieces_info = {
	"pieces", "each stream of a piece begins where the piece before it has ended",
	.repairable = false
};

/* The first and the last packet of a stream. False: it cannot be read, which another check says. */
static bool read_ends(const char *path, struct packet_header *first, struct packet_header *last)
{
	struct packet_header header;
	struct stream stream;
	uint64_t packets = 0;
	int got;

	if (stream_open(&stream, path))
		return false;
	while ((got = stream_peek(&stream, &header)) == 1) {
		if (!packets++)
			*first = header;
		*last = header;
		stream_skip(&stream, &header);
	}
	stream_close(&stream);
	return !got && packets;
}

static void compare_sequences(const struct packet_header *end, const struct packet_header *begin,
			      struct check_problems *problems)
{
	if (begin->sequence_end > end->sequence_end)
		problems_add(problems, &check_pieces_info, PROBLEM_NO_OFFSET,
			     "begins with event %" PRIu64
			     ", but the piece before ends before %" PRIu64
			     ": the events between are in neither",
			     begin->sequence_end, end->sequence_end);
	else if (begin->sequence_end < end->sequence_end)
		problems_add(problems, &check_pieces_info, PROBLEM_NO_OFFSET,
			     "begins with event %" PRIu64
			     ", but the piece before ends with %" PRIu64
			     ": some events may be in both",
			     begin->sequence_end, end->sequence_end - 1);
	if (begin->time_first < end->time_last)
		problems_add(problems, &check_pieces_info, PROBLEM_NO_OFFSET,
			     "begins at %" PRIu64
			     " ns, before the piece before it ends, at %" PRIu64 " ns",
			     begin->time_first, end->time_last);
}

static int check_stream_of(const struct capture_part *from, const struct capture_stream *stream,
			   struct check_problems *problems)
{
	__attribute__((cleanup(free_text))) char *path = capture_stream_path(from, stream->cpu);
	struct packet_header first, end, begin, last;

	if (!path)
		return -ENOMEM;
	if (!read_ends(path, &first, &end) || !read_ends(stream->path, &begin, &last) ||
	    memcmp(end.uuid, begin.uuid, sizeof(end.uuid)) != 0)
		return 0;
	problems_begin(problems, stream->path);
	compare_sequences(&end, &begin, problems);
	problems_end(problems);
	return 0;
}

static int check_pair(const char *set, unsigned int from, unsigned int to,
		      struct check_problems *problems)
{
	struct capture_part before = { .path = parts_piece_path(set, from) };
	struct capture_part after = { .path = parts_piece_path(set, to) };
	struct capture_parts parts = { .list = &after, .count = 1 };
	struct capture_stream *streams = NULL;
	const char *failed;
	size_t count = 0;
	int err = before.path && after.path ? 0 : -ENOMEM;

	if (!err && stream_files_find(&parts, &streams, &count, &failed))
		count = 0; /* another check says it */
	for (size_t i = 0; i < count && !err; i++)
		err = check_stream_of(&before, &streams[i], problems);
	stream_files_deinit(streams, count);
	free(before.path);
	free(after.path);
	return err;
}

int check_pieces(const char *set, const unsigned int *numbers, size_t count,
		 struct check_problems *problems)
{
	int err = 0;

	for (size_t i = 0; i + 1 < count && !err; i++)
		if (numbers[i] + 1 == numbers[i + 1])
			err = check_pair(set, numbers[i], numbers[i + 1], problems);
	return err;
}
