/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Prefetching by threads: each source has slots, which are filled in order, by one thread at a
 * time. If the next slot of a source is not filled when the consumer takes it, the consumer fills
 * it; without threads, the consumer fills all. The contents are the same in any case.
 */
#ifndef CAPTURE_PREFETCH_H
#define CAPTURE_PREFETCH_H

#include <stddef.h>

struct prefetcher_settings {
	size_t sources;
	size_t slot_size;     /* bytes, a multiple of slot_align */
	size_t slot_align;    /* bytes, a power of 2 */
	unsigned int threads; /* with the consumer's; 1 or 0 starts none */
	size_t space; /* bytes for all slots; more if that is less than two slots a source */
	/* Fills a slot of a source. Returns a number above 0; 0 or -errno end the source. */
	int (*fill)(void *data, size_t source, void *slot);
	void *data;
};

struct prefetcher;

int prefetcher_open(struct prefetcher **prefetcher,
		    const struct prefetcher_settings *settings); /* 0 or -ENOMEM */

/* Ends the threads: only the caller uses the sources then. NULL is allowed. */
void prefetcher_close(struct prefetcher *prefetcher);

/*
 * Starts the threads, as far as the system allows. Before, and after the end of a source, only the
 * caller uses the source; in between, fill() may run in any thread.
 */
void prefetcher_start(struct prefetcher *prefetcher);

/*
 * Takes the next slot of a source, which is valid until the next call for that source. Returns what
 * fill() returned; after the end of the source always the same, without a slot.
 */
int prefetcher_take(struct prefetcher *prefetcher, size_t source, const void **slot);

/* The number of CPUs that this process may use, or of threads that can be busy, if that is less. */
unsigned int prefetcher_default_threads(void);

#endif
