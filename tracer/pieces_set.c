// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Opens the set, and begins its first piece. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "capture/parts.h"
#include "cli/message.h"
#include "cli/stop.h"
#include "tracer/pieces/piece_set.h"
#include "tracer/pieces_set.h"

void session_set_say(const char *text)
{
	error_msg("%s", text);
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

static int refuse_other(struct session *session, const char *path)
{
	__attribute__((cleanup(close_fd))) int fd = open_path(path);
	char other[PIECE_OTHER_SIZE];

	if (fd < 0 || !piece_set_has_other(fd, other))
		return 0;
	return error_format(
		&session->error, -ENOTEMPTY,
		"%s: is a set of pieces, and has %s, which is not a piece: move it away, or name another directory with -o",
		path, other);
}

/* Nothing has a name outside: what a killed kmemtraced leaves goes with its last process. */
static int make_in_memory(struct session *session)
{
	struct directory *set = &session->rotation.set;
	const char *name;
	__attribute__((cleanup(close_fd))) int parent =
		dump_directory_open_parent(session->capture_path, &name);
	int err;

	if (parent < 0 || faccessat(parent, ".", W_OK | X_OK, 0))
		return error_set_at(&session->error, parent < 0 ? parent : -errno,
				    session->options->output);
	tempdir_open(&session->tempdir, session->options->rotation.max_disk);
	if (session->tempdir.mount < 0)
		return error_set_at(&session->error, -errno,
				    "--in-memory: a tmpfs cannot be mounted");
	err = directory_make_beside(set, session->tempdir.path);
	return err ? error_set(&session->error, err, set->errmsg) : 0;
}

/* An older capture at the path is moved away when the new set gets its name. */
static int open_or_make(struct session *session)
{
	struct directory *set = &session->rotation.set;
	const char *path = session->options->output;
	int err;

	if (session->options->rotation.in_memory)
		return make_in_memory(session);
	if (is_set(path)) {
		err = directory_open_existing(set, path);
		if (err)
			return error_set(&session->error, err, set->errmsg);
		err = piece_set_clean(set->fd);
		return err ? error_set_at(&session->error, err, path) : 0;
	}
	err = refuse_other(session, path);
	if (err)
		return err;
	err = directory_probe(set, path);
	if (!err)
		err = directory_make_empty(set);
	return err ? error_set(&session->error, err, set->errmsg) : 0;
}

static int find_first_piece(struct session *session)
{
	unsigned int *numbers;
	size_t count;
	int err = parts_list_pieces_at(session->rotation.set.fd, &numbers, &count);

	if (err)
		return error_set_at(&session->error, err, session->options->output);
	session->rotation.piece = count ? numbers[count - 1] + 1 : 1;
	free(numbers);
	if (session->rotation.piece <= PIECE_MAX)
		return 0;
	return error_format(&session->error, -ERANGE,
			    "%s: piece.%06u has the last number: name another directory with -o",
			    session->options->output, PIECE_MAX);
}

int session_set_open(struct session *session)
{
	int err = open_or_make(session);

	return err ? err : find_first_piece(session);
}

int session_set_keep(struct session *session)
{
	struct rotation *rotation = &session->rotation;
	const struct rotation_options *options = &session->options->rotation;
	struct keeper_settings settings = {
		.set = rotation->set.fd,
		.first = rotation->piece,
		.max_files = options->max_files,
		.has_max_disk = options->max_disk,
		.dumps = { .parent = -1,
			   .set_path = session->capture_path,
			   .most = options->max_dumps,
			   .max_disk = options->in_memory ? 0 : options->max_disk },
	};
	const char *name;
	int err;

	stop_make_request(SIGUSR2);
	/* only a flight recorder has dumps */
	if (options->overwrite)
		settings.dumps.parent = dump_directory_open_parent(session->capture_path, &name);
	err = keeper_start(&rotation->keeper, &settings);
	close_fd(&settings.dumps.parent);
	return err ? error_set(&session->error, err, rotation->keeper.errmsg) : 0;
}

int session_set_make_piece(struct session *session)
{
	char name[PIECE_NAME_SIZE], next[PIECE_NAME_SIZE];
	struct rotation *rotation = &session->rotation;
	int err = directory_open_inside(&session->directory, &rotation->set,
					piece_name(rotation->piece, name),
					piece_next_name(rotation->piece, next), true);

	if (err)
		return error_set(&session->error, err, session->directory.errmsg);
	rotation->switched =
		calloc(session->streams.rings.possible_cpus, sizeof(*rotation->switched));
	session->streams.bases =
		calloc(session->streams.rings.possible_cpus, sizeof(*session->streams.bases));
	if (!rotation->switched || !session->streams.bases)
		return error_set_at(&session->error, -ENOMEM, "the streams");
	return 0;
}

int session_set_commit(struct session *session)
{
	struct directory *set = &session->rotation.set;
	int err;

	err = directory_commit(&session->directory);
	if (err)
		return error_set(&session->error, err, session->directory.errmsg);
	if (session->options->rotation.in_memory)
		return 0;
	err = directory_commit(set);
	return err ? error_set(&session->error, err, set->errmsg) : 0;
}

/* session->directory, which lies in the set, was removed before. */
void session_set_abandon(struct session *session)
{
	keeper_close(&session->rotation.keeper);
	directory_abandon(&session->rotation.set);
}
