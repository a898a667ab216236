// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The publishing thread: takes what is in the queue, aggregates it and publishes the result. */
#include "config.h"

#include <errno.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cpu_time.h"
#include "live/stats/details.h"
#include "tracer/pieces/piece_set.h"
#include "tracer/publish/publish.h"
#include "tracer/publish/publish_summaries.h"

#define NICE (-10) /* a higher priority than the traced tasks, a lower one than the drain */

void publish_return_packet(void *data, struct online_packet *packet)
{
	struct publish *publish = data;

	queue_return(&publish->queue, packet);
}

static int reload_symbols(struct publish *publish)
{
	struct symbols symbols;
	unsigned int piece = __atomic_load_n(&publish->piece, __ATOMIC_ACQUIRE);
	char path[4096], name[PIECE_NAME_SIZE];
	int err;

	if (piece)
		snprintf(path, sizeof(path), "/proc/self/fd/%d/%s/kernel/symbols", publish->set,
			 piece_name(piece, name));
	else
		snprintf(path, sizeof(path), "%s/kernel/symbols", publish->capture.path);
	err = symbols_load(&symbols, path);
	if (err)
		return err == -ENOMEM ? err : 0; /* keep the symbols from before */
	symbols_deinit(&publish->capture.symbols);
	publish->capture.symbols = symbols;
	online_symbols_changed(publish->online);
	err = 0;
	for (size_t i = 0; i < publish->needed_count && !err; i++)
		err = publish->needed[i]->symbols_changed(publish);
	return err;
}

int publish_on_transition(void *data, const struct analysis *analysis,
			  const struct transition *transition)
{
	struct publish *publish = data;
	int err = 0;

	for (size_t i = 0; i < publish->needed_count && !err; i++)
		err = publish->needed[i]->take(publish, analysis, transition);
	return err;
}

static int add_tally(void *data, const struct tally *tally, unsigned int cpu,
		     const struct tally_count *count)
{
	struct publish *publish = data;
	const struct analysis *analysis = online_analysis(publish->online);
	int err = 0;

	for (size_t i = 0; i < publish->needed_count && !err; i++)
		err = publish->needed[i]->take_tally(publish, analysis, tally, cpu, count);
	return err;
}

/* Counts the events before the watermark. */
static int take_events(struct publish *publish, uint64_t watermark, uint64_t *reached)
{
	int err = online_take(publish->online, watermark, reached);

	return err ? err : tallies_take(&publish->tallies, add_tally, publish);
}

/*
 * The same, with a summary of each interval that ends before the watermark. An event that waits for
 * the name of its cache stops it before the end of the interval; the next call goes on there.
 */
static int take_intervals(struct publish *publish, const struct watermark *watermark,
			  uint64_t *reached)
{
	uint64_t end;
	int err = 0;

	while ((end = publish_summaries_next_end(publish, watermark)) <= watermark->time) {
		err = take_events(publish, end, reached);
		if (err || *reached < end)
			return err;
		err = publish_summaries_write(publish, watermark, end);
		if (err)
			return err;
	}
	return take_events(publish, watermark->time, reached);
}

/* All events before the time (ns) are counted. 0 or -ENOMEM. */
static int take_reading(struct publish *publish, uint64_t time)
{
	uint64_t begin = thread_cpu_time();
	int err;

	if (!publish->reading || time < publish->reading->end)
		return 0;
	err = online_audit(publish->online, publish->reading);
	for (size_t i = 0; i < publish->needed_count && !err; i++)
		if (publish->needed[i]->take_reading)
			err = publish->needed[i]->take_reading(publish, publish->reading);
	__atomic_store_n(&publish->reading_cpu_ns, thread_cpu_time() - begin, __ATOMIC_RELAXED);
	publish->reading = NULL;
	__atomic_store_n(&publish->has_reading, false, __ATOMIC_RELEASE);
	return err;
}

