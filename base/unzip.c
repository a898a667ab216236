// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Reads plain files and gzip files like gzread(), but faster. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/deflate_setup.h"
#include "base/files.h"
#include "base/unzip.h"

#define IN_SIZE (1U << 17)

/* libdeflate needs a whole file, and a whole inflated member, in memory. zlib reads larger ones. */
#define WHOLE_IN_MAX (8U << 20)
#define WHOLE_OUT_MAX (24U << 20)
/* Of inflated to packed size. kallsyms has 5 to 10, and unused room costs nothing. */
#define WHOLE_RATIO 16

#define GZIP_WINDOW (15 + 16) /* the largest window; + 16: a gzip header */
#define GZIP_FLAGS 3	      /* the offset of the flags in a gzip header */
#define GZIP_HEADER_CRC 2     /* the flag of a CRC of the header; libdeflate does not check it */

/* Reads from the file as much as in[] has room for. */
static int fill_input(struct unzip *unzip)
{
	if (unzip->at < unzip->end)
		memmove(unzip->in, unzip->in + unzip->at, unzip->end - unzip->at);
	unzip->end -= unzip->at;
	unzip->at = 0;
	while (!unzip->ended && unzip->end < unzip->in_space) {
		ssize_t got =
			read(unzip->file, unzip->in + unzip->end, unzip->in_space - unzip->end);

		if (got < 0)
			return -errno;
		unzip->ended = !got;
		unzip->end += (size_t)got;
	}
	return 0;
}

static bool at_member(const struct unzip *unzip)
{
	return unzip->end - unzip->at >= 2 && unzip->in[unzip->at] == 0x1f &&
	       unzip->in[unzip->at + 1] == 0x8b;
}

/* Reads the rest of the file, unless it is large. */
static int hold_whole(struct unzip *unzip)
{
	struct stat status;
	unsigned char *more;

	if (fstat(unzip->file, &status))
		return -errno;
	if (status.st_size > WHOLE_IN_MAX)
		return 0;
	deflate_setup();
	unzip->whole = libdeflate_alloc_decompressor();
	if (!unzip->whole)
		return -ENOMEM;
	if ((size_t)status.st_size < unzip->in_space)
		return 0;
	more = realloc(unzip->in, (size_t)status.st_size + 1);
	if (!more)
		return -ENOMEM;
	unzip->in = more;
	unzip->in_space = (size_t)status.st_size + 1;
	return fill_input(unzip);
}

int unzip_open(struct unzip *unzip, const char *path)
{
	int err;

	*unzip = (struct unzip){ .in_space = IN_SIZE };
	unzip->file = open_regular_file(AT_FDCWD, path);
	if (unzip->file < 0)
		return unzip->file;
	unzip->in = malloc(unzip->in_space);
	err = unzip->in ? fill_input(unzip) : -ENOMEM;
	unzip->plain = !at_member(unzip);
	if (!err && !unzip->plain)
		err = hold_whole(unzip);
	if (err)
		unzip_close(unzip);
	return err;
}

void unzip_close(struct unzip *unzip)
{
	if (unzip->has_pieces)
		inflateEnd(&unzip->pieces);
	libdeflate_free_decompressor(unzip->whole);
	free(unzip->in);
	close(unzip->file);
	*unzip = (struct unzip){ .file = -1 };
}

size_t unzip_room(const struct unzip *unzip)
{
	size_t left = unzip->end - unzip->at;

	if (!unzip->whole || left >= WHOLE_OUT_MAX / WHOLE_RATIO)
		return unzip->whole ? WHOLE_OUT_MAX : UNZIP_PIECE;
	return MAX(WHOLE_RATIO * left, UNZIP_PIECE);
}

static int read_plain(struct unzip *unzip, char *text, size_t room, size_t *size)
{
	int err = unzip->at == unzip->end ? fill_input(unzip) : 0;

	if (err)
		return err;
	*size = MIN(room, unzip->end - unzip->at);
	memcpy(text, unzip->in + unzip->at, *size);
	unzip->at += *size;
	unzip->finished = !*size;
	return 0;
}

/* False: zlib must inflate this member and all later members. */
static bool read_whole(struct unzip *unzip, char *text, size_t room, size_t *size)
{
	const unsigned char *in = unzip->in + unzip->at;
	size_t used, left = unzip->end - unzip->at;

	if (left > GZIP_FLAGS && !(in[GZIP_FLAGS] & GZIP_HEADER_CRC) &&
	    libdeflate_gzip_decompress_ex(unzip->whole, in, left, text, room, &used, size) ==
		    LIBDEFLATE_SUCCESS) {
		unzip->at += used;
		return true;
	}
	*size = 0;
	libdeflate_free_decompressor(unzip->whole);
	unzip->whole = NULL;
	return false;
}

static int begin_pieces(struct unzip *unzip)
{
	int code = unzip->has_pieces ? inflateReset(&unzip->pieces)
				     : inflateInit2(&unzip->pieces, GZIP_WINDOW);

	if (code != Z_OK)
		return -ENOMEM;
	unzip->has_pieces = true;
	unzip->in_member = true;
	return 0;
}

static int read_piece(struct unzip *unzip, char *text, size_t room, size_t *size)
{
	z_stream *pieces = &unzip->pieces;
	int code = Z_OK;

	pieces->next_out = (unsigned char *)text;
	pieces->avail_out = MIN(room, UNZIP_PIECE);
	while (pieces->avail_out && code != Z_STREAM_END && !unzip->finished) {
		int err = unzip->at == unzip->end ? fill_input(unzip) : 0;

		if (err)
			return err;
		pieces->next_in = unzip->in + unzip->at;
		pieces->avail_in = unzip->end - unzip->at;
		unzip->finished = unzip->damaged = !pieces->avail_in; /* cut off */
		if (!unzip->finished)
			code = inflate(pieces, Z_NO_FLUSH);
		unzip->at = unzip->end - pieces->avail_in;
		if (code == Z_MEM_ERROR)
			return -ENOMEM;
		if (code != Z_OK && code != Z_STREAM_END) {
			unzip->finished = unzip->damaged = true;
			return 0;
		}
	}
	*size = (size_t)((char *)pieces->next_out - text);
	unzip->in_member = code != Z_STREAM_END;
	return 0;
}

int unzip_read(struct unzip *unzip, char *text, size_t room, size_t *size)
{
	int err = 0;

	*size = 0;
	while (!err && !*size && !unzip->finished) {
		if (unzip->plain)
			return read_plain(unzip, text, room, size);
		if (!unzip->in_member) {
			if (unzip->end - unzip->at < 2)
				err = fill_input(unzip);
			/* bytes behind the last member are ignored, as by gzip(1) */
			unzip->finished = !err && !at_member(unzip);
			if (err || unzip->finished)
				break;
			if (unzip->whole && read_whole(unzip, text, room, size))
				continue;
			err = begin_pieces(unzip);
		}
		if (!err)
			err = read_piece(unzip, text, room, size);
	}
	return err;
}
