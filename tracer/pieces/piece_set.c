// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Names, sizes and removal of pieces. */
#include "config.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/files.h"
#include "base/inside.h"
#include "base/number.h"
#include "capture/metadata.h"
#include "capture/parts.h"
#include "tracer/pieces/piece_set.h"

#define NEXT_PREFIX ".next."
#define PIECE_NAME_EXAMPLE "piece.000001"
#define DAMAGED_SUFFIX ".damaged"
#define NEW_SUFFIX ".new."
#define METADATA_BYTES_MAX ((size_t)1 << 20)
#define BLOCK 512 /* bytes: the unit of st_blocks */

const char *piece_name(unsigned int number, char name[PIECE_NAME_SIZE])
{
	snprintf(name, PIECE_NAME_SIZE, PARTS_PIECE_NAME, number);
	return name;
}

const char *piece_next_name(unsigned int number, char name[PIECE_NAME_SIZE])
{
	snprintf(name, PIECE_NAME_SIZE, NEXT_PREFIX "%06u", number);
	return name;
}

/* Is it that of a piece that has not begun? */
static bool is_next_name(const char *name)
{
	uint64_t number;

	return !strncmp(name, NEXT_PREFIX, strlen(NEXT_PREFIX)) &&
	       strlen(name) == strlen(NEXT_PREFIX) + 6 &&
	       number_in_range(name + strlen(NEXT_PREFIX), 1, PIECE_MAX, &number);
}

static DIR *list_directory(int fd)
{
	int again = inside_open_directory(fd, ".");
	DIR *list = again < 0 ? NULL : fdopendir(again);

	if (again < 0)
		errno = -again;
	else if (!list)
		close(again);
	return list;
}

static int open_piece(int set, unsigned int number)
{
	char name[PIECE_NAME_SIZE];

	return inside_open_directory(set, piece_name(number, name));
}

/* Is it that of a damaged piece, or of a killed repair, as kmemtrace-check leaves them? */
static bool is_repair_name(const char *name)
{
	char piece[] = PIECE_NAME_EXAMPLE;
	const char *rest = name + strnlen(name, strlen(piece));

	memcpy(piece, name, (size_t)(rest - name));
	return parts_piece_number(piece) &&
	       (!strncmp(rest, DAMAGED_SUFFIX, strlen(DAMAGED_SUFFIX)) ||
		!strncmp(rest, NEW_SUFFIX, strlen(NEW_SUFFIX)));
}

/* Has the directory a piece? other: becomes the name of something else in it, or "". */
static bool has_pieces(int set, char other[PIECE_OTHER_SIZE])
{
	__attribute__((cleanup(close_directory))) DIR *list = list_directory(set);
	bool found = false;
	const char *name;
	int err = 0;

	*other = '\0';
	while (list && (name = inside_next(list, &err))) {
		if (parts_piece_number(name) || is_next_name(name))
			found = true;
		else if (!is_repair_name(name))
			snprintf(other, PIECE_OTHER_SIZE, "%s", name);
	}
	return found && !err;
}

bool piece_set_is_set(int set)
{
	char other[PIECE_OTHER_SIZE];

	return has_pieces(set, other) && !*other;
}

bool piece_set_has_other(int set, char other[PIECE_OTHER_SIZE])
{
	return has_pieces(set, other) && *other;
}

static int remove_directory(int holder, const char *name)
{
	int err = inside_remove_directory(holder, name);

	return err == -ENOENT ? 0 : err;
}

static bool has_stream(int piece)
{
	__attribute__((cleanup(close_directory))) DIR *list = list_directory(piece);
	const char *name;
	int err = 0;

	while (list && (name = inside_next(list, &err)))
		if (!strncmp(name, "cpu", 3) && isdigit((unsigned char)name[3]))
			return true;
	return !list || err;
}

static int clean_piece(int set, unsigned int number)
{
	__attribute__((cleanup(close_fd))) int piece = open_piece(set, number);

	if (piece < 0)
		return piece;
	if (!has_stream(piece))
		return piece_set_remove(set, number);
	return remove_directory(piece, PIECE_NEW_CHECKPOINT);
}

int piece_set_clean(int set)
{
	__attribute__((cleanup(close_directory))) DIR *list = list_directory(set);
	const char *name;
	int err = 0;

	if (!list)
		return -errno;
	while ((name = inside_next(list, &err))) {
		unsigned int number = parts_piece_number(name);

		if (number)
			err = clean_piece(set, number);
		else if (is_next_name(name))
			err = remove_directory(set, name);
	}
	return err;
}

