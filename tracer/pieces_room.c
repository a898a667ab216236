// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Adds up what is on disk, and compares it with the limit. */
#include "config.h"

#include <errno.h>
#include <stdio.h>

#include "cli/message.h"
#include "tracer/pieces.h"
#include "tracer/pieces/piece_set.h"
#include "tracer/pieces_room.h"

#define MIB ((uint64_t)1 << 20)
#define BLOCK 4096 /* of a file system, mostly */
#define SECOND 1000000000ULL

/* Tables of the next piece, the space that it reserves, and what tables grow in a second. */
#define SPARE (5 * MIB)

/* Of the part of the limit for pieces: a piece has a fourth at most, and the keeper begins to
 * remove at 7/8. */
#define PIECES 4
#define MARGIN 8

/* The rings may be full when they are drained, and all of it must have room. */
#define RINGS 4

static uint64_t round_up(uint64_t bytes)
{
	return (bytes + BLOCK - 1) / BLOCK * BLOCK;
}

uint64_t session_room_stream_bytes(const struct session *session)
{
	uint64_t bytes = 0;

	for (unsigned int i = 0; i < session->streams.rings.possible_cpus; i++)
		if (session->streams.draining[i])
			bytes += round_up(session->streams.drains[i].writer.size);
	return bytes;
}

/* The newest dump of a flight recorder may have the other part. */
static uint64_t limit_of_pieces(const struct session *session)
{
	const struct rotation_options *options = &session->options->rotation;

	return options->overwrite ? options->max_disk / DUMP_LIMITS_SHARE : options->max_disk;
}

uint64_t session_room_used(const struct session *session)
{
	const struct rotation *rotation = &session->rotation;
	uint64_t bytes = rotation->keeper.bytes + rotation->keeper.dump_bytes + rotation->tables +
			 session_room_stream_bytes(session);

	/* the keeper does not count the old piece yet */
	if (rotation->old_piece && rotation->keeper.writing <= rotation->old_piece)
		bytes += rotation->old_bytes;
	return bytes;
}

unsigned int session_room_pieces(const struct session *session)
{
	const struct rotation *rotation = &session->rotation;

	/* the keeper counts the present piece too, unless it began a moment ago */
	return rotation->keeper.pieces ? rotation->keeper.pieces : 1;
}

bool session_room_needs_switch(const struct session *session)
{
	uint64_t limit = limit_of_pieces(session);

	return limit && (session_room_stream_bytes(session) >= limit / PIECES ||
			 (session->rotation.keeper.no_room &&
			  session_room_stream_bytes(session) >= limit / PIECES / 2));
}

int session_room_check(struct session *session)
{
	const struct rings *rings = &session->streams.rings;
	const struct rotation_options *options = &session->options->rotation;
	uint64_t limit = limit_of_pieces(session);
	uint64_t least = rings_bytes(rings->mib, rings->buffered) * RINGS * rings->possible_cpus;

	if (!limit || limit >= least)
		return 0;
	if (options->overwrite)
		least *= DUMP_LIMITS_SHARE;
	return error_format(
		&session->error, -EINVAL,
		"--max-disk: %.0f MiB are less than %s times the rings, %.0f MiB: allow more, or take smaller rings with -m",
		(double)options->max_disk / (double)MIB, options->overwrite ? "eight" : "four",
		(double)least / (double)MIB);
}

static uint64_t room(const struct session *session)
{
	uint64_t limit = session->options->rotation.max_disk;
	uint64_t used = session_room_used(session);

	/* the spare bytes are for what a switch writes */
	if (!session_piece_is_switching(session))
		used += SPARE;
	return used < limit ? limit - used : 0;
}

static void say_full(struct session *session)
{
	if (session->rotation.said_full)
		return;
	session->rotation.said_full = true;
	error_msg(
		"%s: --max-disk: the set has its largest size, and older pieces are not removed fast enough: events wait in the rings, and are lost when these are full: allow more, or record less",
		session->options->output);
}

bool session_room_divide(struct session *session)
{
	uint64_t records, waiting = 0;

	if (!session->options->rotation.max_disk)
		return true;
	for (unsigned int i = 0; i < session->streams.rings.possible_cpus; i++)
		if (session->streams.draining[i])
			waiting +=
				drain_waiting(&session->streams.drains[i]) + 2 * PACKET_RECORDS_MAX;
	records = room(session) / sizeof(struct kmt_record);
	for (unsigned int i = 0; i < session->streams.rings.possible_cpus; i++)
		session->streams.drains[i].room =
			records < waiting ? records / session->streams.rings.possible_cpus : 0;
	if (records >= waiting ||
	    records / session->streams.rings.possible_cpus > PACKET_RECORDS_MAX)
		return true;
	say_full(session);
	return false;
}

static int measure_tables(struct session *session, uint64_t now)
{
	struct rotation *rotation = &session->rotation;

	if (now < rotation->next_tables)
		return 0;
	rotation->next_tables = now + SECOND;
	return piece_set_measure_tables(session->directory.fd, &rotation->tables);
}

int session_room_step(struct session *session, uint64_t now)
{
	struct keeper *keeper = &session->rotation.keeper;
	uint64_t limit = session->options->rotation.max_disk;
	uint64_t used, most = limit - limit / MARGIN;
	int err = measure_tables(session, now);

	if (err)
		return error_set_at(&session->error, err, session->directory.path);
	used = session_room_used(session) + SPARE;
	if (!limit || used <= most || keeper->making_room ||
	    (keeper->no_room && now < session->rotation.next_request))
		return 0;
	session->rotation.next_request = now + SECOND / 10;
	err = keeper_request(keeper, KEEPER_MAKE_ROOM, 0, used - most);
	return err ? error_set(&session->error, err, keeper->errmsg) : 0;
}
