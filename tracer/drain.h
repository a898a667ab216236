/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Moves records from the ring of one CPU to its stream. */
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
	struct kmt_record *ring;    /* its slots and its overhang; NULL: buffer is used */
	uint32_t slots;		    /* of the ring: a power of two */
	struct ring_buffer *buffer; /* its records have no sequence numbers: the drain makes them */
	uint64_t taken, lost_before; /* of buffer: records; events lost before the last record */
	uint64_t round_taken;	     /* records of the last round */
	bool caught_up;		     /* see drain_run() */
	int round_err;		     /* -errno: the first failure of a round */
	/* the caller wants to end the stream: a round stops where that is possible */
	bool switching;
	bool can_switch;	     /* after such a round: drain_switch() is possible */
	uint64_t switch_time;	     /* ns: not before any record taken, not after any to come */
	uint64_t room;		     /* records that a round takes, at most; 0: any number */
	const struct status *status; /* knows kmemtraced's own tasks */
	uint32_t last_task;
	bool last_own;	    /* last_task is one of them */
	uint64_t own;	    /* records of these tasks given to the writer */
	bool has_oom_kill;  /* a record of an OOM kill was taken out; the caller resets it */
	uint64_t oom_kills; /* taken out so far */
	struct oom_kill {
		uint64_t time;	 /* ns */
		uint32_t victim; /* process id */
	} last_oom_kill;
	bool may_be_incomplete; /* some records given to the writer may not be on disk */
	struct writer writer;
};

/*
 * Opens the stream: the empty file fd, which the drain closes, named path in messages; -1: without
 * a file. If there is no ring, opens the BPF ring buffer of buffer_fd too. begin: ns, before all
 * records. 0 or -errno with writer.errmsg set.
 */
int drain_open(struct drain *drain, int fd, const char *path, const uint8_t uuid[16],
	       unsigned int cpu, uint64_t begin, int buffer_fd);
void drain_close(struct drain *drain);

/* The slots in use in the ring; for a BPF ring buffer, the records that the last round took out. */
uint64_t drain_waiting(const struct drain *drain);

/*
 * Takes all whole records out of the ring. Returns how many, or -errno with writer.errmsg set: then
 * the records are taken out too, and will count as lost. Sets caught_up: true if each event that
 * took its number before the call was taken out, now or earlier, or is lost.
 */
long drain_run(struct drain *drain);

/*
 * After a round with can_switch: ends the stream and begins the next one, as writer_switch(); *own:
 * how many records by own tasks the ended one has. ended->size 0: it has not ended.
 */
int drain_switch(struct drain *drain, int fd, const char *path, uint64_t skipped,
		 struct writer_ended *ended, uint64_t *own);

/*
 * After the programs were detached: every sequence number that has not come counts as lost, at time
 * (ns), and drain_switch() is possible.
 */
void drain_give_up(struct drain *drain, uint64_t time);

/*
 * After the programs were detached: takes out the rest and writes it. 0, or -errno: records that
 * could not be written will count as lost.
 */
int drain_rest(struct drain *drain, uint64_t skipped);

/*
 * After drain_rest(): counts every sequence number up to now that is not on disk as lost, and ends
 * the stream at the time end (ns) with an empty packet, which needs little room on disk. 0 or
 * -errno.
 */
int drain_finish(struct drain *drain, uint64_t end, uint64_t skipped);

/*
 * Once the stream is finished: the number of records by own tasks on disk. Closes fd, which is the
 * stream, open for reading. It can be -1 if may_be_incomplete is false.
 */
uint64_t drain_count_own(struct drain *drain, int fd);

#endif