static bool read_uuid(int set, unsigned int number, uint8_t uuid[16])
{
	__attribute__((cleanup(close_fd))) int piece = open_piece(set, number);
	__attribute__((cleanup(free_text))) char *text = NULL;
	struct metadata metadata;

	if (piece < 0 || read_file(piece, "metadata", METADATA_BYTES_MAX, &text, NULL) ||
	    metadata_parse(&metadata, text, NULL))
		return false;
	memcpy(uuid, metadata.uuid, sizeof(metadata.uuid));
	return true;
}

bool piece_set_is_same_run(int set, unsigned int number, int other, unsigned int other_number)
{
	uint8_t uuid[16], other_uuid[16];

	return read_uuid(set, number, uuid) && read_uuid(other, other_number, other_uuid) &&
	       !memcmp(uuid, other_uuid, sizeof(uuid));
}

bool piece_set_follows(int set, unsigned int number)
{
	return number > 1 && piece_set_is_same_run(set, number - 1, set, number);
}

bool piece_set_has_checkpoint(int set, unsigned int number)
{
	__attribute__((cleanup(close_fd))) int piece = open_piece(set, number);
	struct stat about;

	return piece >= 0 && !fstatat(piece, PARTS_CHECKPOINT, &about, AT_SYMLINK_NOFOLLOW) &&
	       S_ISDIR(about.st_mode);
}

/* Adds the bytes of a directory and of all in it; files that are removed meanwhile count as 0. */
static int measure_directory(int fd, uint64_t *bytes)
{
	__attribute__((cleanup(close_directory))) DIR *list = list_directory(fd);
	struct stat about;
	const char *name;
	int err = 0;

	if (!list)
		return -errno;
	if (!fstat(fd, &about))
		*bytes += (uint64_t)about.st_blocks * BLOCK;
	while ((name = inside_next(list, &err))) {
		__attribute__((cleanup(close_fd))) int inner = -1;

		if (fstatat(fd, name, &about, AT_SYMLINK_NOFOLLOW) || !about.st_nlink)
			continue;
		if (!S_ISDIR(about.st_mode)) {
			*bytes += (uint64_t)about.st_blocks * BLOCK / about.st_nlink;
			continue;
		}
		inner = inside_open_directory(fd, name);
		if (inner >= 0)
			err = measure_directory(inner, bytes);
	}
	return err;
}

int piece_set_measure_directory(int holder, const char *name, uint64_t *bytes)
{
	__attribute__((cleanup(close_fd))) int fd = inside_open_directory(holder, name);

	if (fd < 0)
		return fd == -ENOENT || fd == -ENOTDIR ? 0 : fd;
	return measure_directory(fd, bytes);
}

int piece_set_measure_checkpoint(int piece, uint64_t *bytes)
{
	int err = piece_set_measure_directory(piece, PARTS_CHECKPOINT, bytes);

	return err ? err : piece_set_measure_directory(piece, PIECE_NEW_CHECKPOINT, bytes);
}

int piece_set_measure(int set, unsigned int writing, uint64_t *bytes)
{
	__attribute__((cleanup(close_directory))) DIR *list = list_directory(set);
	const char *name;
	int err = 0;

	*bytes = 0;
	if (!list)
		return -errno;
	while ((name = inside_next(list, &err))) {
		unsigned int number = parts_piece_number(name);
		__attribute__((cleanup(close_fd))) int piece = -1;

		if (number < writing) {
			err = piece_set_measure_directory(set, name, bytes);
			continue;
		}
		piece = inside_open_directory(set, name);
		if (piece >= 0)
			err = piece_set_measure_checkpoint(piece, bytes);
	}
	return err;
}

int piece_set_measure_tables(int piece, uint64_t *bytes)
{
	struct stat about;

	*bytes = 0;
	if (!fstatat(piece, ".reserve", &about, AT_SYMLINK_NOFOLLOW))
		*bytes += (uint64_t)about.st_blocks * BLOCK;
	return piece_set_measure_directory(piece, "kernel", bytes);
}

int piece_set_remove(int set, unsigned int number)
{
	char name[PIECE_NAME_SIZE], hidden[PIECE_NAME_SIZE];
	int err = remove_directory(set, piece_next_name(number, hidden));

	if (!err)
		err = inside_rename(set, piece_name(number, name), hidden);
	if (err)
		return err == -ENOENT ? 0 : err;
	return remove_directory(set, hidden);
}
