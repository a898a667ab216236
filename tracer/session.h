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
#include "tracer/pieces.h"
#include "tracer/pieces/trigger_process.h"
#include "tracer/publish/publish.h"
#include "tracer/sample_rate.h"
#include "tracer/ship/shipper.h"
#include "tracer/status_file.h"
#include "tracer/stream_output.h"
#include "tracer/system/command.h"
#include "tracer/system/confine.h"
#include "tracer/system/journal.h"
#include "tracer/system/notify.h"
#include "tracer/triggers/trigger_state.h"

/* The process that the kernel killed last. */
struct trigger_victim {
	uint32_t pid;
	char name[17]; /* "": not known */
	uint64_t time; /* ns */
};

struct session_triggers {
	struct trigger_state states[TRIGGERS_MAX];
	size_t count;
	uint64_t pause_ns;
	/* at the last step */
	struct figures figures;
	uint64_t recorded, lost, skipped; /* events */
	uint64_t kills;			  /* for lack of memory */
	struct trigger_victim victim;
};

#define DUMP_REQUESTS 32

struct session_dump {
	struct trigger_request requests[DUMP_REQUESTS]; /* that wait until the piece is finished */
	size_t count;
	unsigned int piece;
	unsigned int last_piece;	/* of the last request that was sent; 0: without a dump */
	struct set_dump_left_list left; /* until the process of trigger_process.h has them */
};

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
	struct notify notify;
	struct journal journal;
	struct session_triggers triggers;
	struct session_dump dump;
	struct worker trigger_process; /* if there is a command or --overwrite */
	struct shipper shipper;	       /* if options->ship.url */
	struct config_lines reloaded;  /* of the configuration file; without text: not read again */
	struct status_file status_file;
	struct daemon_status daemon_status;
	uint64_t next_status, next_notification; /* ns */
	uint64_t deadline;			 /* ns; 0: none */
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
