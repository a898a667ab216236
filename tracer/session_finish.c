// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* After the capture: empties the rings, completes names and symbols, writes the status. */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "cli/message.h"
#include "cli/progress.h"
#include "tracer/host/snapshot.h"
#include "tracer/live_counts_capture.h"
#include "tracer/load/machine.h"
#include "tracer/pieces_status.h"
#include "tracer/pieces_streams.h"
#include "tracer/pieces_switch.h"
#include "tracer/publishing.h"
#include "tracer/session_finish.h"
#include "tracer/session_ship.h"
#include "tracer/session_slabinfo.h"
#include "tracer/stream_output.h"
#include "tracer/trigger_watch.h"

/* The last stacks, and the names of the functions on user stacks. */
static int finish_user_stacks(struct session *session)
{
	struct user_stacks *stacks = &session->user_stacks;
	int err = stack_messages_read(&session->stacks), failed, unnamed;

	if (err)
		return error_set(&session->error, err, session->stacks.errmsg);
	if (!session->options->sampling.user_stacks)
		return 0;
	err = user_stacks_step(stacks);
	if (err)
		return error_set(&session->error, err, stacks->errmsg);
	session->status.sampling.mappings_lost = stacks->events.lost;
	/* without names, the capture has what a reader needs to find them */
	unnamed = user_stacks_name(stacks, &session->namer);
	if (unnamed && !session->options->quiet)
		info_msg("%s", stacks->errmsg);
	failed = user_stacks_close(stacks);
	return failed ? error_set(&session->error, failed, stacks->errmsg) : 0;
}

int session_finish(struct session *session)
{
	struct slabinfo_snapshot slabinfo = { 0 };
	int err, stored, failed, closed, snapshot_error;

	/* before the programs are detached: each event between two readings is recorded */
	snapshot_error = session->options->records_slab
				 ? snapshot_read_slabinfo(&slabinfo, machine_now())
				 : -ENODATA;
	session->end = machine_now();
	programs_detach(&session->programs);
	err = session_rotate_finish(session);
	failed = recursion_misses_finish(&session->misses, &session->programs,
					 &session->streams.rings, &session->status);
	progress_line_clear();
	if (session->options->count.enabled)
		err = session_count_store(session);
	stored = session_streams_finish(session, machine_now());
	err = err ? err : stored;
	if (failed && !err)
		err = error_set_at(&session->error, failed, "the spans of skipped events");
	failed = name_messages_read(&session->names);
	if (!failed && session->plan.missing_features.btf)
		failed = name_messages_add_incomplete(&session->names,
						      bpf_variant_map_fd(&session->programs.variant,
									 "known_caches"));
	if (failed && !err)
		err = error_set(&session->error, failed, session->names.errmsg);
	failed = finish_user_stacks(session);
	err = err ? err : failed;
	failed = stack_messages_close(&session->stacks);
	if (failed && !err)
		err = error_set(&session->error, failed, session->stacks.errmsg);
	failed = memory_table_finish(&session->memory, &session->directory);
	err = err ? err : failed;
	modules_compare(&session->modules, session->end);
	failed = modules_end(&session->modules);
	if (failed && !err)
		err = error_set(&session->error, failed, session->modules.directory.errmsg);
	failed = session->options->count.enabled ? session_count_write_tasks(session) : 0;
	closed = name_messages_close(&session->names);
	failed = failed ? failed : closed;
	if (!failed)
		failed = snapshot_aliases(&session->directory);
	if (failed && !err)
		err = error_set(&session->error, failed, session->directory.errmsg);
	failed = session_slabinfo_write(session, &slabinfo, snapshot_error);
	if (failed && !err)
		err = failed;
	failed = session_status_finish(session);
	err = err ? err : failed;
	failed = session_stream_end(session);
	directory_unlock(&session->directory);
	err = err ? err : failed;
	failed = session_publish_end(session);
	session_ship_finish(session);
	session_triggers_finish(session);
	/* the last dump counts for the limits too */
	session_rotate_end(session);
	return err ? err : failed;
}
