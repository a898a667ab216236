/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads one stream, packet by packet. A stream is untrusted: the caller gets a packet only if its
 * header, lengths and CRC are valid, and a cursor checks the size of each record.
 */
#ifndef CAPTURE_READER_H
#define CAPTURE_READER_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/byteorder.h"
#include "capture/format.h"

struct packet {
	struct packet_header header;  /* in this machine's byte order */
	uint64_t offset;	      /* of the packet in the file, bytes */
	const unsigned char *records; /* aligned to 8; in the capture's byte order */
	size_t size;		      /* bytes of records */
	const unsigned char *body;    /* the records as on disk: packed, if the codec is */
	size_t body_size;
	bool swap; /* the capture's byte order is not this machine's */
};

struct unpacker;

struct stream {
	int fd;
	char *path;
	uint64_t offset;       /* of the next packet */
	uint64_t size;	       /* of the file when it was opened */
	bool swap_known, swap; /* set by the first packet */
	unsigned char *buffer;
	size_t buffer_size;
	struct unpacker *unpacker; /* created with the first packed packet */
	uint64_t wasted;	   /* bytes read and unpacked that turned out to be damaged */
	char errmsg[200];	   /* after -EBADMSG or -EPROTONOSUPPORT: the reason */
};

/* 0 or -errno. -EISDIR: a folder; -EINVAL: another file that is not regular. */
int stream_open(struct stream *stream, const char *path);

/* The same for an open file, which the stream closes, now if it fails. path: for messages. */
int stream_open_fd(struct stream *stream, int fd, const char *path);
void stream_close(struct stream *stream);

/*
 * The next packet, valid until the next call. 1; 0 at the end; -EBADMSG: the bytes at
 * stream->offset are damaged; -EPROTONOSUPPORT: they are an intact packet of an unknown version or
 * codec; or another -errno. -EBADMSG and -EPROTONOSUPPORT set stream->errmsg.
 */
int stream_next(struct stream *stream, struct packet *packet);

/*
 * The header of the packet at stream->offset, which stays there; the rest of the packet is neither
 * read nor checked. Results as of stream_next(), but for damage of the rest.
 */
int stream_peek(struct stream *stream, struct packet_header *header);

/* Skips the packet that stream_peek() has found. */
static inline void stream_skip(struct stream *stream, const struct packet_header *header)
{
	stream->offset += header->packet_bits / 8;
}

/*
 * After -EBADMSG: searches for the next intact packet behind stream->offset, of any version and
 * codec. 1: offset is that of the packet; 0: no packet follows, offset is the end; or -errno. The
 * time is at most in proportion to the file: the search gives up in a file full of false packets.
 */
int stream_resync(struct stream *stream);

struct cursor {
	const unsigned char *at, *end;
	bool swap;
};

void cursor_init(struct cursor *cursor, const struct packet *packet);

/*
 * The next record with all its words, in this machine's byte order. It lies in the packet, or in
 * space if its byte order is swapped. 1; 0 at the end; -EBADMSG: the record's size is impossible.
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

/* The cursor's offset from the packet's first record, in bytes. */
size_t cursor_offset(const struct cursor *cursor, const struct packet *packet);

#endif
