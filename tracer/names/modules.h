/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Saves which modules are loaded and unloaded during a capture, and their symbols. Reading kallsyms
 * takes long, so a thread does it while the rings are drained. The thread runs from the start to
 * the end of the capture, so that its thread id is not reused by another task.
 */
#ifndef TRACER_NAMES_MODULES_H
#define TRACER_NAMES_MODULES_H

#include <stdbool.h>
#include <stdint.h>
#include <pthread.h>

#include "capture/directory.h"
#include "kernel/ring.h"
#include "tracer/host/kallsyms.h"
#include "tracer/host/module_list.h"

struct publish;

#define MODULES_READY 2

/* Kinds of changes besides those of messages. */
#define MODULES_COMPARE 0x100 /* now is the whole list */
#define MODULES_LOST 0x101    /* the same; messages were lost since the time in message.key */

struct module_change {
	struct kmt_message message;
	struct module_list now;
};

struct module_message {
	struct kmt_message message;
	struct listed_module parts[MODULE_PARTS]; /* where it lies, if the message lacks it */
	size_t part_count;
};

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
	struct module_change *changes; /* that the thread has not saved yet, in the order of time */
	size_t change_count;
	struct module_message *messages; /* that modules_pass_messages() will pass */
	size_t message_count;
	uint64_t passed_at, lost; /* of the last modules_pass_messages() */
	uint32_t task;		  /* thread id */
	int err;		  /* -errno: the first failure */
	/* of the thread */
	struct module_list list; /* saved last */
	bool listed;		 /* this kernel has modules, and shows their addresses */
	off_t modules_at;	 /* from kallsyms_copy() */
	struct kallsyms ready[MODULES_READY];
	/* set by modules_switch(), until the thread has switched; fd -1: none */
	struct directory next;
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

/* Takes a message about a module. modules_locate() and modules_pass_messages() follow. */
void modules_message(struct modules *modules, const struct kmt_message *message);

/*
 * Reads the addresses of modules whose messages lack them. The thread cannot do it: it may be busy
 * with kallsyms while a module is unloaded. True: a module may have been unloaded and loaded again
 * before its addresses were read. Then read messages, and call this again.
 */
bool modules_locate(struct modules *modules);

/*
 * Passes the messages to the thread. time: a time before they were read. lost: the number of
 * messages of any kind that were lost so far. If it has grown, messages about modules may be
 * missing: then modules are unknown from the time of the last call to this time.
 */
void modules_pass_messages(struct modules *modules, uint64_t time, uint64_t lost);

/*
 * Reads which modules are loaded now, and lets the thread compare its list. A difference comes from
 * a change without a message: it gets this time (ns).
 */
void modules_compare(struct modules *modules, uint64_t time);

/*
 * Lets the thread go on in another directory once all changes until now are saved, and makes its
 * symbols those of the old one. Both must stay open until modules_has_switched().
 */
void modules_switch(struct modules *modules, const struct directory *to);
bool modules_has_switched(struct modules *modules);

/* Waits until all changes are saved, and ends the thread. 0, or -errno: symbols are missing. */
int modules_end(struct modules *modules);

#endif
