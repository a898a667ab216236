// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Edit distances by the usual table, of which three rows are needed. */
#include "config.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/param.h>

#include "base/suggest.h"

#define WORD_MAX 40 /* longer words are never suggested */

static bool same_letter(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* The optimal string alignment distance. */
static unsigned int edit_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
	unsigned int rows[3][WORD_MAX + 1];

	for (size_t j = 0; j <= b_length; j++)
		rows[0][j] = (unsigned int)j;
	for (size_t i = 1; i <= a_length; i++) {
		unsigned int *row = rows[i % 3];
		const unsigned int *before = rows[(i + 2) % 3], *second = rows[(i + 1) % 3];

		row[0] = (unsigned int)i;
		for (size_t j = 1; j <= b_length; j++) {
			row[j] = MIN(before[j], row[j - 1]) + 1;
			row[j] = MIN(row[j], before[j - 1] + !same_letter(a[i - 1], b[j - 1]));
			if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) &&
			    same_letter(a[i - 2], b[j - 1]))
				row[j] = MIN(row[j], second[j - 2] + 1);
		}
	}
	return rows[a_length % 3][b_length];
}

const char *suggest_word(const char *text, const char *const *words, size_t count)
{
	size_t length = strlen(text);
	unsigned int nearest = (unsigned int)(length < 3 ? 1 : length / 3);
	const char *word = NULL;

	if (length < 2 || length > WORD_MAX)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		size_t word_length = strlen(words[i]);
		unsigned int distance;

		if (word_length > WORD_MAX)
			continue;
		distance = edit_distance(text, length, words[i], word_length);
		if (distance < nearest || (distance == nearest && !word)) {
			nearest = distance;
			word = words[i];
		}
	}
	for (size_t i = 0; i < count && !word; i++)
		if (strncasecmp(words[i], text, length) == 0)
			word = words[i];
	return word;
}

const char *suggest_text(const char *text, const char *const *words, size_t count, char *buffer,
			 size_t size)
{
	const char *word = suggest_word(text, words, count);

	*buffer = '\0';
	if (word)
		snprintf(buffer, size, ": did you mean %s?", word);
	return buffer;
}
