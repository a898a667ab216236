// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Adds up what is on disk, and compares it with the limit. */
#include "config.h"

#include <errno.h>
#include <stdio.h>

#include "cli/message.h"
#include "tracer/pieces/piece_set.h"
#include "tracer/pieces_work.h"

#define MIB ((uint64_t)1 << 20)
#define BLOCK 4096 /* of a file system, mostly */
#define SECOND 1000000000ULL

/*
 * For the tables of the next piece, the space that it reserves, and the growth of tables in a
 * second.
 */
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

uint64_t pieces_stream_bytes(const struct pieces *pieces)
{
	uint64_t bytes = 0;

	for (unsigned int i = 0; i < pieces->streams->rings.possible_cpus; i++)
		if (pieces->streams->draining[i])
			bytes += round_up(pieces->streams->drains[i].writer.size);
	return bytes;
}

/* The newest dump of a flight recorder may have the other part. */
static uint64_t limit_of_pieces(const struct pieces *pieces)
{
	const struct rotation_options *options = &pieces->options->rotation;

	return options->overwrite ? options->max_disk / DUMP_LIMITS_SHARE : options->max_disk;
}

uint64_t pieces_disk_used(const struct pieces *pieces)
{
	uint64_t bytes = pieces->keeper.bytes + pieces->keeper.dump_bytes + pieces->tables +
			 pieces_stream_bytes(pieces);

	/* the keeper does not count the old piece yet */
	if (pieces->old_number && pieces->keeper.writing <= pieces->old_number)
		bytes += pieces->old_bytes;
	return bytes;
}

unsigned int pieces_count(const struct pieces *pieces)
{
	/* the keeper counts the present piece too, unless it began a moment ago */
	return pieces->keeper.pieces ? pieces->keeper.pieces : 1;
}

bool pieces_need_switch(const struct pieces *pieces)
{
	uint64_t limit = limit_of_pieces(pieces);

	return limit &&
	       (pieces_stream_bytes(pieces) >= limit / PIECES ||
		(pieces->keeper.no_room && pieces_stream_bytes(pieces) >= limit / PIECES / 2));
}

int pieces_check_room(struct pieces *pieces)
{
	const struct rings *rings = &pieces->streams->rings;
	const struct rotation_options *options = &pieces->options->rotation;
	uint64_t limit = limit_of_pieces(pieces);
	uint64_t least = rings_bytes(rings->mib, rings->buffered) * RINGS * rings->possible_cpus;

	if (!limit || limit >= least)
		return 0;
	if (options->overwrite)
		least *= DUMP_LIMITS_SHARE;
	return error_format(
		pieces->error, -EINVAL,
		"--max-disk: %.0f MiB are less than %s times the rings, %.0f MiB: allow more, or take smaller rings with -m",
		(double)options->max_disk / (double)MIB, options->overwrite ? "eight" : "four",
		(double)least / (double)MIB);
}

static uint64_t find_room(const struct pieces *pieces)
{
	uint64_t limit = pieces->options->rotation.max_disk;
	uint64_t used = pieces_disk_used(pieces);

	/* the spare bytes are for what a switch writes */
	if (!pieces_are_switching(pieces))
		used += SPARE;
	return used < limit ? limit - used : 0;
}

static void say_full(struct pieces *pieces)
{
	if (pieces->said_full)
		return;
	pieces->said_full = true;
	error_msg(
		"%s: --max-disk: the set has its largest size, and older pieces are not removed fast enough: events wait in the rings, and are lost when these are full: allow more, or record less",
		pieces->options->output);
}

bool pieces_divide_room(struct pieces *pieces)
{
	uint64_t records, waiting = 0;

	if (!pieces->options->rotation.max_disk)
		return true;
	for (unsigned int i = 0; i < pieces->streams->rings.possible_cpus; i++)
		if (pieces->streams->draining[i])
			waiting +=
				drain_waiting(&pieces->streams->drains[i]) + 2 * PACKET_RECORDS_MAX;
	records = find_room(pieces) / sizeof(struct kmt_record);
	for (unsigned int i = 0; i < pieces->streams->rings.possible_cpus; i++)
		pieces->streams->drains[i].room =
			records < waiting ? records / pieces->streams->rings.possible_cpus : 0;
	if (records >= waiting ||
	    records / pieces->streams->rings.possible_cpus > PACKET_RECORDS_MAX)
		return true;
	say_full(pieces);
	return false;
}

static int measure_tables(struct pieces *pieces, uint64_t now)
{
	if (now < pieces->next_tables)
		return 0;
	pieces->next_tables = now + SECOND;
	return piece_set_measure_tables(pieces->present.directory.fd, &pieces->tables);
}

int pieces_ask_for_room(struct pieces *pieces, uint64_t now)
{
	struct keeper *keeper = &pieces->keeper;
	uint64_t limit = pieces->options->rotation.max_disk;
	uint64_t used, most = limit - limit / MARGIN;
	int err = measure_tables(pieces, now);

	if (err)
		return error_set_at(pieces->error, err, pieces->present.directory.path);
	used = pieces_disk_used(pieces) + SPARE;
	if (!limit || used <= most || keeper->making_room ||
	    (keeper->no_room && now < pieces->next_request))
		return 0;
	pieces->next_request = now + SECOND / 10;
	err = keeper_request(keeper, KEEPER_MAKE_ROOM, 0, used - most);
	return err ? error_set(pieces->error, err, keeper->errmsg) : 0;
}
