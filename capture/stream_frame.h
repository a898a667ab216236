/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A capture as a stream of bytes, while it is recorded: frames, each a line of text and the bytes
 * that it announces.
 *
 *	kmemtrace-stream 1      the first line
 *	append NAME SIZE        SIZE bytes for the end of the file NAME of the capture: of a CPU's
 *	                        stream, whole packets
 *	replace NAME SIZE       SIZE bytes: the whole file
 *	time NS                 all events before this time have come, and the names that they need
 *	end                     the capture is complete
 */
#ifndef CAPTURE_STREAM_FRAME_H
#define CAPTURE_STREAM_FRAME_H

#include <stdint.h>
#include <stdio.h>

#define STREAM_FRAME_FIRST "kmemtrace-stream 1\n"
#define STREAM_FRAME_NAME 64
#define STREAM_FRAME_LINE 128
#define STREAM_FRAME_BYTES_MAX ((uint64_t)1 << 30) /* of one frame: readers refuse more */

enum stream_frame_kind {
	STREAM_FRAME_APPEND,
	STREAM_FRAME_REPLACE,
	STREAM_FRAME_TIME,
	STREAM_FRAME_END,
};

struct stream_frame {
	enum stream_frame_kind kind;
	char name[STREAM_FRAME_NAME]; /* a file of a capture: no other path */
	uint64_t size;		      /* bytes that follow */
	uint64_t time;		      /* ns */
};

/* Writes all bytes. 0 or -errno. */
int stream_frame_write(int fd, const void *bytes, size_t size);

/* Writes the line of a frame; its bytes follow. 0 or -errno. */
int stream_frame_begin(int fd, const struct stream_frame *frame);

/* Reads the next line. 1; 0 at the end of the file; -EBADMSG: another line; or -errno. */
int stream_frame_read(FILE *file, struct stream_frame *frame);

#endif
