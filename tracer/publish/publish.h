/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Aggregates the records, as they are drained, into counters, and publishes these in files. A
 * separate thread does it; the thread that drains the rings never waits for it. The separate thread
 * runs from the start to the end of the capture, so that no other task gets its thread id.
 */
#ifndef TRACER_PUBLISH_PUBLISH_H
#define TRACER_PUBLISH_PUBLISH_H

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/error.h"
#include "analysis/online.h"
#include "analysis/tallies.h"
#include "capture/writer.h"
#include "fleet/summary/summary.h"
#include "tracer/publish/publish_counters.h"
#include "tracer/publish/publish_figures.h"
#include "tracer/publish/queue.h"

#define PUBLISH_OBJECTS 4194304 /* default for objects_max */
#define PUBLISH_FUNCTIONS 8192	/* types at most; a kernel has about 2000 */
#define PUBLISH_CACHES 2048

struct publish_metrics_settings {
	const char *path;     /* NULL: no metrics */
	uint64_t interval_ns; /* between two texts */
	size_t top;	      /* rows, see live/stats/metrics.h */
	size_t owners;	      /* see live/stats/metrics_owners.h; 0: none */
};

struct publish_summaries_settings {
	uint64_t interval_ns;	/* 0: no summaries */
	const char *directory;	/* of the files */
	uint64_t keep_ns;	/* of the files; UINT64_MAX: for ever */
	uint64_t max_bytes;	/* of the files; 0: no limit */
	const char *role;	/* of the host; "": none */
	bool by[SUMMARY_KINDS]; /* cgroup or comm: with rows of these too */
};

struct publish_settings {
	const char *path; /* of the statistics file; NULL: none */
	gid_t group;	  /* may read the file, as the owner may; (gid_t)-1: none */
	const char *group_name;
	size_t objects_max; /* live objects to track, at most */
	bool with_base;	    /* of the published snapshots */
	bool no_details;    /* publish no figures by site, task and cgroup */
	struct publish_metrics_settings metrics;
	struct publish_summaries_settings summaries;
	bool figures;  /* for triggers */
	bool estimate; /* the records are samples: no type statistics, and details by stack only */
	unsigned int cpus;   /* possible CPUs: the highest number + 1 */
	uint64_t ring_bytes; /* of all rings together */
	/* The thread calls it before its work: 0, or -errno; NULL is allowed. */
	int (*on_start)(void *data);
	void *data;
};

struct publish {
	struct publish_settings settings;
	pthread_t thread;
	uint32_t task; /* thread id; 0: not started */
	int set;       /* of the pieces, if piece is not 0 */
	sem_t started;
	sem_t work; /* posted when the queue has messages */
	struct queue queue;

	/* for the thread that drains the rings */
	uint64_t queue_dropped; /* records that did not fit in the queue */
	bool names_dropped;	/* the name of a cache did not fit in the queue */
	char *paths_sent;	/* the last that publish_paths() put into the queue; or NULL */
	/*
	 * Lines of tasks and cgroups are written here, as in kernel/tasks and kernel/cgroups; NULL:
	 * they are not needed. The next watermark sends them, and replaces the stream.
	 */
	FILE *names;
	char *names_text; /* of the stream */
	size_t names_size;
	char *names_unsent; /* it found no room in the queue, or NULL */

	/* for the publishing thread, from publish_open() to publish_end() */
	struct capture capture;
	struct tallies tallies;
	struct online *online;
	void *states[ONLINE_COUNTER_IDS];
	const struct online_counter *needed[ONLINE_COUNTER_IDS]; /* those that count */
	size_t needed_count;
	struct publish_figures figures;
	struct details *details;	    /* NULL: they are not counted */
	char *paths;			    /* of the next snapshot; NULL: unknown */
	const struct heap_reading *reading; /* its events are not yet processed; NULL: none */
	bool opened;
	uint64_t snapshot_time; /* ns: time of the last published snapshot */
	/* at the end */
	uint64_t omitted;    /* events that were taken, and some counter has no room for */
	uint64_t aggregated; /* events */
	uint64_t missing;    /* at the end: recorded events that some counter does not include */

	struct watermark last; /* of publish_end(); time 0: the counters at the end are unknown */

	/* for several threads, with atomic operations */
	bool ending;
	unsigned int piece; /* its symbols are read; 0: those of the capture that was opened */
	bool symbols_changed;
	bool has_reading;	 /* the thread uses a reading of publish_reading() */
	uint64_t reading_cpu_ns; /* CPU time that the last one took */
	int err;		 /* the thread has failed and ended */
};

/*
 * Creates the statistics file and starts the thread; task is its id when it returns. 0 or -errno,
 * error set.
 */
int publish_start(struct publish *publish, const struct publish_settings *settings,
		  struct error *error);

/*
 * Loads the capture directory, with all tables that are written before the programs are attached. 0
 * or -errno, error set.
 */
int publish_open(struct publish *publish, const char *directory, struct error *error);

/*
 * For the thread that drains the rings: puts a writer's packets into the queue, and each cache
 * before the records of its objects.
 */
struct writer_sink publish_sink(struct publish *publish);
void publish_cache(struct publish *publish, const struct cache *cache);
void publish_cache_gone(struct publish *publish, uint64_t address, uint64_t time);

/*
 * The unobserved paths of the next snapshots. Costs little if they did not change. 0, or -ENOMEM
 * with error set.
 */
int publish_paths(struct publish *publish, const struct status *status, struct error *error);

/*
 * Gives the thread a reading of the slab allocator: it ends the objects that are free, once it has
 * the events before the end of the reading. The reading stays as it is until
 * publish_takes_reading() returns true, or until publish_end(). False: the queue is full, and the
 * reading is not used.
 */
bool publish_reading(struct publish *publish, const struct heap_reading *reading);

/* True if no earlier reading is used any more. */
bool publish_takes_reading(const struct publish *publish);

/*
 * Lets the thread aggregate the events before this watermark and publish them. 0, or -errno with
 * error set: the thread has failed.
 */
int publish_watermark(struct publish *publish, const struct watermark *watermark,
		      struct error *error);

/* Call it after symbols were appended to the directory's kernel/symbols; from any thread. */
void publish_symbols_changed(struct publish *publish);

/* From now on, the symbols are those of this piece in the set, an open directory. */
void publish_switch(struct publish *publish, int set, unsigned int piece);

/*
 * Aggregates the rest, ends the thread and removes the file. last: the time when tracing ended, and
 * the counters then; NULL: unknown, so there is no summary of the rest. Returns as
 * publish_watermark().
 */
int publish_end(struct publish *publish, const struct watermark *last, struct error *error);

/* Calls report() with each new reason why a counter could not publish. */
void publish_report(struct publish *publish, void (*report)(void *data, const char *message),
		    void *data);

/*
 * After publish_end(): the number of events that were aggregated, and of recorded events that some
 * counter does not include.
 */
uint64_t publish_aggregated(const struct publish *publish);
uint64_t publish_missing(const struct publish *publish);
void publish_close(struct publish *publish); /* all zero is allowed */

/* For the counters. */
static inline void *publish_state(const struct publish *publish, enum online_counter_id counter)
{
	return publish->states[counter];
}

/* Between publish.c and publish_thread.c. Each data is the struct publish. */
void *publish_thread_run(void *data); /* for pthread_create() */
void publish_return_packet(void *data, struct online_packet *packet);
int publish_on_transition(void *data, const struct analysis *analysis,
			  const struct transition *transition); /* 0 or -ENOMEM */

#endif
