/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The blocks of a text of summaries: where each begins and ends, and whether it is whole. */
#ifndef FLEET_SUMMARY_SUMMARY_BLOCK_H
#define FLEET_SUMMARY_SUMMARY_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fleet/summary/summary.h"
#include "fleet/summary/summary_file.h"

#define SUMMARY_END_SIZE 48 /* bytes of the last line at most, with a NUL */

extern const char *const summary_kind_words[SUMMARY_KINDS]; /* the first word of a row */

/* Writes the last line of a block with these other lines; returns its length. */
size_t summary_end_line(const char *lines, size_t size, char *text);

enum summary_block_state {
	SUMMARY_BLOCK_NONE,    /* the text is empty */
	SUMMARY_BLOCK_WHOLE,   /* its checksum is right */
	SUMMARY_BLOCK_DAMAGED, /* another block may follow */
	SUMMARY_BLOCK_TORN,    /* the text ends in it */
};

struct summary_block {
	const char *lines_end; /* of a whole block: behind its lines, without the last one */
	const char *next;      /* behind it; of a damaged block: where to go on */
};

enum summary_block_state summary_block_find(const char *text, const char *end,
					    struct summary_block *block);

/* Of a whole block. 0 or -EBADMSG: a line is wrong; the second one may return -ENOMEM too. */
int summary_block_head(const char *text, const struct summary_block *block,
		       struct summary_head *head);
int summary_block_parse(const char *text, const struct summary_block *block,
			struct summary *summary);

#endif
