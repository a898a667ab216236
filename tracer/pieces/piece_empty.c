// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Cuts streams. A kill in between leaves a stream that was cut off after its first packet. */
#include "config.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libdeflate.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/inside.h"
#include "capture/reader.h"
#include "tracer/pieces/piece_set.h"

#define EMPTY_MARK ".empty"

/* Finds the headers of the first and the last packet. False: the stream has fewer than two. */
static bool find_ends(int fd, const char *name, struct packet_header *first,
		      struct packet_header *last)
{
	struct stream stream;
	uint64_t packets = 0;

	if (stream_open_fd(&stream, fd, name))
		return false;
	while (stream_peek(&stream, last) == 1) {
		if (!packets++)
			*first = *last;
		stream_skip(&stream, last);
	}
	stream_close(&stream);
	return packets > 1;
}

static int empty_stream(int piece, const char *name)
{
	__attribute__((cleanup(close_fd))) int fd = inside_open(piece, name, O_RDWR, 0);
	struct packet_header first, last;
	int again = inside_open_regular(piece, name);
	struct stat about;

	if (fd < 0 || again < 0 || fstat(fd, &about) || about.st_nlink > 1) {
		close_fd(&again);
		return fd < 0 ? fd : again < 0 ? again : 0;
	}
	if (!find_ends(again, name, &first, &last))
		return 0;
	last.time_first = last.time_last;
	last.sequence_first = last.sequence_end;
	last.lost = last.sequence_end - first.sequence_first;
	last.number = 1;
	last.records = 0;
	last.codec = PACKET_RAW;
	last.content_bits = last.packet_bits = sizeof(last) * 8;
	last.crc = 0;
	last.crc = libdeflate_crc32(0, &last, sizeof(last));
	if (ftruncate(fd, sizeof(first)))
		return -errno;
	return pwrite(fd, &last, sizeof(last), sizeof(first)) == sizeof(last) ? 0 : -EIO;
}

static DIR *list_piece(int set, unsigned int number)
{
	char name[PIECE_NAME_SIZE];
	int piece = inside_open_directory(set, piece_name(number, name));
	DIR *list = piece < 0 ? NULL : fdopendir(piece);

	if (piece < 0)
		errno = -piece;
	else if (!list)
		close(piece);
	return list;
}

static bool is_stream(const char *name)
{
	return !strncmp(name, "cpu", 3) && isdigit((unsigned char)name[3]);
}

/* A dump that takes the piece just now must know before a stream changes. */
static int set_mark(int piece)
{
	int fd = inside_open(piece, EMPTY_MARK, O_WRONLY | O_CREAT, 0644);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

bool piece_is_empty(int piece)
{
	return !faccessat(piece, EMPTY_MARK, F_OK, AT_SYMLINK_NOFOLLOW);
}

bool piece_is_in_dump(int set, unsigned int number)
{
	__attribute__((cleanup(close_directory))) DIR *list = list_piece(set, number);
	struct stat about;
	const char *entry;
	int err = 0;

	while (list && (entry = inside_next(list, &err)))
		if (is_stream(entry) && !fstatat(dirfd(list), entry, &about, AT_SYMLINK_NOFOLLOW) &&
		    about.st_nlink > 1)
			return true;
	return false;
}

int piece_empty(int set, unsigned int number)
{
	__attribute__((cleanup(close_directory))) DIR *list = list_piece(set, number);
	const char *entry;
	int err;

	if (!list)
		return -errno;
	err = set_mark(dirfd(list));
	while ((entry = inside_next(list, &err)))
		if (is_stream(entry))
			err = empty_stream(dirfd(list), entry);
	return err;
}
