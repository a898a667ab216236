/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The pieces of a dump that is being written: links to the files of a set, or copies where links
 * are refused. A piece gets its name in the dump when it has all files: so after a kill all pieces
 * with a name are whole. Functions return 0 or -errno.
 */
#ifndef TRACER_PIECES_DUMP_PIECES_H
#define TRACER_PIECES_DUMP_PIECES_H

#include <stddef.h>

struct dump_pieces {
	int from;	       /* the open directory of the set; -1: there is none */
	int to;		       /* that of the dump */
	unsigned int *numbers; /* of the pieces that are in the dump, ascending */
	size_t count;
};

void dump_pieces_deinit(struct dump_pieces *pieces);

/*
 * Takes the pieces from the first to the last. The oldest may be removed from the set meanwhile:
 * then the dump begins with a later one. -ENOENT: there are none.
 */
int dump_pieces_take(struct dump_pieces *pieces, unsigned int first, unsigned int last);

/*
 * In a dump that was not finished: removes what is not whole, and takes the pieces before those in
 * the dump, down to the first, until one is missing. -ENOENT: the dump has no pieces.
 */
int dump_pieces_take_rest(struct dump_pieces *pieces, unsigned int first);

/* Makes the checkpoints that the pieces do not have yet. Sets errmsg if it fails. */
int dump_pieces_make_checkpoints(struct dump_pieces *pieces, char *errmsg, size_t errmsg_size);

#endif
