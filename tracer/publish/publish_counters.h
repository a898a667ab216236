/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The counters of the publishing thread. Each is a file, which defines a struct online_counter,
 * and a row of ONLINE_COUNTERS. Nothing else names all counters.
 */
#ifndef TRACER_PUBLISH_PUBLISH_COUNTERS_H
#define TRACER_PUBLISH_PUBLISH_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "kernel/heap.h"
#include "tracer/system/confine.h"

struct analysis;
struct publish;
struct tally;
struct tally_count;
struct transition;
struct watermark;

/* A directory that the thread may use for a counter, and how. */
struct online_place {
	int directory; /* open */
	enum confine_use use;
	uint64_t capabilities; /* 1 << number each */
};

/* In the order in which they start and publish: details lie beside the file of the types. */
#define ONLINE_COUNTERS(ROW) ROW(types) ROW(details) ROW(metrics) ROW(summaries)

/*
 * find_place(), step(), end_thread() and end() are NULL if they have nothing to do. Returned
 * numbers are 0 or -errno; of functions that the thread calls, 0 or -ENOMEM.
 */
struct online_counter {
	size_t state_bytes; /* of publish_state(), which is all zero at first */

	/* Before the thread starts: looks whether the file can be written. Sets error. */
	int (*start)(struct publish *publish, struct error *error);

	/* By the thread, before its work: true if it needs this to write its file. */
	bool (*find_place)(const struct publish *publish, struct online_place *place);

	/* Once the capture is open; these, and step(), only if the counter is needed. */
	bool (*is_needed)(const struct publish *publish);
	int (*open)(struct publish *publish);
	int (*take)(struct publish *publish, const struct analysis *analysis,
		    const struct transition *transition);
	int (*take_tally)(struct publish *publish, const struct analysis *analysis,
			  const struct tally *tally, unsigned int cpu,
			  const struct tally_count *count);
	int (*symbols_changed)(struct publish *publish);

	/* The slab allocator was read, and the analysis has compared its live objects. */
	int (*take_reading)(struct publish *publish, const struct heap_reading *reading);

	/* Publishes the events before the time (ns), if it publishes now. */
	int (*step)(struct publish *publish, const struct watermark *watermark, uint64_t time);

	/* For another thread: true once for each new reason why it could not publish, in error. */
	bool (*failed)(struct publish *publish, struct error *error);

	/* By the thread, which may have more privileges; then by the one that started it. */
	void (*end_thread)(struct publish *publish);
	int (*end)(struct publish *publish, struct error *error);
	void (*close)(struct publish *publish);
};

#define ONLINE_COUNTER_ID(name) ONLINE_##name,
enum online_counter_id {
	ONLINE_COUNTERS(ONLINE_COUNTER_ID) ONLINE_COUNTER_IDS
};

extern const struct online_counter *const online_counters[ONLINE_COUNTER_IDS];

#endif
