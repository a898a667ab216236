// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Finds the pieces of a set that make up one capture, and the checkpoint before the first. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files.h"
#include "base/inside.h"
#include "base/number.h"
#include "base/text.h"
#include "capture/metadata.h"
#include "capture/parts.h"

#define METADATA_BYTES_MAX ((size_t)1 << 20)
#define STATE_BYTES_MAX ((size_t)64 << 20)
#define PIECES_MAX 999999U

unsigned int parts_piece_number(const char *name)
{
	static const char prefix[] = "piece.";
	uint64_t number;

	/* a number has one name: six digits */
	if (strncmp(name, prefix, strlen(prefix)) || strlen(name) != strlen(prefix) + 6 ||
	    !number_in_range(name + strlen(prefix), 1, PIECES_MAX, &number))
		return 0;
	return (unsigned int)number;
}

char *parts_piece_path(const char *set, unsigned int number)
{
	char *path;

	return asprintf(&path, "%s/" PARTS_PIECE_NAME, set, number) < 0 ? NULL : path;
}

/* Takes the directory over; NULL: errno says why. */
static int list_pieces(DIR *opened, unsigned int **numbers, size_t *count)
{
	__attribute__((cleanup(close_directory))) DIR *directory = opened;
	unsigned int *list = NULL, *grown;
	const char *entry;
	int err = 0;

	*numbers = NULL;
	*count = 0;
	if (!directory)
		return -errno;
	while (!err && (entry = inside_next(directory, &err))) {
		unsigned int number = parts_piece_number(entry);

		if (!number)
			continue;
		grown = reallocarray(list, *count + 1, sizeof(*list));
		if (!grown) {
			err = -ENOMEM;
			break;
		}
		list = grown;
		list[(*count)++] = number;
	}
	if (err) {
		free(list);
		*count = 0;
		return err;
	}
	if (*count)
		qsort(list, *count, sizeof(*list), compare_u32);
	*numbers = list;
	return 0;
}

int parts_list_pieces(const char *path, unsigned int **numbers, size_t *count)
{
	return list_pieces(opendir(path), numbers, count);
}

int parts_list_pieces_at(int directory, unsigned int **numbers, size_t *count)
{
	int fd = inside_open_directory(directory, ".");
	DIR *list = fd < 0 ? NULL : fdopendir(fd);

	if (fd < 0)
		errno = -fd;
	else if (!list)
		close(fd);
	return list_pieces(list, numbers, count);
}

/* A piece begins with its metadata. A directory with metadata is one capture. */
static bool has_metadata(const char *path)
{
	__attribute__((cleanup(free_text))) char *metadata = join_path(path, "metadata");

	return metadata && !access(metadata, F_OK);
}

int parts_list_started(const char *path, unsigned int **numbers, size_t *count)
{
	size_t started = 0;
	int err;

	*numbers = NULL;
	*count = 0;
	err = has_metadata(path) ? 0 : parts_list_pieces(path, numbers, count);
	for (size_t i = 0; i < *count; i++) {
		__attribute__((cleanup(free_text))) char *piece =
			parts_piece_path(path, (*numbers)[i]);

		if (piece && has_metadata(piece))
			(*numbers)[started++] = (*numbers)[i];
	}
	*count = started;
	return err;
}

/* Takes the path over. */
static int add_part(struct capture_parts *parts, char *path, bool is_checkpoint, unsigned int piece,
		    struct error *error)
{
	struct capture_part *list;

	list = path ? reallocarray(parts->list, parts->count + 1, sizeof(*list)) : NULL;
	if (!list) {
		free(path);
		return error_set_at(error, -ENOMEM, "the pieces");
	}
	parts->list = list;
	list[parts->count++] = (struct capture_part){ path, is_checkpoint, piece };
	return 0;
}

/* Adds the checkpoint of a piece, if it has one. */
static int add_checkpoint(struct capture_parts *parts, const char *piece, unsigned int number,
			  struct checkpoint_state *checkpoint, struct error *error)
{
	__attribute__((cleanup(free_text))) char *path = join_path(piece, PARTS_CHECKPOINT);
	__attribute__((cleanup(free_text))) char *state =
		join_path(piece, PARTS_CHECKPOINT "/state");
	__attribute__((cleanup(free_text))) char *text = NULL;
	char *part;
	int err = path && state ? read_file(AT_FDCWD, state, STATE_BYTES_MAX, &text, NULL)
				: -ENOMEM;

