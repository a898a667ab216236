/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The known word that a mistyped one probably means. */
#ifndef BASE_SUGGEST_H
#define BASE_SUGGEST_H

#include <stddef.h>

/*
 * The word with the smallest edit distance: at most one edit for each three characters, where a
 * letter too many, too few, wrong, or exchanged with its neighbour is one edit and case does not
 * count. Else the first word that begins with the text, of at least two characters. Else NULL.
 */
const char *suggest_word(const char *text, const char *const *words, size_t count);

/* ": did you mean WORD?", or "" if no word is near. Returns buffer. */
const char *suggest_text(const char *text, const char *const *words, size_t count, char *buffer,
			 size_t size);

#endif
