/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads one stream, packet by packet. Nothing in a stream is trusted: a packet is handed out
 * only when its header, lengths and CRC are right, and one cursor advances over its records.
 */
#ifndef CAPTURE_READER_H
#define CAPTURE_READER_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/format.h"

struct packet {
	struct packet_header header;  /* in this machine's byte order */
	uint64_t offset;	      /* of the packet in the file, bytes */
	const unsigned char *records; /* aligned to 8; in the capture's byte order */
	size_t size;		      /* bytes of records */
	const unsigned char *body; /* the same as it lies on disk: packed, if that is its codec */
	size_t body_size;
	bool swap; /* the capture's byte order is not this machine's */
};

struct unpacker;

/*
 * Turns the byte order of every field; of a record, without its further words, which
 * record_swap_more() copies with their byte order turned.
 */
void packet_header_swap(struct packet_header *header);
void record_swap(struct kmt_record *record);
void record_swap_more(uint64_t *copy, const uint64_t *more, size_t count);

struct stream {
	int fd;
	char *path;
	uint64_t offset;       /* where the next packet is looked for */
	uint64_t size;	       /* of the file when it was opened */
	bool swap_known, swap; /* set by the first packet */
	unsigned char *buffer;
	size_t buffer_size;
	struct unpacker *unpacker; /* made when it is needed */
	uint64_t wasted;	   /* bytes of what looked like a packet and was none */
	char errmsg[200];	   /* after -EBADMSG or -EPROTONOSUPPORT: what is at offset */
};

/* 0 or -errno (-EISDIR, -EINVAL for what is no regular file, …). */
int stream_open(struct stream *stream, const char *path);
void stream_close(struct stream *stream);

/*
 * The next packet, valid until the next call. 1; 0 at the end; -EBADMSG: the bytes at
 * stream->offset are no whole and right packet; -EPROTONOSUPPORT: they are one, of a version or
 * codec that is not known; or another -errno. Of these two stream->errmsg says why.
 */
int stream_next(struct stream *stream, struct packet *packet);

/*
 * After -EBADMSG: looks for the next whole, right packet behind stream->offset, of whatever
 * version and codec. 1 and offset stands on it; 0: there is none, offset stands at the end; or
 * -errno. Takes time in proportion to the file, whatever is in it: one full of false packets is
 * given up.
 */
int stream_resync(struct stream *stream);

struct cursor {
	const unsigned char *at, *end;
	bool swap;
};

void cursor_init(struct cursor *cursor, const struct packet *packet);

/*
 * The next record with all its words, in this machine's byte order. It lies in the packet, or in
 * space if its byte order is turned. 1; 0 at the end; -EBADMSG: the record's size is impossible.
 */
static inline int cursor_find(struct cursor *cursor, struct kmt_long_record *space,
			      const struct kmt_record **record)
{
	const struct kmt_record *raw = (const struct kmt_record *)(const void *)cursor->at;
	size_t left = cursor->end - cursor->at;
	size_t size;

	if (!left)
		return 0;
	if (left < sizeof(*raw))
		return -EBADMSG;
	size = (size_t)raw->words * KMT_WORD;
	if (size < sizeof(*raw) || size > left)
		return -EBADMSG;
	*record = raw;
	if (cursor->swap) {
		space->head = *raw;
		record_swap(&space->head);
		if (raw->words > KMT_RECORD_WORDS)
			record_swap_more(space->more, (const uint64_t *)(raw + 1),
					 raw->words - KMT_RECORD_WORDS);
		*record = &space->head;
	}
	cursor->at += size;
	return 1;
}

/* The same, but copies the record, without the further words of a long one. */
static inline int cursor_next(struct cursor *cursor, struct kmt_record *record)
{
	struct kmt_long_record space;
	const struct kmt_record *found;
	int got = cursor_find(cursor, &space, &found);

	if (got > 0)
		*record = *found;
	return got;
}

/* Where the cursor stands, in bytes from the packet's first record. */
size_t cursor_offset(const struct cursor *cursor, const struct packet *packet);

#endif