	if (err == -ENOENT || err == -ENOTDIR)
		return 0;
	if (!err)
		err = checkpoint_state_parse(checkpoint, text);
	if (err == -EBADMSG) {
		return error_format(
			error, err,
			"%s is damaged: kmemtrace-check --repair of the set makes the checkpoint again; without %s the piece can be read without it",
			state, path);
	}
	if (err)
		return error_set_at(error, err, state ? state : piece);
	part = path;
	path = NULL;
	return add_part(parts, part, true, number, error);
}

/* False: the piece has no metadata that can be read, or no stream. */
static bool read_metadata(const char *piece, struct metadata *metadata)
{
	__attribute__((cleanup(free_text))) char *path = join_path(piece, "metadata");
	__attribute__((cleanup(free_text))) char *text = NULL;

	return path && !read_file(AT_FDCWD, path, METADATA_BYTES_MAX, &text, NULL) &&
	       !metadata_parse(metadata, text, NULL);
}

/*
 * The pieces of the last run have one uuid, and numbers without a gap. kmemtraced makes the next
 * piece before it is needed: it has no metadata yet.
 */
static int find_run(struct capture_parts *parts, const char *set, const unsigned int *numbers,
		    size_t count, size_t *run_begin, size_t *run_end, struct error *error)
{
	struct metadata last, metadata;
	size_t first = count, end = 0;

	while (first--) {
		__attribute__((cleanup(free_text))) char *path =
			parts_piece_path(set, numbers[first]);

		if (!path)
			return error_set_at(error, -ENOMEM, set);
		if (end && numbers[first] + 1 != numbers[first + 1])
			break;
		if (!read_metadata(path, end ? &metadata : &last)) {
			if (end)
				break;
			continue;
		}
		if (end && memcmp(metadata.uuid, last.uuid, sizeof(last.uuid)) != 0)
			break;
		if ((end ? metadata : last).piece != numbers[first])
			return error_format(
				error, -EILSEQ,
				"%s/metadata: it is of piece %u: kmemtrace-check lists what is wrong in the set",
				path, (end ? metadata : last).piece);
		if (!end)
			end = first + 1;
	}
	*run_begin = end ? first + 1 : 0;
	*run_end = end;
	parts->left_out = *run_begin;
	parts->pieces = *run_end - *run_begin;
	return 0;
}

/* The time at which a piece begins, by its status; 0: not known. */
static uint64_t piece_begin(const char *set, unsigned int number)
{
	__attribute__((cleanup(free_text))) char *piece = parts_piece_path(set, number);
	__attribute__((cleanup(free_text))) char *path = piece ? join_path(piece, "kernel/status")
							       : NULL;
	__attribute__((cleanup(free_text))) char *text = NULL;
	const char *rest;
	struct line line;
	uint64_t begin = 0;

	if (!path || read_file(AT_FDCWD, path, STATE_BYTES_MAX, &text, NULL))
		return 0;
	rest = text;
	while (!begin && line_next(&line, &rest))
		if (line_key(&line, "begin"))
			line_u64(&line, 10, &begin);
	return begin;
}

static bool has_checkpoint(const char *set, unsigned int number)
{
	__attribute__((cleanup(free_text))) char *piece = parts_piece_path(set, number);
	__attribute__((cleanup(free_text))) char *state =
		piece ? join_path(piece, PARTS_CHECKPOINT "/state") : NULL;

	return state && !access(state, F_OK);
}

/* ns from the begin of the set, which has the number. 0: before the begin, or not known. */
static uint64_t from_begin(const char *set, unsigned int number, uint64_t origin, uint64_t date)
{
	__attribute__((cleanup(free_text))) char *piece = parts_piece_path(set, number);
	struct metadata metadata;
	uint64_t begin;

	if (!piece || !read_metadata(piece, &metadata) || !metadata.wall_offset)
		return 0;
	begin = metadata.wall_offset + origin;
	return date > begin ? date - begin : 0;
}

/*
 * Leaves out the pieces that end before the range, if the next one has a checkpoint, and those that
 * begin after it. 0, or -EILSEQ with error set.
 */
