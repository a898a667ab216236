// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The thread that aggregates what is in the queue, and the functions that put it there. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/files.h"
#include "stats/stats_paths.h"
#include "tracer/load/machine.h"
#include "tracer/publish.h"
#include "tracer/snapshot.h"

#define SLABINFO_BYTES_MAX ((size_t)64 << 20)
#define QUEUE_BYTES_MIN ((uint64_t)64 << 20) /* 100 ms between watermarks, at 14 M events/s */
#define SLABINFO_EVERY 1000000000ULL	     /* ns */
#define NICE (-10) /* a higher priority than the traced tasks, a lower one than the drain */

static int fail(struct publish *publish, int err, const char *errmsg)
{
	snprintf(publish->errmsg, sizeof(publish->errmsg), "%s", errmsg);
	return err;
}

static int fail_at(struct publish *publish, int err, const char *what)
{
	snprintf(publish->errmsg, sizeof(publish->errmsg), "%s: %s", what, strerror(-err));
	return err;
}

/* The thread. */

static void return_packet(void *data, struct online_packet *packet)
{
	struct publish *publish = data;

	queue_return(&publish->queue, packet);
}

static int reload_symbols(struct publish *publish)
{
	struct symbols symbols;
	char path[4096];
	int err;

	snprintf(path, sizeof(path), "%s/kernel/symbols", publish->capture.path);
	err = symbols_load(&symbols, path);
	if (err)
		return err == -ENOMEM ? err : 0; /* keep the symbols from before */
	symbols_deinit(&publish->capture.symbols);
	publish->capture.symbols = symbols;
	online_symbols_changed(publish->online);
	return type_stats_reload_symbols(&publish->type_stats);
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

/* Counts the events before the watermark. */
static int take_events(struct publish *publish, uint64_t watermark, uint64_t *reached)
{
	int err = online_take(publish->online, watermark, reached);

	return err ? err
		   : type_stats_add_tallies(&publish->type_stats, online_analysis(publish->online),
					    &publish->tallies);
}

static int aggregate(struct publish *publish, const struct watermark *watermark)
{
	const struct analysis *analysis = online_analysis(publish->online);
	struct stats_snapshot snapshot = { .begin = watermark->begin,
					   .with_base = publish->settings.with_base,
					   .paths = publish->paths };
	int err;

	if (__atomic_exchange_n(&publish->symbols_changed, false, __ATOMIC_ACQUIRE)) {
		err = reload_symbols(publish);
		if (err)
			return err;
	}
	err = take_events(publish, watermark->time, &snapshot.time);
	if (err || snapshot.time <= publish->snapshot_time)
		return err;
	err = update_slabinfo(publish);
	if (err)
		return err;
	snapshot.lost = STATS_FILE_LOST_UNKNOWN;
	if (watermark->lost != STATS_FILE_LOST_UNKNOWN)
		snapshot.lost = watermark->lost + analysis->totals.untracked +
				analysis->totals.unknown + analysis->caches_unknown +
				publish->type_stats.omitted_events;
	stats_file_write(publish->stats_file, &publish->type_stats, &snapshot);
	check_space(publish);
	publish->type_stats.generation++;
	publish->snapshot_time = snapshot.time;
	return 0;
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

/* The events after the last watermark: counted at the end, but not published any more. */
static int aggregate_rest(struct publish *publish)
{
	uint64_t reached = 0;
	int err = 0;

	while (!err && reached < UINT64_MAX)
		err = take_events(publish, UINT64_MAX, &reached);
	return err;
}

static void *run(void *data)
{
	struct publish *publish = data;
	bool ending = false;
	int err = 0;

	__atomic_store_n(&publish->task, syscall(SYS_gettid), __ATOMIC_RELEASE);
	/* if this is not permitted, events that cannot be aggregated in time are counted as lost */
	setpriority(PRIO_PROCESS, 0, NICE);
	if (publish->settings.on_start)
		err = publish->settings.on_start(publish->settings.data,
						 stats_file_directory(publish->stats_file));
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
	__atomic_store_n(&publish->err, err, __ATOMIC_RELEASE);
	return NULL;
}

/* The functions for other threads. */

static int create_stats_file(struct publish *publish)
{
	const struct publish_settings *settings = &publish->settings;
	const struct stats_file_settings file = {
		.path = settings->path,
		.group = settings->group,
		.group_name = settings->group_name,
		.cpus = settings->cpus,
		.types_max = { [TYPE_STATS_FUNCTION] = PUBLISH_FUNCTIONS,
			       [TYPE_STATS_CACHE] = PUBLISH_CACHES },
	};

	return stats_file_create(&publish->stats_file, &file, publish->errmsg,
				 sizeof(publish->errmsg));
}

int publish_start(struct publish *publish, const struct publish_settings *settings)
{
	uint64_t bytes = settings->ring_bytes;
	int err;

	memset(publish, 0, sizeof(*publish));
	publish->settings = *settings;
	sem_init(&publish->work, 0, 0);
	sem_init(&publish->started, 0, 0);
	/* first, because it fails if another program publishes in this file */
	err = create_stats_file(publish);
	if (err)
		return err;
	err = queue_init(&publish->queue, bytes > QUEUE_BYTES_MIN ? bytes : QUEUE_BYTES_MIN);
	if (!err)
		err = -pthread_create(&publish->thread, NULL, run, publish);
	if (err)
		return fail_at(publish, err, "the publishing thread");
	while (sem_wait(&publish->started))
		;
	err = __atomic_load_n(&publish->err, __ATOMIC_ACQUIRE);
	return err ? fail_at(publish, err, "the publishing thread") : 0;
}

int publish_open(struct publish *publish, const char *directory)
{
	const struct type_stats_settings settings = {
		.types_max = { [TYPE_STATS_FUNCTION] = PUBLISH_FUNCTIONS,
			       [TYPE_STATS_CACHE] = PUBLISH_CACHES },
	};
	const struct online_settings online = {
		.cpus = publish->settings.cpus,
		.objects_max = publish->settings.objects_max,
		.observer = { type_stats_on_transition, &publish->type_stats },
		.observer_only = true,
		.tallies = &publish->tallies,
		.release = return_packet,
		.data = publish,
	};
	int err;

	err = capture_open(&publish->capture, directory);
	if (err)
		return fail(publish, err, publish->capture.errmsg);
	err = type_stats_init(&publish->type_stats, &publish->capture, &settings);
	publish->type_stats.generation = 1;
	if (!err)
		err = tallies_init(&publish->tallies, publish->settings.cpus,
				   &publish->capture.topology);
	if (!err)
		err = online_open(&publish->online, &publish->capture, &online);
	if (err)
		return fail_at(publish, err, "the statistics to publish");
	publish->opened = true;
	return 0;
}

int publish_initial_counts(struct publish *publish, const char *directory)
{
	struct slabinfo slabinfo = { 0 };
	char path[4096], *text = NULL;
	int err = 0;

	snprintf(path, sizeof(path), "%s/kernel/slabinfo", directory);
	err = read_file(AT_FDCWD, path, SLABINFO_BYTES_MAX, &text, NULL);
	if (err == -ENOENT)
		return 0; /* the kernel has no slabinfo */
	if (!err)
		err = slabinfo_parse(&slabinfo, text);
	if (!err && slabinfo.count)
		err = type_stats_slabinfo(&publish->type_stats, &slabinfo.snapshots[0],
					  &slabinfo.snapshots[0]);
	slabinfo_deinit(&slabinfo);
	free(text);
	return err ? fail_at(publish, err, "kernel/slabinfo") : 0;
}

static unsigned char *exchange_packet(void *data, const struct packet_header *header,
				      unsigned char *packet, size_t size)
{
	struct publish *publish = data;

	if (!queue_exchange(&publish->queue, header, &packet, size))
		publish->queue_dropped += header->records;
	return packet;
}

struct writer_sink publish_sink(struct publish *publish)
{
	return (struct writer_sink){ exchange_packet, publish };
}

static void queue_name(struct publish *publish, const struct message *message)
{
	if (!queue_put(&publish->queue, message))
		publish->names_dropped = true;
}

void publish_cache(struct publish *publish, const struct cache *cache)
{
	const struct message message = { .kind = MESSAGE_CACHE, .cache = *cache };

	queue_name(publish, &message);
}

void publish_cache_gone(struct publish *publish, uint64_t address, uint64_t time)
{
	const struct message message = { .kind = MESSAGE_CACHE_GONE,
					 .cache = { .address = address, .until = time } };

	queue_name(publish, &message);
}

int publish_paths(struct publish *publish, const struct status *status)
{
	struct message message = { .kind = MESSAGE_PATHS };
	char *sent;

	if (!status->path_count)
		return 0;
	message.paths = stats_paths_unobserved(status);
	if (!message.paths)
		return fail_at(publish, -ENOMEM, "the unobserved paths to publish");
	sent = publish->paths_sent && !strcmp(publish->paths_sent, message.paths)
		       ? NULL
		       : strdup(message.paths);
	/* if the queue is full, the next call sends them */
	if (!sent || !queue_put(&publish->queue, &message)) {
		free(message.paths);
		free(sent);
		return 0;
	}
	free(publish->paths_sent);
	publish->paths_sent = sent;
	return 0;
}

static int thread_error(struct publish *publish)
{
	int err = __atomic_load_n(&publish->err, __ATOMIC_ACQUIRE);

	if (!err)
		return 0;
	snprintf(publish->errmsg, sizeof(publish->errmsg), "cannot aggregate events any more: %s",
		 strerror(-err));
	return err;
}

int publish_watermark(struct publish *publish, const struct watermark *watermark)
{
	struct message message = { .kind = MESSAGE_WATERMARK, .watermark = *watermark };

	if (watermark->lost != STATS_FILE_LOST_UNKNOWN)
		message.watermark.lost += publish->queue_dropped;
	/* objects of an unknown cache may be counted for another cache */
	if (publish->names_dropped)
		message.watermark.lost = STATS_FILE_LOST_UNKNOWN;
	/* if the queue is full, the next watermark replaces this one */
	queue_put(&publish->queue, &message);
	sem_post(&publish->work);
	return thread_error(publish);
}

void publish_symbols_changed(struct publish *publish)
{
	__atomic_store_n(&publish->symbols_changed, true, __ATOMIC_RELEASE);
}

bool publish_no_space(struct publish *publish, char *errmsg, size_t errmsg_size)
{
	int err = __atomic_load_n(&publish->space_err, __ATOMIC_ACQUIRE);

	if (!err || publish->space_reported)
		return false;
	publish->space_reported = true;
	if (publish->types_omitted)
		snprintf(errmsg, errmsg_size,
			 "%s: %s: %zu type%s omitted: make room in the file system",
			 publish->settings.path, strerror(err), publish->types_omitted,
			 publish->types_omitted == 1 ? " is" : "s are");
	else
		snprintf(errmsg, errmsg_size,
			 "%s: %s: the counters of some CPUs are omitted: make room in the file "
			 "system",
			 publish->settings.path, strerror(err));
	return true;
}

/*
 * A record is missing if the counters of its cache or of its function do not include it. A record
 * that both do not include was counted twice.
 */
static void count_missing(struct publish *publish)
{
	const struct analysis *analysis = online_analysis(publish->online);
	struct stats_file_omitted omitted;
	uint64_t taken = online_events(publish->online), missing;

	stats_file_omitted(publish->stats_file, &publish->type_stats, &omitted);
	missing = analysis->totals.untracked + publish->type_stats.omitted_events + omitted.events;
	if (missing > taken)
		missing = taken;
	publish->aggregated = taken - missing;
	publish->missing = publish->queue_dropped + analysis->totals.unknown + missing;
}

int publish_end(struct publish *publish)
{
	int err, failed;

	if (!publish->task)
		return 0;
	__atomic_store_n(&publish->ending, true, __ATOMIC_RELEASE);
	sem_post(&publish->work);
	pthread_join(publish->thread, NULL);
	publish->task = 0;
	if (publish->opened)
		count_missing(publish);
	err = thread_error(publish);
	failed = stats_file_remove(publish->stats_file);
	publish->stats_file = NULL;
	if (!failed || err)
		return err;
	snprintf(publish->errmsg, sizeof(publish->errmsg), "%s: cannot be removed: %s",
		 publish->settings.path, strerror(-failed));
	return failed;
}

uint64_t publish_aggregated(const struct publish *publish)
{
	return publish->aggregated;
}

uint64_t publish_missing(const struct publish *publish)
{
	return publish->missing;
}

void publish_close(struct publish *publish)
{
	publish_end(publish);
	stats_file_remove(publish->stats_file);
	online_close(publish->online);
	tallies_deinit(&publish->tallies);
	type_stats_deinit(&publish->type_stats);
	capture_close(&publish->capture);
	queue_deinit(&publish->queue);
	free(publish->paths);
	free(publish->paths_sent);
	publish->paths = publish->paths_sent = NULL;
}
