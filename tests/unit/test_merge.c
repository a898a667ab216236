// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The streams of a capture, merged by time, and their counters. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "tests/unit/unit.h"
#include "tests/unit/scratch.h"
#include "capture/format.h"
#include "capture/stream_events.h"
#include "capture/merge.h"
#include "capture/reader.h"

#define EVENTS_MAX 30000
#define STREAMS_MAX 3
#define SEED 0x5eed

/* A capture whose events were all read. */
struct reading {
	char *directory;
	struct capture capture;
	struct merge *merge;
	struct event *events;
	size_t count;
};

/* The directory then belongs to reading. */
static void read_all(struct reading *reading, char *directory)
{
	const struct event *batch;
	int got;

	reading->directory = directory;
	reading->events = calloc(EVENTS_MAX, sizeof(struct event));
	reading->count = 0;
	if (capture_open(&reading->capture, directory))
		fail_msg("%s", reading->capture.error.text);
	assert_int_equal(merge_open(&reading->merge, &reading->capture, 0, SEED), 0);
	while ((got = merge_next(reading->merge, &batch)) > 0) {
		assert_true(reading->count + (size_t)got <= EVENTS_MAX);
		memcpy(reading->events + reading->count, batch, (size_t)got * sizeof(*batch));
		reading->count += (size_t)got;
	}
	assert_int_equal(got, 0);
	assert_int_equal(merge_next(reading->merge, &batch), 0);
}

static void finish_reading(struct reading *reading)
{
	merge_close(reading->merge);
	capture_close(&reading->capture);
	free(reading->events);
	scratch_remove(reading->directory);
}

static char *stream_path(const char *directory, unsigned int cpu)
{
	char name[16];

	snprintf(name, sizeof(name), "cpu%u", cpu);
	return scratch_path(directory, name);
}

static void merges_streams_by_time(void **state)
{
	static const char text[] = "own 9\n"
				   "alloc 10 5 0x1000 1/8 0x100\n"
				   "alloc 30 5 0x2000 1/8 0x100 task=9\n"
				   "raw   35 5 200\n"
				   "alloc 40 5 0x3000 1/8 0x100 task=9\n"
				   "alloc 10 2 0x4000 1/8 0x100\n"
				   "lose 2 3\n"
				   "alloc 20 2 0x5000 1/8 0x100\n"
				   "alloc 30 11 0x6000 1/8 0x100 gfp=0xcc0 node=1 task=7\n"
				   "lose 11 1\n"
				   "skip 4\n";
	static const uint64_t pointers[] = { 0x4000, 0x1000, 0x5000, 0x2000, 0x6000, 0x3000 };
	const struct stream_counters *stream;
	struct reading reading;

	(void)state;
	read_all(&reading, scratch_capture(text));
	assert_int_equal(reading.count, 6);
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(reading.events[i].pointer, pointers[i]);
	assert_int_equal(reading.events[2].sequence, 4);
	assert_int_equal(reading.events[4].cpu, 11);
	assert_int_equal(reading.events[4].node, 1);
	assert_int_equal(reading.events[4].gfp, 0xcc0);
	assert_int_equal(reading.events[4].task, 7);
	assert_int_equal(reading.events[4].requested, 1);
	assert_int_equal(reading.events[4].allocated, 8);
	assert_int_equal(reading.events[5].node, -1);

	assert_int_equal(merge_stream_count(reading.merge), 3);
	stream = merge_stream_counters(reading.merge, 0);
	assert_int_equal(stream->cpu, 2);
	assert_int_equal(stream->recorded, 2);
	assert_int_equal(stream->loss.confirmed, 3);
	stream = merge_stream_counters(reading.merge, 1);
	assert_int_equal(stream->cpu, 5);
	assert_int_equal(stream->recorded, 4);
	assert_int_equal(stream->unknown, 1);
	assert_int_equal(stream->own, 2);
	assert_int_equal(stream->loss.confirmed, 0);
	assert_int_equal(stream->packets, 2);
	stream = merge_stream_counters(reading.merge, 2);
	assert_int_equal(stream->cpu, 11);
	assert_int_equal(stream->loss.confirmed, 1);
	assert_int_equal(stream->all_cpus_skipped, 4);
	assert_int_equal(stream->time_last, 40);
	finish_reading(&reading);
}

