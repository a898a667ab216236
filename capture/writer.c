// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * One CPU's stream on its way to disk: records are held until their order in time is certain, and
 * collected in packets. A packet is written as a whole or not at all.
 */
#include "config.h"

#include <errno.h>
#include <libdeflate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/deflate_setup.h"
#include "base/number.h"
#include "capture/writer.h"

/* Mostly a few are held. A clock that steps back makes many: then clamp their times instead. */
#define HELD_MAX 65536

static int fail_writer(struct writer *writer, int err)
{
	snprintf(writer->errmsg, sizeof(writer->errmsg), "%s: %s",
		 writer->path ? writer->path : "stream", strerror(-err));
	return err;
}

static struct kmt_record *packet_records(const struct writer *writer)
{
	return (struct kmt_record *)(writer->packet + sizeof(struct packet_header));
}

static size_t record_size(const struct kmt_record *record)
{
	return (size_t)record->words * KMT_WORD;
}

/* Makes the records of a packet that was not written lost, each run of sequence numbers at once. */
static int forget_packet(struct writer *writer)
{
	struct packet_header *header = &writer->header;
	const struct kmt_record *record = packet_records(writer);
	uint32_t numbers[PACKET_RECORDS_MAX];
	size_t count = header->records;
	struct loss_span span = { .after = header->time_first, .before = header->time_last };
	int err;

	for (size_t i = 0; i < count; i++) {
		numbers[i] = record->sequence - (uint32_t)header->sequence_first;
		record = (const void *)((const char *)record + record_size(record));
	}
	qsort(numbers, count, sizeof(*numbers), compare_u32);
	header->records = 0;
	writer->packet_size = 0;
	writer->held_count = writer->held_more_count = 0;
	writer->time_last = writer->packet_end;
	for (size_t i = 0; i < count; i++) {
		span.first = header->sequence_first + numbers[i];
		while (i + 1 < count && numbers[i + 1] == numbers[i] + 1)
			i++;
		span.last = header->sequence_first + numbers[i];
		err = loss_drop_span(&writer->loss, &span);
		if (err)
			return err;
	}
	return 0;
}

static int write_packet(struct writer *writer, const unsigned char *packet, size_t size)
{
	size_t done = 0;

	if (writer->fd < 0)
		return 0;
	while (done < size) {
		ssize_t bytes = pwrite(writer->fd, packet + done, size - done,
				       (off_t)(writer->size + done));

		if (bytes < 0 && errno == EINTR)
			continue;
		if (bytes <= 0)
			return bytes < 0 ? -errno : -EIO;
		done += bytes;
	}
	return 0;
}

static void cut_back(const struct writer *writer)
{
	if (ftruncate(writer->fd, (off_t)writer->size)) {
		/* Readers skip the incomplete packet. */
	}
}

/* Writes the empty packet that a stream begins with. */
static int write_first_packet(struct writer *writer)
{
	struct packet_header header = writer->header;
	int err;

	header.records = 0;
	header.time_first = header.time_last = writer->first_time;
	header.sequence_first = header.sequence_end = writer->first_sequence;
	header.lost = header.skipped = header.number = 0;
	header.codec = PACKET_RAW;
	header.content_bits = header.packet_bits = sizeof(header) * 8;
	header.crc = 0;
	header.crc = writer->fd >= 0 ? libdeflate_crc32(0, &header, sizeof(header)) : 0;
	err = write_packet(writer, (const unsigned char *)&header, sizeof(header));
	if (err) {
		cut_back(writer);
		writer->error = err;
		return fail_writer(writer, err);
	}
	writer->size = sizeof(header);
	writer->header.number = 1;
	return 0;
}

/* The packet's bytes on disk; the caller fills in its header, whose codec is set. */
static unsigned char *encode_packet(struct writer *writer, size_t *size)
{
	struct packet_header *header = &writer->header;
	struct packed_packet packed;

	if (writer->packer && packer_pack(writer->packer, packet_records(writer),
					  writer->packet_size, header->records, false, &packed)) {
		header->codec = packed.codec;
		*size = packed.size;
		return packed.bytes;
	}
	header->codec = PACKET_RAW;
	*size = sizeof(*header) + writer->packet_size;
	return writer->packet;
}

