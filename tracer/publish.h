/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Folds the records as they are drained into the published figures. A thread of its own does
 * that: whoever drains hands over and never waits for it. It is there from the start to the end,
 * so that its thread id means nobody else.
 */
#ifndef TRACER_PUBLISH_H
#define TRACER_PUBLISH_H

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "analysis/online.h"
#include "stats/stats_file.h"
#include "stats/type_stats.h"
#include "capture/writer.h"
#include "tracer/queue.h"

#define PUBLISH_OBJECTS 4194304 /* that are tracked, unless told otherwise */
#define PUBLISH_FUNCTIONS 8192	/* types at most: a kernel has two thousand */
#define PUBLISH_CACHES 2048

struct publish_settings {
	const char *path;
	gid_t group; /* who may read, beside the owner; (gid_t)-1: nobody */
	const char *group_name;
	size_t objects_max;  /* live ones that are tracked */
	unsigned int cpus;   /* possible ones: the highest number + 1 */
	uint64_t ring_bytes; /* of all rings together */
};

struct publish {
	struct publish_settings settings;
	pthread_t thread;
	uint32_t task; /* thread id; 0: not started */
	sem_t started;
	sem_t work; /* there is some */
	struct queue queue;

	/* the drainer's */
	uint64_t unfolded;  /* records that found no room in the queue */
	bool names_dropped; /* the name of a cache found none */

	/* the thread's, from publish_open() to publish_end() */
	struct capture capture;
	struct type_stats type_stats;
	struct online *online;
	struct stats_file *stats_file;
	bool opened;
	uint64_t moment;   /* ns: the last one published */
	uint64_t slabinfo; /* ns: last looked at */
	uint64_t folded;   /* at the end: events, */
	uint64_t missing;  /* and those that were recorded and are in no figure */

	/* of several threads, with atomic operations */
	bool ending;
	bool symbols_changed;
	int err;	       /* of the thread: it folds no more */
	int room_err;	       /* the file system had no room, */
	size_t types_left_out; /* so for these there was none when that happened first */
	bool room_told;

	char errmsg[400];
};

/* Starts the thread; task is its id when it returns. 0 or -errno, errmsg set. */
int publish_start(struct publish *publish, const struct publish_settings *settings);

/*
 * All that can be told before the programs are attached lies in the directory: loads it, and makes
 * the file. 0 or -errno, errmsg set.
 */
int publish_open(struct publish *publish, const char *directory);

/* What kernel/slabinfo tells there is what was there before. 0 or -ENOMEM, errmsg set. */
int publish_initial_counts(struct publish *publish, const char *directory);

/* The drainer's: takes a writer's packets, and caches before the records that tell of them. */
struct writer_sink publish_sink(struct publish *publish);
void publish_cache(struct publish *publish, const struct cache *cache);
void publish_cache_gone(struct publish *publish, uint64_t address, uint64_t time);

/* Now up to a horizon. 0, or -errno with errmsg set: the thread has failed. */
int publish_watermark(struct publish *publish, const struct horizon *horizon);

/* Symbols were added to kernel/symbols of the directory. Of any thread. */
void publish_symbols_changed(struct publish *publish);

/* Folds what is left, ends the thread, and removes the file. Returns as publish_watermark(). */
int publish_end(struct publish *publish);

/* Once, when the file's file system has no room left: the text in errmsg. */
bool publish_no_space(struct publish *publish, char *errmsg, size_t errmsg_size);

/* After publish_end(): events folded, and those that no figure has though they were recorded. */
uint64_t publish_aggregated(const struct publish *publish);
uint64_t publish_missing(const struct publish *publish);
void publish_close(struct publish *publish); /* all zero is allowed */

#endif
