/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Saves the symbols of modules that come during a capture. kallsyms takes long to read, so a
 * thread does it while the rings are drained; it is there from the start to the end, so that its
 * thread id means nobody else.
 */
#ifndef TRACER_MODULES_H
#define TRACER_MODULES_H

#include <stdbool.h>
#include <stdint.h>
#include <pthread.h>

#include "capture/directory.h"

struct publish;

struct modules {
	struct publish *publish;    /* wants to know of what was saved; NULL: nobody publishes */
	struct directory directory; /* a copy: its sentences are the thread's own */
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	bool started;
	bool ending;
	uint64_t wanted; /* ns: modules changed then, not yet saved; 0: none */
	uint32_t task;	 /* thread id */
	int err;	 /* what failed, -errno */
};

/* Starts the thread; task is its id when it returns. 0 or -errno. */
int modules_start(struct modules *modules, const struct directory *directory,
		  struct publish *publish);

/* Modules changed, at the time (ns). */
void modules_change(struct modules *modules, uint64_t time);

/* Waits until all changes are saved, and ends the thread. 0, or -errno: symbols are missing. */
int modules_end(struct modules *modules);

#endif
