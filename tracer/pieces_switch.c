// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Decides when a piece ends, and switches. While streams are switched, the counters of skipped
 * events are not read: so all last packets of the old piece have the same count, which is that of
 * its status.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/inside.h"
#include "cli/message.h"
#include "cli/stop.h"
#include "tracer/host/snapshot.h"
#include "tracer/load/machine.h"
#include "tracer/pieces/piece_set.h"
#include "tracer/pieces_work.h"

#define KEEPER_SECONDS 60
#define FINISH_ROUNDS 1000 /* of a millisecond */

static int fail_directory(struct pieces *pieces, int err, const struct directory *directory)
{
	return error_set(pieces->error, err, directory->errmsg);
}

static int request_of_keeper(struct pieces *pieces, enum keeper_request_kind kind,
			     unsigned int piece)
{
	struct keeper *keeper = &pieces->keeper;
	int err = keeper_request(keeper, kind, piece, 0);

	return err ? error_set(pieces->error, err, keeper->errmsg) : 0;
}

int pieces_switch_begin(struct pieces *pieces, uint64_t now)
{
	if (!pieces->options->rotation.enabled)
		return 0;
	pieces->piece_begin = now;
	return request_of_keeper(pieces, KEEPER_PREPARE, pieces->number + 1);
}

static bool is_due(struct pieces *pieces, uint64_t now)
{
	const struct rotation_options *options = &pieces->options->rotation;

	if (stop_take_request(SIGUSR2))
		pieces->requested = true;
	if (pieces->requested || pieces_need_switch(pieces))
		return true;
	if (options->age_ns && now - pieces->piece_begin >= options->age_ns)
		return true;
	return options->bytes && pieces_stream_bytes(pieces) >= options->bytes;
}

/* The directory of the next piece becomes a capture, without streams yet. */
static int begin_piece(struct pieces *pieces)
{
	char name[PIECE_NAME_SIZE], next_name[PIECE_NAME_SIZE];
	struct directory *next = &pieces->other.directory;
	int err;

	err = directory_open_inside(next, &pieces->set, piece_name(pieces->number + 1, name),
				    piece_next_name(pieces->number + 1, next_name), false);
	if (!err)
		err = directory_commit(next);
	if (!err)
		err = directory_reserve(next);
	if (err)
		return fail_directory(pieces, err, next);
	err = pieces_status_begin(pieces, &pieces->other.status);
	if (err)
		return error_set_at(pieces->error, err, "the status");
	pieces->other.status.begin = machine_now();
	err = pieces_status_write_of(pieces, &pieces->other);
	if (err)
		return err;
	pieces->metadata.piece = pieces->number + 1;
	err = pieces_write_metadata(pieces, next);
	if (err)
		return err;
	err = directory_lock(next);
	return err ? fail_directory(pieces, err, next) : 0;
}

/*
 * The last reading of the piece, before its end: all events before it are in the piece. The next
 * one has the first reading of all, in its checkpoint.
 */
static int end_slabinfo(struct pieces *pieces)
{
	struct slabinfo_snapshot snapshot = { 0 };
	int err = pieces->options->records_slab ? snapshot_read_slabinfo(&snapshot, machine_now())
						: -ENODATA;

	return pieces_write_slabinfo(pieces, &snapshot, err);
}

static int begin_switch(struct pieces *pieces)
{
	int err = begin_piece(pieces);

	if (!err)
		err = end_slabinfo(pieces);
	if (err)
		return err;
	pieces->keeper.prepared = 0;
	pieces->requested = false;
	pieces->state = PIECES_SWITCHING;
	pieces->first = UINT64_MAX;
	pieces->last = 0;
	pieces->old_number = pieces->number;
	pieces->old_bytes = 0;
	name_tables_mark(pieces->names);
	for (unsigned int i = 0; i < pieces->streams->rings.possible_cpus; i++) {
		pieces->switched[i] = false;
		pieces->streams->drains[i].switching = pieces->streams->draining[i];
	}
	memory_reader_request(&pieces->memory->reader);
	return 0;
}

/* The own records of the stream that has ended, if a write to it had failed. */
static uint64_t count_own(struct pieces *pieces, unsigned int cpu)
{
	char name[PIECE_NAME_SIZE];

	snprintf(name, sizeof(name), "cpu%u", cpu);
	return drain_count_own(&pieces->streams->drains[cpu],
			       directory_read(&pieces->present.directory, name));
}

int pieces_switch_stream(struct pieces *pieces, unsigned int cpu)
{
	struct drain *drain = &pieces->streams->drains[cpu];
	bool was_incomplete = drain->may_be_incomplete;
	struct writer_ended ended;
	char name[PIECE_NAME_SIZE], path[4096];
	uint64_t own;
	int fd, err, failed;

	if (!pieces_are_switching(pieces) || !drain->can_switch)
		return 0;
	snprintf(name, sizeof(name), "cpu%u", cpu);
	fd = directory_create(&pieces->other.directory, name);
	if (fd < 0)
		return fail_directory(pieces, fd, &pieces->other.directory);
	err = drain_switch(drain, fd,
			   directory_name(&pieces->other.directory, name, path, sizeof(path)),
			   pieces_skipped(pieces, cpu), &ended, &own);
	if (!ended.size) {
		inside_unlink(pieces->other.directory.fd, name);
		return error_set(pieces->error, err, drain->writer.errmsg);
	}
	if (was_incomplete)
		own = count_own(pieces, cpu);
	pieces_stream_opened(pieces, cpu);
	failed = pieces_status_add_stream(pieces, cpu, &ended, own);
	pieces->streams->ended.recorded += ended.loss.records;
	pieces->streams->ended.lost += loss_missing(&ended.loss);
	pieces->streams->ended.bytes += ended.size;
	pieces->old_bytes += ended.size;
	loss_deinit(&ended.loss);
	if (err)
		return error_set(pieces->error, err, drain->writer.errmsg);
	return failed ? error_set_at(pieces->error, failed, "the status") : 0;
}

