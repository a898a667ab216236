/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A session: one run of kmemtraced that captures, publishes, or both. This file has its data; its
 * start, run and end are in session_open, session_run and session_finish.
 */
#ifndef TRACER_SESSION_H
#define TRACER_SESSION_H

#include <stdbool.h>

#include "cli/progress.h"
#include "tracer/live_counts.h"
#include "tracer/load/programs.h"
#include "tracer/options.h"
#include "tracer/publish/publish.h"
#include "tracer/sample_rate.h"
#include "tracer/service.h"
#include "tracer/stream_output.h"
#include "tracer/system/command.h"
#include "tracer/system/confine.h"

struct session {
	const struct options *options;
	struct saved_process_state saved_state; /* restored in the command's process */
	struct streams streams;
	struct attach_plan plan;
	struct programs programs;
	struct pieces pieces;
	struct name_tables names;
	struct sample_rate sample_rate; /* the same */
	struct memory_table memory;	/* if options->proc_mem */
	struct publish publish;		/* if options_aggregate() */
	struct live_counts counts;	/* if options->count.enabled */
	struct command command;
	struct confinement confinement;
	struct progress_line progress;
	struct trigger_watch triggers;
	struct shipper shipper;	      /* if options->ship.url */
	struct config_lines reloaded; /* of the configuration file; without text: not read again */
	struct service service;
	uint64_t deadline; /* ns; 0: none */
	struct recursion_misses misses;
	uint64_t next_flush;	     /* ns */
	struct stream_output output; /* if options->stream */
	struct error error;
};

/* The command cannot be run: takes over its text, and returns err. */
int session_fail_command(struct session *session, int err);

/* Frees everything. */
void session_close(struct session *session);

#endif
