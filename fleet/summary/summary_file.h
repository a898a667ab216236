/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Files of summaries: see kmemtrace-summaries(5). Each summary is a block of lines that ends with
 * the checksum of the block, so that a block that was cut off anywhere is found. Nothing in a file
 * is trusted.
 */
#ifndef FLEET_SUMMARY_SUMMARY_FILE_H
#define FLEET_SUMMARY_SUMMARY_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "fleet/summary/summary.h"

#define SUMMARY_FILE_SUFFIX ".kms"
#define SUMMARY_FILE_HEADER "kmemtrace-summaries 1\n"
#define SUMMARY_BLOCK_MAX ((size_t)64 << 20) /* bytes */
#define SUMMARY_NAME_SIZE 4096		     /* with a NUL; the rest of a longer name is cut off */

/*
 * The text of one block, to be freed. Rows are written in their order: see summary_sort(). 0,
 * -EFBIG: the text is longer than SUMMARY_BLOCK_MAX, or -ENOMEM.
 */
int summary_write_text(const struct summary *summary, char **text, size_t *size);

struct summary_reader {
	FILE *file;
	const char *path; /* the caller's */
	uint64_t offset;  /* behind the last whole block: a torn one may follow */
	char *buffer;	  /* of the file, from buffer_offset on */
	uint64_t buffer_offset;
	size_t at, filled, space; /* in the buffer: what is not read yet, its end, its size */
	bool ended;		  /* the buffer has the end of the file */
	char errmsg[300];
};

/* The values of the first lines of a block. */
struct summary_head {
	uint64_t begin, end;
	uint64_t offset;    /* of the block in the file */
	uint64_t summaries; /* of all sources */
	uint32_t checksum;
};

/* 0 or -errno with errmsg set; -EPROTONOSUPPORT: another version, -EBADMSG: not such a file. */
int summary_reader_open(struct summary_reader *reader, const char *path);

/* The same for a file that is open: of it, only the position changes. path is for messages. */
int summary_reader_open_fd(struct summary_reader *reader, int fd, const char *path);
void summary_reader_close(struct summary_reader *reader); /* all zero is allowed */

/*
 * Reads the next summary into *summary, which the caller deinits after a 1. 1; 0: end of the file;
 * -EBADMSG: a block is damaged or cut off (errmsg says where; the next call goes on behind it); or
 * -errno.
 */
int summary_reader_next(struct summary_reader *reader, struct summary *summary);

/* The same for the head only: the block is checked, but its rows are not parsed. */
int summary_reader_skip(struct summary_reader *reader, struct summary_head *head);

/* Goes on at the offset of a block. 0 or -errno with errmsg set. */
int summary_reader_seek(struct summary_reader *reader, uint64_t offset);

/*
 * The same as summary_reader_next() for a text in memory, without the header of a file: reads the
 * block at *text and moves *text behind it. Behind the text there may be anything. 1, 0, -EBADMSG
 * or -ENOMEM.
 */
int summary_parse(struct summary *summary, const char **text, const char *end);

#endif
