// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Starts and ends the publishing thread, and puts into the queue what it aggregates. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/text.h"
#include "live/stats/stats_paths.h"
#include "tracer/publish.h"

#define SLABINFO_BYTES_MAX ((size_t)64 << 20)
#define QUEUE_BYTES_MIN ((uint64_t)64 << 20) /* 100 ms between watermarks, at 14 M events/s */

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

/* Opens the stream for names. 0 or -ENOMEM. */
static int open_names(struct publish *publish)
{
	publish->names = open_memstream(&publish->names_text, &publish->names_size);
	return publish->names ? 0 : -ENOMEM;
}

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

	const struct publish_details_settings details = { settings->path, settings->group,
							  !settings->no_details };
	int err;

	if (!settings->path)
		return 0;
	err = stats_file_create(&publish->stats_file, &file, publish->errmsg,
				sizeof(publish->errmsg));
	return err ? err
		   : publish_details_start(&publish->details, &details,
					   stats_file_directory(publish->stats_file),
					   publish->errmsg, sizeof(publish->errmsg));
}

int publish_start(struct publish *publish, const struct publish_settings *settings)
{
	uint64_t bytes = settings->ring_bytes;
	int err;

	memset(publish, 0, sizeof(*publish));
	publish->settings = *settings;
	if (settings->figures)
		publish_figures_init(&publish->figures);
	sem_init(&publish->work, 0, 0);
	sem_init(&publish->started, 0, 0);
	/* first, because it fails if another program publishes in this file */
	err = create_stats_file(publish);
	if (!err)
		err = publish_metrics_start(&publish->metrics, &settings->metrics, publish->errmsg,
					    sizeof(publish->errmsg));
	if (!err)
		err = publish_summaries_start(&publish->summaries, &settings->summaries,
					      publish->errmsg, sizeof(publish->errmsg));
	if (err)
		return err;
	err = queue_init(&publish->queue, bytes > QUEUE_BYTES_MIN ? bytes : QUEUE_BYTES_MIN);
	publish->counts_details = publish->details.file ||
				  publish_summaries_by_owner(&settings->summaries);
	if (!err && publish->counts_details)
		err = open_names(publish);
	if (!err)
		err = -pthread_create(&publish->thread, NULL, publish_thread_run, publish);
	if (err)
		return fail_at(publish, err, "the publishing thread");
	while (sem_wait(&publish->started))
		;
	err = __atomic_load_n(&publish->err, __ATOMIC_ACQUIRE);
	return err ? fail_at(publish, err, "the publishing thread") : 0;
}

/* What the thread counts for the files that there are. 0 or -ENOMEM. */
static int init_counters(struct publish *publish)
{
	const struct type_stats_settings settings = {
		.types_max = { [TYPE_STATS_FUNCTION] = PUBLISH_FUNCTIONS,
			       [TYPE_STATS_CACHE] = PUBLISH_CACHES },
	};
	int err = 0;

	if (publish->stats_file) {
		err = type_stats_init(&publish->type_stats, &publish->capture, &settings);
		publish->type_stats.generation = 1;
	}
	if (!err && publish_counts_rows(publish))
		err = metrics_init(&publish->metrics.metrics, &publish->capture,
				   publish->metrics.settings.top);
	if (!err)
		err = publish_summaries_open(&publish->summaries, &publish->capture,
					     &publish->details.details);
	if (!err && publish->counts_details)
		err = details_init(&publish->details.details, &publish->capture, &publish->tallies);
	publish->details.details.only_stacks = publish->settings.estimate;
	return err;
}

