/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The text tables of a capture: lines of "key value …". How names are escaped so that each is
 * one word, and how lines from an untrusted text are taken apart.
 */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Writes text as one word: a space, a backslash or what is not printable ASCII is \xHH. */
void text_write_word(FILE *file, const char *text);

/* The same for the last value of a line, which may hold spaces. */
void text_write_rest(FILE *file, const char *text);

/* 0, or the -errno of what failed in writing to file just now. */
int text_write_result(FILE *file);

/*
 * Digits at *at, in base 10 or 16 (with or without "0x"). Moves *at behind them. False, with
 * nothing changed: there are none, or the number is too large.
 */
bool number_parse(const char **at, unsigned int base, uint64_t *number);

/* What is left of a line of a text. */
struct line {
	const char *at, *end;
};

/* The next whole line of *text, which moves on; false where there is none. */
bool line_next(struct line *line, const char **text);

/* Each takes a word off the line, and takes nothing and is false if it is not as asked for. */
bool line_key(struct line *line, const char *key);
bool line_u64(struct line *line, unsigned int base, uint64_t *number);
bool line_u32(struct line *line, uint32_t *number);

/* Take a word, or all that is left, unescaped and cut to size. Nothing left is an empty text. */
void line_word(struct line *line, char *text, size_t size);
void line_rest(struct line *line, char *text, size_t size);

/* Room for one more in a list that has count: the list, maybe moved, or NULL (it stays). */
void *array_grow(void *list, size_t count, size_t size);

#endif
