/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Threads that work ahead: each of several sources has slots that are filled in their order, by
 * one thread at a time. Whoever takes fills a slot himself if no thread has come to it; without
 * threads he fills all. What he gets is the same in any case.
 */
#ifndef CAPTURE_PREFETCH_H
#define CAPTURE_PREFETCH_H

#include <stddef.h>

struct prefetcher_settings {
	size_t sources;
	size_t slot_size;     /* bytes, */
	size_t slot_align;    /* and a power of 2 of which this is a multiple */
	unsigned int threads; /* the taker's own too: 1 or 0 starts none */
	size_t space;	      /* bytes for all slots together, if that is enough */
	/* Fills a slot of a source: a number above 0; 0 at its end; or -errno, at its end too. */
	int (*fill)(void *data, size_t source, void *slot);
	void *data;
};

struct prefetcher;

int prefetcher_open(struct prefetcher **prefetcher,
		    const struct prefetcher_settings *settings); /* 0 or -ENOMEM */

/* Ends the threads. What belongs to a source is the caller's again. Takes NULL. */
void prefetcher_close(struct prefetcher *prefetcher);

/*
 * Starts the threads, as many as there can be. Until then, and of a source that has come to its
 * end, all belongs to the caller; the rest to whoever fills.
 */
void prefetcher_start(struct prefetcher *prefetcher);

/*
 * The next slot of a source, which stays until the next is taken of that source. What fill
 * returned: of the end again and again, with no slot.
 */
int prefetcher_take(struct prefetcher *prefetcher, size_t source, const void **slot);

/* As many as there are CPUs for this process, but not more than would have something to do. */
unsigned int prefetcher_default_threads(void);

#endif