static bool all_are_switched(const struct pieces *pieces)
{
	for (unsigned int i = 0; i < pieces->streams->rings.possible_cpus; i++)
		if (pieces->streams->draining[i] && !pieces->switched[i])
			return false;
	return true;
}

static int switch_tables(struct pieces *pieces)
{
	struct directory *next = &pieces->other.directory;
	int err = name_tables_switch(pieces->names, pieces->programs, next, pieces->first);

	if (!err)
		err = memory_table_switch(pieces->memory, &pieces->present.directory, next);
	if (err)
		return err;
	err = snapshot_aliases(&pieces->present.directory);
	return err ? fail_directory(pieces, err, &pieces->present.directory) : 0;
}

/* The next piece is now the present one, and the old one is the other. */
static void exchange_pieces(struct pieces *pieces)
{
	struct piece old = pieces->present;

	pieces->present = pieces->other;
	pieces->other = old;
	pieces->present.status.begin = pieces->first;
}

/* All streams are switched. */
static int end_switch(struct pieces *pieces, uint64_t now)
{
	int err = switch_tables(pieces);

	if (!err)
		err = pieces_status_end(pieces);
	if (err)
		return err;
	exchange_pieces(pieces);
	pieces->number++;
	pieces->piece_begin = now;
	pieces->old_bytes += pieces->tables;
	pieces->state = PIECES_CLOSING;
	modules_switch(&pieces->names->modules, &pieces->present.directory);
	return pieces_status_write(pieces);
}

/* The old piece is complete. */
static int close_old(struct pieces *pieces)
{
	int err;

	directory_release(&pieces->other.directory);
	err = pieces_status_write_of(pieces, &pieces->other);
	if (err)
		return err;
	directory_unlock(&pieces->other.directory);
	directory_deinit(&pieces->other.directory);
	status_deinit(&pieces->other.status);
	pieces->state = PIECES_IDLE;
	if (pieces->publish)
		publish_switch(pieces->publish, pieces->set.fd, pieces->number);
	err = request_of_keeper(pieces, KEEPER_ENDED, pieces->old_number);
	return err ? err : request_of_keeper(pieces, KEEPER_PREPARE, pieces->number + 1);
}

int pieces_switch_step(struct pieces *pieces, uint64_t now)
{
	int err;

	if (!pieces->options->rotation.enabled)
		return 0;
	err = keeper_read(&pieces->keeper, pieces_say);
	if (err)
		return error_set(pieces->error, err, pieces->keeper.errmsg);
	err = pieces_ask_for_room(pieces, now);
	if (err)
		return err;
	switch (pieces->state) {
	case PIECES_IDLE:
		return is_due(pieces, now) && pieces->keeper.prepared == pieces->number + 1 &&
				       pieces->number < PIECE_MAX
			       ? begin_switch(pieces)
			       : 0;
	case PIECES_SWITCHING:
		return all_are_switched(pieces) && memory_reader_is_idle(&pieces->memory->reader)
			       ? end_switch(pieces, now)
			       : 0;
	case PIECES_CLOSING:
		return modules_has_switched(&pieces->names->modules) ? close_old(pieces) : 0;
	}
	return 0;
}

/* Nothing is recorded any more: each drain catches up, unless a program never finished. */
static int switch_rest(struct pieces *pieces)
{
	const struct timespec millisecond = { .tv_nsec = 1000000 };
	int err = 0;

	for (int i = 0; i < FINISH_ROUNDS && !err && !all_are_switched(pieces); i++) {
		for (unsigned int cpu = 0; cpu < pieces->streams->rings.possible_cpus && !err;
		     cpu++) {
			struct drain *drain = &pieces->streams->drains[cpu];

			if (!pieces->streams->draining[cpu] || pieces->switched[cpu])
				continue;
			drain->room = 0;
			drain_run(drain);
			/* the last rounds: what did not come is lost */
			if (i > FINISH_ROUNDS / 2)
				drain_give_up(drain, machine_now());
			writer_retry(&drain->writer);
			err = pieces_switch_stream(pieces, cpu);
		}
		nanosleep(&millisecond, NULL);
	}
	return err;
}

int pieces_switch_finish(struct pieces *pieces)
{
	const struct timespec millisecond = { .tv_nsec = 1000000 };
	int err = 0;

	for (unsigned int i = 0; i < pieces->streams->rings.possible_cpus; i++)
		pieces->streams->drains[i].room = 0;
	if (pieces->state == PIECES_SWITCHING) {
		directory_release(&pieces->present.directory);
		err = switch_rest(pieces);
		if (!err)
			err = memory_table_complete(pieces->memory);
		if (!err)
			err = name_tables_read_last(pieces->names);
		if (!err)
			err = end_switch(pieces, machine_now());
	}
	while (!err && pieces->state == PIECES_CLOSING) {
		if (modules_has_switched(&pieces->names->modules))
			err = close_old(pieces);
		else
			nanosleep(&millisecond, NULL);
	}
	return err;
}

int pieces_end(struct pieces *pieces)
{
	int err = pieces->options->rotation.enabled
			  ? keeper_finish(&pieces->keeper, KEEPER_SECONDS, pieces_say)
			  : 0;

	return err ? error_set(pieces->error, err, pieces->keeper.errmsg) : 0;
}
