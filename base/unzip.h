/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads a plain file or a gzip file in pieces. Successive gzip members are one text. libdeflate
 * inflates a valid member at once, in a third of the time of zlib. zlib inflates a damaged or
 * cut-off member: it returns the text before the damage.
 */
#ifndef BASE_UNZIP_H
#define BASE_UNZIP_H

#include <stdbool.h>
#include <stddef.h>

#include <zlib.h>

/* The size in bytes of the pieces of a damaged file. The piece that contains damage is lost. */
#define UNZIP_PIECE (1U << 18)

struct libdeflate_decompressor;

struct unzip {
	int file;
	bool plain;
	bool damaged;  /* the file is damaged; the text before the damage was read */
	bool finished; /* all text was read */
	bool ended;    /* all bytes of the file were read into in[] */
	unsigned char *in;
	size_t in_space, at, end;	       /* in[at] up to in[end]: not used yet */
	struct libdeflate_decompressor *whole; /* NULL: zlib inflates */
	z_stream pieces;
	bool has_pieces, in_member;
};

/* 0 or -errno: -EISDIR or -EINVAL if it is not a regular file. */
int unzip_open(struct unzip *unzip, const char *path);
void unzip_close(struct unzip *unzip);

/* The largest size in bytes of the next piece. */
size_t unzip_room(const struct unzip *unzip);

/*
 * Reads the next piece into text, which has room for `room` bytes, at least unzip_room(). *size
 * gets its size, 0 at the end. 0 or -errno.
 */
int unzip_read(struct unzip *unzip, char *text, size_t room, size_t *size);

#endif
