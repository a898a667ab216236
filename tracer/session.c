// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The common part of a session: errors, sums, and freeing it. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/worker.h"
#include "tracer/session.h"

/* A word after --publish is taken as the command, but the user may have meant it as the file. */
int session_fail_command(struct session *session, int err)
{
	const struct options *options = session->options;

	if (!options->no_value)
		return error_set(&session->error, err, session->command.errmsg);
	return error_format(&session->error, err, "%s: if it is the value of --%s, use --%s=%s",
			    session->command.errmsg, options->no_value, options->no_value,
			    options->command[0]);
}

void session_close(struct session *session)
{
	streams_deinit(&session->streams);
	modules_end(&session->names.modules);
	publish_close(&session->publish);
	name_tables_close(&session->names);
	memory_table_close(&session->memory);
	programs_close(&session->programs);
	heap_audit_close(&session->audit);
	kernel_figures_close(&session->figures);
	attach_plan_deinit(&session->plan);
	live_counts_deinit(&session->counts);
	free(session->output.sent);
	pieces_close(&session->pieces);
	service_close(&session->service);
	trigger_watch_close(&session->triggers);
	shipper_close(&session->shipper);
	config_lines_deinit(&session->reloaded);
	confinement_close(&session->confinement);
}
