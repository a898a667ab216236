// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Streams from disk, of either byte order. A packet is checked as a whole before use. Damaged
 * bytes are reported, and the caller can search for the next packet behind them.
 */
#include "config.h"

#include <byteswap.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libdeflate.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/deflate_setup.h"
#include "capture/byteorder.h"
#include "capture/packed.h"
#include "capture/reader.h"
#include "capture/unpacker.h"

#define SCAN_BYTES 65536

int stream_open(struct stream *stream, const char *path)
{
	/* O_NONBLOCK: open() of a pipe would wait for its writer */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0) {
		memset(stream, 0, sizeof(*stream));
		stream->fd = -1;
		return -errno;
	}
	return stream_open_fd(stream, fd, path);
}

int stream_open_fd(struct stream *stream, int fd, const char *path)
{
	struct stat stat;
	int err = 0;

	memset(stream, 0, sizeof(*stream));
	deflate_setup();
	stream->fd = fd;
	if (fstat(stream->fd, &stat))
		err = -errno;
	else if (S_ISDIR(stat.st_mode))
		err = -EISDIR;
	else if (!S_ISREG(stat.st_mode))
		err = -EINVAL;
	if (!err) {
		stream->size = stat.st_size;
		stream->path = strdup(path);
		if (!stream->path)
			err = -ENOMEM;
	}
	if (err)
		stream_close(stream);
	return err;
}

static void free_packet(struct stream *stream)
{
	free(stream->buffer);
	unpacker_destroy(stream->unpacker);
	stream->unpacker = NULL;
	stream->buffer = NULL;
	stream->buffer_size = 0;
}

void stream_close(struct stream *stream)
{
	if (stream->fd >= 0)
		close(stream->fd);
	stream->fd = -1;
	free(stream->path);
	stream->path = NULL;
	free_packet(stream);
}

/* Can this version read such packets? */
static bool is_known_version(const struct packet_header *header)
{
	return header->version == PACKET_VERSION && header->codec < PACKET_CODEC_END;
}

__attribute__((format(printf, 2, 3))) static int stream_damaged(struct stream *stream,
								const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(stream->errmsg, sizeof(stream->errmsg), format, arguments);
	va_end(arguments);
	return -EBADMSG;
}

/* Reads size bytes, or fewer at the end of the file. Returns their number or -errno. */
static ssize_t read_at(const struct stream *stream, void *buffer, size_t size, uint64_t offset)
{
	size_t done = 0;

	while (done < size) {
		ssize_t bytes = pread(stream->fd, (char *)buffer + done, size - done,
				      (off_t)(offset + done));

		if (bytes < 0 && errno == EINTR)
			continue;
		if (bytes < 0)
			return -errno;
		if (!bytes)
			break;
		done += bytes;
	}
	return (ssize_t)done;
}

/* Content of an unknown codec may end at any bit; other lengths are the same in all versions. */
static bool has_right_lengths(const struct packet_header *header)
{
	uint64_t bytes = header->packet_bits / 8;

	return header->packet_bits % 64 == 0 && bytes >= sizeof(*header) &&
	       bytes <= PACKET_BYTES_MAX &&
	       (!is_known_version(header) ||
		(header->content_bits % 64 == 0 && header->content_bits <= header->packet_bits &&
		 header->content_bits / 8 >= sizeof(*header)));
}

/* Checks a header, in this machine's byte order. left: bytes of the file from it on. */
static int check_header(struct stream *stream, const struct packet_header *header, uint64_t left)
{
	uint64_t bytes = header->packet_bits / 8;

	if (!header->version)
		return stream_damaged(stream, "a packet of format version %u, which does not exist",
				      header->version);
	if (!has_right_lengths(header))
		return stream_damaged(stream,
				      "a packet of %" PRIu64 " bits with %" PRIu64 " of content",
				      header->packet_bits, header->content_bits);
	if (is_known_version(header) && header->time_last < header->time_first)
		return stream_damaged(stream, "a packet that ends before it begins");
	if (bytes > left)
		return stream_damaged(stream, "cut off: %" PRIu64 " bytes of %" PRIu64 " are there",
				      left, bytes);
	return 0;
}

static int reserve_buffer(struct stream *stream, size_t size)
{
	unsigned char *buffer;

	if (size <= stream->buffer_size)
		return 0;
	buffer = realloc(stream->buffer, size);
	if (!buffer)
		return -ENOMEM;
	stream->buffer = buffer;
	stream->buffer_size = size;
	return 0;
}

/* An intact packet of a later version or codec. */
static int refuse_packet(struct stream *stream, const struct packet_header *header)
{
	if (header->version != PACKET_VERSION)
		stream_damaged(stream, "a packet of format version %u, this program knows %u",
			       header->version, PACKET_VERSION);
	else
		stream_damaged(stream, "a packet of codec %u, this program knows those up to %u",
			       header->codec, PACKET_CODEC_END - 1);
	return -EPROTONOSUPPORT;
}

static int unpack_packet(struct stream *stream, struct packet *packet)
{
	size_t count = packet->header.records, size = 0;
	const struct kmt_record *records = NULL;
	int err = 0;

	if (!stream->unpacker)
		err = unpacker_create(&stream->unpacker);
	if (!err)
		err = unpacker_unpack(stream->unpacker, &packet->header, packet->body,
				      packet->body_size, packet->swap, &records, &size);
	if (err != -EBADMSG) {
		packet->records = (const unsigned char *)records;
		packet->size = size;
		return err;
	}
	/* the time to unpack counts, too */
	stream->wasted += packet->body_size;
	if (count <= PACKED_RECORDS_MAX)
		stream->wasted += count * PACKED_RECORD_BYTES;
	if (packet->header.codec == PACKET_PACKED_LONG)
		stream->wasted += size;
	return stream_damaged(stream, "a packed packet that does not unpack to its %zu records",
			      count);
}