static int close_packet(struct writer *writer)
{
	struct packet_header *header = &writer->header;
	unsigned char *packet;
	int err, forget_err;
	size_t size;

	if (!header->records) {
		header->time_first = writer->packet_end;
		header->sequence_first = writer->loss.next;
	}
	header->time_last = writer->time_last;
	header->sequence_end = writer->loss.next;
	header->lost = writer->loss.confirmed;
	packet = encode_packet(writer, &size);
	header->content_bits = header->packet_bits = (uint64_t)size * 8;
	header->crc = 0;
	memcpy(packet, header, sizeof(*header));
	header->crc = writer->fd >= 0 ? libdeflate_crc32(0, packet, size) : 0;
	memcpy(packet, header, sizeof(*header));
	err = write_packet(writer, packet, size);
	if (err) {
		cut_back(writer);
		writer->error = err;
		forget_err = forget_packet(writer);
		return fail_writer(writer, forget_err ? forget_err : err);
	}
	if (header->records && writer->sink.take)
		writer->packet = writer->sink.take(writer->sink.data, header, writer->packet,
						   writer->packet_size);
	writer->size += size;
	writer->packet_end = writer->time_last;
	header->number++;
	header->records = 0;
	writer->packet_size = 0;
	return 0;
}

static int append_record(struct writer *writer, const struct kmt_record *record,
			 const uint64_t *more)
{
	const size_t head_size = sizeof(*record), size = record_size(record);
	struct packet_header *header = &writer->header;
	struct kmt_record *copy;
	uint64_t sequence = 0, delay;
	int err;

	if (writer->packet_size + size > PACKET_RECORDS_BYTES_MAX) {
		err = close_packet(writer);
		if (err)
			return err;
	}
	delay = record->time < writer->time_last ? writer->time_last - record->time : 0;
	if (!writer->is_unnumbered) {
		sequence = loss_widen(&writer->loss, record->sequence);
		err = loss_record(&writer->loss, sequence, record->time + delay);
		if (err)
			return err == -EEXIST ? 0 : fail_writer(writer, err);
	}
	copy = (void *)((char *)packet_records(writer) + writer->packet_size);
	*copy = *record;
	if (size > head_size)
		memcpy(copy + 1, more, size - head_size);
	copy->time += delay;
	if (delay) {
		writer->clamped++;
		if (delay > writer->clamped_max)
			writer->clamped_max = delay;
	}
	writer->time_last = copy->time;
	if (!header->records)
		header->time_first = copy->time;
	if (!header->records || sequence < header->sequence_first)
		header->sequence_first = sequence;
	header->records++;
	writer->packet_size += size;
	if (writer->packet_size + head_size > PACKET_RECORDS_BYTES_MAX)
		return close_packet(writer);
	return 0;
}

/* Writes out the held records that are not later than time; the earliest is last in held. */
static int release_until(struct writer *writer, uint64_t time)
{
	int err;

	while (writer->held_count && writer->held[writer->held_count - 1].time <= time) {
		const struct kmt_record *record = &writer->held[--writer->held_count];
		const uint64_t *more = NULL;

		if (record->words > KMT_RECORD_WORDS) {
			writer->held_more_count -= record->words - KMT_RECORD_WORDS;
			more = writer->held_more + writer->held_more_count;
		}
		err = append_record(writer, record, more);
		if (err)
			return err;
	}
	return 0;
}

/* The array with room for count items; or NULL: no memory, and the array stays as it is. */
static void *reserve_items(void *array, size_t *space, size_t count, size_t size)
{
	size_t grown = *space ? *space : 16;

	if (count <= *space)
		return array;
	while (grown < count)
		grown *= 2;
	array = reallocarray(array, grown, size);
	if (array)
		*space = grown;
	return array;
}

/* Holds the further words of a long record. */
static int hold_more(struct writer *writer, const struct kmt_record *record)
{
	size_t count = record->words - KMT_RECORD_WORDS;
	uint64_t *more = reserve_items(writer->held_more, &writer->held_more_space,
				       writer->held_more_count + count, sizeof(*more));

	if (!more)
		return fail_writer(writer, -ENOMEM);
	writer->held_more = more;
	memcpy(writer->held_more + writer->held_more_count, record + 1, count * KMT_WORD);
	writer->held_more_count += count;
	return 0;
}

int writer_put(struct writer *writer, const struct kmt_record *record)
{
	struct kmt_record *held;
	int err;

	if (writer->error)
		return writer->error;
	err = release_until(writer, writer->held_count < HELD_MAX ? record->time : UINT64_MAX);
	if (err)
		return err;
	held = reserve_items(writer->held, &writer->held_space, writer->held_count + 1,
			     sizeof(*held));
	if (!held)
		return fail_writer(writer, -ENOMEM);
	writer->held = held;
	if (record->words > KMT_RECORD_WORDS) {
		err = hold_more(writer, record);
		if (err)
			return err;
	}
	/* All records that are still held are later than this one. */
	held = &writer->held[writer->held_count++];
	*held = *record;
	if (held->words < KMT_RECORD_WORDS)
		held->words = KMT_RECORD_WORDS;
	return 0;
}