static void finds_the_cache_of_a_time(void **state)
{
	static const char text[] = "cache first 0xa000 100 128\n"
				   "gone 0xa000 50\n"
				   "cache second 0xa000 200 256 since=60\n"
				   "cache other 0xb000 300 320\n"
				   "calloc 10 0 0x1000 0xa000 0x100\n"
				   "calloc 70 0 0x2000 0xa000 0x100\n"
				   "calloc 71 0 0x3000 0xb000 0x100\n"
				   "calloc 72 0 0x4000 0xb000 0x100\n"
				   "calloc 73 0 0x5000 0xc000 0x100\n"
				   "cfree 74 0 0x3000 0xb000 0x100\n"
				   "free 75 0 0x4000 0x100\n";
	struct reading reading;
	const struct event *events;

	(void)state;
	read_all(&reading, scratch_capture(text));
	events = reading.events;
	assert_int_equal(reading.count, 7);
	assert_string_equal(events[0].cache->name, "first");
	assert_int_equal(events[0].requested, 100);
	assert_int_equal(events[0].allocated, 128);
	assert_string_equal(events[1].cache->name, "second");
	assert_int_equal(events[1].allocated, 256);
	assert_string_equal(events[2].cache->name, "other");
	assert_ptr_equal(events[2].cache, events[3].cache);
	assert_int_equal(events[3].requested, 300);
	assert_false(events[4].has_cache);
	assert_int_equal(events[4].allocated, 0);
	assert_string_equal(events[5].cache->name, "other");
	assert_int_equal(events[5].allocated, 0);
	assert_false(events[6].has_cache);
	assert_int_equal(merge_stream_counters(reading.merge, 0)->caches_unknown, 1);
	finish_reading(&reading);
}

static void counts_caches_not_traced(void **state)
{
	static const char text[] = "cache name_only 0xa000 0 0\n"
				   "ualloc 10 0 0x1000 184/192 0x100\n"
				   "ualloc 11 0 0 184/192 0x100\n"
				   "cfree 12 0 0x1000 0 0x100\n"
				   "rcfree 13 0 0x2000 0xa000 0x100\n"
				   "cfree 14 0 0x3000 0xc000 0x100\n";
	struct reading reading;
	const struct event *events;

	(void)state;
	read_all(&reading, scratch_capture(text));
	events = reading.events;
	assert_int_equal(reading.count, 5);
	assert_false(events[0].has_cache);
	assert_int_equal(events[0].cache_address, 0);
	assert_int_equal(events[0].requested, 184);
	assert_int_equal(events[0].allocated, 192);
	assert_false(events[2].has_cache);
	assert_true(events[3].has_cache);
	assert_string_equal(events[3].cache->name, "name_only");
	assert_false(events[4].has_cache);
	assert_int_equal(events[4].cache_address, 0xc000);
	for (size_t i = 0; i < reading.count; i++)
		assert_int_equal(events[i].hash, hash_address(SEED, events[i].pointer));
	assert_int_equal(merge_stream_counters(reading.merge, 0)->anonymous_allocations, 2);
	assert_int_equal(merge_stream_counters(reading.merge, 0)->caches_unknown, 1);
	finish_reading(&reading);
}

/* Many CPUs, and more events than a batch holds; also from a machine of the other byte order. */
static void merge_many(const char *first_line)
{
	unsigned int cpus = 512, each = 20;
	struct reading reading;
	char *text = NULL;
	size_t size;
	FILE *lines = open_memstream(&text, &size);

	fprintf(lines, "%s\n", first_line);
	for (unsigned int i = 0; i < each; i++)
		for (unsigned int cpu = 0; cpu < cpus; cpu++)
			fprintf(lines, "alloc %u %u 0x%x 1/8 0x100\n", i * 1000 + cpu * 7 % 900,
				cpu, 0x1000 + (i * cpus + cpu) * 8);
	fclose(lines);
	read_all(&reading, scratch_capture(text));
	free(text);
	assert_int_equal(reading.count, cpus * each);
	for (size_t i = 1; i < reading.count; i++) {
		const struct event *before = &reading.events[i - 1], *event = &reading.events[i];

		assert_true(before->time < event->time ||
			    (before->time == event->time && before->cpu < event->cpu));
	}
	finish_reading(&reading);
}

static void merges_many_cpus(void **state)
{
	(void)state;
	merge_many("endian little");
	merge_many("endian big");
}

