// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* After the capture: empties the rings, completes names and symbols, writes the status. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "cli/message.h"
#include "cli/progress.h"
#include "tracer/host/snapshot.h"
#include "tracer/load/machine.h"
#include "tracer/publishing.h"
#include "tracer/session.h"

static void finish_shipper(struct session *session)
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

int session_finish(struct session *session)
{
	struct slabinfo_snapshot slabinfo = { 0 };
	int err, stored, failed, closed, snapshot_error;

	/* before the programs are detached: each event between two readings is recorded */
	snapshot_error = session->options->records_slab
				 ? snapshot_read_slabinfo(&slabinfo, machine_now())
				 : -ENODATA;
	session->pieces.end = machine_now();
	programs_detach(&session->programs);
	err = pieces_switch_finish(&session->pieces);
	failed = recursion_misses_finish(&session->misses, &session->programs,
					 &session->streams.rings, &session->pieces.present.status);
	progress_line_clear();
	if (session->options->count.enabled)
		err = live_counts_store(&session->counts, &session->pieces);
	stored = pieces_finish_streams(&session->pieces, machine_now());
	err = err ? err : stored;
	if (failed && !err)
		err = error_set_at(&session->error, failed, "the spans of skipped events");
	failed = name_tables_finish(&session->names, &session->programs,
				    &session->pieces.present.status);
	err = err ? err : failed;
	failed = memory_table_finish(&session->memory, &session->pieces.present.directory);
	err = err ? err : failed;
	modules_compare(&session->names.modules, session->pieces.end);
	failed = modules_end(&session->names.modules);
	if (failed && !err)
		err = error_set(&session->error, failed, session->names.modules.directory.errmsg);
	failed = session->options->count.enabled
			 ? live_counts_write_tasks(&session->counts, &session->pieces)
			 : 0;
	closed = name_messages_close(&session->names.messages);
	failed = failed ? failed : closed;
	if (!failed)
		failed = snapshot_aliases(&session->pieces.present.directory);
	if (failed && !err)
		err = error_set(&session->error, failed, session->pieces.present.directory.errmsg);
	heap_audit_write(&session->audit, &session->pieces.present.directory);
	if (session->audit.reader && *session->audit.reason && !session->options->quiet)
		info_msg("the slab allocator was not read (--no-audit does not try): %s",
			 session->audit.reason);
	if (kernel_figures_write(&session->figures, &session->pieces.present.directory) &&
	    !session->options->quiet)
		info_msg("%s: the capture does without this",
			 session->pieces.present.directory.errmsg);
	failed = pieces_write_slabinfo(&session->pieces, &slabinfo, snapshot_error);
	if (failed && !err)
		err = failed;
	failed = pieces_status_finish(&session->pieces);
	err = err ? err : failed;
	failed = stream_output_end(&session->output, &session->pieces);
	directory_unlock(&session->pieces.present.directory);
	err = err ? err : failed;
	failed = publishing_end(&session->pieces);
	finish_shipper(session);
	if (!err)
		err = failed;
	failed = trigger_watch_finish(&session->triggers);
	err = err ? err : failed;
	/* after the last dump, which counts for the limits too */
	failed = pieces_end(&session->pieces);
	return err ? err : failed;
}
