// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Runs the analysis of a piece up to the begin of the next one. The objects that are live then are
 * those of the checkpoint: the same matcher that a reader of all pieces runs has found them.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/analysis.h"
#include "analysis/checkpoint.h"
#include "analysis/checkpoint_parts.h"
#include "analysis/missing.h"
#include "base/cleanup.h"
#include "base/files.h"
#include "base/inside.h"
#include "base/number.h"
#include "capture/parts.h"

#define NEW PARTS_CHECKPOINT ".new"

int checkpoint_create(struct checkpoint *checkpoint, const char *name)
{
	int fd = inside_open(checkpoint->directory, name, O_WRONLY | O_CREAT | O_EXCL, 0600);

	return fd < 0 ? error_set_at(checkpoint->error, fd, name) : fd;
}

/* The piece must be finished: a reader of it alone leaves out what the next piece has. */
static int open_finished_piece(struct checkpoint *checkpoint, const char *from)
{
	struct capture *capture = checkpoint->capture;
	int err = capture_open(capture, from);

	if (err)
		return error_set(checkpoint->error, err, capture->error.text);
	checkpoint->begin = capture->status.until;
	capture->status.until = 0;
	if (!checkpoint->begin)
		err = error_format(
			checkpoint->error, -EINVAL,
			"%s is not finished: its kernel/status does not say where the next piece begins",
			from);
	/* without a table, names would be missing from now on */
	for (size_t i = 0; !err && i < capture->unread_count; i++)
		if (capture->unread[i].err && capture->unread[i].err != -ENOENT)
			err = error_set_at(checkpoint->error, capture->unread[i].err,
					   capture->unread[i].summary);
	if (err)
		capture_close(capture);
	return err;
}

/*
 * Fills in the times and the losses, and adds up the events of all earlier pieces. All losses are
 * one span of time: an object that was live in it may have been freed. Damaged records of the
 * checkpoint before, and records that this version does not know, are losses, too.
 */
static void complete_state(struct checkpoint *checkpoint)
{
	const struct capture *capture = checkpoint->capture;
	const struct checkpoint_state *before = &capture->checkpoint;
	const struct analysis *analysis = checkpoint->analysis;
	const struct missing missing = missing_of_capture(analysis);
	struct checkpoint_state *state = &checkpoint->state;
	uint64_t lost = missing.lost;

	state->begin = checkpoint->begin;
	state->since = before->begin ? before->since : analysis->begin;
	number_add(&state->events, before->events);
	number_add(&lost, missing.uncounted);
	number_add(&lost, analysis->initial_missing);
	state->lost = before->lost;
	number_add(&state->lost, lost);
	state->lost_after = before->lost_after;
	state->lost_before = before->lost_before;
	if (lost) {
		if (analysis->initial_missing)
			state->lost_after = state->since;
		else if (!before->lost)
			state->lost_after = analysis->begin;
		state->lost_before = checkpoint->begin;
	}
	state->skipped = before->skipped;
	number_add(&state->skipped, missing.skipped_partial ? STATUS_UNKNOWN : missing.skipped);
}

static int add_missed_frees(struct checkpoint *checkpoint)
{
	const struct checkpoint_state *before = &checkpoint->capture->checkpoint;
	const struct analysis *analysis = checkpoint->analysis;
	int err = 0;

	for (size_t i = 0; i < before->cache_count && !err; i++)
		err = checkpoint_state_add_cache(&checkpoint->state, before->caches[i].name,
						 before->caches[i].missed_frees);
	for (size_t i = 0; i < analysis->cache_count && !err; i++) {
		const struct analysis_cache *cache = &analysis->caches[i];
		size_t at = 0;

		if (!cache->missed_frees)
			continue;
		while (at < checkpoint->state.cache_count &&
		       strcmp(checkpoint->state.caches[at].name, cache->name) != 0)
			at++;
		if (at < checkpoint->state.cache_count)
			checkpoint->state.caches[at].missed_frees += cache->missed_frees;
		else
			err = checkpoint_state_add_cache(&checkpoint->state, cache->name,
							 cache->missed_frees);
	}
	return err;
}

