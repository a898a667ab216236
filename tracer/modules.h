/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Saves the symbols of modules that are loaded during a capture. Reading kallsyms takes long, so a
 * thread does it while the rings are drained. The thread runs from the start to the end of the
 * capture, so that its thread id is not reused by another task.
 */
#ifndef TRACER_MODULES_H
#define TRACER_MODULES_H

#include <stdbool.h>
#include <stdint.h>
#include <pthread.h>

#include "capture/directory.h"

struct publish;

struct modules {
	struct publish *publish;    /* is notified after saving; NULL: nothing is published */
	struct directory directory; /* a copy, so that the thread has its own errmsg */
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	bool started;
	bool ending;
	uint64_t changed_at; /* ns: modules changed then, and are not saved yet; 0: none */
	uint32_t task;	     /* thread id */
	int err;	     /* -errno: the first failure */
};

/* Starts the thread; task is its id when it returns. 0 or -errno. */
int modules_start(struct modules *modules, const struct directory *directory,
		  struct publish *publish);

/* Reports to the thread that modules changed at this time (ns). */
void modules_change(struct modules *modules, uint64_t time);

/* Waits until all changes are saved, and ends the thread. 0, or -errno: symbols are missing. */
int modules_end(struct modules *modules);

#endif
