// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The consumer of a ring whose slots and counters have any contents, or of a BPF ring buffer with
 * any samples: the drain ends, reads nothing outside of the ring or of a sample, and the stream
 * that it writes has whole packets only. Each record of a BPF ring buffer is in the stream, or
 * lost.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "capture/reader.h"
#include "tests/fuzz/fuzz.h"
#include "tracer/drain.h"

#define SLOTS 64U /* of the ring, a power of two */
#define STREAM "cpu0"

/* A BPF ring buffer: its samples are the parts of an input. */
static struct {
	ring_buffer_sample_fn take;
	void *context;
	struct fuzz_input left;
} buffer;

struct ring_buffer *ring_buffer__new(int fd, ring_buffer_sample_fn take, void *context,
				     const struct ring_buffer_opts *options)
{
	(void)fd, (void)options;
	buffer.take = take;
	buffer.context = context;
	return (struct ring_buffer *)&buffer;
}

void ring_buffer__free(struct ring_buffer *ring)
{
	(void)ring;
}

/* As libbpf: a sample whose reader fails is taken, and later ones stay. */
int ring_buffer__consume(struct ring_buffer *ring)
{
	int count = 0;

	(void)ring;
	while (buffer.left.left) {
		size_t size;
		const uint8_t *part = fuzz_part(&buffer.left, &size);
		/* of its own size, so that the sanitizer sees a read behind it */
		void *sample = malloc(size);
		int err;

		FUZZ_EXPECT(sample || !size);
		if (size)
			memcpy(sample, part, size);
		err = buffer.take(buffer.context, sample, size);
		free(sample);
		if (err < 0)
			return err;
		count++;
	}
	return count;
}

/* The records of the samples; each gets a possible number of lost events, *lost at most. */
static uint64_t prepare_samples(uint8_t *bytes, size_t size, uint64_t *lost)
{
	struct fuzz_input input = { bytes, size };
	uint64_t count = 0;

	*lost = 0;
	while (input.left) {
		struct kmt_record record;
		size_t left, words;

		for (uint8_t *at = bytes + (fuzz_part(&input, &left) - bytes);
		     left >= sizeof(record); at += words * KMT_WORD, left -= words * KMT_WORD) {
			memcpy(&record, at, sizeof(record));
			words = record.words;
			if (words < KMT_RECORD_WORDS || words * KMT_WORD > left)
				break;
			record.sequence &= UINT16_MAX;
			*lost = record.sequence > *lost ? record.sequence : *lost;
			memcpy(at, &record, sizeof(record));
			count++;
		}
	}
	return count;
}

int __wrap_nanosleep(const struct timespec *time, struct timespec *left);

#define WAITS 20

static struct drain *waiter; /* NULL: nothing changes while the drain waits */
static unsigned int waits;

/* After some waits the counters agree: otherwise each input would take 1,000 rounds. */
int __wrap_nanosleep(const struct timespec *time, struct timespec *left)
{
	(void)time, (void)left;
	if (waiter && ++waits == WAITS) {
		struct kmt_control *control = waiter->control;

		control->slots = control->tail;
		control->sequence =
			control->lost +
			(waiter->buffer ? waiter->taken : control->slots - control->more_slots);
	}
	return 0;
}

/* Returns its records, and the lost events of its last packet. */
static uint64_t read_stream(uint64_t *lost)
{
	struct packet packet;
	struct stream stream;
	uint64_t records = 0;
	int got;

	FUZZ_EXPECT(!stream_open(&stream, fuzz_path(STREAM)));
	while ((got = stream_next(&stream, &packet)) == 1) {
		records += packet.header.records;
		*lost = packet.header.lost;
	}
	FUZZ_EXPECT(!got);
	stream_close(&stream);
	return records;
}

static void open_drain(struct drain *drain)
{
	static const uint8_t uuid[16] = { 1 };
	int fd;

	fuzz_write(STREAM, "", 0);
	fd = open(fuzz_path(STREAM), O_RDWR | O_CLOEXEC);
	FUZZ_EXPECT(fd >= 0);
	FUZZ_EXPECT(!drain_open(drain, fd, STREAM, uuid, 0, 1, 0));
	waits = 0;
}

/* The samples as they are, or with the counters that fit them: then the losses are exact. */
static void take_samples(struct fuzz_input *input, bool counts)
{
	struct kmt_control control = { 0 };
	struct status status = { 0 };
	struct drain drain = { .control = &control, .status = &status, .room = fuzz_byte(input) };
	uint64_t more = fuzz_byte(input), count, lost;
	uint8_t *bytes = (uint8_t *)fuzz_text(input);
	int err;

	if (counts) {
		count = prepare_samples(bytes, input->left, &lost);
		control.lost = lost + more;
		control.sequence = count + control.lost;
	} else {
		control.lost = more;
		control.sequence = fuzz_number(input);
	}
	open_drain(&drain);
	waiter = counts ? NULL : &drain;
	buffer.left = (struct fuzz_input){ bytes, input->left };
	drain_run(&drain);
	drain_rest(&drain, 0);
	err = drain_finish(&drain, UINT64_MAX, 0);
	FUZZ_EXPECT(!err || (!counts && err == -ERANGE && *drain.writer.errmsg));
	drain_close(&drain);
	waiter = NULL;
	lost = 0;
	FUZZ_EXPECT(read_stream(&lost) == drain.taken);
	/* each round takes a sample at least, and there are not so many */
	if (counts)
		FUZZ_EXPECT(drain.taken == count && lost == control.lost);
	free(bytes);
}

static void take_slots(struct fuzz_input *input, uint64_t waiting)
{
	/* the overhang: a long record may begin in the last slot */
	const size_t slots = SLOTS + KMT_SLOTS(UINT8_MAX);
	struct kmt_control control = { 0 };
	struct status status = { 0 };
	struct drain drain = { .control = &control, .slots = SLOTS, .status = &status };
	uint64_t taken = 0, lost;

	control.tail = fuzz_number(input);
	control.sequence = fuzz_number(input);
	control.lost = fuzz_number(input);
	control.slots = control.tail + waiting % (SLOTS + 1);
	drain.ring = calloc(slots, sizeof(*drain.ring));
	FUZZ_EXPECT(drain.ring);
	memcpy(drain.ring, input->at,
	       input->left < slots * sizeof(*drain.ring) ? input->left
							 : slots * sizeof(*drain.ring));
	open_drain(&drain);
	waiter = &drain;
	for (int round = 0; round < 3; round++) {
		long got = drain_run(&drain);

		/* no program counts so many events */
		FUZZ_EXPECT(got >= 0 || (got == -ERANGE && *drain.writer.errmsg));
		taken += drain.round_taken;
		control.more_slots = drain.ring[0].time % 3;
	}
	drain_rest(&drain, 0);
	taken += drain.round_taken;
	drain_finish(&drain, UINT64_MAX, 0);
	drain_close(&drain);
	waiter = NULL;
	/* of two records with one number, the second is left out */
	FUZZ_EXPECT(read_stream(&lost) <= taken);
	free(drain.ring);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input input = { data, size };
	unsigned int how = fuzz_byte(&input);

	if (how < 0x80)
		take_slots(&input, how);
	else
		take_samples(&input, how & 1);
	return 0;
}
