/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The message of a trigger that fires: in the journal or on standard error, for --status, and for
 * the command.
 */
#ifndef TRACER_TRIGGER_REPORT_H
#define TRACER_TRIGGER_REPORT_H

#include "tracer/session.h"

void trigger_report(struct session *session, const struct trigger_state *state);

/* A dump was written, or a command of --trigger-command has ended. */
void trigger_report_answer(const struct session *session, const struct trigger_answer *answer);

#endif
