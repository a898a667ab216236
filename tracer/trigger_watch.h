/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * --trigger in a session: compares its figures, says which triggers fire, and asks for dumps of the
 * flight recorder. Functions return 0, or -errno with the error of the pieces set.
 */
#ifndef TRACER_TRIGGER_WATCH_H
#define TRACER_TRIGGER_WATCH_H

#include "tracer/pieces.h"
#include "tracer/pieces/trigger_process.h"
#include "tracer/status_file.h"
#include "tracer/system/journal.h"
#include "tracer/triggers/trigger_state.h"

/* The process that the kernel killed last. */
struct trigger_victim {
	uint32_t pid;
	char name[17]; /* "": not known */
	uint64_t time; /* ns */
};

#define DUMP_REQUESTS 32

struct trigger_dumps {
	struct trigger_request requests[DUMP_REQUESTS]; /* that wait until the piece is finished */
	size_t count;
	unsigned int piece;
	unsigned int last_piece;	/* of the last request that was sent; 0: without a dump */
	unsigned int unfinished;	/* dumps of which the keeper knows */
	struct set_dump_left_list left; /* until the process of trigger_process.h has them */
};

struct trigger_watch {
	struct pieces *pieces;
	struct daemon_status *daemon_status; /* gets what fired, and the dumps */
	struct publish_figures *published;   /* live bytes; NULL: no trigger needs them */
	bool is_audited; /* the slab allocator is read again and again, for the live bytes */
	struct journal journal;
	struct trigger_state states[TRIGGERS_MAX];
	size_t count;
	uint64_t pause_ns;
	/* at the last step */
	struct figures figures;
	uint64_t recorded, lost, skipped; /* events */
	uint64_t kills;			  /* for lack of memory */
	struct trigger_victim victim;
	struct trigger_dumps dumps;
	struct worker process; /* if there is a command or --overwrite */
	char failure[200];     /* how the process ended before it should; "": it did not */
};

/* At the start, before pieces are removed: finds the dumps that a killed kmemtraced left. */
int trigger_watch_find_dumps(struct trigger_watch *watch);

/* Starts the process for dumps and --trigger-command, before there are threads. */
int trigger_watch_start(struct trigger_watch *watch, const struct saved_process_state *saved);

/* Before the publishing thread has events. */
int trigger_watch_open(struct trigger_watch *watch);
void trigger_watch_close(struct trigger_watch *watch);

/*
 * Once the programs are attached, at the begin of the pieces: windows begin here. Fails if a
 * trigger can never fire.
 */
int trigger_watch_begin(struct trigger_watch *watch);

/* Replaces the triggers: one that was there keeps its state. 0 or -ENOMEM: nothing has changed. */
int trigger_watch_replace(struct trigger_watch *watch, const struct trigger_options *options);

/*
 * The triggers whose names the kernel does not have, and why that is likely an error, to be freed;
 * NULL: there are none.
 */
char *trigger_watch_doubts(const struct trigger_watch *watch);

/* A drain has taken out the record of an OOM kill. Soon, while the victim still has a name. */
void trigger_watch_oom_kill(struct trigger_watch *watch, const struct oom_kill *kill);

/* Before each pieces_switch_step(): a dump has the pieces up to the one that a trigger ends. */
void trigger_watch_dump(struct trigger_watch *watch);

/* After each round that flushed. now: ns, read before that round. */
void trigger_watch_step(struct trigger_watch *watch, uint64_t now);

/* Does a trigger wait for a reading of the slab allocator? */
bool trigger_watch_needs_audit(const struct trigger_watch *watch);

/*
 * At the end: waits for dumps and commands that still run, for half a minute. Fails if the process
 * for them ended before.
 */
int trigger_watch_finish(struct trigger_watch *watch);

/* The rest is between trigger_watch.c, trigger_dump.c and trigger_report.c. */

struct set_dump_settings trigger_dump_settings(const struct pieces *pieces);

/*
 * Sends the request to the process: at once, or with --overwrite when the present piece is
 * finished.
 */
void trigger_dump_request(struct trigger_watch *watch, const struct trigger_request *request);

/* Looks whether the process has ended, which it never should: then it says so, once. */
void trigger_dump_check(struct trigger_watch *watch);
void trigger_dump_fail(struct trigger_watch *watch, int status);

/* A dump is finished, or has failed. */
void trigger_dump_written(struct trigger_watch *watch, const struct trigger_answer *answer);

/* At the end: all pieces are finished. */
void trigger_dump_finish(struct trigger_watch *watch);

/*
 * The message of a trigger that fires: in the journal or on standard error, for --status, and for
 * the command.
 */
void trigger_report(struct trigger_watch *watch, const struct trigger_state *state);

/* A dump was written, or a command of --trigger-command has ended. */
void trigger_report_answer(const struct trigger_watch *watch, const struct trigger_answer *answer);

#endif
