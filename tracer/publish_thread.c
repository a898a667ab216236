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

#include "tracer/load/machine.h"
#include "tracer/piece_set.h"
#include "tracer/publish.h"
#include "tracer/snapshot.h"

#define SLABINFO_EVERY 1000000000ULL /* ns */
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
	err = publish->stats_file ? type_stats_reload_symbols(&publish->type_stats) : 0;
	if (!err && publish_counts_rows(publish))
		err = metrics_reload_symbols(&publish->metrics.metrics);
	if (!err && publish->summaries.file)
		err = summary_count_reload_symbols(&publish->summaries.counter);
	if (publish->counts_details)
		details_symbols_changed(&publish->details.details);
	return err;
}

/* Updates the free objects of the caches to the present numbers, maybe newer than the watermark. */
static int update_slabinfo(struct publish *publish)
{
	struct slabinfo_snapshot snapshot;
	uint64_t now = machine_now();
	int err;

	if (now - publish->slabinfo < SLABINFO_EVERY)
		return 0;
	publish->slabinfo = now;
	err = snapshot_read_slabinfo(&snapshot, now);
	if (err)
		return err == -ENOMEM ? err : 0; /* keep the numbers from before */
	err = type_stats_slabinfo(&publish->type_stats, NULL, &snapshot);
	slabinfo_snapshot_deinit(&snapshot);
	return err;
}

/*
 * Stores the first failure for lack of space. It may concern only the counters of a CPU, or whole
 * types.
 */
static void check_space(struct publish *publish)
{
	struct stats_file_omitted omitted;

	if (publish->space_err)
		return;
	stats_file_omitted(publish->stats_file, &publish->type_stats, &omitted);
	publish->types_omitted = omitted.types;
	__atomic_store_n(&publish->space_err, omitted.err, __ATOMIC_RELEASE);
}

int publish_on_transition(void *data, const struct analysis *analysis,
			  const struct transition *transition)
{
	struct publish *publish = data;
	int err = 0;

	if (publish_counts_types(publish))
		err = type_stats_on_transition(&publish->type_stats, analysis, transition);
	if (!err && publish_counts_rows(publish))
		err = metrics_on_transition(&publish->metrics.metrics, analysis, transition);
	if (!err && publish->counts_details)
		err = details_on_transition(&publish->details.details, analysis, transition);
	if (!err && publish->summaries.file)
		err = summary_count_transition(&publish->summaries.counter, analysis, transition);
	return err;
}

static int add_tally(void *data, const struct tally *tally, unsigned int cpu,
		     const struct tally_count *count)
{
	struct publish *publish = data;
	const struct analysis *analysis = online_analysis(publish->online);
	int err = 0;

	if (publish->stats_file)
		err = type_stats_add_tally(&publish->type_stats, analysis, tally, cpu, count);
	if (!err && publish_counts_rows(publish))
		err = metrics_add_tally(&publish->metrics.metrics, analysis, tally, count);
	if (!err && publish->counts_details)
		err = details_add_tally(&publish->details.details, tally, count);
	if (!err && publish->summaries.file)
		err = summary_count_tally(&publish->summaries.counter, analysis, tally, count);
	return err;
}

/* Counts the events before the watermark. */
static int take_events(struct publish *publish, uint64_t watermark, uint64_t *reached)
{
	int err = online_take(publish->online, watermark, reached);

	return err ? err : tallies_take(&publish->tallies, add_tally, publish);
}

static int write_summary(struct publish *publish, const struct watermark *watermark, uint64_t time)
{
	return publish_summaries_write(&publish->summaries, online_analysis(publish->online),
				       watermark, online_events(publish->online), time);
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

	while ((end = publish_summaries_end(&publish->summaries, &publish->capture, watermark)) <=
	       watermark->time) {
		err = take_events(publish, end, reached);
		if (err || *reached < end)
			return err;
		err = write_summary(publish, watermark, end);
		if (err)
			return err;
	}
	return take_events(publish, watermark->time, reached);
}

/* Publishes the type statistics, which include all events before the time (ns). 0 or -ENOMEM. */
static int write_stats_file(struct publish *publish, const struct watermark *watermark,
			    uint64_t time)
{
	const struct analysis *analysis = online_analysis(publish->online);
	struct stats_snapshot snapshot = { .time = time,
					   .begin = watermark->begin,
					   .with_base = publish->settings.with_base,
					   .paths = publish->paths,
					   .lost = STATS_FILE_LOST_UNKNOWN };
	int err = publish_counts_types(publish) ? update_slabinfo(publish) : 0;

	if (err)
		return err;
	if (watermark->lost != STATS_FILE_LOST_UNKNOWN)
		snapshot.lost = watermark->lost + analysis->totals.untracked +
				analysis->totals.unknown + analysis->caches_unknown +
				publish->type_stats.omitted_events;
	stats_file_write(publish->stats_file, &publish->type_stats, &snapshot);
	check_space(publish);
	publish->type_stats.generation++;
	return publish_details_step(
		&publish->details, analysis,
		&(struct details_moment){ .time = time,
					  .begin = watermark->begin,
					  .lost = snapshot.lost,
					  .interval_most =
						  publish_interval_most(analysis, watermark) });
}

static int aggregate(struct publish *publish, const struct watermark *watermark)
{
	uint64_t time;
	int err = 0;

	if (__atomic_exchange_n(&publish->symbols_changed, false, __ATOMIC_ACQUIRE))
		err = reload_symbols(publish);
	if (!err)
		err = take_intervals(publish, watermark, &time);
	online_samples(publish->online, watermark->interval_most,
		       watermark->ring_lost +
			       publish_uncounted(online_analysis(publish->online), watermark));
	if (err || time <= publish->snapshot_time)
		return err;
	if (publish->stats_file)
		err = write_stats_file(publish, watermark, time);
	if (!err)
		err = publish_metrics_step(&publish->metrics, online_analysis(publish->online),
					   watermark, time);
	if (!err)
		err = publish_figures_step(&publish->figures, &publish->metrics.metrics, time,
					   publish_uncounted(online_analysis(publish->online),
							     watermark));
	publish->snapshot_time = time;
	return err;
}

/* They come before the first watermark that their tasks have events before. 0 or -ENOMEM. */
static int take_names(struct publish *publish, char *names)
{
	int err = details_names(&publish->details.details, names);

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
	case MESSAGE_WATERMARK:
		return aggregate(publish, &message->watermark);
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

	while (!err && publish->summaries.file && reached < last->time)
		err = take_intervals(publish, last, &reached);
	while (!err && reached < UINT64_MAX)
		err = take_events(publish, UINT64_MAX, &reached);
	if (!err && publish->summaries.file && last->time)
		err = write_summary(publish, last, last->time);
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
	publish_metrics_end(&publish->metrics);
	__atomic_store_n(&publish->err, err, __ATOMIC_RELEASE);
	return NULL;
}
