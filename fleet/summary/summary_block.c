// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Finds the blocks of a text. The last line of a block has one spelling only, so that a change of
 * any of its bytes is found too.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "fleet/summary/summary_block.h"

#define FIRST_WORD "summary "
#define LAST_WORD "end "

const char *const summary_kind_words[SUMMARY_KINDS] = {
	[SUMMARY_CODE] = "code",
	[SUMMARY_CGROUP] = "cgroup",
	[SUMMARY_COMM] = "comm",
};

size_t summary_end_line(const char *lines, size_t size, char *text)
{
	uint64_t count = 0;

	for (const char *at = lines, *end = lines + size; at < end; at++) {
		at = memchr(at, '\n', (size_t)(end - at));
		if (!at)
			break;
		count++;
	}
	return (size_t)sprintf(text, LAST_WORD "%" PRIu64 " %lu\n", count,
			       crc32_z(0, (const unsigned char *)lines, size));
}

static bool begins_with(const char *text, const char *end, const char *word)
{
	size_t size = strlen(word);

	return (size_t)(end - text) >= size && !memcmp(text, word, size);
}

/* The begin of the next line that begins with this word, or with the other one; NULL: none. */
static const char *find_line(const char *text, const char *end, const char *word, const char *other)
{
	while ((text = memchr(text, '\n', (size_t)(end - text)))) {
		text++;
		if (begins_with(text, end, word) || begins_with(text, end, other))
			return text;
	}
	return NULL;
}

/* Behind a damaged block, or at the end. */
static enum summary_block_state skip_damage(const char *from, const char *end,
					    struct summary_block *block)
{
	block->next = find_line(from, end, FIRST_WORD, FIRST_WORD);
	if (block->next)
		return SUMMARY_BLOCK_DAMAGED;
	block->next = end;
	return SUMMARY_BLOCK_TORN;
}

enum summary_block_state summary_block_find(const char *text, const char *end,
					    struct summary_block *block)
{
	char last_line[SUMMARY_END_SIZE];
	const char *last = text;
	size_t size, left;

	block->next = text;
	if (text == end)
		return SUMMARY_BLOCK_NONE;
	if (begins_with(text, end, FIRST_WORD))
		last = find_line(text, end, LAST_WORD, FIRST_WORD);
	if (!last || !begins_with(last, end, LAST_WORD))
		return skip_damage(text, end, block);
	size = summary_end_line(text, (size_t)(last - text), last_line);
	left = (size_t)(end - last);
	if (left >= size && !memcmp(last, last_line, size)) {
		block->lines_end = last;
		block->next = last + size;
		return SUMMARY_BLOCK_WHOLE;
	}
	/* only the newline is damaged: the next block begins behind it */
	if (left > size && !memcmp(last, last_line, size - 1) &&
	    begins_with(last + size, end, FIRST_WORD)) {
		block->next = last + size;
		return SUMMARY_BLOCK_DAMAGED;
	}
	return skip_damage(last, end, block);
}
