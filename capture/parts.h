/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The directories that a capture is read from. A capture alone is one directory. A piece of a set
 * has a checkpoint, which describes the heap at its begin: a directory in it. A set is a directory
 * of pieces; those of the last run of kmemtraced are read one behind the other.
 */
#ifndef CAPTURE_PARTS_H
#define CAPTURE_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "capture/checkpoint_state.h"

#define PARTS_CHECKPOINT "checkpoint" /* the directory in a piece */

struct capture_part {
	char *path;
	bool is_checkpoint;
	unsigned int piece; /* its number in a set that is read as one; else 0 */
};

/* A range of time of a set, from the begin of its first piece. */
struct capture_range {
	uint64_t after, before;		    /* ns; before 0: to the end */
	bool after_is_date, before_is_date; /* they are ns since 1970 instead */
	bool live; /* only the objects that are live at its end: the last piece has them */
};

struct capture_parts {
	struct capture_part *list; /* a checkpoint, if there is one, and then captures by time */
	size_t count;
	bool is_set;	 /* the path has pieces; all parts are read as one */
	size_t left_out; /* pieces of a set: of earlier runs, or after a gap */
	size_t pieces;	 /* of the run, read or not */
	uint64_t origin; /* ns: the begin of the set's first piece, read or not; 0: unknown */
};

/*
 * Finds the parts of the capture at path. alone: it is the only part, without a checkpoint. range:
 * of a set, leaves out the pieces that it does not need; NULL: none. checkpoint: gets the state of
 * the checkpoint, all zero without one. 0, or -errno with error set.
 */
int capture_parts_find(struct capture_parts *parts, const char *path, bool alone,
		       const struct capture_range *range, struct checkpoint_state *checkpoint,
		       struct error *error);
void capture_parts_deinit(struct capture_parts *parts);

/* The number of a piece by the name of its directory; 0: another name. */
unsigned int parts_piece_number(const char *name);

/* "piece.000001" */
#define PARTS_PIECE_NAME "piece.%06u"

/* The path of a piece of a set; NULL: no memory. */
char *parts_piece_path(const char *set, unsigned int number);

/*
 * The numbers of the pieces in a directory, ascending, to be freed. *count is 0 for a directory
 * without pieces. 0 or -errno.
 */
int parts_list_pieces(const char *path, unsigned int **numbers, size_t *count);
int parts_list_pieces_at(int directory, unsigned int **numbers, size_t *count); /* an open one */

/* The same without pieces that kmemtraced has made, and not begun. */
int parts_list_started(const char *path, unsigned int **numbers, size_t *count);

/*
 * The texts of the same table of all parts, one behind the other, to be freed. max: bytes of one.
 * 0; -ENOENT: no part has it; or another -errno, if a part's cannot be read.
 */
int capture_parts_read(const struct capture_parts *parts, const char *name, size_t max,
		       char **text);

#endif
