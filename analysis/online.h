/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An analysis of a capture while it is recorded. It groups by function or site. The caller puts the
 * records of each CPU, and reports caches as they are created and destroyed. When it has taken all
 * events before a time, its observer has seen the same transitions as from analysis_run() of the
 * capture up to that time, with four exceptions:
 *
 *   - when two tracepoints report one allocation, the first report waits up to a millisecond for
 * the second, and is not counted meanwhile
 *   - a call site keeps the function that it had when it was first seen, even if symbols come later
 *   - a cache that is reported after its events has no name and no sizes until then
 *   - with tallies, most allocations and frees are counted there instead
 */
#ifndef ANALYSIS_ONLINE_H
#define ANALYSIS_ONLINE_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/analysis.h"
#include "analysis/online_packet.h"
#include "analysis/task_tallies.h"

struct online_settings {
	unsigned int cpus;  /* the highest number of a CPU, + 1 */
	size_t objects_max; /* live objects tracked; totals.untracked counts more; 0: no limit */
	struct observer observer;
	bool observer_only;	    /* as analysis_settings.observers_only */
	bool estimate;		    /* as analysis_settings.estimate */
	bool mark_sampled;	    /* the same */
	bool by_site;		    /* group by site, not by function */
	struct tallies *tallies;    /* see online_fastpath.h; needs observer_only; NULL: not used */
	struct task_tallies *tasks; /* with tallies: counts of tasks too; NULL: not used */
	/* Called when a packet is no longer needed. */
	void (*release)(void *data, struct online_packet *packet);
	void *data;
};

struct online;
struct tallies;

/*
 * The capture must outlive the analysis. Its list of caches is emptied: online_cache() fills it. 0
 * or -ENOMEM.
 */
int online_open(struct online **online, struct capture *capture,
		const struct online_settings *settings);
void online_close(struct online *online);

/* The next packet of its CPU. It is released later; at once if the CPU is not below cpus. */
void online_put(struct online *online, struct online_packet *packet);

/* A cache was created, or destroyed. Call before putting packets that refer to it. 0 or -ENOMEM. */
int online_cache(struct online *online, const struct cache *cache);
void online_cache_gone(struct online *online, uint64_t address, uint64_t time);

/* The symbols of the capture have changed: from now on, call sites are looked up again. */
void online_symbols_changed(struct online *online);

/*
 * Sets the margins of estimates. interval_most: the longest sampling interval so far, in bytes,
 * even if no sample has it: without a sample, it hides bytes. lost: the records lost so far, which
 * may have been samples.
 */
void online_set_sampling(struct online *online, uint64_t interval_most, uint64_t lost);

/*
 * Takes all events before the watermark, and no others; the caller has put all of them. *processed
 * becomes the watermark; or an earlier time, if a record there has a cache that was not reported
 * yet: it waits until the next call, since a record may overtake the report. 0, or -errno of the
 * observer, or -ENOMEM.
 */
int online_take(struct online *online, uint64_t watermark, uint64_t *processed);

/*
 * Ends the live objects that the slab allocator had free by this reading: their frees were missed
 * (see audit.h). online_take() has processed all events before the end of the reading. 0, or -errno
 * of the observer, or -ENOMEM.
 */
int online_audit(struct online *online, const struct heap_reading *reading);

/* The current state: groups, caches, totals; no losses. */
const struct analysis *online_analysis(const struct online *online);

/* The number of events taken. Records of unknown kinds are not among them: totals.unknown. */
uint64_t online_events(const struct online *online);

#endif
