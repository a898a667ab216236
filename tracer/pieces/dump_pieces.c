// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Takes pieces of a set into a dump, and completes them. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/checkpoint.h"
#include "base/array.h"
#include "base/cleanup.h"
#include "base/inside.h"
#include "base/number.h"
#include "capture/parts.h"
#include "tracer/pieces/dumps.h"
#include "tracer/pieces/piece_set.h"

void dump_pieces_deinit(struct dump_pieces *pieces)
{
	free(pieces->numbers);
	pieces->numbers = NULL;
	pieces->count = 0;
}

/* The names have no more than two parts: "kernel/formats" is the deepest directory. */
static int share_all(int from, int to, const char *folder)
{
	__attribute__((cleanup(close_directory))) DIR *list = NULL;
	int fd = inside_open_directory(from, *folder ? folder : "."), err = 0;
	const char *entry;

	if (fd < 0)
		return fd;
	list = fdopendir(fd);
	if (!list) {
		close(fd);
		return -ENOMEM;
	}
	while ((entry = inside_next(list, &err))) {
		char name[2 * NAME_MAX + 2];
		struct stat about;

		snprintf(name, sizeof(name), "%s%s%s", folder, *folder ? "/" : "", entry);
		if (fstatat(dirfd(list), entry, &about, AT_SYMLINK_NOFOLLOW))
			return -errno;
		if (!S_ISDIR(about.st_mode)) {
			err = piece_share(from, to, name);
			continue;
		}
		/* half a checkpoint */
		if (!strcmp(entry, PIECE_NEW_CHECKPOINT))
			continue;
		err = inside_make_directory(to, name, 0700);
		if (!err)
			err = share_all(from, to, name);
	}
	return err;
}

/* Into a directory whose name begins with a dot: the piece may be removed meanwhile. */
static int share_hidden(const struct dump_pieces *pieces, unsigned int number, const char *hidden)
{
	char name[PIECE_NAME_SIZE];
	__attribute__((cleanup(close_fd))) int from =
		inside_open_directory(pieces->from, piece_name(number, name));
	__attribute__((cleanup(close_fd))) int to = -1;
	int err = from < 0 ? from : inside_make_directory(pieces->to, hidden, 0700);

	if (err)
		return err;
	to = inside_open_directory(pieces->to, hidden);
	err = to < 0 ? to : share_all(from, to, "");
	/* a removal begins with the metadata; and a piece may have lost its events to --max-disk */
	if (!err && (faccessat(from, "metadata", F_OK, 0) || piece_is_empty(from)))
		err = -ENOENT;
	if (err)
		inside_remove_directory(pieces->to, hidden);
	return err;
}

/* 0; -ENOENT: the piece was removed meanwhile; or another -errno. */
static int take_piece(struct dump_pieces *pieces, unsigned int number)
{
	unsigned int *numbers = array_grow(pieces->numbers, pieces->count, sizeof(*numbers));
	char hidden[PIECE_NAME_SIZE], name[PIECE_NAME_SIZE];
	int err;

	if (!numbers)
		return -ENOMEM;
	pieces->numbers = numbers;
	err = share_hidden(pieces, number, piece_next_name(number, hidden));
	if (!err)
		err = inside_rename(pieces->to, hidden, piece_name(number, name));
	if (!err)
		numbers[pieces->count++] = number;
	return err;
}

static void sort_numbers(struct dump_pieces *pieces)
{
	if (pieces->count)
		qsort(pieces->numbers, pieces->count, sizeof(*pieces->numbers), compare_u32);
}

/* The last ones first: if the oldest are removed meanwhile, as many as possible are in the dump. */
int dump_pieces_take(struct dump_pieces *pieces, unsigned int first, unsigned int last)
{
	int err = 0;

	for (unsigned int number = last; number >= first && number && !err; number--)
		err = take_piece(pieces, number);
	sort_numbers(pieces);
	if (err == -ENOENT && pieces->count)
		return 0;
	return err ? err : pieces->count ? 0 : -ENOENT;
}