/* A sequence number that is more than 2^32 above the previous one. */
static void accepts_a_far_jump_of_numbers(void **state)
{
	static const char text[] = "alloc 10 0 0x1000 1/8 0x100\n"
				   "flush\n"
				   "lose 0 5000000000\n"
				   "flush\n"
				   "alloc 20 0 0x2000 1/8 0x100\n"
				   "alloc 30 0 0x3000 1/8 0x100\n";
	struct reading reading;

	(void)state;
	read_all(&reading, scratch_capture(text));
	assert_int_equal(reading.count, 3);
	assert_int_equal(reading.events[2].sequence, (uint32_t)5000000002);
	assert_int_equal(merge_stream_counters(reading.merge, 0)->loss.confirmed, 5000000000);
	finish_reading(&reading);
}

static void put_header(unsigned char *bytes, struct packet_header header, bool swap)
{
	if (swap)
		packet_header_swap(&header);
	memcpy(bytes, &header, sizeof(header));
}

/* A number of the packet in this machine's byte order. */
static bool get_header(const unsigned char *bytes, struct packet_header *header)
{
	bool swap;

	memcpy(header, bytes, sizeof(*header));
	swap = header->magic != PACKET_MAGIC;
	if (swap)
		packet_header_swap(header);
	assert_true(header->magic == PACKET_MAGIC);
	return swap;
}

/* Sets the codec of a packet, and a correct CRC. */
static void patch_codec(unsigned char *bytes, size_t size, unsigned int codec)
{
	struct packet_header header;
	bool swap = get_header(bytes, &header);

	header.codec = (uint16_t)codec;
	header.crc = 0;
	put_header(bytes, header, swap);
	header.crc = (uint32_t)crc32(0, bytes, (uInt)size);
	put_header(bytes, header, swap);
}

static const char three_packets[] = "alloc 10 0 0x1000 1/8 0x100\n"
				    "alloc 11 0 0x1100 1/8 0x100\n"
				    "flush\n"
				    "alloc 20 0 0x2000 1/8 0x100\n"
				    "alloc 21 0 0x2100 1/8 0x100\n"
				    "alloc 22 0 0x2200 1/8 0x100\n"
				    "flush\n"
				    "alloc 30 0 0x3000 1/8 0x100\n";

static void skips_damage_and_counts_it(void **state)
{
	char *directory = scratch_capture(three_packets), *path = stream_path(directory, 0);
	const struct stream_counters *stream;
	struct reading reading;
	unsigned char *bytes;
	size_t size;

	(void)state;
	bytes = scratch_read(path, &size);
	/* In the third packet, of three records: behind the empty one and one of two. */
	bytes[112 + 112 + 2 * 48 + 150] ^= 4;
	scratch_write(path, bytes, size);
	free(bytes);
	free(path);
	read_all(&reading, directory);
	assert_int_equal(reading.count, 3);
	assert_int_equal(reading.events[1].pointer, 0x1100);
	assert_int_equal(reading.events[2].pointer, 0x3000);
	stream = merge_stream_counters(reading.merge, 0);
	assert_int_equal(stream->damaged_bytes, 112 + 3 * 48);
	assert_int_equal(stream->loss.confirmed, 3);
	assert_int_equal(stream->recorded, 3);
	finish_reading(&reading);
}

static void reads_up_to_the_cut(void **state)
{
	char *directory = scratch_capture(three_packets), *path = stream_path(directory, 0);
	struct reading reading;
	unsigned char *bytes;
	size_t size;

	(void)state;
	bytes = scratch_read(path, &size);
	scratch_write(path, bytes, 112 + 112 + 2 * 48 + 150);
	free(bytes);
	free(path);
	read_all(&reading, directory);
	assert_int_equal(reading.count, 2);
	assert_int_equal(merge_stream_counters(reading.merge, 0)->damaged_bytes, 150);
	assert_int_equal(merge_stream_counters(reading.merge, 0)->loss.confirmed, 0);
	finish_reading(&reading);
}

/* A stream whose packets come twice: times step back, numbers repeat; all events are returned. */
static void times_may_step_back(void **state)
{
	char *directory = scratch_capture(three_packets), *path = stream_path(directory, 0);
	struct reading reading;
	unsigned char *bytes;
	size_t size;

	(void)state;
	bytes = scratch_read(path, &size);
	bytes = realloc(bytes, 2 * size);
	assert_non_null(bytes);
	memcpy(bytes + size, bytes, size);
	scratch_write(path, bytes, 2 * size);
	free(path);
	path = stream_path(directory, 1);
	scratch_write(path, bytes, size);
	free(path);
	free(bytes);
	read_all(&reading, directory);
	assert_int_equal(reading.count, 18);
	assert_int_equal(merge_stream_counters(reading.merge, 0)->recorded, 12);
	assert_int_equal(merge_stream_counters(reading.merge, 0)->loss.records, 6);
	assert_int_equal(merge_stream_counters(reading.merge, 0)->loss.confirmed, 0);
	assert_int_equal(merge_stream_counters(reading.merge, 1)->recorded, 6);
	assert_int_equal(reading.events[17].time, 30);
	finish_reading(&reading);
}

