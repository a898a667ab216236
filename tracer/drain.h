/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* From the ring of one CPU to its stream. */
#ifndef TRACER_DRAIN_H
#define TRACER_DRAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/ring.h"
#include "capture/status.h"
#include "capture/writer.h"

struct ring_buffer;

struct drain {
	struct kmt_control *control;
	struct kmt_record *ring;     /* its slots and its overhang; NULL: buffer is in its place */
	uint32_t slots;		     /* of the ring: a power of two */
	struct ring_buffer *buffer;  /* of a kernel without numbers: they are made here */
	uint64_t taken, lost_before; /* of it: records; and events lost before the last of them */
	uint64_t round_taken;	     /* records of the last round */
	bool quiet;		     /* in the last round: see drain_run() */
	int failure;		     /* the first of a round */
	const struct status *status; /* knows kmemtraced's own tasks */
	uint32_t last_task;
	bool last_own; /* last_task is one of them */
	uint64_t own;  /* records by them that were handed to the writer */
	bool failed;   /* some of them may not be on disk */
	struct writer writer;
};

/*
 * Opens the stream (path NULL: one without a file), and the BPF ring buffer of this descriptor
 * unless there is a ring; begin is before any record (ns). 0 or -errno with writer.errmsg set.
 */
int drain_open(struct drain *drain, const char *path, const uint8_t uuid[16], unsigned int cpu,
	       uint64_t begin, int buffer_fd);
void drain_close(struct drain *drain);

/* Slots that records take in the ring; of a BPF ring buffer: records that the last round took out.
 */
uint64_t drain_waiting(const struct drain *drain);

/*
 * Takes out all that is whole in the ring. Returns how many records, or -errno with writer.errmsg
 * set: they are taken out all the same, and will count as lost. quiet: every event that took its
 * number before the call is among those taken out, now or earlier, or is lost.
 */
long drain_run(struct drain *drain);

/*
 * After the programs were detached: takes out the rest and writes it. 0, or -errno: what could
 * not be written will count as lost.
 */
int drain_rest(struct drain *drain, uint64_t skipped);

/*
 * Then accounts for every number given out until end (ns), and closes the stream with an empty
 * packet that says so: that needs hardly any room. 0 or -errno.
 */
int drain_finish(struct drain *drain, uint64_t end, uint64_t skipped);

/* How many records by own tasks are on disk, once the stream at path is finished. */
uint64_t drain_count_own(struct drain *drain, const char *path);

#endif
