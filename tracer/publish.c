// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The two ends of the queue, and what the thread makes of what comes out of it. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tracer/machine.h"
#include "tracer/publish.h"
#include "tracer/snapshot.h"

#define QUEUE_BYTES_MIN ((uint64_t)64 << 20) /* of 100 ms between horizons, at 14 M events/s */
#define SLABINFO_EVERY 1000000000ULL	     /* ns */
#define NICE (-10) /* before what is traced, which else keeps it from folding; after the drain */

static int fail(struct publish *publish, int err, const char *errmsg)
{
	snprintf(publish->errmsg, sizeof(publish->errmsg), "%s", errmsg);
	return err;
}

/* The thread. */

static void give_back(void *data, struct online_packet *packet)
{
	struct publish *publish = data;

	queue_return(&publish->queue, packet);
}

static int renew_symbols(struct publish *publish)
{
	struct symbols symbols;
	char path[4096];
	int err;

	snprintf(path, sizeof(path), "%s/kernel/symbols", publish->capture.path);
	err = symbols_load(&symbols, path);
	if (err)
		return err == -ENOMEM ? err : 0; /* those that are known are as good as before */
	symbols_deinit(&publish->capture.symbols);
	publish->capture.symbols = symbols;
	return type_stats_reload_symbols(&publish->type_stats);
}

/* How many objects of the caches are free; for now, which may be after the horizon. */
static int look_at_slabinfo(struct publish *publish)
{
	struct slabinfo_snapshot moment;
	uint64_t now = machine_now();
	int err;

	if (now - publish->slabinfo < SLABINFO_EVERY)
		return 0;
	publish->slabinfo = now;
	err = snapshot_read_slabinfo(&moment, now);
	if (err)
		return err == -ENODATA ? 0 : err;
	err = type_stats_slabinfo(&publish->type_stats, NULL, &moment);
	slabinfo_snapshot_deinit(&moment);
	return err;
}

/* What is left out first may be the figures of a CPU, or all that is. */
static void look_at_room(struct publish *publish)
{
	struct stats_file_omitted left_out;

	if (publish->room_err)
		return;
	stats_file_omitted(publish->stats_file, &publish->type_stats, &left_out);
	publish->types_left_out = left_out.types;
	__atomic_store_n(&publish->room_err, left_out.err, __ATOMIC_RELEASE);
}

static int fold(struct publish *publish, const struct horizon *horizon)
{
	const struct analysis *analysis = online_analysis(publish->online);
	struct stats_snapshot moment = { .begin = horizon->begin };
	int err;

	if (__atomic_exchange_n(&publish->symbols_changed, false, __ATOMIC_ACQUIRE)) {
		err = renew_symbols(publish);
		if (err)
			return err;
	}
	err = online_take(publish->online, horizon->time, &moment.time);
	if (err || moment.time <= publish->moment)
		return err;
	err = look_at_slabinfo(publish);
	if (err)
		return err;
	moment.lost = STATS_FILE_LOST_UNKNOWN;
	if (horizon->lost != STATS_FILE_LOST_UNKNOWN)
		moment.lost = horizon->lost + analysis->totals.untracked +
			      analysis->totals.unknown + analysis->caches_unknown +
			      publish->type_stats.omitted_events;
	stats_file_write(publish->stats_file, &publish->type_stats, &moment);
	look_at_room(publish);
	publish->type_stats.generation++;
	publish->moment = moment.time;
	return 0;
}

static int take_message(struct publish *publish, struct message *message)
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
	case MESSAGE_HORIZON:
		return fold(publish, &message->horizon);
	}
	return 0;
}

static int take_messages(struct publish *publish)
{
	struct message message;
	int err = 0;

	while (!err && queue_get(&publish->queue, &message))
		err = take_message(publish, &message);
	return err;
}

/* Those behind the last horizon: no figure of them is published, but they are counted. */
static int take_rest(struct publish *publish)
{
	uint64_t reached = 0;
	int err = 0;

	while (!err && reached < UINT64_MAX)
		err = online_take(publish->online, UINT64_MAX, &reached);
	return err;
}

static void *run(void *data)
{
	struct publish *publish = data;
	bool ending = false;
	int err = 0;

	__atomic_store_n(&publish->task, syscall(SYS_gettid), __ATOMIC_RELEASE);
	sem_post(&publish->started);
	/* without the right to it, what cannot be folded in time is counted */
	setpriority(PRIO_PROCESS, 0, NICE);
	while (!ending && !err) {
		while (sem_wait(&publish->work))
			;
		ending = __atomic_load_n(&publish->ending, __ATOMIC_ACQUIRE);
		if (publish->opened)
			err = take_messages(publish);
		if (publish->opened && ending && !err)
			err = take_rest(publish);
	}
	__atomic_store_n(&publish->err, err, __ATOMIC_RELEASE);
	return NULL;
}

/* The others. */

int publish_start(struct publish *publish, const struct publish_settings *settings)
{
	uint64_t bytes = settings->ring_bytes;
	int err;

	memset(publish, 0, sizeof(*publish));
	publish->settings = *settings;
	sem_init(&publish->work, 0, 0);
	sem_init(&publish->started, 0, 0);
	err = queue_init(&publish->queue, bytes > QUEUE_BYTES_MIN ? bytes : QUEUE_BYTES_MIN);
	if (!err)
		err = -pthread_create(&publish->thread, NULL, run, publish);
	if (err)
		return fail(publish, err, strerror(-err));
	while (sem_wait(&publish->started))
		;
	return 0;
}