/* Reads the capture again and compares all events and counters. */
static void assert_same(struct reading *reading, unsigned int threads)
{
	const struct event *batch;
	struct merge *merge;
	size_t count = 0;
	int got;

	assert_int_equal(merge_open(&merge, &reading->capture, threads, SEED), 0);
	while ((got = merge_next(merge, &batch)) > 0) {
		assert_true(count + (size_t)got <= reading->count);
		assert_memory_equal(batch, reading->events + count, (size_t)got * sizeof(*batch));
		count += (size_t)got;
	}
	assert_int_equal(got, 0);
	assert_int_equal(count, reading->count);
	for (size_t i = 0; i < merge_stream_count(merge); i++) {
		const struct stream_counters *one = merge_stream_counters(merge, i);
		const struct stream_counters *other = merge_stream_counters(reading->merge, i);

		assert_int_equal(one->recorded, other->recorded);
		assert_int_equal(one->damaged_bytes, other->damaged_bytes);
		assert_int_equal(one->loss.confirmed, other->loss.confirmed);
		assert_int_equal(one->packets, other->packets);
	}
	merge_close(merge);
}

/* The same order from a plain search of all streams for each event. */
static void assert_naive(const struct reading *reading)
{
	size_t streams = reading->capture.stream_count, at[STREAMS_MAX] = { 0 };
	struct event *lists[STREAMS_MAX];
	uint64_t keys[STREAMS_MAX] = { 0 };
	int counts[STREAMS_MAX];

	assert_true(streams <= STREAMS_MAX);
	for (size_t i = 0; i < streams; i++) {
		struct stream_events stream_events;

		lists[i] = calloc(EVENTS_MAX, sizeof(struct event));
		assert_non_null(lists[i]);
		assert_int_equal(stream_events_open(&stream_events, &reading->capture,
						    &reading->capture.streams[i], SEED),
				 0);
		counts[i] = 0;
		for (int got = 1; got > 0; counts[i] += got) {
			got = stream_events_fill(&stream_events, lists[i] + counts[i],
						 EVENTS_MAX - (size_t)counts[i]);
			assert_true(got >= 0);
		}
		stream_events_close(&stream_events);
	}
	for (size_t count = 0; count < reading->count; count++) {
		size_t first = streams;

		for (size_t i = 0; i < streams; i++) {
			const struct event *next = &lists[i][at[i]];

			if (at[i] == (size_t)counts[i])
				continue;
			if (next->time > keys[i])
				keys[i] = next->time;
			if (first == streams || keys[i] < keys[first])
				first = i;
		}
		assert_true(first < streams);
		assert_memory_equal(&reading->events[count], &lists[first][at[first]++],
				    sizeof(struct event));
	}
	for (size_t i = 0; i < streams; i++) {
		assert_int_equal(at[i], counts[i]);
		free(lists[i]);
	}
}

/* Makes some times step back, within the packets of a stream. */
static void step_back(unsigned char *bytes, size_t size)
{
	struct packet_header header;
	struct kmt_record record;
	size_t end;

	for (size_t at = 0; at < size; at = end) {
		bool swap = get_header(bytes + at, &header);

		end = at + header.packet_bits / 8;
		for (size_t i = at + sizeof(header); i < end; i += sizeof(record)) {
			memcpy(&record, bytes + i, sizeof(record));
			if (swap)
				record_swap(&record);
			if (random() % 9 == 0)
				record.time -= (uint64_t)random() % 900;
			if (swap)
				record_swap(&record);
			memcpy(bytes + i, &record, sizeof(record));
		}
		patch_codec(bytes + at, end - at, header.codec);
	}
}

