// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * One lock for all, held for a moment for each slot. A slot is hundreds of events, so that nobody
 * waits for the lock; and whoever sleeps is woken only once half of a source's slots are there
 * to work on.
 */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>

#include "capture/prefetch.h"

#define SLOTS_MIN 2 /* one that is held, one to fill */
#define SLOTS_MAX 8
#define THREADS_MAX 64
#define THREADS_DEFAULT_MAX 8 /* more find nothing to do: one alone takes */

struct source {
	unsigned char *slots; /* a circle */
	int *results;	      /* of each slot */
	size_t first, filled; /* that are filled, or held */
	bool held;	      /* the first is with the taker */
	bool busy;	      /* the one behind the last is being filled */
	bool ended;
	int end; /* 0 or -errno */
};

struct prefetcher {
	struct prefetcher_settings settings;
	struct source *sources;
	size_t slot_count; /* of each source */
	pthread_mutex_t lock;
	pthread_cond_t work;	/* there are slots to fill */
	pthread_cond_t ready;	/* the source that is waited for has some */
	struct source *awaited; /* by the taker; or NULL */
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
	else if (errno == EINVAL) /* more CPUs than a set has */
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

/* Is it worth waking the taker? */
static bool has_enough(const struct prefetcher *prefetcher, const struct source *source)
{
	return source->ended || source->filled >= (prefetcher->slot_count + 1) / 2;
}

/* Fills the next slot of a source that nobody is busy with. With the lock held, but meanwhile. */
static void fill(struct prefetcher *prefetcher, struct source *source)
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

/* The source that has the fewest slots filled, of those that can be worked on; or NULL. */
static struct source *choose(const struct prefetcher *prefetcher)
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

static void *work(void *data)
{
	struct prefetcher *prefetcher = data;

	pthread_mutex_lock(&prefetcher->lock);
	while (!prefetcher->stopping) {
		struct source *source = choose(prefetcher);

		if (!source) {
			pthread_cond_wait(&prefetcher->work, &prefetcher->lock);
			continue;
		}
		fill(prefetcher, source);
		if (prefetcher->awaited == source && has_enough(prefetcher, source)) {
			prefetcher->awaited = NULL;
			/* not with the lock held, for which the taker would only wait again */
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
	unsigned int wanted = prefetcher->settings.threads ? prefetcher->settings.threads - 1 : 0,
		     count = 0;
	sigset_t all, before;

	for (size_t i = 0; i < prefetcher->settings.sources; i++)
		count += !prefetcher->sources[i].ended;
	if (wanted > count)
		wanted = count;
	if (wanted > THREADS_MAX)
		wanted = THREADS_MAX;
	/* signals are for those who know of them */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while (prefetcher->thread_count < wanted &&
	       !pthread_create(&prefetcher->threads[prefetcher->thread_count], NULL, work,
			       prefetcher))
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
			fill(prefetcher, source);
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
