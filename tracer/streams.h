/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The rings of all CPUs and their drains, and what they add up to. The files are in pieces.h. */
#ifndef TRACER_STREAMS_H
#define TRACER_STREAMS_H

#include "base/error.h"
#include "kernel/topology.h"
#include "tracer/drain.h"
#include "tracer/rings.h"

/* The counts of the capture, summed over all CPUs. */
struct stream_sums {
	uint64_t recorded, lost, bytes;
	uint64_t samples; /* allocations with a stack */
};

struct streams {
	struct error *error;
	struct topology topology;
	struct rings rings;
	struct drain *drains;	  /* by CPU, rings.possible_cpus of them */
	bool *draining;		  /* by CPU: its drain is open */
	struct packer *packer;	  /* NULL: packets stay raw */
	struct stream_sums ended; /* of all streams of earlier pieces */
	unsigned int offline;	  /* CPUs that may come online, and have no ring */
	uint64_t last_round;	  /* ns: no CPU without a ring had an event before */
	/* by CPU: at the begin of its stream in the present piece; NULL: there is one piece */
	struct kmt_control *bases;
};

/*
 * Reads the topology, and makes a ring of mib mebibytes (0: the default) for each CPU that is
 * online. buffered: as rings_init(). 0, or -errno with the error set.
 */
int streams_init(struct streams *streams, unsigned int mib, bool buffered);
void streams_deinit(struct streams *streams); /* all zero is allowed */

struct stream_sums streams_sums(const struct streams *streams);

/*
 * The time before which all events are written or lost, after a round over the rings that began at
 * now (ns) and wrote all records.
 */
uint64_t streams_watermark(struct streams *streams, uint64_t now);

/* The number of events that are in no stream. */
uint64_t streams_lost(const struct streams *streams);

/* The slots of all rings that are in use: see drain_waiting(). */
uint64_t streams_waiting(const struct streams *streams);

#endif