static int aggregate_events(struct publish *publish, const struct watermark *watermark)
{
	struct missing missing;
	uint64_t time;
	int err = 0;

	if (__atomic_exchange_n(&publish->symbols_changed, false, __ATOMIC_ACQUIRE))
		err = reload_symbols(publish);
	if (!err)
		err = take_intervals(publish, watermark, &time);
	if (!err)
		err = take_reading(publish, time);
	missing = watermark_missing(watermark, online_analysis(publish->online));
	online_set_sampling(publish->online, watermark->missing.sampling,
			    missing.lost + missing.uncounted);
	if (err || time <= publish->snapshot_time)
		return err;
	for (size_t i = 0; i < publish->needed_count && !err; i++)
		if (publish->needed[i]->step)
			err = publish->needed[i]->step(publish, watermark, time);
	publish->snapshot_time = time;
	return err;
}

/* Names come before the watermark that covers the first events of their tasks. 0 or -ENOMEM. */
static int take_names(struct publish *publish, char *names)
{
	int err = details_names(publish->details, names);

	free(names);
	return err;
}

static int handle_message(struct publish *publish, struct message *message)
{
	switch (message->kind) {
	case MESSAGE_PACKET:
		online_put(publish->online, message->packet);
		return 0;
	case MESSAGE_CACHE:
		return online_cache(publish->online, &message->cache);
	case MESSAGE_CACHE_GONE:
		online_cache_gone(publish->online, message->cache.address, message->cache.until);
		return 0;
	case MESSAGE_PATHS:
		free(publish->paths);
		publish->paths = message->paths;
		return 0;
	case MESSAGE_NAMES:
		return take_names(publish, message->names);
	case MESSAGE_READING:
		publish->reading = message->reading;
		return 0;
	case MESSAGE_WATERMARK:
		return aggregate_events(publish, &message->watermark);
	}
	return 0;
}

static int handle_messages(struct publish *publish)
{
	struct message message;
	int err = 0;

	while (!err && queue_get(&publish->queue, &message))
		err = handle_message(publish, &message);
	return err;
}

/* The events after the last watermark: counted at the end, and published in summaries only. */
static int aggregate_rest(struct publish *publish)
{
	const struct watermark *last = &publish->last;
	uint64_t reached = 0;
	int err = 0;

	while (!err && publish_writes_summaries(publish) && reached < last->time)
		err = take_intervals(publish, last, &reached);
	while (!err && reached < UINT64_MAX)
		err = take_events(publish, UINT64_MAX, &reached);
	if (!err)
		err = take_reading(publish, UINT64_MAX);
	if (!err && publish_writes_summaries(publish) && last->time)
		err = publish_summaries_write(publish, last, last->time);
	return err;
}

void *publish_thread_run(void *data)
{
	struct publish *publish = data;
	bool ending = false;
	int err = 0;

	__atomic_store_n(&publish->task, syscall(SYS_gettid), __ATOMIC_RELEASE);
	/* if this is not permitted, events that cannot be aggregated in time are counted as lost */
	setpriority(PRIO_PROCESS, 0, NICE);
	if (publish->settings.on_start)
		err = publish->settings.on_start(publish->settings.data);
	__atomic_store_n(&publish->err, err, __ATOMIC_RELEASE);
	sem_post(&publish->started);
	while (!ending && !err) {
		while (sem_wait(&publish->work))
			;
		ending = __atomic_load_n(&publish->ending, __ATOMIC_ACQUIRE);
		if (publish->opened)
			err = handle_messages(publish);
		if (publish->opened && ending && !err)
			err = aggregate_rest(publish);
	}
	/* here, since the thread may have a privilege for it that others do not have */
	for (int i = 0; i < ONLINE_COUNTER_IDS; i++)
		if (online_counters[i]->end_thread)
			online_counters[i]->end_thread(publish);
	__atomic_store_n(&publish->err, err, __ATOMIC_RELEASE);
	return NULL;
}
