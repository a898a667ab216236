// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Copies those records of a piece's streams that the next piece needs. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analysis/checkpoint_parts.h"
#include "base/cleanup.h"
#include "capture/capture.h"
#include "capture/packer.h"
#include "capture/reader.h"
#include "capture/writer.h"
#include "kernel/record_kinds.h"

#define STACKS 16 /* a few records of interrupts may come between a stack and its allocation */

struct copy {
	struct checkpoint *checkpoint;
	struct writer writer;
	struct kmt_long_record stacks[STACKS]; /* the last ones, a ring */
	size_t stack_count;
	unsigned int cpu;
	uint64_t sequence_end; /* of the last packet of the piece's own stream */
	bool has_stream;       /* it has one, with a whole packet */
	bool of_checkpoint;    /* the file that is read is of the checkpoint of the piece */
};

static bool is_one_of(const struct kmt_record *record, uint64_t kinds)
{
	return record_kind_is_known(record->id) && record_kind_is_one_of(record->id, kinds);
}

static void keep_stack(struct copy *copy, const struct kmt_record *record)
{
	struct kmt_long_record *stack = &copy->stacks[copy->stack_count++ % STACKS];
	size_t size = (size_t)record->words * KMT_WORD;

	memcpy(stack, record, size < sizeof(*stack) ? size : sizeof(*stack));
}

/* Writes the stack of the allocation, if it was sampled. */
static int put_stack(struct copy *copy, const struct kmt_record *record)
{
	for (size_t i = 0; i < STACKS && i < copy->stack_count; i++) {
		const struct kmt_record *stack = &copy->stacks[i].head;

		if (stack->sequence + 1 == record->sequence && stack->pointer == record->pointer)
			return writer_put(&copy->writer, stack);
	}
	return 0;
}

/* The live object that this record allocated or, in place, resized; or NULL. */
static const struct slab_object *find_object(const struct copy *copy,
					     const struct kmt_record *record)
{
	const struct slab_object *object =
		object_table_find(&copy->checkpoint->analysis->objects, record->pointer);

	if (!checkpoint_is_live(object))
		return NULL;
	if (is_one_of(record, RECORD_KINDS_WITH(RECORD_RESIZE)))
		return record->time >= object->time ? object : NULL;
	return object->time == record->time && object->cpu == copy->cpu ? object : NULL;
}

static int copy_record(struct copy *copy, const struct kmt_record *record)
{
	struct checkpoint *checkpoint = copy->checkpoint;
	bool is_late = record->time >= checkpoint->begin;
	int err;

	if (is_late)
		return writer_put(&copy->writer, record);
	if (!copy->of_checkpoint || record->time >= checkpoint->capture->checkpoint.begin)
		checkpoint->state.events++;
	if (is_one_of(record, RECORD_KINDS_WITH(RECORD_STACK)))
		keep_stack(copy, record);
	if (!is_one_of(record,
		       RECORD_KINDS_WITH(RECORD_ALLOCATION) | RECORD_KINDS_WITH(RECORD_RESIZE)) ||
	    !find_object(copy, record))
		return 0;
	checkpoint->state.objects += is_one_of(record, RECORD_KINDS_WITH(RECORD_ALLOCATION));
	err = put_stack(copy, record);
	return err ? err : writer_put(&copy->writer, record);
}

static int copy_packet(struct copy *copy, const struct packet *packet)
{
	struct kmt_long_record space;
	const struct kmt_record *record;
	struct cursor cursor;
	int err = 0;

	cursor_init(&cursor, packet);
	while (!err && cursor_find(&cursor, &space, &record) > 0)
		err = copy_record(copy, record);
	return err ? err : writer_release(&copy->writer);
}

/* Damaged packets are skipped, as the analysis does. */
static int copy_file(struct copy *copy, const char *path)
{
	struct stream stream;
	struct packet packet;
	int got = stream_open(&stream, path), err = 0;

	if (got == -ENOENT)
		return 0;
	while (!got && !err) {
		int more = stream_next(&stream, &packet);

		if (more == 1 && !copy->of_checkpoint) {
			copy->sequence_end = packet.header.sequence_end;
			copy->has_stream = true;
		}
		if (more == 1)
			err = copy_packet(copy, &packet);
		else if (more != -EBADMSG)
			got = more ? more : 1;
		else
			got = stream_resync(&stream) == 1 ? 0 : 1;
	}
	stream_close(&stream);
	return err ? err : got < 0 ? got : 0;
}

static int copy_stream(struct checkpoint *checkpoint, struct packer *packer, unsigned int cpu)
{
	const struct capture *capture = checkpoint->capture;
	struct copy copy = { .checkpoint = checkpoint, .cpu = cpu };
	char name[32];
	int err, fd;

	snprintf(name, sizeof(name), "cpu%u", cpu);
	fd = checkpoint_create(checkpoint, name);
	if (fd < 0)
		return fd;
	err = writer_open(&copy.writer, fd, name, capture->metadata.uuid, cpu, 0);
	if (err)
		return error_set_at(checkpoint->error, err, name);
	copy.writer.is_unnumbered = true;
	writer_pack(&copy.writer, packer);
	for (size_t i = 0; i < capture->parts.count && !err; i++) {
		__attribute__((cleanup(free_text))) char *path =
			capture_stream_path(&capture->parts.list[i], cpu);

		copy.of_checkpoint = capture->parts.list[i].is_checkpoint;
		err = path ? copy_file(&copy, path) : -ENOMEM;
	}
	if (!err && copy.has_stream)
		err = checkpoint_state_add_number(&checkpoint->state, cpu, copy.sequence_end);
	if (!err)
		err = writer_flush(&copy.writer, 0, 0, false);
	writer_close(&copy.writer);
	return err ? error_set_at(checkpoint->error, err, name) : 0;
}

int checkpoint_write_streams(struct checkpoint *checkpoint)
{
	const struct capture *capture = checkpoint->capture;
	struct packer *packer;
	int err = packer_create(&packer);

	if (err)
		return error_set_at(checkpoint->error, err, "the packer");
	for (size_t i = 0; i < capture->stream_count && !err; i++)
		err = copy_stream(checkpoint, packer, capture->streams[i].cpu);
	packer_destroy(packer);
	return err;
}
