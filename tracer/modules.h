/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Saves which modules are loaded and unloaded during a capture, and their symbols. Reading kallsyms
 * takes long, so a thread does it while the rings are drained. The thread runs from the start to
 * the end of the capture, so that its thread id is not reused by another task.
 */
#ifndef TRACER_MODULES_H
#define TRACER_MODULES_H

#include <stdbool.h>
#include <stdint.h>
#include <pthread.h>

#include "capture/directory.h"
#include "kernel/ring.h"
#include "tracer/kallsyms.h"
#include "tracer/module_list.h"

struct publish;

#define MODULES_READY 2

struct modules {
	struct publish *publish;    /* is notified after saving; NULL: nothing is published */
	struct directory directory; /* a copy, so that the thread has its own errmsg */
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	int (*on_start)(void *data); /* the thread calls it before its work: 0, or -errno */
	void *on_start_data;
	bool started;
	bool ending;
	struct kmt_message *changes; /* that the thread has not saved yet, in the order of time */
	size_t change_count;
	struct kmt_message *messages; /* that modules_pass_messages() will pass */
	size_t message_count;
	uint32_t task; /* thread id */
	int err;       /* -errno: the first failure */
	/* of the thread */
	struct module_list list; /* saved last */
	bool listed;		 /* this kernel has modules, and shows their addresses */
	off_t modules_at;	 /* from kallsyms_copy() */
	struct kallsyms ready[MODULES_READY];
	uint64_t read_again; /* ns: the symbols of this time are to be read again; 0: none */
};

/*
 * Reads the modules that are loaded now. Call it before kallsyms_copy(), so that a module which is
 * loaded later is recognized as a change. Without /proc/modules, nothing is saved.
 */
void modules_init(struct modules *modules);

/*
 * Starts the thread, which saves the list; task is its id when this returns. modules_at and
 * on_start must be set. 0 or -errno.
 */
int modules_start(struct modules *modules, const struct directory *directory,
		  struct publish *publish);

/* Takes a message about a module. modules_pass_messages() follows. */
void modules_message(struct modules *modules, const struct kmt_message *message);

/*
 * Passes the messages that came together to the thread. Where a module lies that is loaded is read
 * here, if the message does not say it: the thread may be reading kallsyms, and the module could be
 * unloaded in this time.
 */
void modules_pass_messages(struct modules *modules);

/*
 * Lets the thread compare its list with the modules that are loaded now. A difference comes from a
 * change without a message: it gets this time (ns).
 */
void modules_compare(struct modules *modules, uint64_t time);

/* Waits until all changes are saved, and ends the thread. 0, or -errno: symbols are missing. */
int modules_end(struct modules *modules);

#endif
