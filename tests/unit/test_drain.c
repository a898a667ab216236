// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Moves records from a ring to a stream. In a BPF ring buffer, the drain numbers the events in the
 * order of the buffer, and skips a number for each lost event. In a mapped ring, a record takes one
 * or more slots.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/libbpf.h>

#include "tests/unit/unit.h"
#include "tests/unit/scratch.h"
#include "capture/reader.h"
#include "tracer/drain.h"
#include "tracer/load/machine.h"

/* Replaces libbpf's ring buffer: an array of a few records. */
static struct {
	struct kmt_long_record queue[64];
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
	for (size_t i = 0; i < ring.count; i++) {
		unsigned int words = ring.queue[i].head.words;

		/* a stack comes with its event */
		if (ring.queue[i].head.id == KMT_STACK)
			words += KMT_RECORD_WORDS;
		ring.take(ring.context, &ring.queue[i], (size_t)words * KMT_WORD);
	}
	ring.count = 0;
	return count;
}

static struct kmt_control control;
static struct status status;
static struct drain drain;
static char *folder, *path;

/* Reserves space for a record. put_lost_count() then stores the number of lost events in it. */
static struct kmt_record *reserve_record(void)
{
	struct kmt_record *record = &ring.queue[ring.count++].head;

	control.sequence++;
	*record = (struct kmt_record){ .id = KMT_KFREE,
				       .words = KMT_RECORD_WORDS,
				       .node = KMT_NODE_ANY,
				       .time = machine_now() };
	return record;
}

static void put_lost_count(struct kmt_record *record)
{
	record->sequence = (uint32_t)control.lost;
}

static void put_records(size_t count)
{
	while (count--)
		put_lost_count(reserve_record());
}

static void lose_events(uint64_t count)
{
	control.sequence += count;
	control.lost += count;
}

static int start_drain(void **state)
{
	static const uint8_t uuid[16] = { 1 };

	(void)state;
	memset(&ring, 0, sizeof(ring));
	memset(&control, 0, sizeof(control));
	drain = (struct drain){ .control = &control, .status = &status };
	folder = scratch_directory();
	path = scratch_path(folder, "cpu0");
	return drain_open(&drain, scratch_create(path), path, uuid, 0, machine_now(), 3);
}

static int stop_drain(void **state)
{
	(void)state;
	drain_close(&drain);
	free(path);
	scratch_remove(folder);
	return 0;
}

static void run_drain(size_t count)
{
	assert_int_equal(drain_run(&drain), count);
}

/* Checks the sequence numbers of the records on disk, and the number of lost events. */
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

static void numbers_events_in_order(void **state)
{
	static const uint32_t numbers[] = { 0, 1, 2, 5, 6, 8 };

	(void)state;
	put_records(3);
	lose_events(2);
	put_records(1);
	run_drain(4);
	put_records(1);
	lose_events(1);
	put_records(1);
	lose_events(4);
	run_drain(2);
	assert_stream(numbers, 6, 7);
}

/* An interrupt loses events after the outer event reserved its space, before it reads the count. */
static void numbers_events_around_an_interrupt(void **state)
{
	static const uint32_t numbers[] = { 0, 3, 4, 5, 6 };
	struct kmt_record *outer;

	(void)state;
	put_records(1);
	outer = reserve_record();
	put_records(2);
	lose_events(2);
	put_lost_count(outer);
	put_records(1);
	run_drain(5);
	assert_stream(numbers, 5, 2);
}

/* An event that is not yet in the ring keeps its number free. */
static void waits_for_an_event_without_space(void **state)
{
	static const uint32_t numbers[] = { 0, 1, 2, 3 };

	(void)state;
	put_records(2);
	control.sequence++; /* counted, but no space reserved yet */
	run_drain(2);
	control.sequence--;
	put_records(2);
	run_drain(2);
	assert_stream(numbers, 4, 0);
}

/* More lost events than 32 bits can count, with an empty ring in between. */
static void counts_losses_beyond_32_bits(void **state)
{
	const uint64_t lost_count = 0x180000001;
	const uint32_t numbers[] = { 0, (uint32_t)(lost_count + 1), (uint32_t)(lost_count + 2) };

	(void)state;
	put_records(1);
	run_drain(1);
	lose_events(lost_count);
	run_drain(0);
	put_records(2);
	run_drain(2);
	assert_stream(numbers, 3, lost_count);
}

