// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Numbers that are made as records come out of a BPF ring buffer: every event has one of its own,
 * in the order of the ring, and what was lost has the numbers between.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <bpf/libbpf.h>

#include "tests/unit/scratch.h"
#include "capture/reader.h"
#include "tracer/drain.h"
#include "tracer/machine.h"

/* In place of libbpf: a ring of a few records, and what happens while it is emptied. */
static struct {
	struct kmt_record queue[64];
	size_t count;
	ring_buffer_sample_fn take;
	void *context;
} ring;

struct ring_buffer *ring_buffer__new(int fd, ring_buffer_sample_fn take, void *context,
				     const struct ring_buffer_opts *options)
{
	(void)fd, (void)options;
	ring.take = take;
	ring.context = context;
	return (struct ring_buffer *)&ring;
}

void ring_buffer__free(struct ring_buffer *buffer)
{
	(void)buffer;
}

int ring_buffer__consume(struct ring_buffer *buffer)
{
	int count = (int)ring.count;

	(void)buffer;
	for (size_t i = 0; i < ring.count; i++)
		ring.take(ring.context, &ring.queue[i], sizeof(ring.queue[i]));
	ring.count = 0;
	return count;
}

static struct kmt_control control;
static struct status status;
static struct drain drain;
static char *folder, *path;

/* Takes its room; the stamp, that it reads a moment later, is given to put_stamp(). */
static struct kmt_record *reserve(void)
{
	struct kmt_record *record = &ring.queue[ring.count++];

	control.sequence++;
	*record = (struct kmt_record){ .id = KMT_KFREE,
				       .words = KMT_RECORD_WORDS,
				       .node = KMT_NODE_ANY,
				       .time = machine_now() };
	return record;
}

static void put_stamp(struct kmt_record *record)
{
	record->sequence = (uint32_t)control.lost;
}

static void record(size_t count)
{
	while (count--)
		put_stamp(reserve());
}

static void lose(uint64_t count)
{
	control.sequence += count;
	control.lost += count;
}

static int start(void **state)
{
	static const uint8_t uuid[16] = { 1 };

	(void)state;
	memset(&ring, 0, sizeof(ring));
	memset(&control, 0, sizeof(control));
	drain = (struct drain){ .control = &control, .status = &status };
	folder = scratch_directory();
	path = scratch_path(folder, "cpu0");
	return drain_open(&drain, path, uuid, 0, machine_now(), 3);
}

static int stop(void **state)
{
	(void)state;
	drain_close(&drain);
	free(path);
	scratch_remove(folder);
	return 0;
}

static void run(size_t count)
{
	assert_int_equal(drain_run(&drain), count);
}

/* The records on disk have these numbers, and so many are lost. */
static void assert_stream(const uint32_t *numbers, size_t count, uint64_t lost)
{
	struct kmt_record found;
	struct stream stream;
	struct packet packet;
	struct cursor cursor;
	size_t at = 0;

	assert_int_equal(drain_rest(&drain, 0), 0);
	assert_int_equal(drain_finish(&drain, machine_now(), 0), 0);
	assert_int_equal(loss_missing(&drain.writer.loss), lost);
	assert_int_equal(drain.writer.loss.records + lost, control.sequence);
	assert_int_equal(stream_open(&stream, path), 0);
	while (stream_next(&stream, &packet) == 1) {
		cursor_init(&cursor, &packet);
		while (cursor_next(&cursor, &found) == 1) {
			assert_true(at < count);
			assert_int_equal(found.sequence, numbers[at++]);
		}
	}
	stream_close(&stream);
	assert_int_equal(at, count);
}

static void in_order(void **state)
{
	static const uint32_t numbers[] = { 0, 1, 2, 5, 6, 8 };

	(void)state;
	record(3);
	lose(2);
	record(1);
	run(4);
	record(1);
	lose(1);
	record(1);
	lose(4);
	run(2);
	assert_stream(numbers, 6, 7);
}

/* An interrupt between room and stamp takes its room later, and knows of less. */
static void interrupted(void **state)
{
	static const uint32_t numbers[] = { 0, 3, 4, 5, 6 };
	struct kmt_record *outer;

	(void)state;
	record(1);
	outer = reserve();
	record(2);
	lose(2);
	put_stamp(outer);
	record(1);
	run(5);
	assert_stream(numbers, 5, 2);
}

/* What is still being recorded has its number, and no other gets it. */
static void under_way(void **state)
{
	static const uint32_t numbers[] = { 0, 1, 2, 3 };

	(void)state;
	record(2);
	control.sequence++; /* has no room yet */
	run(2);
	control.sequence--;
	record(2);
	run(2);
	assert_stream(numbers, 4, 0);
}

/* More than a stamp can tell, as long as there is a quiet moment in between. */
static void lost_without_end(void **state)
{
	const uint64_t much = 0x180000001;
	const uint32_t numbers[] = { 0, (uint32_t)(much + 1), (uint32_t)(much + 2) };

	(void)state;
	record(1);
	run(1);
	lose(much);
	run(0);
	record(2);
	run(2);
	assert_stream(numbers, 3, much);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(in_order, start, stop),
		cmocka_unit_test_setup_teardown(interrupted, start, stop),
		cmocka_unit_test_setup_teardown(under_way, start, stop),
		cmocka_unit_test_setup_teardown(lost_without_end, start, stop),
	};

	return cmocka_run_group_tests_name("drain", tests, NULL, NULL);
}
