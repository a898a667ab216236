// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Takes records out of a ring. A record is whole once its first slot's tag is not 0. The drain sets
 * the tags to 0 again before it gives the slots back. libbpf reads BPF ring buffers.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <bpf/libbpf.h>

#include "capture/reader.h"
#include "tracer/drain.h"
#include "tracer/load/machine.h"

#define GIVE_BACK 1024 /* slots at a time, so that a CPU with a full ring soon finds room */

static uint64_t load(const uint64_t *word)
{
	return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

/*
 * Looks for a time at which no event had a number but no slots yet. Then every event with a number
 * below sequence has its slots below slots, or is lost. All counters only grow. An event counts in
 * more_slots before slots, and more_slots is read after slots, so slots - more_slots is at most the
 * number of records that had slots. sequence, read last, is at least the number of these records
 * and the lost events. So if both are equal, no counter changed in between.
 */
static bool find_consistent_counters(const struct kmt_control *control, uint64_t *sequence,
				     uint64_t *slots)
{
	for (int i = 0; i < 8; i++) {
		uint64_t lost, more_slots;

		*slots = load(&control->slots);
		more_slots = load(&control->more_slots);
		lost = load(&control->lost);
		*sequence = load(&control->sequence);
		if (*sequence == *slots - more_slots + lost)
			return true;
	}
	return false;
}

static bool is_own(struct drain *drain, uint32_t task)
{
	if (task != drain->last_task) {
		drain->last_task = task;
		drain->last_own = status_is_own(drain->status, task);
	}
	return drain->last_own;
}

static void put(struct drain *drain, const struct kmt_record *record)
{
	int err;

	drain->own += is_own(drain, record->task);
	drain->has_oom_kill |= record->id == KMT_OOM_KILL;
	err = writer_put(&drain->writer, record);
	if (err && !drain->round_err)
		drain->round_err = err;
}

/*
 * A record of a BPF ring buffer stores the number of lost events before it instead of its event
 * number. An interrupt may delay a record: it then has a higher number of lost events than the next
 * record. A stack comes together with its event, which gets the next number.
 */
static int take_buffered(void *context, void *data, size_t size)
{
	struct drain *drain = context;
	struct kmt_long_record record;
	size_t at = 0, bytes;
	uint32_t more;

	while (size - at >= sizeof(record.head)) {
		memcpy(&record.head, (const char *)data + at, sizeof(record.head));
		bytes = (size_t)record.head.words * KMT_WORD;
		if (bytes < sizeof(record.head) || bytes > size - at)
			break;
		memcpy(&record, (const char *)data + at, bytes);
		at += bytes;
		more = record.head.sequence - (uint32_t)drain->lost_before;
		if (more <= INT32_MAX)
			drain->lost_before += more;
		record.head.sequence = (uint32_t)(drain->taken + drain->lost_before);
		drain->taken++;
		put(drain, &record.head);
	}
	return 0;
}

int drain_open(struct drain *drain, int fd, const char *path, const uint8_t uuid[16],
	       unsigned int cpu, uint64_t begin, int buffer_fd)
{
	int err = writer_open(&drain->writer, fd, path, uuid, cpu, begin);

	if (err || drain->ring || buffer_fd < 0)
		return err;
	drain->buffer = ring_buffer__new(buffer_fd, take_buffered, drain, NULL);
	if (drain->buffer)
		return 0;
	err = -errno;
	snprintf(drain->writer.errmsg, sizeof(drain->writer.errmsg), "cannot map a ring: %s",
		 strerror(-err));
	return err;
}

void drain_close(struct drain *drain)
{
	ring_buffer__free(drain->buffer);
	drain->buffer = NULL;
	writer_close(&drain->writer);
}

/* Takes out a long record, whose first fields are given. Returns its number of slots. */
static unsigned int take_long(struct drain *drain, struct kmt_record *slot,
			      const struct kmt_record *head)
{
	struct kmt_long_record record;
	unsigned int slots = KMT_SLOTS(head->words);

	memcpy(&record, slot, (size_t)head->words * KMT_WORD);
	record.head = *head;
	/* later records that begin in the other slots need a tag of 0, too */
	for (unsigned int i = 0; i < slots; i++)
		__atomic_store_n(&slot[i].tag, 0, __ATOMIC_RELAXED);
	put(drain, &record.head);
	return slots;
}

/* Returns how many records it took out. */
static long run_ring(struct drain *drain, uint64_t tail)
{
	struct kmt_control *control = drain->control;
	uint64_t head = load(&control->slots), given_back = tail;
	long taken = 0;

	while (tail < head) {
		struct kmt_record *slot = &drain->ring[tail & (drain->slots - 1)], record;
		uint64_t tag = load(&slot->tag);

		if (!tag)
			break; /* the program has not finished this record yet */
		record = *slot;
		record.tag = tag;
		if (record.words > KMT_RECORD_WORDS) {
			tail += take_long(drain, slot, &record);
		} else {
			__atomic_store_n(&slot->tag, 0, __ATOMIC_RELAXED);
			put(drain, &record);
			tail++;
		}
		taken++;
		if (tail - given_back >= GIVE_BACK) {
			given_back = tail;
			__atomic_store_n(&control->tail, tail, __ATOMIC_RELEASE);
		}
	}
	__atomic_store_n(&control->tail, tail, __ATOMIC_RELEASE);
	return taken;
}

/* Was every event that took a number taken out, or lost? */
static bool is_caught_up(const struct drain *drain, uint64_t *sequence)
{
	uint64_t lost = load(&drain->control->lost);

	*sequence = load(&drain->control->sequence);
	return *sequence == drain->taken + lost;
}

uint64_t drain_waiting(const struct drain *drain)
{
	if (!drain->ring)
		return drain->round_taken;
	return load(&drain->control->slots) - drain->control->tail;
}

long drain_run(struct drain *drain)
{
	struct kmt_control *control = drain->control;
	uint64_t sequence = 0, slots_then = 0, caught_up_time;
	long got;
	bool caught_up;
	int writer_err;

	drain->round_err = 0;
	if (drain->buffer) {
		got = ring_buffer__consume(drain->buffer);
		caught_up = is_caught_up(drain, &sequence);
		caught_up_time = caught_up ? machine_now() : 0;
		/* a record's number has 32 bits; newer losses are in the control block only */
		if (caught_up)
			drain->lost_before = sequence - drain->taken;
		if (got < 0 && !drain->round_err)
			drain->round_err = (int)got;
	} else {
		caught_up = find_consistent_counters(control, &sequence, &slots_then);
		caught_up_time = caught_up ? machine_now() : 0;
		got = drain->ring ? run_ring(drain, control->tail) : 0;
		caught_up = caught_up && control->tail >= slots_then;
	}

	/*
	 * The next record reads the clock after it takes its slots. So its time is not before the
	 * time of these records.
	 */
	drain->caught_up = caught_up;
	writer_err = writer_release(&drain->writer);
	if (!writer_err && caught_up)
		writer_err = writer_confirm_losses(&drain->writer, sequence, caught_up_time);
	if (writer_err && !drain->round_err)
		drain->round_err = writer_err;
	drain->may_be_incomplete |= drain->round_err;
	drain->round_taken = got > 0 ? (uint64_t)got : 0;
	return drain->round_err ? drain->round_err : got;
}

static bool is_empty(const struct drain *drain)
{
	uint64_t sequence;

	if (drain->buffer)
		return is_caught_up(drain, &sequence);
	return drain->control->tail == load(&drain->control->slots) &&
	       load(&drain->control->sequence) == drain->control->tail -
							  load(&drain->control->more_slots) +
							  load(&drain->control->lost);
}

int drain_rest(struct drain *drain, uint64_t skipped)
{
	const struct timespec millisecond = { .tv_nsec = 1000000 };
	int err = 0, failed;
	long got;

	/* a program that was interrupted may still need time to finish its record */
	for (int i = 0; i < 1000; i++) {
		got = drain_run(drain);
		if (got < 0 && !err)
			err = got;
		if (is_empty(drain))
			break;
		nanosleep(&millisecond, NULL);
	}
	failed = writer_flush(&drain->writer, 0, skipped, false);
	drain->may_be_incomplete |= failed;
	return err ? err : failed;
}

int drain_finish(struct drain *drain, uint64_t end, uint64_t skipped)
{
	int err;

	err = writer_confirm_losses(&drain->writer, load(&drain->control->sequence), end);
	writer_retry(&drain->writer);
	return err ? err : writer_flush(&drain->writer, end, skipped, true);
}

uint64_t drain_count_own(struct drain *drain, int fd)
{
	struct kmt_record record;
	struct stream stream;
	struct packet packet;
	struct cursor cursor;
	uint64_t own = 0;

	if (fd < 0 || stream_open_fd(&stream, fd, drain->writer.path))
		return drain->own;
	while (stream_next(&stream, &packet) == 1) {
		cursor_init(&cursor, &packet);
		while (cursor_next(&cursor, &record) == 1)
			own += is_own(drain, record.task);
	}
	stream_close(&stream);
	return own;
}