static int limit_to_range(struct capture_parts *parts, const char *set, const unsigned int *numbers,
			  const struct capture_range *range, size_t *first, size_t *end,
			  struct error *error)
{
	uint64_t origin = parts->origin, after = range->after, before = range->before, from;
	uint64_t earlier = origin; /* when the piece before began */
	size_t begin = *first;

	if (!origin)
		return 0;
	if (range->after_is_date)
		after = from_begin(set, numbers[*first], origin, after);
	if (range->before_is_date)
		before = from_begin(set, numbers[*first], origin, before);
	from = origin + (range->live ? before : after);
	for (size_t i = *first + 1; i < *end; i++) {
		uint64_t time = piece_begin(set, numbers[i]);

		if (time && time < earlier)
			return error_format(
				error, -EILSEQ,
				"%s: piece %u begins before piece %u: kmemtrace-check lists what is wrong in the set",
				set, numbers[i], numbers[i - 1]);
		earlier = time;
		if (!time || (before && time >= origin + before)) {
			*end = time ? i : *end;
			break;
		}
		if (time <= from && has_checkpoint(set, numbers[i]))
			begin = i;
	}
	*first = begin;
	return 0;
}

static int add_pieces(struct capture_parts *parts, const char *set, const unsigned int *numbers,
		      size_t count, const struct capture_range *range,
		      struct checkpoint_state *checkpoint, struct error *error)
{
	size_t first = 0, end = 0;
	int err = find_run(parts, set, numbers, count, &first, &end, error);

	if (!err && first < end)
		parts->origin = piece_begin(set, numbers[first]);
	if (!err && range && first < end)
		err = limit_to_range(parts, set, numbers, range, &first, &end, error);
	for (size_t i = first; i < end && !err; i++) {
		char *path = parts_piece_path(set, numbers[i]);

		if (i == first && path)
			err = add_checkpoint(parts, path, numbers[i], checkpoint, error);
		if (err)
			free(path);
		else
			err = add_part(parts, path, false, numbers[i], error);
	}
	return err;
}

/* The path is that of a set: names its pieces. */
static int refuse_set(const char *path, unsigned int number, struct error *error)
{
	return error_format(error, -EISDIR,
			    "%s is a set of pieces: name one, as %s/" PARTS_PIECE_NAME, path, path,
			    number);
}

int capture_parts_find(struct capture_parts *parts, const char *path, bool alone,
		       const struct capture_range *range, struct checkpoint_state *checkpoint,
		       struct error *error)
{
	unsigned int *numbers = NULL;
	size_t count = 0;
	int err = 0;

	if (!has_metadata(path))
		err = parts_list_pieces(path, &numbers, &count);
	if (err)
		return error_set_at(error, err, path);
	if (count)
		err = alone ? refuse_set(path, numbers[count - 1], error)
			    : add_pieces(parts, path, numbers, count, range, checkpoint, error);
	free(numbers);
	parts->is_set = parts->count;
	if (err || parts->is_set)
		return err;
	err = alone ? 0 : add_checkpoint(parts, path, 0, checkpoint, error);
	return err ? err : add_part(parts, strdup(path), false, 0, error);
}

void capture_parts_deinit(struct capture_parts *parts)
{
	for (size_t i = 0; i < parts->count; i++)
		free(parts->list[i].path);
	free(parts->list);
	parts->list = NULL;
	parts->count = 0;
}

/* Appends to *text. */
static int append_text(char **text, size_t *size, const char *more, size_t more_size)
{
	char *grown = realloc(*text, *size + more_size + 1);

	if (!grown)
		return -ENOMEM;
	memcpy(grown + *size, more, more_size + 1);
	*text = grown;
	*size += more_size;
	return 0;
}

int capture_parts_read(const struct capture_parts *parts, const char *name, size_t max, char **text)
{
	size_t size = 0;
	int err = 0;

	*text = NULL;
	for (size_t i = 0; i < parts->count && !err; i++) {
		__attribute__((cleanup(free_text))) char *path =
			join_path(parts->list[i].path, name);
		__attribute__((cleanup(free_text))) char *more = NULL;
		size_t more_size;

		err = path ? read_file(AT_FDCWD, path, max, &more, &more_size) : -ENOMEM;
		if (!err)
			err = append_text(text, &size, more, more_size);
		else if (err == -ENOENT)
			err = 0;
	}
	if (!err && !*text)
		err = -ENOENT;
	if (err) {
		free(*text);
		*text = NULL;
	}
	return err;
}
