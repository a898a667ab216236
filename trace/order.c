// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Merges the streams of a capture by time. One CPU's events come in runs: as long as a stream
 * stays ahead of the runner-up, its events are taken without a look at the others, and a long run
 * is handed on where it lies.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/ahead.h"
#include "trace/lane.h"
#include "trace/order.h"
#include "trace/ranks.h"

#define BATCH 1024	     /* events of short runs that are handed on together */
#define LONG_RUN 64	     /* events */
#define SLOTS_SPACE 16777216 /* bytes, of all streams, if there are not very many */
#define SLOTS 8		     /* of a stream */

/*
 * Events that are read at a time. Many: two processors that write and read nearby wait for each
 * other's caches.
 */
#define SLOT_EVENTS_MAX 4096
#define SLOT_EVENTS_MIN 256

struct slot {
	uint64_t offset; /* in the stream, of what comes behind its packet */
	uint64_t latest; /* ns: the highest time of the stream's events, up to its end */
	_Alignas(EVENT_SIZE_MAX) struct event events[];
};

/* Where the merging stands in one stream. */
struct turn {
	const struct slot *slot;
	const struct event *at, *end;
	uint64_t key;	 /* ns: the time of the next event, but never a step back */
	uint64_t offset; /* bytes that are behind it */
};

struct order {
	struct capture *capture;
	struct lane *lanes; /* by cpu */
	struct turn *turns; /* of each lane */
	size_t lane_count, slot_events;
	struct ahead *ahead;
	struct ranks ranks;
	bool started;
	bool handed; /* the first in ranks has handed on a run: its next event must be found */
	struct event events[BATCH];
};

static int fail(struct order *order, size_t index, int err)
{
	struct capture *capture = order->capture;
	const struct stream *stream = &order->lanes[index].stream;
	const char *path = capture->streams[index].path;
	char newer[METADATA_TEXT];

	if (err == -EPROTONOSUPPORT)
		snprintf(capture->why, sizeof(capture->why), "%s: byte %" PRIu64 ": %s; %s", path,
			 stream->offset, stream->why,
			 metadata_newer_text(capture->metadata.tracer_version, newer,
					     sizeof(newer)));
	else
		snprintf(capture->why, sizeof(capture->why), "%s: %s", path, strerror(-err));
	return err;
}

static int fill_slot(void *data, size_t index, void *space)
{
	struct order *order = data;
	struct slot *slot = space;
	int got;

	got = lane_fill(&order->lanes[index], slot->events, order->slot_events);
	slot->offset = order->lanes[index].stream.offset;
	slot->latest = order->lanes[index].latest;
	return got;
}

/* Finds the lane's next event. 1, 0 at the end, or -errno. */
static int find_next(struct order *order, size_t index)
{
	struct turn *turn = &order->turns[index];
	const void *slot;
	int got;

	if (turn->at == turn->end) {
		if (turn->slot)
			turn->offset = turn->slot->offset;
		got = ahead_take(order->ahead, index, &slot);
		if (got < 0)
			return fail(order, index, got);
		turn->slot = got ? slot : NULL;
		if (!got)
			return 0;
		turn->at = turn->slot->events;
		turn->end = turn->at + got;
	}
	if (turn->at->time > turn->key)
		turn->key = turn->at->time;
	return 1;
}

/* Takes those of the turn's events, up to a limit, that come before the runner-up: at least one. */
static size_t take_run(struct turn *turn, size_t lane, const struct rank *runner_up, size_t limit)
{
	size_t left = turn->end - turn->at, count = 1;
	struct rank rank = { turn->slot->latest, lane };

	/* all that is left of a slot: none of its times needs a look */
	if (left <= limit && rank_comes_before(&rank, runner_up)) {
		turn->key = rank.key;
		turn->at = turn->end;
		return left;
	}
	rank.key = turn->key;
	if (left > limit)
		left = limit;
	for (; count < left; count++) {
		if (turn->at[count].time > rank.key)
			rank.key = turn->at[count].time;
		if (!rank_comes_before(&rank, runner_up))
			break;
		turn->key = rank.key;
	}
	turn->at += count;
	return count;
}

