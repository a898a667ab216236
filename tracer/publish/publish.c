// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Starts and ends the publishing thread, and puts into the queue what it aggregates. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "live/stats/details.h"
#include "live/stats/stats_file.h"
#include "tracer/publish/publish.h"

#define QUEUE_BYTES_MIN ((uint64_t)64 << 20) /* 100 ms between watermarks, at 14 M events/s */

/* Opens the stream for names. 0 or -ENOMEM. */
static int open_names(struct publish *publish)
{
	publish->names = text_open(&publish->names_text, &publish->names_size);
	return publish->names ? 0 : -ENOMEM;
}

/* Each counter fails before the thread starts if it cannot write its file. */
static int start_counters(struct publish *publish, struct error *error)
{
	int err = 0;

	for (int i = 0; i < ONLINE_COUNTER_IDS && !err; i++) {
		publish->states[i] = calloc(1, online_counters[i]->state_bytes);
		if (!publish->states[i])
			return error_set_at(error, -ENOMEM, "the counters to publish");
	}
	for (int i = 0; i < ONLINE_COUNTER_IDS && !err; i++)
		err = online_counters[i]->start(publish, error);
	return err;
}

int publish_start(struct publish *publish, const struct publish_settings *settings,
		  struct error *error)
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
	err = start_counters(publish, error);
	if (err)
		return err;
	err = queue_init(&publish->queue, bytes > QUEUE_BYTES_MIN ? bytes : QUEUE_BYTES_MIN);
	if (!err && publish->details)
		err = open_names(publish);
	if (!err)
		err = -pthread_create(&publish->thread, NULL, publish_thread_run, publish);
	if (err)
		return error_set_at(error, err, "the publishing thread");
	while (sem_wait(&publish->started))
		;
	err = __atomic_load_n(&publish->err, __ATOMIC_ACQUIRE);
	return err ? error_set_at(error, err, "the publishing thread") : 0;
}

/* 0 or -ENOMEM. */
static int open_counters(struct publish *publish)
{
	int err = 0;

	for (int i = 0; i < ONLINE_COUNTER_IDS && !err; i++) {
		if (!online_counters[i]->is_needed(publish))
			continue;
		publish->needed[publish->needed_count++] = online_counters[i];
		err = online_counters[i]->open(publish);
	}
	return err;
}

int publish_open(struct publish *publish, const char *directory, struct error *error)
{
	const struct online_settings online = {
		.cpus = publish->settings.cpus,
		.objects_max = publish->settings.objects_max,
		.observer = { publish_on_transition, publish },
		.observer_only = !publish->settings.estimate,
		.estimate = publish->settings.estimate,
		.mark_sampled = publish->details,
		.by_site = publish->details,
		.tallies = &publish->tallies,
		.tasks = publish->details ? &publish->details->tasks : NULL,
		.release = publish_return_packet,
		.data = publish,
	};
	int err;

	err = capture_open(&publish->capture, directory);
	if (err)
		return error_set(error, err, publish->capture.error.text);
	err = tallies_init(&publish->tallies, publish->settings.cpus, &publish->capture.topology);
	if (!err)
		err = open_counters(publish);
	if (!err)
		err = online_open(&publish->online, &publish->capture, &online);
	if (err)
		return error_set_at(error, err, "the statistics to publish");
	publish->opened = true;
	return 0;
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

int publish_paths(struct publish *publish, const struct status *status, struct error *error)
{
	struct message message = { .kind = MESSAGE_PATHS };
	char *sent;

	if (!status->path_count)
		return 0;
	message.paths = status_unobserved_names(status, ",");
	if (!message.paths)
		return error_set_at(error, -ENOMEM, "the unobserved paths to publish");
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

static int thread_error(struct publish *publish, struct error *error)
{
	int err = __atomic_load_n(&publish->err, __ATOMIC_ACQUIRE);

	if (!err)
		return 0;
	return error_set_at(error, err, "cannot aggregate events any more");
}

int publish_watermark(struct publish *publish, const struct watermark *watermark,
		      struct error *error)
{
	struct message message = { .kind = MESSAGE_WATERMARK, .watermark = *watermark };

	message.watermark.queue_dropped = publish->queue_dropped;
	message.watermark.missing.names_lost |= publish->names_dropped;
	if (send_names(publish))
		return error_set_at(error, -ENOMEM, "the names of tasks to publish");
	/* if the queue is full, the next watermark replaces this one */
	queue_put(&publish->queue, &message);
	sem_post(&publish->work);
	return thread_error(publish, error);
}

bool publish_takes_reading(const struct publish *publish)
{
	return !__atomic_load_n(&publish->has_reading, __ATOMIC_ACQUIRE);
}

bool publish_reading(struct publish *publish, const struct heap_reading *reading)
{
	const struct message message = { .kind = MESSAGE_READING, .reading = reading };

	__atomic_store_n(&publish->has_reading, true, __ATOMIC_RELEASE);
	if (queue_put(&publish->queue, &message))
		return true;
	__atomic_store_n(&publish->has_reading, false, __ATOMIC_RELEASE);
	return false;
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

void publish_report(struct publish *publish, void (*report)(void *data, const char *message),
		    void *data)
{
	for (int i = 0; i < ONLINE_COUNTER_IDS; i++) {
		struct error error = { 0 };

		if (online_counters[i]->failed(publish, &error))
			report(data, error.text);
	}
}

/*
 * A record is missing if the counters of its cache or of its function do not include it. A record
 * that both do not include was counted twice.
 */
static void count_missing(struct publish *publish)
{
	const struct analysis *analysis = online_analysis(publish->online);
	uint64_t taken = online_events(publish->online);
	uint64_t missing = analysis->totals.untracked + publish->omitted;

	if (missing > taken)
		missing = taken;
	publish->aggregated = taken - missing;
	publish->missing = publish->queue_dropped + analysis->totals.unknown + missing;
}

/* In reverse order: details lie beside the file of the types. */
static int end_counters(struct publish *publish, struct error *error)
{
	int err = 0;

	for (int i = ONLINE_COUNTER_IDS - 1; i >= 0; i--) {
		int failed = online_counters[i]->end ? online_counters[i]->end(publish, error) : 0;

		err = failed ? failed : err;
	}
	return err;
}

int publish_end(struct publish *publish, const struct watermark *last, struct error *error)
{
	int err, failed;

	if (!publish->task)
		return 0;
	if (last) {
		publish->last = *last;
		publish->last.queue_dropped = publish->queue_dropped;
		publish->last.missing.names_lost |= publish->names_dropped;
	}
	__atomic_store_n(&publish->ending, true, __ATOMIC_RELEASE);
	sem_post(&publish->work);
	pthread_join(publish->thread, NULL);
	publish->task = 0;
	err = thread_error(publish, error);
	failed = end_counters(publish, error);
	if (publish->opened)
		count_missing(publish);
	return err ? err : failed;
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
	publish_end(publish, NULL, NULL);
	for (int i = ONLINE_COUNTER_IDS - 1; i >= 0; i--) {
		if (publish->states[i])
			online_counters[i]->close(publish);
		free(publish->states[i]);
		publish->states[i] = NULL;
	}
	online_close(publish->online);
	tallies_deinit(&publish->tallies);
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
