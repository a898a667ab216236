// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Attaches the programs. Only then does the capture take the name of an older one. */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/stop.h"
#include "tracer/host/snapshot.h"
#include "tracer/load/machine.h"
#include "tracer/publishing.h"
#include "tracer/session.h"

/* The capture is made without them. */
static void say_missing_probes(const struct session *session)
{
	const struct process_probes *process = &session->programs.process;

	static const enum hook_kind hooks[PROBES] = {
		[PROBE_BULK_ALLOC] = HOOK_BULK_ALLOC,
		[PROBE_BULK_FREE] = HOOK_BULK_FREE,
		[PROBE_REALLOC] = HOOK_REALLOC,
	};

	for (unsigned int probe = 0; probe < PROBES && !session->options->quiet; probe++) {
		const char *reason = process->reasons[probe];
		bool is_hook = probe >= PROBE_BULK_ALLOC && probe <= PROBE_REALLOC;

		if (is_hook)
			reason = session->programs.hooks.list[hooks[probe]].reason;
		if (*reason && !process->ways[probe] &&
		    (is_hook ? session->options->named[probe] : process->wanted[probe]))
			info_msg("%s is not recorded: %s", probes[probe].name, reason);
	}
}

/* The command waits for command_go(). */
static int start_command(struct session *session)
{
	int err;

	if (!session->options->command)
		return 0;
	err = command_start(&session->command, session->options->command, &session->saved_state);
	return err ? session_fail_command(session, err) : 0;
}

/* The first reading of /proc/slabinfo is before the first event, the second one after it. */
static int read_slabinfo(struct session *session, uint64_t time)
{
	struct directory *directory = &session->pieces.present.directory;
	int err = session->options->records_slab ? snapshot_slabinfo(directory, time) : 0;

	return err ? error_set(&session->error, err, directory->errmsg) : 0;
}

static int attach_and_begin(struct session *session)
{
	int err = memory_table_begin(&session->memory);

	if (!err)
		err = read_slabinfo(session, machine_now());
	if (!err)
		err = publishing_initial_counts(&session->pieces);
	if (err)
		return err;
	err = programs_attach(&session->programs);
	if (err)
		return error_set(&session->error, err, session->programs.errmsg);
	say_missing_probes(session);
	session->pieces.begin = session->pieces.present.status.begin = machine_now();
	err = trigger_watch_begin(&session->triggers);
	return err ? err : read_slabinfo(session, session->pieces.begin);
}

/* Readers find this status if kmemtraced is killed. */
static int write_status(struct session *session)
{
	int err = pieces_status_update_programs(&session->pieces);

	return err ? error_set_at(&session->error, err, "the status")
		   : pieces_status_write(&session->pieces);
}

/* All is ready: moves the capture to its final path, and an older capture out of the way. */
static int move_to_target(struct session *session)
{
	char name[32];
	int err;

	if (stop_signal())
		return error_format(&session->error, -EINTR, "%s came before the capture began",
				    stop_signal_name(name, sizeof(name)));
	if (options_is_temporary(session->options))
		return 0;
	err = pieces_commit(&session->pieces);
	if (err)
		return err;
	pieces_rename_streams(&session->pieces);
	return 0;
}

static int let_command_go(struct session *session)
{
	int err = session->options->command ? command_go(&session->command) : 0;

	return err ? session_fail_command(session, err) : 0;
}

int session_start(struct session *session)
{
	const struct options *options = session->options;
	int err;

	recursion_misses_init(&session->misses, machine_now());
	sample_rate_init(&session->sample_rate, options->sampling.interval,
			 options->sampling.interval_most, options->sampling.most, machine_now());
	/* the command keeps the priority that it was started with */
	err = start_command(session);
	if (err)
		return err;
	/* with a normal priority, events are lost when all CPUs are busy */
	if (setpriority(PRIO_PROCESS, 0, -20) && options->verbose)
		info_msg("cannot raise the priority: %s", strerror(errno));
	err = attach_and_begin(session);
	if (err)
		return err;
	modules_compare(&session->names.modules, session->pieces.begin);
	/* no progress line if the command writes to the same terminal */
	progress_line_init(&session->progress,
			   options->quiet || options->count.enabled ||
				   (options->command && isatty(STDOUT_FILENO)),
			   PROGRESS_INTERVAL);
	err = write_status(session);
	if (!err)
		err = name_tables_add_tasks(&session->names);
	if (!err)
		err = stream_output_begin(&session->output, &session->pieces);
	if (!err)
		err = move_to_target(session);
	if (!err)
		err = session_confine(session);
	if (!err)
		err = let_command_go(session);
	/* the last step: the keeper may remove pieces from now on */
	if (!err)
		err = pieces_switch_begin(&session->pieces, session->pieces.begin);
	if (err)
		return err;
	pieces_keep(&session->pieces);
	if (options->duration_ns)
		session->deadline = session->pieces.begin + options->duration_ns;
	shipper_go(&session->shipper);
	service_ready(&session->service);
	return 0;
}
