/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A session with --trigger compares its figures, and says which triggers fire. */
#ifndef TRACER_TRIGGER_WATCH_H
#define TRACER_TRIGGER_WATCH_H

#include "tracer/session.h"

/* Starts the process for dumps and --trigger-command, before there are threads. Returns as below.
 */
int session_triggers_start(struct session *session);

/* Before the publishing thread has events. 0 or -errno with session->error set. */
int session_triggers_open(struct session *session);

/*
 * Once the programs are attached, at the time begin of the session: windows begin here. 0, or
 * -errno with session->error set: a trigger can never fire.
 */
int session_triggers_begin(struct session *session);

/*
 * Other triggers: one that was there before goes on as it was. 0 or -ENOMEM: nothing has changed.
 */
int session_triggers_replace(struct session *session, const struct trigger_options *options);

/*
 * The triggers whose names the kernel does not have, and why that is likely an error, to be freed;
 * NULL: there are none.
 */
char *session_triggers_doubts(const struct session *session);

/* A drain has taken out the record of an OOM kill. Soon, while the victim still has a name. */
void session_triggers_oom_kill(struct session *session, const struct oom_kill *kill);

/* After each round that flushed. now: ns, read before that round. */
void session_triggers_step(struct session *session, uint64_t now);

/* At the end: waits for dumps and commands that still run, for half a minute. */
void session_triggers_finish(struct session *session);

#endif