/* Not a copy of the list at once: array_grow() must have grown the array. */
static int list_own(struct dump_pieces *pieces)
{
	unsigned int *numbers;
	size_t count;
	int err = parts_list_pieces_at(pieces->to, &numbers, &count);

	for (size_t i = 0; i < count && !err; i++) {
		unsigned int *grown = array_grow(pieces->numbers, pieces->count, sizeof(*grown));

		if (!grown) {
			err = -ENOMEM;
			break;
		}
		pieces->numbers = grown;
		grown[pieces->count++] = numbers[i];
	}
	free(numbers);
	return err;
}

/* A set that was made again has other pieces with these numbers. */
static bool is_next(const struct dump_pieces *pieces, unsigned int number)
{
	return pieces->from >= 0 &&
	       piece_set_is_same_run(pieces->to, number + 1, pieces->from, number);
}

int dump_pieces_take_rest(struct dump_pieces *pieces, unsigned int first)
{
	int err = piece_set_clean(pieces->to);

	if (!err)
		err = list_own(pieces);
	if (err || !pieces->count)
		return err ? err : -ENOENT;
	for (unsigned int next = pieces->numbers[0] - 1; !err && next >= first && next; next--)
		err = is_next(pieces, next) ? take_piece(pieces, next) : -ENOENT;
	sort_numbers(pieces);
	return err == -ENOENT ? 0 : err;
}

/* The checkpoint of a piece in the dump, from the piece before in the set or in the dump. */
static int make_checkpoint(const struct dump_pieces *pieces, int before, unsigned int number,
			   struct error *error)
{
	char from[64], to[64], name[PIECE_NAME_SIZE];

	snprintf(from, sizeof(from), "/proc/self/fd/%d/%s", before, piece_name(number - 1, name));
	snprintf(to, sizeof(to), "/proc/self/fd/%d/%s", pieces->to, piece_name(number, name));
	return checkpoint_make(from, to, NULL, error);
}

/* Takes the first piece from the set again, in place of the one in the dump. */
static int replace_first(const struct dump_pieces *pieces)
{
	const unsigned int first = pieces->numbers[0];
	char hidden[PIECE_NAME_SIZE], name[PIECE_NAME_SIZE];
	int err = share_hidden(pieces, first, piece_next_name(first, hidden));

	piece_name(first, name);
	if (!err)
		err = inside_remove_directory(pieces->to, name);
	return err ? err : inside_rename(pieces->to, hidden, name);
}

/*
 * The checkpoint of the first piece is made from the piece before. If the set has removed that one,
 * it has made the checkpoint: the dump takes its first piece again. If the set has removed the
 * first piece, too, the dump leaves it out.
 */
static void complete_first(struct dump_pieces *pieces)
{
	const unsigned int first = pieces->numbers[0];
	char name[PIECE_NAME_SIZE];

	if (pieces->from < 0 || piece_set_has_checkpoint(pieces->to, first))
		return;
	if (piece_set_is_same_run(pieces->from, first - 1, pieces->to, first) &&
	    !make_checkpoint(pieces, pieces->from, first, NULL))
		return;
	/* the first piece of a run has none */
	if (!piece_set_has_checkpoint(pieces->from, first) || !replace_first(pieces) ||
	    pieces->count == 1)
		return;
	inside_remove_directory(pieces->to, piece_name(first, name));
	pieces->count--;
	memmove(pieces->numbers, pieces->numbers + 1, pieces->count * sizeof(*pieces->numbers));
}

int dump_pieces_make_checkpoints(struct dump_pieces *pieces, struct error *error)
{
	int err = 0;

	for (size_t i = 1; i < pieces->count && !err; i++)
		if (!piece_set_has_checkpoint(pieces->to, pieces->numbers[i]))
			err = make_checkpoint(pieces, pieces->to, pieces->numbers[i], error);
	if (!err)
		complete_first(pieces);
	return err;
}
