// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Merges the packets of all CPUs by time, as merge.c merges streams, and runs the matcher on them.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/param.h>

#include "analysis/analysis.h"
#include "analysis/audit.h"
#include "analysis/cache_timeline.h"
#include "analysis/estimate.h"
#include "analysis/online.h"
#include "analysis/online_fastpath.h"
#include "analysis/matcher.h"
#include "analysis/same_time.h"
#include "base/merge_heap.h"

#define BATCH 256

/* The packets of one CPU, oldest first. */
struct cpu_queue {
	struct online_packet *first, **end;
};

struct online {
	struct online_settings settings;
	struct analysis analysis;
	struct matcher *matcher;
	struct cache_timeline timeline;
	struct cpu_queue *queues; /* by CPU */
	struct merge_heap heap;
	uint64_t taken;		 /* events */
	uint64_t last;		 /* ns: the time of the last of them */
	uint64_t last_watermark; /* ns: of the last call; earlier events do not wait for a name any
				    more */
	struct event events[BATCH];
	size_t count;			  /* of events */
	struct online_fastpath *fastpath; /* NULL: not used */
};

int online_open(struct online **result, struct capture *capture,
		const struct online_settings *settings)
{
	struct online *online = calloc(1, sizeof(*online));
	struct analysis *analysis;
	int err;

	if (!online)
		return -ENOMEM;
	online->settings = *settings;
	analysis = &online->analysis;
	analysis->settings.by = settings->by_site ? GROUP_BY_SITE : GROUP_BY_FUNCTION;
	analysis->settings.observers[0] = settings->observer;
	analysis->settings.observer_count = 1;
	analysis->settings.observers_only = settings->observer_only;
	analysis->settings.estimate = settings->estimate;
	analysis->settings.mark_sampled = settings->mark_sampled;
	analysis->capture = capture;
	analysis->window_end = UINT64_MAX;
	err = cache_timeline_init(&online->timeline, &capture->caches);
	if (!err)
		err = object_table_init(&analysis->objects);
	analysis->objects.limit = settings->objects_max;
	if (!err && settings->estimate)
		err = estimates_init(&analysis->estimates, &capture->status.sampling);
	if (!err)
		err = matcher_open(&online->matcher, analysis);
	if (!err)
		err = merge_heap_init(&online->heap, settings->cpus);
	if (!err && settings->tallies && settings->observer_only) {
		online->fastpath =
			aligned_alloc(_Alignof(struct online_fastpath), sizeof(*online->fastpath));
		if (online->fastpath)
			online_fastpath_init(online->fastpath, online->matcher, &online->timeline,
					     settings->tallies, settings->tasks);
		else
			err = -ENOMEM;
	}
	online->queues = calloc(settings->cpus ? settings->cpus : 1, sizeof(*online->queues));
	if (!online->queues)
		err = -ENOMEM;
	if (err) {
		online_close(online);
		return err;
	}
	for (size_t i = 0; i < settings->cpus; i++)
		online->queues[i].end = &online->queues[i].first;
	*result = online;
	return 0;
}

static void release_packet(struct online *online, struct online_packet *packet)
{
	online->settings.release(online->settings.data, packet);
}

static void drop_first(struct online *online, struct cpu_queue *queue)
{
	struct online_packet *packet = queue->first;

	queue->first = packet->next;
	if (!queue->first)
		queue->end = &queue->first;
	release_packet(online, packet);
}

void online_close(struct online *online)
{
	if (!online)
		return;
	for (size_t i = 0; online->queues && i < online->settings.cpus; i++)
		while (online->queues[i].first)
			drop_first(online, &online->queues[i]);
	free(online->queues);
	merge_heap_deinit(&online->heap);
	free(online->fastpath);
	matcher_close(online->matcher);
	cache_timeline_deinit(&online->timeline);
	analysis_deinit(&online->analysis);
	free(online);
}

void online_put(struct online *online, struct online_packet *packet)
{
	struct cpu_queue *queue;

	if (packet->cpu >= online->settings.cpus || !packet->count) {
		release_packet(online, packet);
		return;
	}
	queue = &online->queues[packet->cpu];
	packet->next = NULL;
	packet->taken = packet->hashed = 0;
	packet->taken_count = packet->hashed_count = 0;
	*queue->end = packet;
	queue->end = &packet->next;
}

int online_cache(struct online *online, const struct cache *cache)
{
	return cache_timeline_add(&online->timeline, cache);
}

void online_cache_gone(struct online *online, uint64_t address, uint64_t time)
{
	cache_timeline_end(&online->timeline, address, time);
}

void online_symbols_changed(struct online *online)
{
	online->matcher->grouping.until = 0;
	online->matcher->fastpath_end = 0;
}

void online_set_sampling(struct online *online, uint64_t interval_most, uint64_t lost)
{
	struct estimates *estimates = online->analysis.estimates;

	if (!estimates)
		return;
	if (estimates->interval_most < interval_most)
		estimates->interval_most = interval_most;
	estimates_set_lost(estimates, lost, 0, NULL);
}

static const struct kmt_record *next_record(const struct cpu_queue *queue)
{
	const struct online_packet *packet = queue->first;

	return (const void *)((const char *)packet->records + packet->taken);
}

static int flush_batch(struct online *online)
{
	int err = online->count ? matcher_take(online->matcher, online->events, online->count) : 0;

	if (online->count)
		online->last = online->events[online->count - 1].time;
	online->taken += online->count;
	online->count = 0;
	return err;
}

