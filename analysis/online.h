/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An analysis of a capture while it is made: by function, fed from outside with the records of
 * each CPU and with the caches as they come and go. Whenever it has taken all events before some
 * time, an observer has seen what analysis_run() would show it of the part before that time.
 *
 * But for three things: of an allocation that is told twice the first waits up to a millisecond for
 * the second, and is in no figure meanwhile; a call site keeps the function that it had when it was
 * first seen, although symbols may come later; and a cache that is told late, after its events, had
 * no name and no sizes until then.
 */
#ifndef ANALYSIS_ONLINE_H
#define ANALYSIS_ONLINE_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/analysis.h"
#include "capture/format.h"

/* Records of one CPU, in the order of its stream: none is earlier than the one before. */
struct online_packet {
	struct online_packet *next; /* online.c's own, as is taken */
	size_t taken;		    /* bytes */
	uint64_t sequence_first;    /* a number that no record's is far from */
	uint32_t cpu;
	uint32_t count; /* of records, which may be longer than struct kmt_record */
	size_t size;	/* bytes of all records */
	struct kmt_record records[PACKET_RECORDS_MAX];
};

struct online_settings {
	unsigned int cpus;  /* the highest number of a CPU, + 1 */
	size_t objects_max; /* live ones that are tracked: beyond, totals.untracked counts; 0: all
			     */
	struct observer observer;
	/* A packet is not needed any longer. */
	void (*release)(void *data, struct online_packet *packet);
	void *data;
};

struct online;

/* The capture must stay; its list of caches is emptied, for they are told. 0 or -ENOMEM. */
int online_open(struct online **online, struct capture *capture,
		const struct online_settings *settings);
void online_close(struct online *online);

/* The next packet of its CPU, to be released; of a CPU that is none of the settings' at once. */
void online_put(struct online *online, struct online_packet *packet);

/* A cache came, or went: before the packets whose records tell of it. 0 or -ENOMEM. */
int online_cache(struct online *online, const struct cache *cache);
void online_cache_gone(struct online *online, uint64_t address, uint64_t time);

/*
 * All events before the horizon have been put: takes them, and no other. *reached is the horizon;
 * or less, where a record names a cache that was not told: it waits for one call, since it may
 * overtake the name. 0, or -errno of the observer, or -ENOMEM.
 */
int online_take(struct online *online, uint64_t horizon, uint64_t *reached);

/* As it stands: groups, caches, totals; no losses. */
const struct analysis *online_analysis(const struct online *online);

/* Records taken. */
uint64_t online_events(const struct online *online);

#endif
