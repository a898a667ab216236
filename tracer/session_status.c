// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Fills in the status from the parts of the session, and writes it. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tracer/load/paths.h"
#include "tracer/load/machine.h"
#include "tracer/session_status.h"
#include "tracer/session_streams.h"

int session_status_write(struct session *session)
{
	struct directory *directory = &session->directory;
	FILE *file = directory_open(directory, "kernel/.status", false);
	int err, failed;

	if (!file)
		return session_fail(session, -EIO, directory->errmsg);
	err = status_write(&session->status, file);
	failed = directory_close(directory, file, "kernel/status");
	if (err || failed)
		return session_fail(session, err ? err : failed, directory->errmsg);
	err = directory_rename(directory, "kernel/.status", "kernel/status");
	return err ? session_fail(session, err, directory->errmsg) : 0;
}

static enum status_preemption preemption_of(const struct programs *programs)
{
	switch (programs->plan->preemption) {
	case PREEMPTION_UNKNOWN:
		return STATUS_PREEMPTION_UNKNOWN;
	case PREEMPTION_OFF:
		return STATUS_PREEMPTION_NO;
	default:
		return STATUS_PREEMPTION_YES;
	}
}

static enum status_context context_of(const struct programs *programs)
{
	switch (programs->context_source) {
	case KMT_CONTEXT_FROM_COUNT:
		return STATUS_CONTEXT_ALL;
	case KMT_CONTEXT_FROM_SOFTIRQS:
		return STATUS_CONTEXT_SOFTIRQ;
	default:
		return STATUS_CONTEXT_UNKNOWN;
	}
}

int session_status_update_programs(struct session *session)
{
	const struct programs *programs = &session->programs;
	struct status *status = &session->status;
	int err = 0;

	status->backup_known = true;
	status->preemption = preemption_of(programs);
	status->context = context_of(programs);
	status->copies = programs->copies.count;
	status->front = copies_have_front(&programs->copies);
	snprintf(status->backup_programs_reason, sizeof(status->backup_programs_reason), "%s",
		 programs->plan->preemption == PREEMPTION_POSSIBLE ? programs->copies.reason
								   : programs->backup.reason);
	status->hook_calls_skipped = 0;
	for (unsigned int i = 0; i < HOOK_KINDS; i++)
		status->hook_calls_skipped += hooks_skipped(&programs->hooks, i);
	status->no_slab = !programs->records_slab;
	if (!status->no_slab)
		err = paths_report(status, &programs->paths, &programs->hooks);
	return err ? err : process_probes_report(&programs->process, status);
}

int session_status_start(struct session *session)
{
	const struct options *options = session->options;
	struct status *status = &session->status;
	int err;

	status->ring_bytes = rings_bytes(session->rings.mib, session->rings.buffered);
	/* what is own was left out while counting */
	status->sampling.is_profile = options->sampling.is_profile;
	status->sampling.interval = status->sampling.interval_most = options->sampling.interval;
	status->sampling.user_stacks = options->sampling.user_stacks;
	status->include_self = options->include_self || options->count.enabled;
	status->begin = session->begin = machine_now();
	err = status_add_own(status, syscall(SYS_gettid));
	for (size_t i = 0; i < options->pid_count && !err; i++)
		err = status_add_traced_pid(status, options->pids[i]);
	if (!err)
		err = session_status_update_programs(session);
	return err ? session_fail_at(session, err, "the status") : session_status_write(session);
}

static void count_all(struct status_counted *counted, const struct kmt_control *control)
{
	counted->allocations = control->counted.kmalloc + control->counted.cache_alloc +
			       control->counted_elsewhere.allocations;
	counted->frees = control->counted.kfree + control->counted.cache_free +
			 control->counted_elsewhere.frees;
	counted->bytes = control->counted.kmalloc_bytes + control->counted.cache_alloc_bytes +
			 control->counted_elsewhere.bytes;
}

static int add_cpu(struct session *session, unsigned int cpu, uint64_t skipped)
{
	struct drain *drain = &session->drains[cpu];
	struct status_cpu *about = status_add_cpu(&session->status, cpu);
	bool full = false;

	if (!about)
		return -ENOMEM;
	about->recorded = drain->writer.loss.records;
	about->lost = loss_missing(&drain->writer.loss);
	about->skipped = skipped;
	about->seen = about->recorded + about->lost + (skipped == STATUS_UNKNOWN ? 0 : skipped);
	about->from_backup = drain->control->from_backup;
	session->status.from_backup += about->from_backup;
	session->status.sampling.unwalked += drain->control->unwalked;
	session->status.sampling.user_unwalked += drain->control->user_unwalked;
	session->status.sampling.no_room += drain->control->no_room;
	session->status.sampling.unsized += drain->control->unsized;
	session->status.sampling.dropped += drain->control->dropped;
	count_all(&about->counted, drain->control);
	for (unsigned int i = 0; i < KMT_BACKUP_KINDS; i++)
		full |= drain->control->marks[i].full;
	session->status.backup_off_cpus += full;
	about->own = session_streams_count_own(session, cpu);
	session->status.clamped += drain->writer.clamped;
	if (drain->writer.clamped_max > session->status.clamped_max)
		session->status.clamped_max = drain->writer.clamped_max;
	return status_add_spans(&session->status, cpu, &drain->writer.loss);
}

/* Adds a CPU that came online, but for which no stream could be made. */
static int add_lost_cpu(struct status *status, unsigned int cpu, uint64_t lost)
{
	struct status_cpu *about = status_add_cpu(status, cpu);

	if (!about)
		return -ENOMEM;
	about->seen = about->lost = lost;
	about->skipped = STATUS_UNKNOWN;
	return 0;
}

int session_status_finish(struct session *session)
{
	struct status *status = &session->status;
	const struct kmt_totals *totals = session->programs.variant.totals;
	uint64_t *skipped, lost = 0, lost_of_tasks = 0;
	int err = 0;

	skipped = calloc(session->rings.possible_cpus, sizeof(*skipped));
	if (!skipped)
		return session_fail_at(session, -ENOMEM, "the status");
	recursion_misses_by_cpu(&session->programs, &session->rings, skipped);
	for (unsigned int i = 0; i < session->rings.possible_cpus && !err; i++) {
		if (session->draining[i])
			err = add_cpu(session, i, skipped[i]);
		else if (session->rings.controls[i].sequence)
			err = add_lost_cpu(status, i, session->rings.controls[i].sequence);
	}
	free(skipped);
	if (!err)
		err = programs_add_lost_tasks(&session->programs, status);
	if (!err)
		err = session_status_update_programs(session);
	if (err)
		return session_fail_at(session, err, "the status");
	snprintf(status->backup_programs_reason, sizeof(status->backup_programs_reason), "%s",
		 programs_backup_reason(&session->programs));
	status->complete = STATUS_COMPLETE;
	status->begin = session->begin;
	status->end = session->end;
	status->skipped = session->misses.reported;
	status->names_lost = totals->names_lost + session->names.unknown_caches;
	/* lost events without a slot in the table of tasks, and records that could not be written
	 */
	for (size_t i = 0; i < status->cpu_count; i++)
		lost += status->cpus[i].lost;
	for (size_t i = 0; i < status->lost_task_count; i++)
		lost_of_tasks += status->lost_tasks[i].count;
	status->lost_unattributed = lost - lost_of_tasks;
	return session_status_write(session);
}
