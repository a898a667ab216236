/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Text that anyone may have written, for a terminal or a file that people open. */
#ifndef BASE_PRINTABLE_H
#define BASE_PRINTABLE_H

#include <stddef.h>
#include <stdio.h>

/* The bytes of the valid UTF-8 sequence at text, or 0. text must not be empty. */
size_t utf8_length(const unsigned char *text);

/*
 * Writes the first character of text, which must not be empty, and returns its bytes; 0: the write
 * failed. It writes \xHH for each byte of a control character, which may command a terminal; of an
 * unseen character, which changes the order of others, as U+202E, or makes two names look the same,
 * as U+200B; and for a byte that is not valid UTF-8.
 */
size_t printable_put(FILE *file, const char *text);

/* Writes all characters of text as printable_put(). */
void printable_write(FILE *file, const char *text);

#endif