/* Runs of all lengths, times that are the same, and a stream whose times step back. */
static void runs_of_any_length_are_ordered(void **state)
{
	(void)state;
	for (unsigned int seed = 1; seed <= 12; seed++) {
		char *text = NULL, *directory, *path;
		struct reading reading;
		unsigned int time = 1000, cpu = 0, left = 0;
		unsigned char *bytes;
		size_t size;
		FILE *lines = open_memstream(&text, &size);

		srandom(seed);
		for (unsigned int i = 0; i < 12000; i++) {
			if (!left--) {
				cpu = (unsigned int)random() % 3;
				left = (unsigned int)random() % (random() % 8 ? 40 : 6000);
			}
			time += random() % 3 ? 0 : (unsigned int)random() % 3;
			fprintf(lines, "alloc %u %u 0x%x 1/8 0x100\n", time, cpu, 0x1000 + i * 8);
			if (random() % 2000 == 0)
				fprintf(lines, "flush\n");
		}
		fclose(lines);
		directory = scratch_capture(text);
		path = stream_path(directory, seed % 3);
		bytes = scratch_read(path, &size);
		bytes = realloc(bytes, 2 * size);
		assert_non_null(bytes);
		memcpy(bytes + size, bytes, size);
		if (seed % 4 > 1)
			step_back(bytes, 2 * size);
		scratch_write(path, bytes, seed % 2 ? 2 * size : size);
		read_all(&reading, directory);
		assert_true(reading.count >= 12000);
		assert_naive(&reading);
		finish_reading(&reading);
		free(bytes);
		free(path);
		free(text);
	}
}

/* Long and short streams that alternate, with damage in between. */
static void threads_do_not_change_the_events(void **state)
{
	struct reading reading;
	char *text = NULL, *directory, *path;
	unsigned char *bytes;
	size_t size;
	FILE *lines = open_memstream(&text, &size);

	(void)state;
	for (unsigned int i = 0; i < 15000; i++) {
		unsigned int cpu = i % 3000 < 1200 ? i / 7 % 3 : i / 2500 % 3;

		fprintf(lines, "alloc %u %u 0x%x 1/8 0x%x\n", 1000 + i / 2, cpu, 0x10000 + i * 8,
			0x1000 + i % 50);
		if (i % 997 == 0)
			fprintf(lines, "flush\n");
	}
	fclose(lines);
	directory = scratch_capture(text);
	path = stream_path(directory, 1);
	bytes = scratch_read(path, &size);
	bytes[size / 2] ^= 1;
	scratch_write(path, bytes, size);
	read_all(&reading, directory);
	assert_true(merge_stream_counters(reading.merge, 1)->damaged_bytes > 0);
	assert_true(reading.count > 14000);
	for (unsigned int threads = 1; threads < 9; threads++)
		assert_same(&reading, threads);
	finish_reading(&reading);
	free(bytes);
	free(path);
	free(text);
}

/* A stream that a later version continued: the same error text for any number of threads. */
static void read_errors_are_reported(void **state)
{
	char first[sizeof(((struct capture *)NULL)->error.text)] = "";

	(void)state;
	for (unsigned int threads = 1; threads < 5; threads++) {
		char *directory = scratch_capture(three_packets), *path;
		const struct event *batch;
		struct capture capture;
		unsigned char *bytes;
		struct merge *merge;
		size_t size, got = 0;
		int more;

		path = stream_path(directory, 0);
		bytes = scratch_read(path, &size);
		patch_codec(bytes + size - 112 - 48, 112 + 48, 99); /* a future codec */
		scratch_write(path, bytes, size);
		assert_int_equal(capture_open(&capture, directory), 0);
		assert_int_equal(merge_open(&merge, &capture, threads, SEED), 0);
		while ((more = merge_next(merge, &batch)) > 0)
			got += (size_t)more;
		assert_int_equal(more, -EPROTONOSUPPORT);
		assert_true(got <= 5);
		assert_non_null(strstr(capture.error.text, "codec 99"));
		if (threads > 1)
			assert_string_equal(strstr(capture.error.text, "cpu0"), first);
		snprintf(first, sizeof(first), "%s", strstr(capture.error.text, "cpu0"));
		merge_close(merge);
		capture_close(&capture);
		scratch_remove(directory);
		free(path);
		free(bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(merges_streams_by_time),
		cmocka_unit_test(finds_the_cache_of_a_time),
		cmocka_unit_test(merges_many_cpus),
		cmocka_unit_test(accepts_a_far_jump_of_numbers),
		cmocka_unit_test(skips_damage_and_counts_it),
		cmocka_unit_test(reads_up_to_the_cut),
		cmocka_unit_test(times_may_step_back),
		cmocka_unit_test(counts_caches_not_traced),
		cmocka_unit_test(threads_do_not_change_the_events),
		cmocka_unit_test(read_errors_are_reported),
		cmocka_unit_test(runs_of_any_length_are_ordered),
	};

	return cmocka_run_group_tests_name("order", tests, NULL, NULL);
}