int writer_release(struct writer *writer)
{
	return writer->error ? writer->error : release_until(writer, UINT64_MAX);
}

int writer_confirm_losses(struct writer *writer, uint64_t sequence, uint64_t time)
{
	int err;

	/* Held records are not lost, but the loss tracker does not know them yet. */
	for (size_t i = 0; i < writer->held_count; i++) {
		uint64_t held = loss_widen(&writer->loss, writer->held[i].sequence);

		if (held < sequence)
			sequence = held;
	}
	err = loss_confirm(&writer->loss, sequence, time);
	return err ? fail_writer(writer, err) : 0;
}

int writer_flush(struct writer *writer, uint64_t time, uint64_t skipped, bool force)
{
	writer->header.skipped = skipped;
	if (writer->error)
		return writer->error;
	if (!writer->header.records && !force)
		return 0;
	if (!writer->header.number) {
		int err = write_first_packet(writer);

		if (err)
			return err;
	}
	if (writer->held_count && writer->held[writer->held_count - 1].time < time)
		time = writer->held[writer->held_count - 1].time;
	if (time > writer->time_last)
		writer->time_last = time;
	return close_packet(writer);
}

void writer_pack(struct writer *writer, struct packer *packer)
{
	writer->packer = packer;
}

uint64_t writer_watermark(struct writer *writer, uint64_t time)
{
	if (time > writer->time_last)
		writer->time_last = time;
	return writer->time_last;
}

void writer_retry(struct writer *writer)
{
	writer->error = 0;
	writer->errmsg[0] = '\0';
}

int writer_open(struct writer *writer, int fd, const char *path, const uint8_t uuid[16],
		uint32_t cpu, uint64_t begin)
{
	int err = -ENOMEM;

	memset(writer, 0, sizeof(*writer));
	writer->fd = fd;
	deflate_setup();
	loss_init(&writer->loss, begin);
	writer->header = (struct packet_header){
		.magic = PACKET_MAGIC, .cpu = cpu, .codec = PACKET_RAW, .version = PACKET_VERSION
	};
	memcpy(writer->header.uuid, uuid, sizeof(writer->header.uuid));
	writer->time_last = writer->packet_end = writer->first_time = begin;
	writer->path = strdup(path);
	writer->packet = malloc(WRITER_PACKET_BYTES);
	if (!writer->path || !writer->packet)
		goto failed;
	err = write_first_packet(writer);
	if (err)
		goto failed;
	return 0;

failed:
	fail_writer(writer, err);
	writer_close(writer);
	return err;
}

void writer_close(struct writer *writer)
{
	if (writer->fd >= 0)
		close(writer->fd);
	writer->fd = -1;
	free(writer->path);
	free(writer->packet);
	free(writer->held);
	free(writer->held_more);
	writer->path = NULL;
	writer->packet = NULL;
	writer->held = NULL;
	writer->held_more = NULL;
	writer->held_count = writer->held_space = 0;
	writer->held_more_count = writer->held_more_space = 0;
	loss_deinit(&writer->loss);
}

int writer_switch(struct writer *writer, int fd, const char *path, uint64_t time, uint64_t skipped,
		  struct writer_ended *ended)
{
	char *copy = strdup(path);
	int err = copy ? writer_flush(writer, time, skipped, true) : fail_writer(writer, -ENOMEM);

	if (err) {
		free(copy);
		if (fd >= 0)
			close(fd);
		return err;
	}
	*ended = (struct writer_ended){ writer->loss, writer->size, writer->clamped,
					writer->clamped_max };
	if (writer->fd >= 0)
		close(writer->fd);
	free(writer->path);
	writer->fd = fd;
	writer->path = copy;
	writer->size = writer->clamped = writer->clamped_max = 0;
	writer->header.number = writer->header.skipped = 0;
	writer->first_time = writer->packet_end = writer->time_last;
	writer->first_sequence = ended->loss.next;
	loss_init(&writer->loss, writer->first_time);
	writer->loss.next = writer->first_sequence;
	return write_first_packet(writer);
}

int writer_rename(struct writer *writer, const char *path)
{
	char *copy = strdup(path);

	if (!copy)
		return -ENOMEM;
	free(writer->path);
	writer->path = copy;
	return 0;
}
