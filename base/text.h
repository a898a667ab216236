/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The text tables of a capture: lines of "key value …". Names are escaped, so that each is one
 * word; lines of an untrusted text are parsed word by word.
 */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Writes text as one word: a space, a backslash and each byte outside printable ASCII is \xHH. */
void text_write_word(FILE *file, const char *text);

/* The same for the last value of a line, which may hold spaces. */
void text_write_rest(FILE *file, const char *text);

#define LIST_INDENT 4 /* columns before the definitions of a list */

/* Writes lines of up to 79 columns, each behind so many spaces. */
void text_write_wrapped(FILE *file, size_t indent, const char *text);

/* 0, or the -errno of the write to file that has failed just now. */
int text_write_result(FILE *file);

/*
 * As open_memstream(): what is written becomes *text, with a NUL behind it, and *size, after a
 * flush or the close. Unlike open_memstream(), the stream keeps its error once memory was missing:
 * glibc leaves out the bytes that it had no memory for, and reports nothing. NULL: no memory.
 * text_close() closes it.
 */
FILE *text_open(char **text, size_t *size);

/* Closes a stream of text_open(). After an error: frees *text, sets it to NULL, returns -ENOMEM. */
int text_close(FILE *stream, char **text);

/* Does the regular expression match somewhere in the text? 1, 0, or -ENOMEM. */
int text_matches(const regex_t *regex, const char *text);

/* The part of a line that is not parsed yet. */
struct line {
	const char *at, *end;
};

/* Takes the next whole line of *text and moves *text behind it; false: there is none. */
bool line_next(struct line *line, const char **text);

/* Each takes the next word of the line. If the word is another, it stays, and they return false. */
bool line_key(struct line *line, const char *key);
bool line_u64(struct line *line, unsigned int base, uint64_t *number);
bool line_u32(struct line *line, uint32_t *number);

/*
 * Take the next word, or the rest of the line, unescaped and cut to size bytes. At the end of the
 * line the text is empty.
 */
void line_word(struct line *line, char *text, size_t size);
void line_rest(struct line *line, char *text, size_t size);

/* Replaces a word wherever it is in a text of this size; the end is cut off if it does not fit. */
void text_replace(char *text, size_t size, const char *word, const char *by);

/* Behind a noun: "1 host", "2 hosts". */
static inline const char *plural_ending(uint64_t count)
{
	return count == 1 ? "" : "s";
}

#endif