int publish_open(struct publish *publish, const char *directory)
{
	const struct online_settings online = {
		.cpus = publish->settings.cpus,
		.objects_max = publish->settings.objects_max,
		.observer = { publish_on_transition, publish },
		.observer_only = !publish->settings.estimate,
		.estimate = publish->settings.estimate,
		.mark_sampled = publish->counts_details,
		.by_site = publish->counts_details,
		.tallies = &publish->tallies,
		.tasks = publish->counts_details ? &publish->details.details.tasks : NULL,
		.release = publish_return_packet,
		.data = publish,
	};
	int err;

	err = capture_open(&publish->capture, directory);
	if (err)
		return fail(publish, err, publish->capture.errmsg);
	err = tallies_init(&publish->tallies, publish->settings.cpus, &publish->capture.topology);
	if (!err)
		err = init_counters(publish);
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

	if (!publish_counts_types(publish))
		return 0;
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

/* If the queue is full, the next call sends the names. 0 or -ENOMEM. */
static int send_names(struct publish *publish)
{
	struct message message = { .kind = MESSAGE_NAMES, .names = publish->names_unsent };
	int err = 0;

	if (!message.names) {
		if (!publish->names || fflush(publish->names) || !publish->names_size)
			return 0;
		err = text_close(publish->names, &publish->names_text);
		message.names = publish->names_text;
		publish->names = NULL;
		publish->names_text = NULL;
		if (!err)
			err = open_names(publish);
	}
	publish->names_unsent = message.names;
	if (!err && queue_put(&publish->queue, &message))
		publish->names_unsent = NULL;
	return err;
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
	message.watermark.queue_dropped = publish->queue_dropped;
	/* objects of an unknown cache may be counted for another cache */
	if (publish->names_dropped) {
		message.watermark.lost = STATS_FILE_LOST_UNKNOWN;
		message.watermark.names_lost = true;
	}
	if (send_names(publish))
		return fail_at(publish, -ENOMEM, "the names of tasks to publish");
	/* if the queue is full, the next watermark replaces this one */
	queue_put(&publish->queue, &message);
	sem_post(&publish->work);
	return thread_error(publish);
}

void publish_switch(struct publish *publish, int set, unsigned int piece)
{
	publish->set = set;
	__atomic_store_n(&publish->piece, piece, __ATOMIC_RELEASE);
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
		snprintf(
			errmsg, errmsg_size,
			"%s: %s: the counters of some CPUs are omitted: make room in the file system",
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
	struct stats_file_omitted omitted = { 0 };
	uint64_t taken = online_events(publish->online), missing;

	if (publish->stats_file)
		stats_file_omitted(publish->stats_file, &publish->type_stats, &omitted);
	missing = analysis->totals.untracked + publish->type_stats.omitted_events + omitted.events;
	if (missing > taken)
		missing = taken;
	publish->aggregated = taken - missing;
	publish->missing = publish->queue_dropped + analysis->totals.unknown + missing;
}

int publish_end(struct publish *publish, const struct watermark *last)
{
	int err, failed, removed, metrics_failed;
	char errmsg[sizeof(publish->errmsg)];

	if (!publish->task)
		return 0;
	if (last) {
		publish->last = *last;
		publish->last.queue_dropped = publish->queue_dropped;
		publish->last.names_lost |= publish->names_dropped;
	}
	__atomic_store_n(&publish->ending, true, __ATOMIC_RELEASE);
	sem_post(&publish->work);
	pthread_join(publish->thread, NULL);
	publish->task = 0;
	if (publish->opened)
		count_missing(publish);
	err = thread_error(publish);
	failed = publish_details_end(&publish->details);
	removed = stats_file_remove(publish->stats_file);
	failed = removed ? removed : failed;
	publish->stats_file = NULL;
	if (failed && !err) {
		snprintf(publish->errmsg, sizeof(publish->errmsg), "%s: cannot be removed: %s",
			 publish->settings.path, strerror(-failed));
		err = failed;
	}
	metrics_failed = publish_metrics_result(&publish->metrics, errmsg, sizeof(errmsg));
	return err || !metrics_failed ? err : fail(publish, metrics_failed, errmsg);
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
	publish_end(publish, NULL);
	publish_details_close(&publish->details);
	stats_file_remove(publish->stats_file);
	online_close(publish->online);
	tallies_deinit(&publish->tallies);
	if (publish->type_stats.parts)
		type_stats_deinit(&publish->type_stats);
	publish_metrics_close(&publish->metrics);
	publish_summaries_close(&publish->summaries);
	publish_figures_deinit(&publish->figures);
	capture_close(&publish->capture);
	queue_deinit(&publish->queue);
	free(publish->paths);
	free(publish->paths_sent);
	if (publish->names)
		fclose(publish->names);
	free(publish->names_text);
	free(publish->names_unsent);
	publish->paths = publish->paths_sent = publish->names_unsent = publish->names_text = NULL;
	publish->names = NULL;
}