/* Makes an event of the queue's first record. False: its cache has not been reported yet. */
static bool make_event(struct online *online, const struct cpu_queue *queue)
{
	const struct online_packet *packet = queue->first;
	const struct kmt_record *record = next_record(queue);
	struct event *event = &online->events[online->count];
	const struct cache *cache;
	bool is_known;

	if (!record_kind_is_known(record->id)) {
		online->analysis.totals.unknown++;
		return true;
	}
	if (event_init(event, record, packet->cpu, online->analysis.objects.seed)) {
		cache = cache_timeline_find(&online->timeline, event->cache_address, event->time,
					    &is_known);
		if (!is_known && event->time >= online->last_watermark)
			return false;
		online->analysis.caches_unknown += !cache;
		event_set_cache(event, cache);
	}
	online->count++;
	return true;
}

static bool queue_advance(struct online *online, struct cpu_queue *queue)
{
	struct online_packet *packet = queue->first;

	packet->taken += (size_t)next_record(queue)->words * KMT_WORD;
	packet->taken_count++;
	if (packet->taken == packet->size)
		drop_first(online, queue);
	return queue->first;
}

static void sort_queues(struct online *online, uint64_t watermark)
{
	struct merge_heap *heap = &online->heap;

	heap->count = 0;
	for (size_t i = 0; i < online->settings.cpus; i++) {
		const struct cpu_queue *queue = &online->queues[i];

		if (queue->first && next_record(queue)->time < watermark)
			heap->list[heap->count++] =
				(struct merge_entry){ next_record(queue)->time, i };
	}
	merge_heap_sort(heap);
}

/* Does the fast path exist, and is nothing pending that it cannot take into account? */
static bool is_fast(const struct online *online)
{
	const struct matcher *matcher = online->matcher;

	return online->fastpath && !matcher->delayed.count && !matcher->waiting_count;
}

/*
 * Matches the events before the next record of the queue, then takes records before the time (ns)
 * along the fast path. 0 or -errno.
 */
static int take_fast(struct online *online, struct cpu_queue *queue, uint64_t before)
{
	long taken = 0;
	int err = online->count ? flush_batch(online) : 0;

	if (!err && online->matcher->same_time_count && online->last < next_record(queue)->time)
		err = matcher_flush(online->matcher);
	if (err || online->matcher->same_time_count || !is_fast(online))
		return err;
	taken = online_fastpath_run(online->fastpath, queue->first,
				    MIN(before, online->matcher->grouping.until));
	if (taken < 0)
		return (int)taken;
	online->taken += (uint64_t)taken;
	if (taken)
		online->last = online->fastpath->last;
	return 0;
}

/* Matches the only event of the batch, after which no event of the same time comes. 0 or -errno. */
static int take_single(struct online *online)
{
	online->last = online->events[0].time;
	online->taken++;
	online->count = 0;
	return same_time_take(online->matcher, &online->events[0], true);
}

/*
 * Takes records of the first queue while they come before those of all other queues. Returns 1 if
 * the queue has no more events before the limit, 0, or -errno. If an event must wait for the name
 * of its cache, *limit becomes its time.
 */
static int take_run(struct online *online, uint64_t *limit)
{
	struct merge_entry second = merge_heap_second(&online->heap);
	struct merge_entry *first = &online->heap.list[0];
	struct cpu_queue *queue = &online->queues[first->index];
	uint64_t time;
	bool more;
	int err = 0;

	do {
		if (is_fast(online))
			err = take_fast(online, queue, second.key < *limit ? second.key : *limit);
		time = first->key = next_record(queue)->time;
		if (err || time >= *limit)
			return err ? err : 1;
		if (!merge_entry_precedes(first, &second))
			return 0;
		if (!make_event(online, queue)) {
			*limit = time;
			return 0;
		}
		more = queue_advance(online, queue);
		first->key = more ? next_record(queue)->time : UINT64_MAX;
		if (online->count == 1 && is_fast(online) && time < first->key && time < second.key)
			err = take_single(online);
		if (err || first->key >= *limit || !more)
			return err ? err : 1;
	} while (online->count < BATCH && merge_entry_precedes(first, &second));
	return 0;
}

int online_take(struct online *online, uint64_t watermark, uint64_t *processed)
{
	uint64_t limit = watermark;
	int err = 0;

	sort_queues(online, watermark);
	while (online->heap.count && limit == watermark && !err) {
		int ended = take_run(online, &limit);

		if (ended > 0)
			merge_heap_drop_first(&online->heap);
		else
			merge_heap_move_first(&online->heap);
		if (ended < 0)
			err = ended;
		else if (online->count == BATCH)
			err = flush_batch(online);
	}
	if (!err)
		err = flush_batch(online);
	/* events at the time of a waiting event must be matched together with it */
	if (!err && online->last < limit)
		err = matcher_flush(online->matcher);
	online->last_watermark = watermark;
	*processed = limit;
	cache_timeline_set_watermark(&online->timeline, limit);
	return err;
}

int online_audit(struct online *online, const struct heap_reading *reading)
{
	return audit_take(online->matcher, reading);
}

const struct analysis *online_analysis(const struct online *online)
{
	return &online->analysis;
}

uint64_t online_events(const struct online *online)
{
	return online->taken;
}
