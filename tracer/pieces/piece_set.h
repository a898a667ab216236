/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A set of pieces: a directory with a capture for each piece, "piece.000001". Before a piece
 * begins, and while it is removed, its directory has another name, ".next.000002". All functions
 * take the open directory of the set, and return 0 or -errno.
 */
#ifndef TRACER_PIECES_PIECE_SET_H
#define TRACER_PIECES_PIECE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PIECE_NAME_SIZE 32
#define PIECE_OTHER_SIZE 256
#define PIECE_MAX 999999U
#define PIECE_NEW_CHECKPOINT "checkpoint.new" /* in a piece: half a checkpoint */

/* The directory of a piece, and its name before it begins. They return name. */
const char *piece_name(unsigned int number, char name[PIECE_NAME_SIZE]);
const char *piece_next_name(unsigned int number, char name[PIECE_NAME_SIZE]);

/*
 * Does the directory hold pieces, or only what a killed kmemtraced left of one? The originals that
 * kmemtrace-check --repair keeps may be beside them.
 */
bool piece_set_is_set(int set);

/* Does the directory hold pieces, and also another file? other: its name. */
bool piece_set_has_other(int set, char other[PIECE_OTHER_SIZE]);

/*
 * Removes what a killed kmemtraced left: directories of pieces that did not begin or have no
 * stream, and half a checkpoint.
 */
int piece_set_clean(int set);

/* Are a piece of a set and one of another of the same run of kmemtraced? */
bool piece_set_is_same_run(int set, unsigned int number, int other, unsigned int other_number);

/* The same of the piece and that with the number before. */
bool piece_set_follows(int set, unsigned int number);
bool piece_set_has_checkpoint(int set, unsigned int number);

/*
 * The bytes on disk: of all pieces below `writing`, of the checkpoints of all pieces, and of pieces
 * that have not begun. A file with several names counts once.
 */
int piece_set_measure(int set, unsigned int writing, uint64_t *bytes);

/* The bytes on disk of the checkpoint of a piece, an open directory, whole or not. */
int piece_set_measure_checkpoint(int piece, uint64_t *bytes);

/* The bytes on disk of a directory. Adds to *bytes. */
int piece_set_measure_directory(int holder, const char *name, uint64_t *bytes);

/* The bytes on disk of the tables of a piece. */
int piece_set_measure_tables(int piece, uint64_t *bytes);

/* Removes a piece. Its directory is renamed first: half a piece is not a piece of the set. */
int piece_set_remove(int set, unsigned int number);

#endif