static uint64_t more_word(uint32_t sequence, unsigned int index)
{
	return ((uint64_t)sequence << 32) + index + 1;
}

/* The stream has each of these records once, with its number and all its words. */
static void assert_long_stream(const uint8_t *words, size_t count)
{
	const struct kmt_record *found;
	struct kmt_long_record space;
	struct stream stream;
	struct packet packet;
	struct cursor cursor;
	size_t records = 0;

	assert_int_equal(drain_rest(&drain, 0), 0);
	assert_int_equal(drain_finish(&drain, machine_now(), 0), 0);
	assert_int_equal(loss_missing(&drain.writer.loss), 0);
	assert_int_equal(drain.writer.loss.records, count);
	assert_int_equal(stream_open(&stream, path), 0);
	while (stream_next(&stream, &packet) == 1) {
		cursor_init(&cursor, &packet);
		while (cursor_find(&cursor, &space, &found) == 1) {
			assert_true(found->sequence < count);
			assert_int_equal(found->words, words[found->sequence]);
			for (unsigned int i = 0; i + KMT_RECORD_WORDS < found->words; i++)
				assert_int_equal(((const uint64_t *)(found + 1))[i],
						 more_word(found->sequence, i));
			records++;
		}
	}
	stream_close(&stream);
	assert_int_equal(records, count);
}

static void drains_long_records_of_a_buffer(void **state)
{
	static const uint8_t words[] = { 6, 9, 255, 6, 7 };

	(void)state;
	for (uint32_t i = 0; i < sizeof(words); i++) {
		struct kmt_record *record = reserve_record();

		record->words = words[i];
		record->id = i % 2 ? 200 : KMT_KFREE;
		for (unsigned int j = 0; j < words[i] - 6U; j++)
			((struct kmt_long_record *)record)->more[j] = more_word(i, j);
		put_lost_count(record);
	}
	run_drain(sizeof(words));
	assert_long_stream(words, sizeof(words));
}

/* They come together, and a stack names the number of its event. */
static void numbers_a_stack_and_its_event(void **state)
{
	const uint32_t numbers[] = { 0, 3, 4, 5 };
	struct kmt_record *stack, *event;

	(void)state;
	put_records(1);
	lose_events(2);
	stack = reserve_record();
	stack->id = KMT_STACK;
	stack->words = KMT_STACK_WORDS;
	put_lost_count(stack);
	event = (struct kmt_record *)((uint64_t *)stack + KMT_STACK_WORDS);
	*event = *stack;
	event->id = KMT_KMALLOC;
	event->words = KMT_RECORD_WORDS;
	control.sequence++;
	put_records(1);
	run_drain(3);
	assert_stream(numbers, 4, 2);
}

/* The memory of processes is then read. */
static void sees_an_oom_kill(void **state)
{
	(void)state;
	put_records(1);
	run_drain(1);
	assert_false(drain.has_oom_kill);
	reserve_record()->id = KMT_OOM_KILL;
	put_records(1);
	run_drain(2);
	assert_true(drain.has_oom_kill);
}

/* A mapped ring of a few slots, with space for the longest record after the last slot. */

#define SLOTS 64
#define OVERHANG KMT_SLOTS(KMT_WORDS_LIMIT)

static struct kmt_record slots[SLOTS + OVERHANG];

static int start_mapped(void **state)
{
	static const uint8_t uuid[16] = { 1 };

	(void)state;
	memset(&control, 0, sizeof(control));
	memset(slots, 0, sizeof(slots));
	drain = (struct drain){
		.control = &control, .status = &status, .ring = slots, .slots = SLOTS
	};
	folder = scratch_directory();
	path = scratch_path(folder, "cpu0");
	return drain_open(&drain, scratch_create(path), path, uuid, 0, machine_now(), -1);
}

/* The three steps of bpf/mapped_ring.bpf.h; an interrupt can come between them. */

static uint32_t take_number(void)
{
	return (uint32_t)control.sequence++;
}

static struct kmt_record *take_slots(unsigned int words)
{
	struct kmt_record *record = &slots[control.slots % SLOTS];

