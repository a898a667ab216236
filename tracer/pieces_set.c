// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Opens the set, or finds the place of the only piece; makes the first directory. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files.h"
#include "capture/parts.h"
#include "cli/message.h"
#include "cli/stop.h"
#include "tracer/pieces/dumps.h"
#include "tracer/pieces/piece_set.h"
#include "tracer/pieces_work.h"

void pieces_say(const char *text)
{
	error_msg("%s", text);
}

int pieces_find_path(struct pieces *pieces)
{
	const struct options *options = pieces->options;

	if (options_is_temporary(options))
		return 0;
	pieces->path = absolute_path(options->output);
	return pieces->path ? 0 : error_set_at(pieces->error, -errno, options->output);
}

static int open_path(const char *path)
{
	return open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static bool is_set(const char *path)
{
	__attribute__((cleanup(close_fd))) int fd = open_path(path);

	return fd >= 0 && piece_set_is_set(fd);
}

static int refuse_other(struct pieces *pieces, const char *path)
{
	__attribute__((cleanup(close_fd))) int fd = open_path(path);
	char other[PIECE_OTHER_SIZE];

	if (fd < 0 || !piece_set_has_other(fd, other))
		return 0;
	return error_format(
		pieces->error, -ENOTEMPTY,
		"%s: is a set of pieces, and has %s, which is not a piece: move it away, or name another directory with -o",
		path, other);
}

/* Nothing has a name outside: the set of a killed kmemtraced disappears with its last process. */
static int make_in_memory(struct pieces *pieces)
{
	struct directory *set = &pieces->set;
	const char *name;
	__attribute__((cleanup(close_fd))) int parent =
		dump_directory_open_parent(pieces->path, &name);
	int err;

	if (parent < 0 || faccessat(parent, ".", W_OK | X_OK, 0))
		return error_set_at(pieces->error, parent < 0 ? parent : -errno,
				    pieces->options->output);
	tempdir_open(&pieces->tempdir, pieces->options->rotation.max_disk);
	if (pieces->tempdir.mount < 0)
		return error_set_at(pieces->error, -errno,
				    "--in-memory: a tmpfs cannot be mounted");
	err = directory_make_beside(set, pieces->tempdir.path);
	return err ? error_set(pieces->error, err, set->errmsg) : 0;
}

/* An older capture at the path is moved away when the new set gets its name. */
static int open_or_make(struct pieces *pieces)
{
	struct directory *set = &pieces->set;
	const char *path = pieces->options->output;
	int err;

	if (pieces->options->rotation.in_memory)
		return make_in_memory(pieces);
	if (is_set(path)) {
		err = directory_open_existing(set, path);
		if (err)
			return error_set(pieces->error, err, set->errmsg);
		err = piece_set_clean(set->fd);
		return err ? error_set_at(pieces->error, err, path) : 0;
	}
	err = refuse_other(pieces, path);
	if (err)
		return err;
	err = directory_probe(set, path);
	if (!err)
		err = directory_make_empty(set);
	return err ? error_set(pieces->error, err, set->errmsg) : 0;
}

static int find_first_piece(struct pieces *pieces)
{
	unsigned int *numbers;
	size_t count;
	int err = parts_list_pieces_at(pieces->set.fd, &numbers, &count);

	if (err)
		return error_set_at(pieces->error, err, pieces->options->output);
	pieces->number = count ? numbers[count - 1] + 1 : 1;
	free(numbers);
	if (pieces->number <= PIECE_MAX)
		return 0;
	return error_format(pieces->error, -ERANGE,
			    "%s: piece.%06u has the last number: name another directory with -o",
			    pieces->options->output, PIECE_MAX);
}

int pieces_open_set(struct pieces *pieces)
{
	int err = open_or_make(pieces);

	return err ? err : find_first_piece(pieces);
}

int pieces_start_keeper(struct pieces *pieces)
{
	const struct rotation_options *options = &pieces->options->rotation;
	struct keeper_settings settings = {
		.set = pieces->set.fd,
		.first = pieces->number,
		.max_files = options->max_files,
		.has_max_disk = options->max_disk,
		.dumps = { .parent = -1,
			   .set_path = pieces->path,
			   .most = options->max_dumps,
			   .max_disk = options->in_memory ? 0 : options->max_disk },
	};
	const char *name;
	int err;

	stop_make_request(SIGUSR2);
	/* only a flight recorder has dumps */
	if (options->overwrite)
		settings.dumps.parent = dump_directory_open_parent(pieces->path, &name);
	err = keeper_start(&pieces->keeper, &settings);
	close_fd(&settings.dumps.parent);
	return err ? error_set(pieces->error, err, pieces->keeper.errmsg) : 0;
}

static int make_first_piece(struct pieces *pieces)
{
	char name[PIECE_NAME_SIZE], next[PIECE_NAME_SIZE];
	int err = directory_open_inside(&pieces->present.directory, &pieces->set,
					piece_name(pieces->number, name),
					piece_next_name(pieces->number, next), true);

	if (err)
		return error_set(pieces->error, err, pieces->present.directory.errmsg);
	pieces->switched = calloc(pieces->streams->rings.possible_cpus, sizeof(*pieces->switched));
	pieces->streams->bases =
		calloc(pieces->streams->rings.possible_cpus, sizeof(*pieces->streams->bases));
	if (!pieces->switched || !pieces->streams->bases)
		return error_set_at(pieces->error, -ENOMEM, "the streams");
	return 0;
}

int pieces_make_directory(struct pieces *pieces)
{
	struct directory *directory = &pieces->present.directory;
	int err;

	if (pieces->options->rotation.enabled)
		return make_first_piece(pieces);
	if (!options_is_temporary(pieces->options)) {
		err = directory_probe(directory, pieces->options->output);
		return err ? error_set(pieces->error, err, directory->errmsg) : 0;
	}
	/*
	 * The directory keeps its temporary name: if this start is killed, the next one removes it
	 * by that name.
	 */
	tempdir_open(&pieces->tempdir, 0);
	err = directory_make_beside(directory, pieces->tempdir.path);
	return !err ? 0
		    : error_format(
			      pieces->error, err,
			      "cannot make a temporary directory: %s: set TMPDIR to a directory that is writable",
			      strerror(-err));
}

#define GUARD "the process that renames captures"
#define GUARD_NICE 10

struct guard_answer {
	int err;
	struct error error;
};

/* The directory that may take the place of an older one. */
static struct directory *top_of(struct pieces *pieces)
{
	return pieces->set.made ? &pieces->set : &pieces->present.directory;
}

static int place_capture(struct pieces *pieces)
{
	struct directory *directory = &pieces->present.directory;
	int err = directory_place(directory);

	if (!err && !pieces->options->rotation.in_memory) {
		directory = top_of(pieces);
		err = directory_place(directory);
	}
	return err ? error_set(pieces->error, err, directory->errmsg) : 0;
}

/* The guard: it has all privileges, and goes on if kmemtraced is killed. */
static int guard_work(void *data, int requests, int answers)
{
	struct pieces *pieces = data;
	struct directory *directory = top_of(pieces);
	int kept[] = { requests,
		       answers,
		       directory->parent,
		       directory->fd,
		       pieces->present.directory.parent,
		       pieces->present.directory.fd };
	struct guard_answer answer = { 0 };
	bool is_kept;
	char byte;

	worker_ignore_signals();
	worker_close_others(kept, sizeof(kept) / sizeof(*kept));
	answer.err = place_capture(pieces);
	if (answer.err)
		answer.error = *pieces->error;
	is_kept = write(answers, &answer, sizeof(answer)) == sizeof(answer) && !answer.err &&
		  read(requests, &byte, 1) == 1;
	if (is_kept) {
		/* the next start must get the locks while the capture is removed */
		close(directory->fd);
		if (directory != &pieces->present.directory)
			close(pieces->present.directory.parent);
		setpriority(PRIO_PROCESS, 0, GUARD_NICE); /* not at the expense of the tasks */
		directory_settle(directory);
	} else {
		directory_undo(directory);
		directory_abandon(directory);
	}
	return 0;
}

static int wait_for_guard(struct pieces *pieces)
{
	struct pollfd waiting = { .fd = pieces->guard.answers, .events = POLLIN };
	struct guard_answer answer;

	while (poll(&waiting, 1, -1) < 0 && errno == EINTR)
		;
	if (read(pieces->guard.answers, &answer, sizeof(answer)) != sizeof(answer))
		return error_set(pieces->error, -ECHILD, GUARD " has ended");
	if (answer.err)
		*pieces->error = answer.error;
	return answer.err;
}

int pieces_commit(struct pieces *pieces)
{
	int err;

	if (pieces->options->rotation.in_memory)
		return place_capture(pieces);
	err = worker_start(&pieces->guard, guard_work, pieces);
	if (err)
		return error_set_at(pieces->error, err, GUARD);
	err = wait_for_guard(pieces);
	if (err)
		return err;
	err = directory_was_placed(&pieces->present.directory);
	if (!err)
		err = directory_was_placed(top_of(pieces));
	return err ? error_set_at(pieces->error, err, GUARD) : 0;
}

void pieces_keep(struct pieces *pieces)
{
	pieces->is_kept = true;
	/* if it was killed, the next start removes the capture */
	if (pieces->guard.pid && write(pieces->guard.requests, "", 1) != 1)
		errno = 0;
}

void pieces_poll_guard(struct pieces *pieces)
{
	if (!pieces->guard.pid || waitpid(pieces->guard.pid, NULL, WNOHANG) <= 0)
		return;
	worker_close(&pieces->guard);
	pieces->guard.pid = 0;
}

/* Removes what was made, if the start has failed. */
static void end_start(struct pieces *pieces)
{
	char end[80];
	int status;

	if (pieces->guard.pid) {
		worker_close(&pieces->guard);
		status = worker_wait(pieces->guard.pid);
		if (status > 0 && !pieces->is_kept)
			error_msg("%s.old: the older capture may have this name now: " GUARD
				  " was %s",
				  top_of(pieces)->target,
				  worker_end_text(status, end, sizeof(end)));
	}
	if (!pieces->is_kept) {
		directory_abandon(&pieces->present.directory);
		directory_abandon(&pieces->set);
	}
}

void pieces_close(struct pieces *pieces)
{
	struct directory *directory = &pieces->present.directory;

	keeper_close(&pieces->keeper);
	end_start(pieces);
	status_deinit(&pieces->present.status);
	directory_release(directory);
	if (options_is_temporary(pieces->options))
		directory_abandon(directory);
	directory_deinit(directory);
	directory_deinit(&pieces->other.directory);
	directory_deinit(&pieces->set);
	status_deinit(&pieces->other.status);
	hash_map_deinit(&pieces->base.lost_tasks);
	free(pieces->base.lost);
	free(pieces->base.probes.list);
	free(pieces->switched);
	tempdir_close(&pieces->tempdir);
	free(pieces->path);
}
