/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A session: one run of kmemtraced that captures, publishes, or both. It composes its parts; only
 * kmemtraced.c and the files session*.c know it, which tests/build/includes.sh checks. Functions
 * return 0, or -errno with the error set.
 */
#ifndef TRACER_SESSION_H
#define TRACER_SESSION_H

#include "cli/progress.h"
#include "tracer/heap_audit.h"
#include "tracer/kernel_figures.h"
#include "tracer/live_counts.h"
#include "tracer/sample_rate.h"
#include "tracer/service.h"
#include "tracer/stream_output.h"
#include "tracer/system/command.h"
#include "tracer/system/confine.h"

struct session {
	const struct options *options;
	struct error error;
	struct saved_process_state saved_state; /* restored in the command's process */
	struct attach_plan plan;
	struct programs programs;
	struct recursion_misses misses;
	struct sample_rate sample_rate; /* if options->sampling.interval */
	struct streams streams;
	struct name_tables names;
	struct memory_table memory; /* if options->proc_mem */
	struct heap_audit audit;    /* if options_audit() */
	struct kernel_figures figures;
	struct pieces pieces;
	struct publish publish;	     /* if options_aggregate() */
	struct live_counts counts;   /* if options->count.enabled */
	struct stream_output output; /* if options->stream */
	struct trigger_watch triggers;
	struct service service;
	struct shipper shipper; /* if options->ship.url */
	struct command command; /* if options->command */
	struct confinement confinement;
	struct progress_line progress;
	struct config_lines reloaded; /* of the configuration file; without text: not read again */
	uint64_t deadline;	      /* ns; 0: none */
	uint64_t next_flush;	      /* ns */
};

/*
 * Plans, loads and creates everything that a capture needs. session_close() is needed in either
 * case.
 */
int session_open(struct session *session, const struct options *options,
		 const struct saved_signals *signals);

/*
 * Attaches the programs, and lets the capture take the place of an older one. If this or
 * session_open() fails, or a signal arrives before, session_close() leaves everything on disk as it
 * was.
 */
int session_start(struct session *session);

/*
 * Drains the rings until the command ends, the duration is over or a signal arrives.
 */
int session_run(struct session *session);

/*
 * Detaches the programs, drains the rings completely, and completes all files. Also needed after
 * session_run() failed. Fails if something could not be written.
 */
int session_finish(struct session *session);

/* Frees everything. */
void session_close(struct session *session);

/* The rest is between the files session*.c. */

/* The command cannot be run: takes over its text, and returns err. */
int session_fail_command(struct session *session, int err);

/* SIGHUP is a request to read the configuration file again, if there is one. */
void session_reload_open(struct session *session);

/* Between rounds over the rings: reads it, and takes what can change meanwhile. */
void session_reload_step(struct session *session);

/*
 * Which privileges each thread keeps.
 *
 * session_confine_prepare(): before the threads start.
 * session_confine_modules(), session_confine_publish(): in the threads that save modules and
 * publish files; data: the session; the error is not set.
 * session_confine(): in the calling thread, once all that needs privileges is done; and the system
 * calls of all threads.
 */
int session_confine_prepare(struct session *session);
int session_confine_modules(void *data);
int session_confine_publish(void *data);
int session_confine(struct session *session);

#endif