	assert_in_range(control.slots + KMT_SLOTS(words) - control.tail, 1, SLOTS);
	control.more_slots += KMT_SLOTS(words) - 1;
	control.slots += KMT_SLOTS(words);
	return record;
}

static void fill_record(struct kmt_record *record, unsigned int words, uint32_t sequence)
{
	const struct kmt_record tag = { .id = sequence % 2 ? 200 : KMT_KFREE,
					.words = (uint8_t)words,
					.node = KMT_NODE_ANY,
					.sequence = sequence };

	assert_int_equal(record->tag, 0);
	record->time = machine_now();
	record->pointer = UINT64_MAX;
	for (unsigned int i = 0; i < words - KMT_RECORD_WORDS; i++)
		((struct kmt_long_record *)record)->more[i] = more_word(sequence, i);
	record->tag = tag.tag;
}

static void record_long(unsigned int words)
{
	uint32_t sequence = take_number();

	fill_record(take_slots(words), words, sequence);
}

/* Long records at every position of the ring, also across its end. */
static void drains_long_records_of_a_ring(void **state)
{
	static const uint8_t lengths[] = { 9, 6, 255, 6, 6, 7, 12, 13, 6, 18, 6 };
	static uint8_t words[2000];

	(void)state;
	for (size_t i = 0; i < sizeof(words); i++) {
		words[i] = lengths[i % sizeof(lengths)];
		if (KMT_SLOTS(words[i]) + control.slots - control.tail > SLOTS)
			assert_true(drain_run(&drain) > 0);
		record_long(words[i]);
	}
	assert_int_not_equal(drain_run(&drain), 0);
	assert_true(drain.caught_up);
	assert_int_equal(drain_waiting(&drain), 0);
	for (size_t i = 0; i < SLOTS; i++)
		assert_int_equal(slots[i].tag, 0);
	assert_long_stream(words, sizeof(words));
}

/* The drain stops at an incomplete record; later records are neither lost nor repeated. */
static void stops_at_an_incomplete_long_record(void **state)
{
	static const uint8_t words[] = { 9, 255, 6, 9 };
	struct kmt_record *record;
	uint32_t sequence;

	(void)state;
	record_long(9);
	sequence = take_number();
	run_drain(1);
	assert_false(drain.caught_up); /* it has no slots yet */
	control.more_slots += KMT_SLOTS(255) - 1;
	run_drain(0);
	assert_false(drain.caught_up);
	control.more_slots -= KMT_SLOTS(255) - 1;
	record = take_slots(255);
	record_long(6);
	run_drain(0);
	assert_false(drain.caught_up);
	fill_record(record, 255, sequence);
	run_drain(2);
	assert_true(drain.caught_up);
	record_long(9);
	run_drain(1);
	assert_true(drain.caught_up);
	assert_long_stream(words, sizeof(words));
}

/* Ends the stream, which must have these counts, and goes on in another file. */
static void switch_stream(uint64_t records, uint64_t lost)
{
	struct writer_ended ended;
	uint64_t own;

	assert_true(drain.can_switch);
	assert_true(drain.switch_time >= drain.writer.time_last);
	free(path);
	path = scratch_path(folder, "cpu0.next");
	assert_int_equal(drain_switch(&drain, scratch_create(path), path, 0, &ended, &own), 0);
	assert_int_equal(ended.loss.records, records);
	assert_int_equal(loss_missing(&ended.loss), lost);
	assert_int_equal(ended.loss.next, records + lost);
	assert_int_equal(own, records);
	assert_false(drain.can_switch);
	loss_deinit(&ended.loss);
}

/* Checks the stream after the switch, and that all its records are from after it. */
static void assert_next_stream(uint64_t first, uint64_t count)
{
	uint64_t time = drain.writer.first_time;
	struct stream stream;
	struct packet packet;
	uint64_t records = 0;

	assert_int_equal(drain_rest(&drain, 0), 0);
	assert_int_equal(drain_finish(&drain, machine_now(), 0), 0);
	assert_int_equal(drain.writer.loss.records, count);
	assert_int_equal(drain.own, count);
	assert_int_equal(drain.writer.clamped, 0);
	assert_int_equal(stream_open(&stream, path), 0);
	assert_int_equal(stream_next(&stream, &packet), 1);
	assert_int_equal(packet.header.sequence_first, first);
	assert_int_equal(packet.header.time_first, time);
	while (stream_next(&stream, &packet) == 1) {
		assert_true(!packet.header.records || packet.header.sequence_first >= first);
		records += packet.header.records;
	}
	assert_int_equal(records, count);
	stream_close(&stream);
}

