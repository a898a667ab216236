// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The consumer of a ring whose slots and counters have any contents: the drain ends, reads nothing
 * outside of the ring, and the stream that it writes has whole packets only.
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

struct ring_buffer *ring_buffer__new(int fd, ring_buffer_sample_fn take, void *context,
				     const struct ring_buffer_opts *options)
{
	(void)fd, (void)take, (void)context, (void)options;
	return NULL;
}

void ring_buffer__free(struct ring_buffer *buffer)
{
	(void)buffer;
}

int ring_buffer__consume(struct ring_buffer *buffer)
{
	(void)buffer;
	return 0;
}

int __wrap_nanosleep(const struct timespec *time, struct timespec *left);

/* Nothing changes in the ring while the drain waits. */
int __wrap_nanosleep(const struct timespec *time, struct timespec *left)
{
	(void)time, (void)left;
	return 0;
}

static void read_stream(void)
{
	struct packet packet;
	struct stream stream;
	int got;

	FUZZ_EXPECT(!stream_open(&stream, fuzz_path(STREAM)));
	while ((got = stream_next(&stream, &packet)) == 1)
		;
	FUZZ_EXPECT(!got);
	stream_close(&stream);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t uuid[16] = { 1 };
	/* the overhang: a long record may begin in the last slot */
	const size_t slots = SLOTS + KMT_SLOTS(UINT8_MAX);
	struct fuzz_input input = { data, size };
	struct kmt_control control = { 0 };
	struct status status = { 0 };
	struct drain drain = { .control = &control, .slots = SLOTS, .status = &status };
	uint64_t waiting = fuzz_byte(&input);
	int fd;

	control.tail = fuzz_number(&input);
	control.sequence = fuzz_number(&input);
	control.lost = fuzz_number(&input);
	control.slots = control.tail + waiting % (SLOTS + 1);
	drain.ring = calloc(slots, sizeof(*drain.ring));
	FUZZ_EXPECT(drain.ring);
	memcpy(drain.ring, input.at,
	       input.left < slots * sizeof(*drain.ring) ? input.left : slots * sizeof(*drain.ring));
	fuzz_write(STREAM, "", 0);
	fd = open(fuzz_path(STREAM), O_RDWR | O_CLOEXEC);
	FUZZ_EXPECT(fd >= 0);
	FUZZ_EXPECT(!drain_open(&drain, fd, STREAM, uuid, 0, 1, -1));
	for (int round = 0; round < 3; round++) {
		drain_run(&drain);
		control.more_slots = drain.ring[0].time % 3;
	}
	drain_rest(&drain, 0);
	drain_finish(&drain, UINT64_MAX, 0);
	drain_close(&drain);
	read_stream();
	free(drain.ring);
	return 0;
}
