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
#include "tracer/pieces.h"
#include "tracer/pieces/piece_set.h"
#include "tracer/pieces_room.h"
#include "tracer/pieces_set.h"
#include "tracer/pieces_status.h"
#include "tracer/pieces_switch.h"
#include "tracer/session_slabinfo.h"

#define KEEPER_SECONDS 60
#define FINISH_ROUNDS 1000 /* of a millisecond */

static int fail_directory(struct session *session, int err, const struct directory *directory)
{
	return error_set(&session->error, err, directory->errmsg);
}

static int ask(struct session *session, enum keeper_request_kind kind, unsigned int piece)
{
	struct keeper *keeper = &session->rotation.keeper;
	int err = keeper_request(keeper, kind, piece, 0);

	return err ? error_set(&session->error, err, keeper->errmsg) : 0;
}

int session_rotate_begin(struct session *session, uint64_t now)
{
	struct rotation *rotation = &session->rotation;

	if (!session->options->rotation.enabled)
		return 0;
	rotation->piece_begin = now;
	return ask(session, KEEPER_PREPARE, rotation->piece + 1);
}

static bool is_due(struct session *session, uint64_t now)
{
	const struct rotation_options *options = &session->options->rotation;
	const struct rotation *rotation = &session->rotation;

	if (stop_take_request(SIGUSR2))
		session->rotation.requested = true;
	if (rotation->requested || session_room_needs_switch(session))
		return true;
	if (options->age_ns && now - rotation->piece_begin >= options->age_ns)
		return true;
	return options->bytes && session_room_stream_bytes(session) >= options->bytes;
}

static int write_metadata(struct session *session, struct directory *directory)
{
	FILE *file = directory_open(directory, "metadata", false);
	int err, failed;

	if (!file)
		return -EIO;
	err = metadata_write(&session->metadata, file);
	failed = directory_close(directory, file, "metadata");
	return err ? directory_fail(directory, -err, "%s/metadata: %s", directory->path,
				    strerror(-err))
		   : failed;
}

/* The directory of the next piece becomes a capture, without streams yet. */
static int begin_piece(struct session *session)
{
	char name[PIECE_NAME_SIZE], next_name[PIECE_NAME_SIZE];
	struct rotation *rotation = &session->rotation;
	struct directory *next = &rotation->other;
	int err;

	err = directory_open_inside(next, &rotation->set, piece_name(rotation->piece + 1, name),
				    piece_next_name(rotation->piece + 1, next_name), false);
	if (!err)
		err = directory_commit(next);
	if (!err)
		err = directory_reserve(next);
	if (err)
		return fail_directory(session, err, next);
	err = session_status_begin_piece(session, &rotation->other_status);
	if (err)
		return error_set_at(&session->error, err, "the status");
	rotation->other_status.begin = machine_now();
	err = session_status_write_of(session, next, &rotation->other_status);
	if (err)
		return err;
	session->metadata.piece = rotation->piece + 1;
	err = write_metadata(session, next);
	if (!err)
		err = directory_lock(next);
	return err ? fail_directory(session, err, next) : 0;
}

/*
 * The last reading of the piece, before its end: all events before it are in the piece. The next
 * one has the first reading of all, in its checkpoint.
 */
static int end_slabinfo(struct session *session)
{
	struct slabinfo_snapshot snapshot = { 0 };
	int err = session->options->records_slab ? snapshot_read_slabinfo(&snapshot, machine_now())
						 : -ENODATA;

	return session_slabinfo_write(session, &snapshot, err);
}

static int begin_switch(struct session *session)
{
	struct rotation *rotation = &session->rotation;
	int err = begin_piece(session);

	if (!err)
		err = end_slabinfo(session);
	if (err)
		return err;
	rotation->keeper.prepared = 0;
	rotation->requested = false;
	rotation->state = ROTATION_SWITCHING;
	rotation->first = UINT64_MAX;
	rotation->last = 0;
	rotation->old_piece = rotation->piece;
	rotation->old_bytes = 0;
	name_tables_mark(&session->names);
	for (unsigned int i = 0; i < session->streams.rings.possible_cpus; i++) {
		rotation->switched[i] = false;
		session->streams.drains[i].switching = session->streams.draining[i];
	}
	memory_reader_request(&session->memory.reader);
	return 0;
}

/* The own records of the stream that has ended, if a write to it had failed. */
static uint64_t count_own(struct session *session, unsigned int cpu)
{
	char name[PIECE_NAME_SIZE];

	snprintf(name, sizeof(name), "cpu%u", cpu);
	return drain_count_own(&session->streams.drains[cpu],
			       directory_read(&session->directory, name));
}

int session_rotate_stream(struct session *session, unsigned int cpu)
{
	struct rotation *rotation = &session->rotation;
	struct drain *drain = &session->streams.drains[cpu];
	bool was_incomplete = drain->may_be_incomplete;
	struct writer_ended ended;
	char name[PIECE_NAME_SIZE], path[4096];
	uint64_t own;
	int fd, err, failed;

	if (!session_piece_is_switching(session) || !drain->can_switch)
		return 0;
	snprintf(name, sizeof(name), "cpu%u", cpu);
	fd = directory_create(&rotation->other, name);
	if (fd < 0)
		return fail_directory(session, fd, &rotation->other);
	err = drain_switch(drain, fd, directory_name(&rotation->other, name, path, sizeof(path)),
			   session_piece_skipped(session, cpu), &ended, &own);
	if (!ended.size) {
		inside_unlink(rotation->other.fd, name);
		return error_set(&session->error, err, drain->writer.errmsg);
	}
	if (was_incomplete)
		own = count_own(session, cpu);
	session_piece_opened(session, cpu);
	failed = session_status_add_stream(session, cpu, &ended, own);
	session->streams.ended.recorded += ended.loss.records;
	session->streams.ended.lost += loss_missing(&ended.loss);
	session->streams.ended.bytes += ended.size;
	rotation->old_bytes += ended.size;
	loss_deinit(&ended.loss);
	if (err)
		return error_set(&session->error, err, drain->writer.errmsg);
	return failed ? error_set_at(&session->error, failed, "the status") : 0;
}