/* The last record's time is ahead of this machine's clock: the next stream begins behind it. */
static void switches_behind_the_last_time(void **state)
{
	(void)state;
	record_long(6);
	run_drain(1);
	drain.writer.time_last = machine_now() + 3600000000000;
	drain.switching = true;
	run_drain(0);
	assert_true(drain.can_switch);
	assert_int_equal(drain.switch_time, drain.writer.time_last);
}

static void switches_a_ring_between_two_events(void **state)
{
	struct kmt_record *interrupted;
	uint32_t sequence;

	(void)state;
	drain.last_own = true; /* task 0 */
	record_long(6);
	drain.switching = true;
	sequence = take_number();
	run_drain(1);
	assert_false(drain.can_switch); /* it has no slots yet */
	interrupted = take_slots(9);
	record_long(6);
	run_drain(0);
	assert_false(drain.can_switch); /* it is not whole yet */
	fill_record(interrupted, 9, sequence);
	lose_events(2);
	run_drain(2);
	switch_stream(3, 2);
	record_long(6);
	record_long(9);
	run_drain(2);
	assert_false(drain.can_switch);
	assert_next_stream(5, 2);
}

static void switches_a_buffer_between_two_events(void **state)
{
	(void)state;
	drain.last_own = true; /* task 0 */
	put_records(2);
	control.sequence++; /* counted, but no space reserved yet */
	drain.switching = true;
	run_drain(2);
	assert_false(drain.can_switch);
	control.sequence--;
	lose_events(3);
	run_drain(0);
	switch_stream(2, 3);
	put_records(4);
	run_drain(4);
	assert_next_stream(5, 4);
}

static void takes_only_as_many_as_there_is_room(void **state)
{
	(void)state;
	drain.room = 3;
	for (int i = 0; i < 8; i++)
		record_long(6);
	run_drain(3);
	run_drain(3);
	assert_false(drain.caught_up);
	run_drain(2);
	assert_true(drain.caught_up);
}

/* No program counts so many events. */
static void names_the_stream_of_an_impossible_number(void **state)
{
	(void)state;
	control.sequence = UINT64_MAX;
	assert_int_equal(drain_finish(&drain, machine_now(), 0), -ERANGE);
	assert_non_null(strstr(drain.writer.errmsg, path));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(numbers_events_in_order, start_drain, stop_drain),
		cmocka_unit_test_setup_teardown(names_the_stream_of_an_impossible_number,
						start_drain, stop_drain),
		cmocka_unit_test_setup_teardown(numbers_events_around_an_interrupt, start_drain,
						stop_drain),
		cmocka_unit_test_setup_teardown(waits_for_an_event_without_space, start_drain,
						stop_drain),
		cmocka_unit_test_setup_teardown(counts_losses_beyond_32_bits, start_drain,
						stop_drain),
		cmocka_unit_test_setup_teardown(drains_long_records_of_a_buffer, start_drain,
						stop_drain),
		cmocka_unit_test_setup_teardown(numbers_a_stack_and_its_event, start_drain,
						stop_drain),
		cmocka_unit_test_setup_teardown(sees_an_oom_kill, start_drain, stop_drain),
		cmocka_unit_test_setup_teardown(drains_long_records_of_a_ring, start_mapped,
						stop_drain),
		cmocka_unit_test_setup_teardown(stops_at_an_incomplete_long_record, start_mapped,
						stop_drain),
		cmocka_unit_test_setup_teardown(switches_a_ring_between_two_events, start_mapped,
						stop_drain),
		cmocka_unit_test_setup_teardown(switches_behind_the_last_time, start_mapped,
						stop_drain),
		cmocka_unit_test_setup_teardown(switches_a_buffer_between_two_events, start_drain,
						stop_drain),
		cmocka_unit_test_setup_teardown(takes_only_as_many_as_there_is_room, start_mapped,
						stop_drain),
	};

	return cmocka_run_group_tests_name("drain", tests, NULL, NULL);
}
