/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Checks that the pieces of a set follow each other. */
#ifndef CHECK_CHECK_PIECES_H
#define CHECK_CHECK_PIECES_H

#include <stddef.h>

#include "check/check_problems.h"

/* The check of --list. */
extern const struct check_info check_pieces_info;

/*
 * numbers: of the pieces of the set, ascending. 0 or -ENOMEM.
 */
int check_pieces(const char *set, const unsigned int *numbers, size_t count,
		 struct check_problems *problems);

#endif
