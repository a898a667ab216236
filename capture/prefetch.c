// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * One lock protects all sources. It is held briefly once a slot, and a slot holds hundreds of
 * events, so that threads rarely wait for it. A sleeping consumer is woken only when half of the
 * slots of its source are filled.
 */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>

#include "capture/prefetch.h"

#define SLOTS_MIN 2 /* one that the consumer holds, one to fill */
#define SLOTS_MAX 8
#define THREADS_MAX 64
#define THREADS_DEFAULT_MAX 8 /* more would be idle: there is one consumer only */

struct source {
	unsigned char *slots; /* a ring buffer */
	int *results;	      /* of each slot: what settings.fill() returned */
	size_t first, filled; /* slots that are filled, or held by the consumer */
	bool held;	      /* the consumer holds the first slot */
	bool busy;	      /* a thread is filling the slot behind the last */
	bool ended;
	int end; /* 0 or -errno */
};

struct prefetcher {
	struct prefetcher_settings settings;
	struct source *sources;
	size_t slot_count; /* of each source */
	pthread_mutex_t lock;
	pthread_cond_t work;	/* some slots are free */
	pthread_cond_t ready;	/* `awaited` has filled slots */
	struct source *awaited; /* the consumer sleeps until it has filled slots; or NULL */
	bool stopping;
	pthread_t threads[THREADS_MAX];
	unsigned int thread_count;
};

unsigned int prefetcher_default_threads(void)
{
	cpu_set_t set;
	int cpus = 1;

	if (!sched_getaffinity(0, sizeof(set), &set))
		cpus = CPU_COUNT(&set);
	else if (errno == EINVAL) /* the machine has more CPUs than the set can hold */
		cpus = THREADS_DEFAULT_MAX;
	return cpus < THREADS_DEFAULT_MAX ? (unsigned int)cpus : THREADS_DEFAULT_MAX;
}

static int open_sources(struct prefetcher *prefetcher)
{
	const struct prefetcher_settings *settings = &prefetcher->settings;

	prefetcher->sources = calloc(settings->sources + 1, sizeof(*prefetcher->sources));
	if (!prefetcher->sources)
		return -ENOMEM;
	for (size_t i = 0; i < settings->sources; i++) {
		struct source *source = &prefetcher->sources[i];

		source->slots = aligned_alloc(settings->slot_align,
					      prefetcher->slot_count * settings->slot_size);
		source->results = calloc(prefetcher->slot_count, sizeof(*source->results));
		if (!source->slots || !source->results)
			return -ENOMEM;
	}
	return 0;
}

int prefetcher_open(struct prefetcher **result, const struct prefetcher_settings *settings)
{
	struct prefetcher *prefetcher = calloc(1, sizeof(*prefetcher));
	size_t slots = 1;

	if (!prefetcher)
		return -ENOMEM;
	prefetcher->settings = *settings;
	if (settings->threads > 1 && settings->sources) {
		slots = settings->space / settings->slot_size / settings->sources;
		slots = slots < SLOTS_MIN ? SLOTS_MIN : slots > SLOTS_MAX ? SLOTS_MAX : slots;
	}
	prefetcher->slot_count = slots;
	pthread_mutex_init(&prefetcher->lock, NULL);
	pthread_cond_init(&prefetcher->work, NULL);
	pthread_cond_init(&prefetcher->ready, NULL);
	if (open_sources(prefetcher)) {
		prefetcher_close(prefetcher);
		return -ENOMEM;
	}
	*result = prefetcher;
	return 0;
}

void prefetcher_close(struct prefetcher *prefetcher)
{
	if (!prefetcher)
		return;
	pthread_mutex_lock(&prefetcher->lock);
	prefetcher->stopping = true;
	pthread_cond_broadcast(&prefetcher->work);
	pthread_mutex_unlock(&prefetcher->lock);
	for (unsigned int i = 0; i < prefetcher->thread_count; i++)
		pthread_join(prefetcher->threads[i], NULL);
	for (size_t i = 0; prefetcher->sources && i < prefetcher->settings.sources; i++) {
		free(prefetcher->sources[i].slots);
		free(prefetcher->sources[i].results);
	}
	free(prefetcher->sources);
	pthread_cond_destroy(&prefetcher->ready);
	pthread_cond_destroy(&prefetcher->work);
	pthread_mutex_destroy(&prefetcher->lock);
	free(prefetcher);
}

