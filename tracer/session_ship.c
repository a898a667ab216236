// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utc.h"
#include "cli/message.h"
#include "tracer/session_ship.h"

int session_ship_start(struct session *session)
{
	const struct options *options = session->options;
	const struct shipper_settings settings = {
		.options = &options->ship,
		.directory = options->summaries.directory,
		.saved = &session->saved_state,
		.quiet = options->quiet,
	};
	int err;

	if (!options->ship.url)
		return 0;
	err = shipper_start(&session->shipper, &settings);
	return err ? error_set(&session->error, err, session->shipper.errmsg) : 0;
}

void session_ship_finish(struct session *session)
{
	const struct shipper_report *report = &session->shipper.report;

	if (!session->options->ship.url)
		return;
	if (!shipper_end(&session->shipper))
		info_msg("kmemtrace-ship has not ended: kmemtraced does not wait for it any more");
	if (!session->options->quiet)
		info_msg("%s: sent %" PRIu64 " summaries, %" PRIu64 " dropped, %" PRIu64
			 " bytes of files wait%s%s",
			 session->options->ship.url, report->sent, report->dropped, report->waiting,
			 *report->failure ? ": " : "", report->failure);
}

/* To the second. */
static char *time_text(uint64_t time)
{
	char text[40];

	utc_text(time, text, sizeof(text));
	strcpy(strchrnul(text, '.'), "Z");
	return strdup(text);
}

void session_ship_collect(struct session *session, struct daemon_status *status)
{
	const struct shipper_report *report = &session->shipper.report;
	char *since;

	status->shipped = status->ship_dropped = status->ship_waiting = STATUS_FILE_UNKNOWN;
	if (!session->options->ship.url)
		return;
	shipper_step(&session->shipper);
	status->shipped = report->sent;
	status->ship_dropped = report->dropped;
	status->ship_waiting = report->waiting;
	free(status->last_shipped);
	status->last_shipped = report->last_sent ? time_text(report->last_sent) : NULL;
	free(status->shipping);
	status->shipping = NULL;
	if (!report->failing_since)
		return;
	since = time_text(report->failing_since);
	if (since && asprintf(&status->shipping, "since %s: %s", since, report->failure) < 0)
		status->shipping = NULL;
	free(since);
}