/* Reads and checks the header at offset, and turns it into this machine's byte order. */
static int read_header(struct stream *stream, uint64_t offset, struct packet_header *header,
		       bool *swap)
{
	ssize_t got = read_at(stream, header, sizeof(*header), offset);

	if (got < 0)
		return (int)got;
	if (got >= 4 && header->magic != PACKET_MAGIC && bswap_32(header->magic) != PACKET_MAGIC)
		return stream_damaged(stream, "no packet begins here");
	if ((size_t)got < sizeof(*header))
		return stream_damaged(stream, "cut off: %zd bytes of a packet's header are there",
				      got);
	*swap = header->magic != PACKET_MAGIC;
	if (stream->swap_known && *swap != stream->swap)
		return stream_damaged(stream, "a packet in another byte order than the first");
	if (*swap)
		packet_header_swap(header);
	return check_header(stream, header, stream->size - offset);
}

/* Reads and checks the packet at offset. 0, -EBADMSG, -EPROTONOSUPPORT or another -errno. */
static int read_packet(struct stream *stream, uint64_t offset, struct packet *packet)
{
	struct packet_header *header = &packet->header;
	uint32_t crc;
	ssize_t got;
	size_t size;
	int err;

	err = read_header(stream, offset, header, &packet->swap);
	if (err)
		return err;

	size = header->packet_bits / 8;
	err = reserve_buffer(stream, size);
	if (err)
		return err;
	got = read_at(stream, stream->buffer, size, offset);
	if (got < 0)
		return (int)got;
	if ((size_t)got < size)
		return stream_damaged(stream, "cut off: %zd bytes of %zu are there", got, size);
	memset(stream->buffer + offsetof(struct packet_header, crc), 0, sizeof(header->crc));
	crc = libdeflate_crc32(0, stream->buffer, size);
	if (crc != header->crc) {
		stream->wasted += size;
		return stream_damaged(stream,
				      "a packet whose CRC-32 is %08" PRIx32 ", not %08" PRIx32, crc,
				      header->crc);
	}
	if (!is_known_version(header))
		return refuse_packet(stream, header);
	packet->offset = offset;
	packet->records = packet->body = stream->buffer + sizeof(*header);
	packet->size = packet->body_size = header->content_bits / 8 - sizeof(*header);
	return header->codec == PACKET_RAW ? 0 : unpack_packet(stream, packet);
}

int stream_peek(struct stream *stream, struct packet_header *header)
{
	bool swap;
	int err;

	if (stream->offset >= stream->size)
		return 0;
	err = read_header(stream, stream->offset, header, &swap);
	return err ? err : 1;
}

int stream_next(struct stream *stream, struct packet *packet)
{
	int err;

	if (stream->offset >= stream->size) {
		/* the other streams of the capture may last much longer */
		free_packet(stream);
		return 0;
	}
	err = read_packet(stream, stream->offset, packet);
	if (err)
		return err;
	stream->swap_known = true;
	stream->swap = packet->swap;
	stream->offset += packet->header.packet_bits / 8;
	return 1;
}

/* The offset of the first magic number, of either byte order, from start on; or size. */
static size_t find_magic(const unsigned char *bytes, size_t size, size_t start)
{
	static const unsigned char little[4] = { 0xc1, 0x1f, 0xfc, 0xc1 };
	static const unsigned char big[4] = { 0xc1, 0xfc, 0x1f, 0xc1 };
	const unsigned char *at;

	for (; start + 4 <= size; start = at - bytes + 1) {
		at = memchr(bytes + start, little[0], size - start - 3);
		if (!at)
			break;
		if (!memcmp(at, little, 4) || !memcmp(at, big, 4))
			return at - bytes;
	}
	return size;
}

int stream_resync(struct stream *stream)
{
	unsigned char scan[SCAN_BYTES];
	struct packet packet;
	uint64_t offset = stream->offset + 1, waste_max = (stream->size + PACKET_BYTES_MAX) * 4;
	ssize_t size;
	size_t at;
	int err;

	while (offset < stream->size && stream->wasted < waste_max) {
		size = read_at(stream, scan, sizeof(scan), offset);
		if (size < 0)
			return (int)size;
		for (at = find_magic(scan, size, 0);
		     at < (size_t)size && stream->wasted < waste_max;
		     at = find_magic(scan, size, at + 1)) {
			err = read_packet(stream, offset + at, &packet);
			if (!err || err == -EPROTONOSUPPORT) {
				stream->offset = offset + at;
				return 1;
			}
			if (err != -EBADMSG)
				return err;
			stream->wasted += sizeof(packet.header);
		}
		if (size < 4)
			break;
		/* a magic number may cross the end of the bytes */
		offset += size - 3;
	}
	stream->offset = stream->size;
	return 0;
}

void cursor_init(struct cursor *cursor, const struct packet *packet)
{
	cursor->at = packet->records;
	cursor->end = packet->records + packet->size;
	cursor->swap = packet->swap;
}

size_t cursor_offset(const struct cursor *cursor, const struct packet *packet)
{
	return cursor->at - packet->records;
}
