/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A file that is plain or gzip, read in pieces. Members of gzip follow one another as one text.
 * A member that is whole and right is inflated at once, which takes a third of the time; what is
 * cut off or damaged goes through zlib, which gives what came before the damage.
 */
#ifndef BASE_UNZIP_H
#define BASE_UNZIP_H

#include <stdbool.h>
#include <stddef.h>

#include <zlib.h>

/* What is inflated of a damaged file is taken by pieces of this: the one with damage is lost. */
#define UNZIP_PIECE (1U << 18)

struct libdeflate_decompressor;

struct unzip {
	int file;
	bool plain;
	bool damaged;  /* the file ends in damage; what came before it was read */
	bool finished; /* there is no more to read */
	bool ended;    /* there is no more in the file than in[] has */
	unsigned char *in;
	size_t in_space, at, end;	       /* in[at] up to in[end] is yet to be used */
	struct libdeflate_decompressor *whole; /* or NULL: by pieces */
	z_stream pieces;
	bool has_pieces, in_member;
};

/* 0 or -errno. */
int unzip_open(struct unzip *unzip, const char *path);
void unzip_close(struct unzip *unzip);

/* The bytes that the next piece may have. */
size_t unzip_room(const struct unzip *unzip);

/*
 * The next piece, of at most room bytes, which are no fewer than unzip_room() says: its size, 0
 * at the end. 0 or -errno.
 */
int unzip_read(struct unzip *unzip, char *text, size_t room, size_t *size);

#endif