static int write_state(struct checkpoint *checkpoint, const uint64_t *last_allocation)
{
	int err = 0, fd;
	FILE *file;

	complete_state(checkpoint);
	for (unsigned int cpu = 0; cpu <= UINT16_MAX && !err; cpu++)
		if (last_allocation[cpu])
			err = checkpoint_state_add_cpu(&checkpoint->state, cpu,
						       last_allocation[cpu]);
	if (!err)
		err = add_missed_frees(checkpoint);
	if (!err)
		err = checkpoint_counts_add(checkpoint);
	if (err)
		return error_set_at(checkpoint->error, err, "state");
	fd = checkpoint_create(checkpoint, "state");
	if (fd < 0)
		return fd;
	file = fdopen(fd, "w");
	if (!file) {
		close(fd);
		return error_set_at(checkpoint->error, -ENOMEM, "state");
	}
	err = checkpoint_state_write(&checkpoint->state, file);
	if (fclose(file) && !err)
		err = -errno;
	return err ? error_set_at(checkpoint->error, err, "state") : 0;
}

static int write_checkpoint(struct checkpoint *checkpoint, const uint64_t *last_allocation)
{
	int err = inside_make_directory(checkpoint->directory, "kernel", 0700);

	if (err)
		return error_set_at(checkpoint->error, err, "kernel");
	err = checkpoint_write_streams(checkpoint);
	if (!err)
		err = checkpoint_write_tables(checkpoint);
	/* the last file: a checkpoint without it is not complete */
	return err ? err : write_state(checkpoint, last_allocation);
}

/* Writes it as checkpoint.new, which becomes checkpoint when it is whole. */
static int write_directory(struct checkpoint *checkpoint, const char *to,
			   const uint64_t *last_allocation)
{
	__attribute__((cleanup(close_fd))) int piece =
		open(to, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	int err;

	if (piece < 0)
		return error_set_at(checkpoint->error, -errno, to);
	inside_remove_directory(piece, NEW);
	err = inside_make_directory(piece, NEW, 0700);
	checkpoint->directory = err ? err : inside_open_directory(piece, NEW);
	if (checkpoint->directory < 0)
		return error_set_at(checkpoint->error, checkpoint->directory, to);
	err = write_checkpoint(checkpoint, last_allocation);
	close(checkpoint->directory);
	if (!err) {
		inside_remove_directory(piece, PARTS_CHECKPOINT);
		err = inside_rename(piece, NEW, PARTS_CHECKPOINT);
		if (err)
			error_set_at(checkpoint->error, err, to);
	}
	if (err)
		inside_remove_directory(piece, NEW);
	return err;
}

int checkpoint_make(const char *from, const char *to, const struct checkpoint_threads *threads,
		    struct error *error)
{
	struct capture capture;
	struct analysis analysis;
	struct analysis_settings settings = { .by = GROUP_BY_CACHE };
	struct checkpoint checkpoint = {
		.capture = &capture,
		.analysis = &analysis,
		.threads = threads,
		.error = error,
	};
	int err = open_finished_piece(&checkpoint, from);

	if (err)
		return err;
	settings.end = checkpoint.begin;
	checkpoint_counts_request(&settings, &capture);
	settings.last_allocation = calloc(UINT16_MAX + 1, sizeof(*settings.last_allocation));
	err = settings.last_allocation ? analysis_run(&analysis, &capture, &settings) : -ENOMEM;
	if (err) {
		error_set(error, err, *capture.error.text ? capture.error.text : strerror(-err));
	} else {
		err = write_directory(&checkpoint, to, settings.last_allocation);
		analysis_deinit(&analysis);
	}
	checkpoint_state_deinit(&checkpoint.state);
	free(settings.last_allocation);
	capture_close(&capture);
	return err;
}
