/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Makes the directory of the next piece ahead of time, with the tables that do not change. */
#ifndef TRACER_PIECES_PIECE_PREPARE_H
#define TRACER_PIECES_PIECE_PREPARE_H

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

#endif
