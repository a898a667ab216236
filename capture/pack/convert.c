// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Packs or unpacks a stream packet by packet. Every packed packet is unpacked again and compared,
 * so unpacking restores every byte of the original.
 */
#include "config.h"

#include <byteswap.h>
#include <errno.h>
#include <inttypes.h>
#include <libdeflate.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "capture/pack/anonymize_records.h"
#include "capture/pack/convert.h"
#include "capture/packer.h"
#include "capture/reader.h"
#include "capture/unpacker.h"
#include "cli/progress.h"
#include "cli/stop.h"

int convert_init(struct convert *convert, bool unpack)
{
	memset(convert, 0, sizeof(*convert));
	convert->unpack = unpack;
	if (packer_create(&convert->packer) || unpacker_create(&convert->unpacker)) {
		convert_deinit(convert);
		return error_set(&convert->error, -ENOMEM, strerror(ENOMEM));
	}
	return 0;
}

void convert_deinit(struct convert *convert)
{
	packer_destroy(convert->packer);
	unpacker_destroy(convert->unpacker);
	convert->packer = NULL;
	convert->unpacker = NULL;
}

struct convert_output {
	struct convert *convert;
	const char *name;
	int fd;
	uint64_t size;
};

static int write_output(struct convert_output *output, const void *bytes, size_t size)
{
	int err = write_all(output->fd, bytes, size);

	output->size += size;
	return err ? error_set_at(&output->convert->error, err, output->name) : 0;
}

static int copy_bytes(struct convert_output *output, const struct stream *stream, uint64_t from,
		      uint64_t to)
{
	char bytes[65536];
	int err = 0;

	while (!err && from < to) {
		size_t size = to - from < sizeof(bytes) ? (size_t)(to - from) : sizeof(bytes);
		ssize_t got = pread(stream->fd, bytes, size, (off_t)from);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return error_format(&output->convert->error, got ? -errno : -EIO, "%s: %s",
					    stream->path,
					    got ? strerror(errno)
						: "the file was truncated while it was read");
		err = write_output(output, bytes, (size_t)got);
		from += (uint64_t)got;
	}
	return err;
}

/* Writes the packet with its records in another codec. The byte order stays. */
static int write_packet(struct convert_output *output, const struct packet *packet,
			enum packet_codec codec, const void *body, size_t size)
{
	struct packet_header header = packet->header;
	uint32_t crc;
	int err;

	header.codec = codec;
	header.content_bits = header.packet_bits = (uint64_t)(sizeof(header) + size) * 8;
	header.crc = 0;
	if (packet->swap)
		packet_header_swap(&header);
	crc = libdeflate_crc32(0, &header, sizeof(header));
	crc = libdeflate_crc32(crc, body, size);
	header.crc = packet->swap ? bswap_32(crc) : crc;
	output->convert->changed++;
	err = write_output(output, &header, sizeof(header));
	return err ? err : write_output(output, body, size);
}

/* Unpacking restores a packet from its header and records, so it must not have other bytes. */
static bool is_packable(const struct packet *packet)
{
	const struct packet_header *header = &packet->header;

	return header->codec == PACKET_RAW && header->content_bits == header->packet_bits;
}

/* 1; 0: the packet must be copied; or -errno. */
static int pack_packet(struct convert_output *output, const struct packet *packet)
{
	struct convert *convert = output->convert;
	const size_t head = sizeof(struct packet_header);
	struct packet_header header = packet->header;
	const struct kmt_record *records;
	struct packed_packet packed;
	size_t size = 0;
	int err;

	if (!is_packable(packet))
		return 0;
	if (!packer_pack(convert->packer, packet->records, packet->size, header.records,
			 packet->swap, &packed))
		return 0;
	header.codec = packed.codec;
	err = unpacker_unpack(convert->unpacker, &header, packed.bytes + head, packed.size - head,
			      packet->swap, &records, &size);
	if (err == -ENOMEM)
		return error_set(&convert->error, err, strerror(ENOMEM));
	if (err || size != packet->size || memcmp(records, packet->records, size) != 0)
		return error_format(
			&convert->error, -EIO,
			"%s: a packed packet did not unpack to the original: the stream is unchanged; please report this bug",
			output->name);
	err = write_packet(output, packet, packed.codec, packed.bytes + head, packed.size - head);
	return err ? err : 1;
}