static int open_published(struct publish *publish)
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
		.release = give_back,
		.data = publish,
	};
	int err;

	/* first of all, since another program may be publishing there */
	err = open_published(publish);
	if (err)
		return err;
	err = capture_open(&publish->capture, directory);
	if (err)
		return fail(publish, err, publish->capture.errmsg);
	err = type_stats_init(&publish->type_stats, &publish->capture, &settings);
	publish->type_stats.generation = 1;
	if (!err)
		err = online_open(&publish->online, &publish->capture, &online);
	if (err)
		return fail(publish, err, strerror(-err));
	publish->opened = true;
	return 0;
}

int publish_initial_counts(struct publish *publish, const char *directory)
{
	struct slabinfo slabinfo = { 0 };
	char path[4096], *text = NULL;
	size_t space = 0;
	FILE *file;
	int err = 0;

	snprintf(path, sizeof(path), "%s/kernel/slabinfo", directory);
	file = fopen(path, "re");
	if (!file)
		return 0; /* the kernel does not tell */
	if (getdelim(&text, &space, '\0', file) > 0)
		err = slabinfo_parse(&slabinfo, text);
	if (!err && slabinfo.count)
		err = type_stats_slabinfo(&publish->type_stats, &slabinfo.moments[0],
					  &slabinfo.moments[0]);
	slabinfo_deinit(&slabinfo);
	free(text);
	fclose(file);
	return err ? fail(publish, err, strerror(-err)) : 0;
}

static void take_packet(void *data, const struct packet_header *header,
			const struct kmt_record *records)
{
	struct publish *publish = data;

	if (!queue_put_records(&publish->queue, header, records))
		publish->unfolded += header->records;
}

struct writer_sink publish_sink(struct publish *publish)
{
	return (struct writer_sink){ take_packet, publish };
}

static void put_name(struct publish *publish, const struct message *message)
{
	if (!queue_put(&publish->queue, message))
		publish->names_dropped = true;
}

void publish_cache(struct publish *publish, const struct cache *cache)
{
	const struct message message = { .kind = MESSAGE_CACHE, .cache = *cache };

	put_name(publish, &message);
}

void publish_cache_gone(struct publish *publish, uint64_t address, uint64_t time)
{
	const struct message message = { .kind = MESSAGE_CACHE_GONE,
					 .cache = { .address = address, .until = time } };

	put_name(publish, &message);
}

static int check(struct publish *publish)
{
	int err = __atomic_load_n(&publish->err, __ATOMIC_ACQUIRE);

	if (!err)
		return 0;
	snprintf(publish->errmsg, sizeof(publish->errmsg),
		 "the figures cannot be folded any more: %s", strerror(-err));
	return err;
}

int publish_watermark(struct publish *publish, const struct horizon *horizon)
{
	struct message message = { .kind = MESSAGE_HORIZON, .horizon = *horizon };

	if (horizon->lost != STATS_FILE_LOST_UNKNOWN)
		message.horizon.lost += publish->unfolded;
	/* objects of caches that nobody knows may count anywhere */
	if (publish->names_dropped)
		message.horizon.lost = STATS_FILE_LOST_UNKNOWN;
	/* without room the next one will do */
	queue_put(&publish->queue, &message);
	sem_post(&publish->work);
	return check(publish);
}

void publish_symbols_changed(struct publish *publish)
{
	__atomic_store_n(&publish->symbols_changed, true, __ATOMIC_RELEASE);
}

bool publish_no_space(struct publish *publish, char *errmsg, size_t errmsg_size)
{
	int err = __atomic_load_n(&publish->room_err, __ATOMIC_ACQUIRE);

	if (!err || publish->room_told)
		return false;
	publish->room_told = true;
	if (publish->types_left_out)
		snprintf(errmsg, errmsg_size, "%s: %s: %zu type%s left out: give it room",
			 publish->settings.path, strerror(err), publish->types_left_out,
			 publish->types_left_out == 1 ? " is" : "s are");
	else
		snprintf(errmsg, errmsg_size,
			 "%s: %s: figures of single CPUs are left out: give it room",
			 publish->settings.path, strerror(err));
	return true;
}

/*
 * A record that is in the figures of its cache and not in those of its function is missing; one
 * that is in neither was counted twice.
 */
static void count_missing(struct publish *publish)
{
	const struct analysis *analysis = online_analysis(publish->online);
	struct stats_file_omitted left_out;
	uint64_t taken = online_events(publish->online), missing;

	stats_file_omitted(publish->stats_file, &publish->type_stats, &left_out);
	missing = analysis->totals.untracked + publish->type_stats.omitted_events + left_out.events;
	if (missing > taken)
		missing = taken;
	publish->folded = taken - missing;
	publish->missing = publish->unfolded + analysis->totals.unknown + missing;
}

int publish_end(struct publish *publish)
{
	if (!publish->task)
		return 0;
	__atomic_store_n(&publish->ending, true, __ATOMIC_RELEASE);
	sem_post(&publish->work);
	pthread_join(publish->thread, NULL);
	publish->task = 0;
	if (publish->opened)
		count_missing(publish);
	stats_file_remove(publish->stats_file);
	publish->stats_file = NULL;
	return check(publish);
}

uint64_t publish_aggregated(const struct publish *publish)
{
	return publish->folded;
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
	type_stats_deinit(&publish->type_stats);
	capture_close(&publish->capture);
	queue_deinit(&publish->queue);
}
