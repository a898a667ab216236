// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Merges what was put as order.c merges streams, and hands it to the pass. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/cache_timeline.h"
#include "analysis/online.h"
#include "analysis/matcher.h"
#include "base/merge_heap.h"

#define BATCH 256

/* The packets of one CPU. */
struct stream_events {
	struct online_packet *first, **end;
};

struct online {
	struct online_settings settings;
	struct analysis analysis;
	struct matcher *matcher;
	struct cache_timeline book;
	struct stream_events *lanes; /* by CPU */
	struct merge_heap ranks;
	uint64_t taken;	  /* events */
	uint64_t last;	  /* ns: the time of the last of them */
	uint64_t horizon; /* ns: of the last call: what came before it waits for no name any more */
	struct event events[BATCH];
	size_t count; /* of events */
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
	analysis->settings.by = GROUP_BY_FUNCTION;
	analysis->settings.observers[0] = settings->observer;
	analysis->settings.observer_count = 1;
	analysis->capture = capture;
	analysis->window_end = UINT64_MAX;
	err = cache_timeline_init(&online->book, &capture->caches);
	if (!err)
		err = object_table_init(&analysis->objects);
	analysis->objects.limit = settings->objects_max;
	if (!err)
		err = pass_open(&online->matcher, analysis);
	if (!err)
		err = merge_heap_init(&online->ranks, settings->cpus);
	online->lanes = calloc(settings->cpus ? settings->cpus : 1, sizeof(*online->lanes));
	if (!online->lanes)
		err = -ENOMEM;
	if (err) {
		online_close(online);
		return err;
	}
	for (size_t i = 0; i < settings->cpus; i++)
		online->lanes[i].end = &online->lanes[i].first;
	*result = online;
	return 0;
}

static void release(struct online *online, struct online_packet *packet)
{
	online->settings.release(online->settings.data, packet);
}

static void drop_first(struct online *online, struct stream_events *stream_events)
{
	struct online_packet *packet = stream_events->first;

	stream_events->first = packet->next;
	if (!stream_events->first)
		stream_events->end = &stream_events->first;
	release(online, packet);
}

void online_close(struct online *online)
{
	if (!online)
		return;
	for (size_t i = 0; online->lanes && i < online->settings.cpus; i++)
		while (online->lanes[i].first)
			drop_first(online, &online->lanes[i]);
	free(online->lanes);
	merge_heap_deinit(&online->ranks);
	pass_close(online->matcher);
	cache_timeline_deinit(&online->book);
	analysis_deinit(&online->analysis);
	free(online);
}

void online_put(struct online *online, struct online_packet *packet)
{
	struct stream_events *stream_events;

	if (packet->cpu >= online->settings.cpus || !packet->count) {
		release(online, packet);
		return;
	}
	stream_events = &online->lanes[packet->cpu];
	packet->next = NULL;
	packet->taken = 0;
	*stream_events->end = packet;
	stream_events->end = &packet->next;
}

int online_cache(struct online *online, const struct cache *cache)
{
	return cache_timeline_add(&online->book, cache);
}

void online_cache_gone(struct online *online, uint64_t address, uint64_t time)
{
	cache_timeline_end(&online->book, address, time);
}

static const struct kmt_record *lane_record(const struct stream_events *stream_events)
{
	const struct online_packet *packet = stream_events->first;

	return (const void *)((const char *)packet->records + packet->taken);
}

static int hand_over(struct online *online)
{
	int err = online->count ? pass_take(online->matcher, online->events, online->count) : 0;

	if (online->count)
		online->last = online->events[online->count - 1].time;
	online->taken += online->count;
	online->count = 0;
	return err;
}

/* Makes an event of the lane's record. False: it names a cache that was not told. */
static bool make_event(struct online *online, const struct stream_events *stream_events)
{
	const struct online_packet *packet = stream_events->first;
	const struct kmt_record *record = lane_record(stream_events);
	struct event *event = &online->events[online->count];
	const struct cache *cache;
	bool told;

	if (!record_kind_is_known(record->id)) {
		online->analysis.totals.unknown++;
		return true;
	}
	if (event_init(event, record, packet->cpu, online->analysis.objects.seed)) {
		cache = cache_timeline_find(&online->book, event->cache_address, event->time,
					    &told);
		if (!told && event->time >= online->horizon)
			return false;
		online->analysis.caches_unknown += !cache;
		event_set_cache(event, cache);
	}
	online->count++;
	return true;
}

static bool lane_advance(struct online *online, struct stream_events *stream_events)
{
	struct online_packet *packet = stream_events->first;

	packet->taken += (size_t)lane_record(stream_events)->words * KMT_WORD;
	if (packet->taken == packet->size)
		drop_first(online, stream_events);
	return stream_events->first;
}

static void rank_lanes(struct online *online, uint64_t horizon)
{
	struct merge_heap *ranks = &online->ranks;

	ranks->count = 0;
	for (size_t i = 0; i < online->settings.cpus; i++) {
		const struct stream_events *stream_events = &online->lanes[i];

		if (stream_events->first && lane_record(stream_events)->time < horizon)
			ranks->list[ranks->count++] =
				(struct merge_entry){ lane_record(stream_events)->time, i };
	}
	merge_heap_sort(ranks);
}

/* Takes records of the first lane as long as it comes before all others. 1 at its end, or 0. */
static int take_run(struct online *online, uint64_t *horizon)
{
	struct merge_entry runner_up = merge_heap_second(&online->ranks);
	struct merge_entry *first = &online->ranks.list[0];
	struct stream_events *stream_events = &online->lanes[first->stream_events];

	do {
		if (!make_event(online, stream_events)) {
			*horizon = first->key;
			return 0;
		}
		if (!lane_advance(online, stream_events))
			return 1;
		first->key = lane_record(stream_events)->time;
		if (first->key >= *horizon)
			return 1;
	} while (online->count < BATCH && merge_entry_precedes(first, &runner_up));
	return 0;
}

int online_take(struct online *online, uint64_t horizon, uint64_t *reached)
{
	uint64_t limit = horizon;
	int err = 0;

	rank_lanes(online, horizon);
	while (online->ranks.count && limit == horizon && !err) {
		if (take_run(online, &limit))
			merge_heap_drop_first(&online->ranks);
		else
			merge_heap_move_first(&online->ranks);
		if (online->count == BATCH)
			err = hand_over(online);
	}
	if (!err)
		err = hand_over(online);
	/* what is as late as the one that waits, waits with it for others of the same time */
	if (!err && online->last < limit)
		err = pass_settle(online->matcher);
	online->horizon = horizon;
	*reached = limit;
	cache_timeline_set_watermark(&online->book, limit);
	return err;
}

const struct analysis *online_analysis(const struct online *online)
{
	return &online->analysis;
}

uint64_t online_events(const struct online *online)
{
	return online->taken;
}