/* Gives the first lane its next place. 0 or -errno. */
static int rank_first(struct order *order)
{
	struct rank *first = &order->ranks.list[0];
	int got = find_next(order, first->lane);

	if (got < 0)
		return got;
	first->key = order->turns[first->lane].key;
	if (got)
		ranks_move_first(&order->ranks);
	else
		ranks_drop_first(&order->ranks);
	return 0;
}

int order_next(struct order *order, const struct event **events)
{
	size_t count = 0;
	int err = 0;

	if (!order->started)
		ahead_start(order->ahead);
	order->started = true;
	if (order->handed)
		err = rank_first(order);
	order->handed = false;
	*events = order->events;
	while (!err && count < BATCH && order->ranks.count) {
		struct rank runner_up = ranks_runner_up(&order->ranks);
		size_t index = order->ranks.list[0].lane, run;
		struct turn *turn = &order->turns[index];
		const struct event *first = turn->at;

		run = take_run(turn, index, &runner_up, count ? BATCH - count : order->slot_events);
		if (!count && run >= LONG_RUN) {
			*events = first;
			order->handed = true;
			return (int)run;
		}
		memcpy(&order->events[count], first, run * sizeof(*first));
		count += run;
		err = rank_first(order);
	}
	return err ? err : (int)count;
}

static int open_lane(struct order *order, size_t index, uint64_t seed)
{
	const struct capture *capture = order->capture;
	int got;

	got = lane_open(&order->lanes[index], capture, &capture->streams[index], seed);
	if (got)
		return fail(order, index, got);
	order->lane_count++;
	got = find_next(order, index);
	if (got > 0)
		order->ranks.list[order->ranks.count++] =
			(struct rank){ order->turns[index].key, index };
	return got < 0 ? got : 0;
}

static int prepare(struct order *order, unsigned int threads)
{
	size_t count = order->capture->stream_count;
	struct ahead_settings settings = {
		.sources = count,
		.threads = threads ? threads : ahead_default_threads(),
		.space = SLOTS_SPACE,
		.fill = fill_slot,
		.data = order,
	};

	order->slot_events = SLOTS_SPACE / SLOTS / sizeof(struct event) / (count ? count : 1);
	if (order->slot_events > SLOT_EVENTS_MAX)
		order->slot_events = SLOT_EVENTS_MAX;
	if (order->slot_events < SLOT_EVENTS_MIN)
		order->slot_events = SLOT_EVENTS_MIN;
	settings.slot_align = EVENT_SIZE_MAX;
	settings.slot_size = sizeof(struct slot) + order->slot_events * sizeof(struct event);
	order->lanes = calloc(count + 1, sizeof(*order->lanes));
	order->turns = calloc(count + 1, sizeof(*order->turns));
	if (!order->lanes || !order->turns || ranks_init(&order->ranks, count))
		return -ENOMEM;
	return ahead_open(&order->ahead, &settings);
}

int order_open(struct order **result, struct capture *capture, unsigned int threads, uint64_t seed)
{
	struct order *order;
	int err = -ENOMEM;

	order = calloc(1, sizeof(*order));
	if (order) {
		order->capture = capture;
		err = prepare(order, threads);
	}
	if (err)
		snprintf(capture->why, sizeof(capture->why), "%s: %s", capture->path,
			 strerror(-err));
	for (size_t i = 0; !err && i < capture->stream_count; i++)
		err = open_lane(order, i, seed);
	if (err) {
		order_close(order);
		return err;
	}
	ranks_sort(&order->ranks);
	*result = order;
	return 0;
}

void order_close(struct order *order)
{
	if (!order)
		return;
	ahead_close(order->ahead);
	for (size_t i = 0; i < order->lane_count; i++)
		lane_close(&order->lanes[i]);
	free(order->lanes);
	free(order->turns);
	ranks_deinit(&order->ranks);
	free(order);
}

size_t order_stream_count(const struct order *order)
{
	return order->lane_count;
}

const struct order_stream *order_stream(const struct order *order, size_t index)
{
	return &order->lanes[index].figures;
}

uint64_t order_progress(const struct order *order, uint64_t *bytes)
{
	uint64_t done = 0;

	*bytes = 0;
	for (size_t i = 0; i < order->lane_count; i++) {
		*bytes += order->lanes[i].stream.size;
		done += order->turns[i].offset;
	}
	return done;
}
