// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Opens the set, or finds the place of the only piece; makes the first directory. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* Nothing has a name outside: what a killed kmemtraced leaves goes with its last process. */
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
	/* It keeps the name that the next start recognises if this one is killed. */
	tempdir_open(&pieces->tempdir, 0);
	err = directory_make_beside(directory, pieces->tempdir.path);
	return !err ? 0
		    : error_format(
			      pieces->error, err,
			      "cannot make a temporary directory: %s: set TMPDIR to a directory that is writable",
			      strerror(-err));
}

int pieces_commit(struct pieces *pieces)
{
	struct directory *set = &pieces->set;
	int err;

	err = directory_commit(&pieces->present.directory);
	if (err)
		return error_set(pieces->error, err, pieces->present.directory.errmsg);
	if (!pieces->options->rotation.enabled || pieces->options->rotation.in_memory)
		return 0;
	err = directory_commit(set);
	return err ? error_set(pieces->error, err, set->errmsg) : 0;
}

void pieces_abandon(struct pieces *pieces)
{
	directory_abandon(&pieces->present.directory);
	keeper_close(&pieces->keeper);
	directory_abandon(&pieces->set);
}
