// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Compares each piece of a set with the one before it: numbers, times, and the end of each stream
 * with the begin of the same stream.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files.h"
#include "capture/metadata.h"
#include "capture/parts.h"
#include "capture/piece_times.h"
#include "capture/reader.h"
#include "capture/status.h"
#include "capture/stream_files.h"
#include "check/check_pieces.h"

#define TEXT_BYTES_MAX ((size_t)64 << 20)
#define report_problem(problems, ...) \
	problems_add(problems, &check_pieces_info, PROBLEM_NO_OFFSET, __VA_ARGS__)

/* Parts that cannot be read are empty: another check says that. */
struct checked_piece {
	unsigned int number;
	char *path, *metadata_path, *status_path;
	bool has_metadata, has_checkpoint;
	struct metadata metadata;
	struct status status;
	struct capture_stream *streams;
	size_t stream_count;
};

const struct check_info check_pieces_info = {
	"pieces", "pieces have their own numbers, and begin where the piece before has ended",
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

static void compare_ends(const struct packet_header *end, const struct packet_header *begin,
			 struct check_problems *problems)
{
	if (begin->sequence_end > end->sequence_end)
		report_problem(problems,
			       "begins with event %" PRIu64
			       ", but the piece before ends before %" PRIu64
			       ": the events between are in neither",
			       begin->sequence_end, end->sequence_end);
	else if (begin->sequence_end < end->sequence_end)
		report_problem(problems,
			       "begins with event %" PRIu64
			       ", but the piece before ends with %" PRIu64
			       ": some events may be in both",
			       begin->sequence_end, end->sequence_end - 1);
	if (begin->time_first != end->time_last)
		report_problem(problems,
			       "begins at %" PRIu64 " ns, %s the piece before it ends, at %" PRIu64
			       " ns",
			       begin->time_first,
			       begin->time_first < end->time_last ? "before" : "after",
			       end->time_last);
}

static const struct capture_stream *find_stream(const struct checked_piece *piece, unsigned int cpu)
{
	size_t low = 0, high = piece->stream_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (piece->streams[middle].cpu == cpu)
			return &piece->streams[middle];
		if (piece->streams[middle].cpu < cpu)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

static void check_stream_of(const struct checked_piece *before, const struct capture_stream *stream,
			    struct check_problems *problems)
{
	const struct capture_stream *earlier = find_stream(before, stream->cpu);
	struct packet_header first, end, begin, last;

	if (!read_ends(stream->path, &begin, &last))
		return;
	problems_begin(problems, stream->path);
	if (earlier && read_ends(earlier->path, &first, &end))
		compare_ends(&end, &begin, problems);
	else if (!earlier && begin.sequence_end && !status_find_cpu(&before->status, stream->cpu))
		report_problem(problems,
			       "begins with event %" PRIu64
			       ", but the piece before has no stream of this CPU",
			       begin.sequence_end);
	problems_end(problems);
}

/* Two pieces of one run, one after the other. */
static void check_pair(const struct checked_piece *before, const struct checked_piece *piece,
		       struct check_problems *problems)
{
	char fault[200];

	problems_begin(problems, piece->status_path);
	if (piece_has_fault_behind(&piece->status, &before->status, fault, sizeof(fault)))
		report_problem(problems, "%s", fault);
	problems_end(problems);
	problems_begin(problems, piece->path);
	for (size_t i = 0; i < before->stream_count; i++)
		if (!find_stream(piece, before->streams[i].cpu))
			report_problem(problems, "the stream of cpu%u is missing, but %s exists",
				       before->streams[i].cpu, before->streams[i].path);
	problems_end(problems);
	for (size_t i = 0; i < piece->stream_count; i++)
		check_stream_of(before, &piece->streams[i], problems);
}

static void check_number(const struct checked_piece *piece, struct check_problems *problems)
{
	problems_begin(problems, piece->metadata_path);
	if (piece->has_metadata && piece->metadata.piece != piece->number)
		report_problem(problems, "it is of piece %u, not of this one",
			       piece->metadata.piece);
	problems_end(problems);
}

static void check_follows(const char *set, const struct checked_piece *before,
			  const struct checked_piece *piece, struct check_problems *problems)
{
	bool is_next = before->number + 1 == piece->number;

	if (!before->has_metadata || !piece->has_metadata)
		return;
	if (!memcmp(before->metadata.uuid, piece->metadata.uuid, sizeof(piece->metadata.uuid))) {
		if (is_next) {
			check_pair(before, piece, problems);
			return;
		}
		problems_begin(problems, set);
		report_problem(problems,
			       "pieces are missing between " PARTS_PIECE_NAME
			       " and " PARTS_PIECE_NAME ", which are of one run",
			       before->number, piece->number);
		problems_end(problems);
		return;
	}
	problems_begin(problems, piece->path);
	if (is_next && before->status.until)
		report_problem(problems,
			       "is of another run, but the piece before says that it is followed");
	if (is_next && piece->has_checkpoint)
		report_problem(problems,
			       "has a checkpoint, but the piece before is of another run");
	problems_end(problems);
}

static char *read_piece_text(const char *path)
{
	char *text = NULL;

	return read_file(AT_FDCWD, path, TEXT_BYTES_MAX, &text, NULL) ? NULL : text;
}

static void close_piece(struct checked_piece *piece)
{
	stream_files_deinit(piece->streams, piece->stream_count);
	status_deinit(&piece->status);
	free(piece->path);
	free(piece->metadata_path);
	free(piece->status_path);
	*piece = (struct checked_piece){ 0 };
}

static int open_checked_piece(struct checked_piece *piece, const char *set, unsigned int number)
{
	struct capture_part part = { .path = parts_piece_path(set, number) };
	struct capture_parts parts = { .list = &part, .count = 1 };
	__attribute__((cleanup(free_text))) char *checkpoint = NULL;
	__attribute__((cleanup(free_text))) char *metadata = NULL;
	__attribute__((cleanup(free_text))) char *status = NULL;
	const char *failed;

	*piece = (struct checked_piece){ .number = number, .path = part.path };
	piece->metadata_path = part.path ? join_path(part.path, "metadata") : NULL;
	piece->status_path = part.path ? join_path(part.path, "kernel/status") : NULL;
	checkpoint = part.path ? join_path(part.path, PARTS_CHECKPOINT) : NULL;
	if (!piece->metadata_path || !piece->status_path || !checkpoint)
		return -ENOMEM;
	piece->has_checkpoint = !access(checkpoint, F_OK);
	metadata = read_piece_text(piece->metadata_path);
	piece->has_metadata = metadata && !metadata_parse(&piece->metadata, metadata, NULL);
	status = read_piece_text(piece->status_path);
	if (status && status_parse(&piece->status, status, NULL))
		status_deinit(&piece->status);
	return stream_files_find(&parts, &piece->streams, &piece->stream_count, &failed) == -ENOMEM
		       ? -ENOMEM
		       : 0;
}

int check_pieces(const char *set, const unsigned int *numbers, size_t count,
		 struct check_problems *problems)
{
	struct checked_piece before = { 0 }, piece = { 0 };
	int err = 0;

	for (size_t i = 0; i < count && !err; i++) {
		err = open_checked_piece(&piece, set, numbers[i]);
		if (!err)
			check_number(&piece, problems);
		if (!err && i)
			check_follows(set, &before, &piece, problems);
		close_piece(&before);
		before = piece;
	}
	close_piece(&before);
	return err;
}