static bool all_are_switched(const struct session *session)
{
	for (unsigned int i = 0; i < session->streams.rings.possible_cpus; i++)
		if (session->streams.draining[i] && !session->rotation.switched[i])
			return false;
	return true;
}

static int switch_tables(struct session *session)
{
	struct directory *next = &session->rotation.other;
	int err = name_tables_switch(&session->names, &session->programs, next,
				     session->rotation.first);

	if (!err)
		err = memory_table_switch(&session->memory, &session->directory, next);
	if (err)
		return err;
	err = snapshot_aliases(&session->directory);
	return err ? fail_directory(session, err, &session->directory) : 0;
}

/* The next piece is now session->directory, and the old piece is in rotation->other. */
static void exchange(struct session *session)
{
	struct rotation *rotation = &session->rotation;
	struct directory directory = session->directory;
	struct status status = session->status;

	session->directory = rotation->other;
	session->status = rotation->other_status;
	rotation->other = directory;
	rotation->other_status = status;
	session->status.begin = rotation->first;
}

/* All streams are switched. */
static int end_switch(struct session *session, uint64_t now)
{
	struct rotation *rotation = &session->rotation;
	int err = switch_tables(session);

	if (!err)
		err = session_status_end_piece(session);
	if (err)
		return err;
	exchange(session);
	rotation->piece++;
	rotation->piece_begin = now;
	rotation->old_bytes += rotation->tables;
	rotation->state = ROTATION_CLOSING;
	modules_switch(&session->names.modules, &session->directory);
	return session_status_write(session);
}

/* The old piece is complete. */
static int close_old(struct session *session)
{
	struct rotation *rotation = &session->rotation;
	int err;

	directory_release(&rotation->other);
	err = session_status_write_of(session, &rotation->other, &rotation->other_status);
	if (err)
		return err;
	directory_unlock(&rotation->other);
	directory_deinit(&rotation->other);
	status_deinit(&rotation->other_status);
	rotation->state = ROTATION_IDLE;
	if (session_aggregates(session))
		publish_switch(&session->publish, rotation->set.fd, rotation->piece);
	err = ask(session, KEEPER_ENDED, rotation->old_piece);
	return err ? err : ask(session, KEEPER_PREPARE, rotation->piece + 1);
}

int session_rotate_step(struct session *session, uint64_t now)
{
	struct rotation *rotation = &session->rotation;
	int err;

	if (!session->options->rotation.enabled)
		return 0;
	err = keeper_read(&rotation->keeper, session_set_say);
	if (err)
		return error_set(&session->error, err, rotation->keeper.errmsg);
	err = session_room_step(session, now);
	if (err)
		return err;
	switch (rotation->state) {
	case ROTATION_IDLE:
		return is_due(session, now) && rotation->keeper.prepared == rotation->piece + 1 &&
				       rotation->piece < PIECE_MAX
			       ? begin_switch(session)
			       : 0;
	case ROTATION_SWITCHING:
		return all_are_switched(session) && memory_reader_is_idle(&session->memory.reader)
			       ? end_switch(session, now)
			       : 0;
	case ROTATION_CLOSING:
		return modules_has_switched(&session->names.modules) ? close_old(session) : 0;
	}
	return 0;
}

/* Nothing is recorded any more: each drain catches up, unless a program never finished. */
static int switch_rest(struct session *session)
{
	const struct timespec millisecond = { .tv_nsec = 1000000 };
	int err = 0;

	for (int i = 0; i < FINISH_ROUNDS && !err && !all_are_switched(session); i++) {
		for (unsigned int cpu = 0; cpu < session->streams.rings.possible_cpus && !err;
		     cpu++) {
			struct drain *drain = &session->streams.drains[cpu];

			if (!session->streams.draining[cpu] || session->rotation.switched[cpu])
				continue;
			drain->room = 0;
			drain_run(drain);
			/* the last rounds: what did not come is lost */
			if (i > FINISH_ROUNDS / 2)
				drain_give_up(drain, machine_now());
			writer_retry(&drain->writer);
			err = session_rotate_stream(session, cpu);
		}
		nanosleep(&millisecond, NULL);
	}
	return err;
}

int session_rotate_finish(struct session *session)
{
	const struct timespec millisecond = { .tv_nsec = 1000000 };
	int err = 0;

	for (unsigned int i = 0; i < session->streams.rings.possible_cpus; i++)
		session->streams.drains[i].room = 0;
	if (session->rotation.state == ROTATION_SWITCHING) {
		directory_release(&session->directory);
		err = switch_rest(session);
		if (!err)
			err = memory_table_complete(&session->memory);
		if (!err)
			err = name_tables_read_last(&session->names);
		if (!err)
			err = end_switch(session, machine_now());
	}
	while (!err && session->rotation.state == ROTATION_CLOSING) {
		if (modules_has_switched(&session->names.modules))
			err = close_old(session);
		else
			nanosleep(&millisecond, NULL);
	}
	return err;
}

void session_rotate_end(struct session *session)
{
	if (session->options->rotation.enabled)
		keeper_finish(&session->rotation.keeper, KEEPER_SECONDS, session_set_say);
}
