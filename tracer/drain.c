// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Takes records out of a ring. A record is whole once its first slot's tag is not 0. The drain sets
 * the tags to 0 again before it gives the slots back. bpf/ring.pml is a model of this. libbpf reads
 * BPF ring buffers.
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
#include "tracer/rings.h"

#define GIVE_BACK 1024 /* slots at a time, so that a CPU with a full ring soon finds room */

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

		*slots = rings_load(&control->slots);
		more_slots = rings_load(&control->more_slots);
		lost = rings_load(&control->lost);
		*sequence = rings_load(&control->sequence);
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

static void note_oom_kill(struct drain *drain, const struct kmt_record *record)
{
	drain->has_oom_kill = true;
	drain->oom_kills++;
	drain->last_oom_kill = (struct oom_kill){ record->time, (uint32_t)record->payload };
}

static void put_drained_record(struct drain *drain, const struct kmt_record *record)
{
	int err;

	drain->own += is_own(drain, record->task);
	if (record->id == KMT_OOM_KILL)
		note_oom_kill(drain, record);
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
	uint64_t taken = 0;
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
		put_drained_record(drain, &record.head);
		taken++;
	}
	drain->round_taken += taken;
	/* after this error, too, libbpf moves on behind the record */
	return drain->room && drain->round_taken >= drain->room ? -ENOBUFS : 0;
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
	put_drained_record(drain, &record.head);
	return slots;
}

/* Takes out the records up to the slot head. Returns how many. */
static long run_ring(struct drain *drain, uint64_t tail, uint64_t head)
{
	struct kmt_control *control = drain->control;
	uint64_t given_back = tail;
	long taken = 0;

	while (tail < head && (!drain->room || (uint64_t)taken < drain->room)) {
		struct kmt_record *slot = &drain->ring[tail & (drain->slots - 1)], record;
		uint64_t tag = rings_load(&slot->tag);

		if (!tag)
			break; /* the program has not finished this record yet */
		record = *slot;
		record.tag = tag;
		if (record.words > KMT_RECORD_WORDS) {
			tail += take_long(drain, slot, &record);
		} else {
			__atomic_store_n(&slot->tag, 0, __ATOMIC_RELAXED);
			put_drained_record(drain, &record);
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
	uint64_t lost = rings_load(&drain->control->lost);

	*sequence = rings_load(&drain->control->sequence);
	return *sequence == drain->taken + lost;
}

uint64_t drain_waiting(const struct drain *drain)
{
	if (!drain->ring)
		return drain->round_taken;
	return rings_load(&drain->control->slots) - drain->control->tail;
}

/* A round over a BPF ring buffer. *sequence: see is_caught_up(). */
static long run_buffer(struct drain *drain, uint64_t *sequence, uint64_t *before)
{
	long got = ring_buffer__consume(drain->buffer);

	*before = machine_now();
	drain->caught_up = is_caught_up(drain, sequence);
	/* a record's number has 32 bits; newer losses are in the control block only */
	if (drain->caught_up)
		drain->lost_before = *sequence - drain->taken;
	if (got == -ENOBUFS)
		return (long)drain->round_taken;
	if (got < 0 && !drain->round_err)
		drain->round_err = (int)got;
	return got;
}

/*
 * A round over a mapped ring. Only the records below the slots of the consistent counters have
 * numbers below *sequence: so a round before the end of a stream stops there.
 */
static long run_mapped(struct drain *drain, uint64_t *sequence, uint64_t *before,
		       uint64_t *caught_up_time)
{
	struct kmt_control *control = drain->control;
	uint64_t slots_then = 0;
	long got = 0;

	*before = machine_now();
	drain->caught_up = find_consistent_counters(control, sequence, &slots_then);
	*caught_up_time = machine_now();
	if (drain->ring)
		got = run_ring(drain, control->tail,
			       drain->switching && drain->caught_up ? slots_then
								    : rings_load(&control->slots));
	drain->caught_up = drain->caught_up && control->tail >= slots_then;
	return got;
}

/*
 * The next stream begins with an event that took its number after `before`, and read its time after
 * that. One exception: an interrupt may come before the last event of this stream reads its time.
 * The events of the interrupt belong to the next stream, and may have earlier times: the writer
 * clamps them. Lost events at the end have no times; all of them were lost before caught_up_time.
 */
static void find_switch_time(struct drain *drain, uint64_t sequence, uint64_t before,
			     uint64_t caught_up_time)
{
	const struct writer *writer = &drain->writer;
	uint64_t time = writer->loss.next < sequence ? caught_up_time : before;

	drain->can_switch = true;
	drain->switch_time = time > writer->time_last ? time : writer->time_last;
}

long drain_run(struct drain *drain)
{
	uint64_t sequence = 0, before, caught_up_time;
	int writer_err;
	long got;

	drain->round_err = 0;
	drain->round_taken = 0;
	drain->can_switch = false;
	if (drain->buffer) {
		got = run_buffer(drain, &sequence, &before);
		caught_up_time = machine_now();
	} else {
		got = run_mapped(drain, &sequence, &before, &caught_up_time);
		drain->round_taken = (uint64_t)got;
	}

	/*
	 * The next record reads the clock after it takes its slots. So its time is not before the
	 * time of these records.
	 */
	writer_err = writer_release(&drain->writer);
	if (!writer_err && drain->switching && drain->caught_up)
		find_switch_time(drain, sequence, before, caught_up_time);
	if (!writer_err && drain->caught_up)
		writer_err = writer_confirm_losses(&drain->writer, sequence, caught_up_time);
	if (writer_err && !drain->round_err)
		drain->round_err = writer_err;
	drain->may_be_incomplete |= drain->round_err;
	return drain->round_err ? drain->round_err : got;
}

int drain_switch(struct drain *drain, int fd, const char *path, uint64_t skipped,
		 struct writer_ended *ended, uint64_t *own)
{
	int err;

	ended->size = 0;
	err = writer_switch(&drain->writer, fd, path, drain->switch_time, skipped, ended);
	if (!ended->size) {
		drain->may_be_incomplete |= err;
		return err;
	}
	*own = drain->own;
	drain->own = 0;
	drain->may_be_incomplete = err;
	drain->switching = drain->can_switch = false;
	return err;
}

void drain_give_up(struct drain *drain, uint64_t time)
{
	writer_release(&drain->writer);
	writer_confirm_losses(&drain->writer, rings_load(&drain->control->sequence), time);
	drain->can_switch = true;
	drain->switch_time = time > drain->writer.time_last ? time : drain->writer.time_last;
}

static bool is_empty(const struct drain *drain)
{
	uint64_t sequence, slots;

	if (drain->buffer)
		return is_caught_up(drain, &sequence);
	return find_consistent_counters(drain->control, &sequence, &slots) &&
	       drain->control->tail == slots;
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

	/* it clears errmsg */
	writer_retry(&drain->writer);
	err = writer_confirm_losses(&drain->writer, rings_load(&drain->control->sequence), end);
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