/* 1; 0: the packet must be copied; or -errno. */
static int unpack_packet(struct convert_output *output, const struct packet *packet)
{
	int err;

	if (packet->header.codec == PACKET_RAW)
		return 0;
	err = write_packet(output, packet, PACKET_RAW, packet->records, packet->size);
	return err ? err : 1;
}

/* Writes the packet with substitutes for its addresses. -EBADMSG: its records are damaged. */
static int write_anonymized(struct convert_output *output, const struct packet *packet)
{
	struct convert *convert = output->convert;
	struct packet copy;
	int err = anonymize_packet(convert->anonymized, packet, &copy), done;

	if (err == -EBADMSG)
		return err;
	if (err)
		return error_format(&convert->error, err, "%s: %s", output->name,
				    anonymize_error_text(err));
	convert->records += packet->header.records;
	done = convert->unpack ? 0 : pack_packet(output, &copy);
	if (done)
		return done < 0 ? done : 0;
	return write_packet(output, &copy, PACKET_RAW, copy.records, copy.size);
}

static int convert_packet(struct convert_output *output, const struct stream *stream,
			  const struct packet *packet)
{
	struct convert *convert = output->convert;
	int done = convert->unpack ? unpack_packet(output, packet) : pack_packet(output, packet);

	convert->records += packet->header.records;
	if (done)
		return done < 0 ? done : 0;
	return copy_bytes(output, stream, packet->offset, stream->offset);
}

/* Bytes that are not packets may hold addresses. */
static int convert_damage(struct convert_output *output, const struct stream *stream, uint64_t from)
{
	output->convert->damaged_bytes += stream->offset - from;
	return output->convert->anonymized ? 0 : copy_bytes(output, stream, from, stream->offset);
}

static int convert_packets(struct convert_output *output, struct stream *stream)
{
	struct convert *convert = output->convert;
	struct packet packet;
	int more, err = 0;

	while (!err) {
		uint64_t offset = stream->offset;

		progress_line_bytes(convert->line, convert->bytes_before + offset, convert->bytes);
		if (stop_signal())
			return error_format(&convert->error, -EINTR, "interrupted");
		more = stream_next(stream, &packet);
		if (!more)
			break;
		if (more == -EBADMSG) {
			more = stream_resync(stream);
			err = more < 0 ? more : convert_damage(output, stream, offset);
		} else if (more == -EPROTONOSUPPORT) {
			err = error_format(&convert->error, more, "%s: byte %" PRIu64 ": %s",
					   stream->path, offset, stream->errmsg);
		} else if (more < 0) {
			err = more;
		} else if (convert->anonymized) {
			err = write_anonymized(output, &packet);
			if (err == -EBADMSG)
				err = convert_damage(output, stream, offset);
		} else {
			err = convert_packet(output, stream, &packet);
		}
		if (err)
			error_set_at(&convert->error, err, stream->path);
	}
	return err;
}

int convert_stream(struct convert *convert, int in, const char *path, int fd, const char *name)
{
	struct convert_output output = { .convert = convert, .name = name, .fd = fd };
	struct stream stream;
	int err;

	convert->error = (struct error){ 0 };
	err = stream_open_fd(&stream, in, path);
	if (err)
		return error_set_at(&convert->error, err, path);
	err = convert_packets(&output, &stream);
	if (!err && fsync(fd))
		err = error_set_at(&convert->error, -errno, name);
	convert->bytes_before += stream.size;
	convert->bytes_after += output.size;
	stream_close(&stream);
	return err;
}
