// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Feeds one stream to the checks, packet by packet; damaged bytes are reported and skipped. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "check/check_packet.h"
#include "check/check_record.h"
#include "check/check_stream.h"
#include "cli/message.h"
#include "cli/progress.h"

/* A piece of a set goes on with the numbers of the piece before. */
static void begin_numbers(struct stream_state *stream, const struct packet_header *header)
{
	bool is_piece = stream->capture && stream->capture->metadata.piece > 1;
	bool is_first = !header->number && !header->records;

	if (is_first && (is_piece || !stream->capture))
		loss_begin_file(&stream->loss, header->sequence_end, header->time_first);
	else if (is_piece) {
		uint64_t first = header->sequence_first;

		/* the first packet is damaged */
		checkpoint_state_find_number(&stream->capture->checkpoint, stream->cpu, &first);
		loss_begin_file(&stream->loss, first, header->time_first);
	}
}

static void check_packet(struct stream_state *stream, const struct packet *packet)
{
	if (!stream->packets) {
		stream->first = packet->header;
		loss_init(&stream->loss, packet->header.time_first);
		begin_numbers(stream, &packet->header);
		if (!stream->cpu_known)
			stream->cpu = packet->header.cpu;
	}
	for (size_t i = 0; i < packet_check_count; i++) {
		stream->check = &packet_checks[i];
		if (stream->check->packet)
			stream->check->packet(stream, packet);
	}
	check_records(stream, packet);
	for (size_t i = 0; i < packet_check_count; i++) {
		stream->check = &packet_checks[i];
		if (stream->check->packet_end)
			stream->check->packet_end(stream, packet);
	}
	stream->last = packet->header;
	stream->packets++;
}

static void end_checks(struct stream_state *stream, const struct stream_check *checks, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		stream->check = &checks[i];
		if (stream->check->stream_end)
			stream->check->stream_end(stream);
	}
}

/* Reports the damage and finds the next packet. 1, 0 at the end of the file, or -errno. */
static int skip_damage(struct stream_state *stream, struct stream *file)
{
	uint64_t offset = file->offset;
	char errmsg[sizeof(file->errmsg)];
	int more;

	memcpy(errmsg, file->errmsg, sizeof(errmsg));
	more = stream_resync(file);
	report_damage(stream, offset, "%s (%" PRIu64 " bytes are not a packet)", errmsg,
		      file->offset - offset);
	return more;
}

/* The user may name any file: is it a stream? */
static int check_has_packet(const char *path, struct error *error)
{
	struct packet packet;
	struct stream file;
	int more;

	more = stream_open(&file, path);
	if (!more) {
		more = stream_next(&file, &packet);
		if (more == -EBADMSG)
			more = stream_resync(&file);
		stream_close(&file);
		if (more == 1 || more == -EPROTONOSUPPORT)
			return 0;
	}
	if (!more || more == -EINVAL)
		return error_format(error, -EINVAL,
				    "%s: holds no whole packet: not a stream of a capture", path);
	return error_set_at(error, more, path);
}

static void print_stream(const struct stream_state *stream, const char *path)
{
	bool events = stream->capture && stream->capture->metadata.clock == METADATA_CLOCK_EVENTS;

	progress_line_clear();
	print_text("%s: %" PRIu64 " packets, %" PRIu64 " records, lost %" PRIu64 ", %s%" PRIu64
		   " to %" PRIu64 "%s\n",
		   path, stream->packets, stream->records, loss_missing(&stream->loss),
		   events ? "events " : "", stream->first.time_first, stream->last.time_last,
		   events ? "" : " ns");
}

static const char *tracer_version_of(const struct stream_state *stream)
{
	return stream->capture ? stream->capture->metadata.tracer_version : "";
}

int check_stream_run(struct stream_state *stream, const char *path, struct error *error)
{
	struct check_problems *problems = stream->problems;
	char newer[METADATA_TEXT];
	struct packet packet;
	struct stream file;
	int more;

	loss_init(&stream->loss, 0);
	if (!stream->capture && check_has_packet(path, error))
		return -EINVAL;
	more = stream_open(&file, path);
	if (more)
		return error_set_at(error, more, path);
	problems_begin(problems, path);
	do {
		progress_line_bytes(problems->line, problems->bytes_done + file.offset,
				    problems->bytes ? problems->bytes : file.size);
		more = stream_next(&file, &packet);
		if (more == 1)
			check_packet(stream, &packet);
		else if (more == -EBADMSG)
			more = skip_damage(stream, &file);
	} while (more == 1);
	if (more == -EPROTONOSUPPORT)
		error_format(error, more, "%s: byte %" PRIu64 ": %s; %s", path, file.offset,
			     file.errmsg,
			     metadata_newer_text(tracer_version_of(stream), newer, sizeof(newer)));
	if (more)
		error_set_at(error, more, path);
	else {
		end_checks(stream, packet_checks, packet_check_count);
		end_checks(stream, record_checks, record_check_count);
		problems_end(problems);
		if (problems->verbose)
			print_stream(stream, path);
	}
	problems->bytes_done += file.size;
	stream_close(&file);
	return more;
}

void check_stream_deinit(struct stream_state *stream)
{
	loss_deinit(&stream->loss);
}