/* Is it worth waking the consumer? */
static bool has_enough(const struct prefetcher *prefetcher, const struct source *source)
{
	return source->ended || source->filled >= (prefetcher->slot_count + 1) / 2;
}

/*
 * Fills the next slot of a source that is not busy. The caller holds the lock, which is released
 * while the slot is filled.
 */
static void fill_slot(struct prefetcher *prefetcher, struct source *source)
{
	const struct prefetcher_settings *settings = &prefetcher->settings;
	size_t index = (source->first + source->filled) % prefetcher->slot_count;
	int got;

	source->busy = true;
	pthread_mutex_unlock(&prefetcher->lock);
	got = settings->fill(settings->data, source - prefetcher->sources,
			     source->slots + index * settings->slot_size);
	pthread_mutex_lock(&prefetcher->lock);
	source->busy = false;
	if (got > 0) {
		source->results[index] = got;
		source->filled++;
	} else {
		source->ended = true;
		source->end = got;
	}
}

/* Of the sources with a free slot, the awaited one, else that with the fewest filled; or NULL. */
static struct source *choose_source(const struct prefetcher *prefetcher)
{
	struct source *best = NULL;

	for (size_t i = 0; i < prefetcher->settings.sources; i++) {
		struct source *source = &prefetcher->sources[i];

		if (source->busy || source->ended || source->filled == prefetcher->slot_count)
			continue;
		if (source == prefetcher->awaited)
			return source;
		if (!best || source->filled < best->filled)
			best = source;
	}
	return best;
}

static void *work_on_sources(void *data)
{
	struct prefetcher *prefetcher = data;

	pthread_mutex_lock(&prefetcher->lock);
	while (!prefetcher->stopping) {
		struct source *source = choose_source(prefetcher);

		if (!source) {
			pthread_cond_wait(&prefetcher->work, &prefetcher->lock);
			continue;
		}
		fill_slot(prefetcher, source);
		if (prefetcher->awaited == source && has_enough(prefetcher, source)) {
			prefetcher->awaited = NULL;
			/* without the lock: the consumer would wait for the lock at once */
			pthread_mutex_unlock(&prefetcher->lock);
			pthread_cond_signal(&prefetcher->ready);
			pthread_mutex_lock(&prefetcher->lock);
		}
	}
	pthread_mutex_unlock(&prefetcher->lock);
	return NULL;
}

void prefetcher_start(struct prefetcher *prefetcher)
{
	unsigned int threads = prefetcher->settings.threads ? prefetcher->settings.threads - 1 : 0;
	unsigned int count = 0;
	sigset_t all, before;

	for (size_t i = 0; i < prefetcher->settings.sources; i++)
		count += !prefetcher->sources[i].ended;
	if (threads > count)
		threads = count;
	if (threads > THREADS_MAX)
		threads = THREADS_MAX;
	/* the threads of the program itself handle the signals */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while (prefetcher->thread_count < threads &&
	       !pthread_create(&prefetcher->threads[prefetcher->thread_count], NULL,
			       work_on_sources, prefetcher))
		prefetcher->thread_count++;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

int prefetcher_take(struct prefetcher *prefetcher, size_t index, const void **slot)
{
	struct source *source = &prefetcher->sources[index];
	bool has_room = false;
	int got;

	pthread_mutex_lock(&prefetcher->lock);
	if (source->held) {
		source->held = false;
		source->first = (source->first + 1) % prefetcher->slot_count;
		source->filled--;
		has_room = !source->ended && source->filled <= prefetcher->slot_count / 2;
	}
	while (!source->filled && !source->ended) {
		if (!source->busy) {
			fill_slot(prefetcher, source);
		} else {
			prefetcher->awaited = source;
			pthread_cond_wait(&prefetcher->ready, &prefetcher->lock);
		}
	}
	got = source->end;
	if (source->filled) {
		source->held = true;
		*slot = source->slots + source->first * prefetcher->settings.slot_size;
		got = source->results[source->first];
	}
	pthread_mutex_unlock(&prefetcher->lock);
	if (has_room)
		pthread_cond_signal(&prefetcher->work);
	return got;
}
