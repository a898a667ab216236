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

#include "trace/ahead.h"

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

struct ahead {
	struct ahead_settings settings;
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

unsigned int ahead_default_threads(void)
{
	cpu_set_t set;
	int cpus = 1;

	if (!sched_getaffinity(0, sizeof(set), &set))
		cpus = CPU_COUNT(&set);
	else if (errno == EINVAL) /* more CPUs than a set has */
		cpus = THREADS_DEFAULT_MAX;
	return cpus < THREADS_DEFAULT_MAX ? (unsigned int)cpus : THREADS_DEFAULT_MAX;
}

static int open_sources(struct ahead *ahead)
{
	const struct ahead_settings *settings = &ahead->settings;

	ahead->sources = calloc(settings->sources + 1, sizeof(*ahead->sources));
	if (!ahead->sources)
		return -ENOMEM;
	for (size_t i = 0; i < settings->sources; i++) {
		struct source *source = &ahead->sources[i];

		source->slots = aligned_alloc(settings->slot_align,
					      ahead->slot_count * settings->slot_size);
		source->results = calloc(ahead->slot_count, sizeof(*source->results));
		if (!source->slots || !source->results)
			return -ENOMEM;
	}
	return 0;
}

int ahead_open(struct ahead **result, const struct ahead_settings *settings)
{
	struct ahead *ahead = calloc(1, sizeof(*ahead));
	size_t slots = 1;

	if (!ahead)
		return -ENOMEM;
	ahead->settings = *settings;
	if (settings->threads > 1 && settings->sources) {
		slots = settings->space / settings->slot_size / settings->sources;
		slots = slots < SLOTS_MIN ? SLOTS_MIN : slots > SLOTS_MAX ? SLOTS_MAX : slots;
	}
	ahead->slot_count = slots;
	pthread_mutex_init(&ahead->lock, NULL);
	pthread_cond_init(&ahead->work, NULL);
	pthread_cond_init(&ahead->ready, NULL);
	if (open_sources(ahead)) {
		ahead_close(ahead);
		return -ENOMEM;
	}
	*result = ahead;
	return 0;
}

void ahead_close(struct ahead *ahead)
{
	if (!ahead)
		return;
	pthread_mutex_lock(&ahead->lock);
	ahead->stopping = true;
	pthread_cond_broadcast(&ahead->work);
	pthread_mutex_unlock(&ahead->lock);
	for (unsigned int i = 0; i < ahead->thread_count; i++)
		pthread_join(ahead->threads[i], NULL);
	for (size_t i = 0; ahead->sources && i < ahead->settings.sources; i++) {
		free(ahead->sources[i].slots);
		free(ahead->sources[i].results);
	}
	free(ahead->sources);
	pthread_cond_destroy(&ahead->ready);
	pthread_cond_destroy(&ahead->work);
	pthread_mutex_destroy(&ahead->lock);
	free(ahead);
}

/* Is it worth waking the taker? */
static bool has_enough(const struct ahead *ahead, const struct source *source)
{
	return source->ended || source->filled >= (ahead->slot_count + 1) / 2;
}

/* Fills the next slot of a source that nobody is busy with. With the lock held, but meanwhile. */
static void fill(struct ahead *ahead, struct source *source)
{
	const struct ahead_settings *settings = &ahead->settings;
	size_t index = (source->first + source->filled) % ahead->slot_count;
	int got;

	source->busy = true;
	pthread_mutex_unlock(&ahead->lock);
	got = settings->fill(settings->data, source - ahead->sources,
			     source->slots + index * settings->slot_size);
	pthread_mutex_lock(&ahead->lock);
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
static struct source *choose(const struct ahead *ahead)
{
	struct source *best = NULL;

	for (size_t i = 0; i < ahead->settings.sources; i++) {
		struct source *source = &ahead->sources[i];

		if (source->busy || source->ended || source->filled == ahead->slot_count)
			continue;
		if (source == ahead->awaited)
			return source;
		if (!best || source->filled < best->filled)
			best = source;
	}
	return best;
}

static void *work(void *data)
{
	struct ahead *ahead = data;

	pthread_mutex_lock(&ahead->lock);
	while (!ahead->stopping) {
		struct source *source = choose(ahead);

		if (!source) {
			pthread_cond_wait(&ahead->work, &ahead->lock);
			continue;
		}
		fill(ahead, source);
		if (ahead->awaited == source && has_enough(ahead, source)) {
			ahead->awaited = NULL;
			/* not with the lock held, for which the taker would only wait again */
			pthread_mutex_unlock(&ahead->lock);
			pthread_cond_signal(&ahead->ready);
			pthread_mutex_lock(&ahead->lock);
		}
	}
	pthread_mutex_unlock(&ahead->lock);
	return NULL;
}

void ahead_start(struct ahead *ahead)
{
	unsigned int wanted = ahead->settings.threads ? ahead->settings.threads - 1 : 0, count = 0;
	sigset_t all, before;

	for (size_t i = 0; i < ahead->settings.sources; i++)
		count += !ahead->sources[i].ended;
	if (wanted > count)
		wanted = count;
	if (wanted > THREADS_MAX)
		wanted = THREADS_MAX;
	/* signals are for those who know of them */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while (ahead->thread_count < wanted &&
	       !pthread_create(&ahead->threads[ahead->thread_count], NULL, work, ahead))
		ahead->thread_count++;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

int ahead_take(struct ahead *ahead, size_t index, const void **slot)
{
	struct source *source = &ahead->sources[index];
	bool has_room = false;
	int got;

	pthread_mutex_lock(&ahead->lock);
	if (source->held) {
		source->held = false;
		source->first = (source->first + 1) % ahead->slot_count;
		source->filled--;
		has_room = !source->ended && source->filled <= ahead->slot_count / 2;
	}
	while (!source->filled && !source->ended) {
		if (!source->busy) {
			fill(ahead, source);
		} else {
			ahead->awaited = source;
			pthread_cond_wait(&ahead->ready, &ahead->lock);
		}
	}
	got = source->end;
	if (source->filled) {
		source->held = true;
		*slot = source->slots + source->first * ahead->settings.slot_size;
		got = source->results[source->first];
	}
	pthread_mutex_unlock(&ahead->lock);
	if (has_room)
		pthread_cond_signal(&ahead->work);
	return got;
}
