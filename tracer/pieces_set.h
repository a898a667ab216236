/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The set of pieces that a session with --switch-output writes. Functions return 0, or -errno with
 * session->error set.
 */
#ifndef TRACER_PIECES_SET_H
#define TRACER_PIECES_SET_H

#include "tracer/session.h"

/*
 * Opens the set, or makes its directory, and removes what a killed kmemtraced left in it. The set
 * goes on with the number after its last piece.
 */
int session_set_open(struct session *session);

/* Starts the keeper, which may remove pieces. */
int session_set_keep(struct session *session);

/* Makes the directory of the first piece of this run, as session->directory. */
int session_set_make_piece(struct session *session);

/* Gives the first piece, and a new set, their names. */
int session_set_commit(struct session *session);

/* Removes what was made, after a start that failed. */
void session_set_abandon(struct session *session);

/* Prints a text of the keeper. */
void session_set_say(const char *text);

#endif
