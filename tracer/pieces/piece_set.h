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

/* Makes the directory of the next piece ahead of time, with the tables that do not change. */

/*
 * Makes the directory of the piece with the number, which has not begun, in the set, an open
 * directory. Its tables are those of the piece before: links to the files, or copies where the file
 * system has no links. 0 or -errno; then there is no such directory.
 */
int piece_prepare(int set, unsigned int number);

/* Removes it. */
void piece_prepare_undo(int set, unsigned int number);

/* Gives a file of a capture back to it alone, if it is a link, so that it can be appended to. */
int piece_unshare(int capture, const char *name);

/* The file of the capture becomes a copy of that in another one, if they are not the same file. */
int piece_copy_newer(int from, int to, const char *name);

/* Links a file of one capture into another, or copies it where links are refused. 0 or -errno. */
int piece_share(int from, int to, const char *name);

/* Takes the events out of a piece whose tables are still needed. */

/*
 * Each stream of the piece, which is finished, keeps its first packet and gets a last one, in which
 * all its events are lost: so the checkpoint of the next piece has them as lost. A stream that is a
 * part of a dump, too, stays as it is. set: the open directory. 0 or -errno.
 */
int piece_empty(int set, unsigned int number);

/* Are streams of the piece a part of a dump, too, so that they must stay as they are? */
bool piece_is_in_dump(int set, unsigned int number);

/* Were the events of the piece, an open directory, removed, or will they be in a moment? */
bool piece_is_empty(int piece);

#endif
