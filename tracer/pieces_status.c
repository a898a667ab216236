// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Fills in the status from the parts of the session, and writes it. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tracer/load/machine.h"
#include "tracer/load/paths.h"
#include "tracer/pieces_status.h"
#include "tracer/pieces_streams.h"

int session_status_write_of(struct session *session, struct directory *directory,
			    const struct status *status)
{
	FILE *file = directory_open(directory, "kernel/.status", false);
	int err, failed;

	if (!file)
		return error_set(&session->error, -EIO, directory->errmsg);
	err = status_write(status, file);
	failed = directory_close(directory, file, "kernel/status");
	if (err || failed)
		return error_set(&session->error, err ? err : failed, directory->errmsg);
	err = directory_rename(directory, "kernel/.status", "kernel/status");
	return err ? error_set(&session->error, err, directory->errmsg) : 0;
}

int session_status_write(struct session *session)
{
	return session_status_write_of(session, &session->directory, &session->status);
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

/* The counters of the kernel go on through all pieces. */
static void subtract_base(const struct session *session, struct status *status)
{
	const struct rotation_base *base = &session->rotation.base;

	status->hook_calls_skipped -= base->hook_calls_skipped;
	for (size_t i = 0; i < status->probes.count && i < base->probes.count; i++) {
		struct status_probe *probe = &status->probes.list[i];

		if (probe->counted != STATUS_UNKNOWN)
			probe->counted -= base->probes.list[i].counted;
		if (probe->skipped != STATUS_UNKNOWN)
			probe->skipped -= base->probes.list[i].skipped;
	}
}

int session_status_programs_of(const struct session *session, struct status *status)
{
	const struct programs *programs = &session->programs;
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
	if (!err)
		err = process_probes_report(&programs->process, status);
	if (!err)
		subtract_base(session, status);
	return err;
}

int session_status_update_programs(struct session *session)
{
	return session_status_programs_of(session, &session->status);
}

int session_status_start(struct session *session)
{
	const struct options *options = session->options;
	struct status *status = &session->status;
	int err;

	status->ring_bytes =
		rings_bytes(session->streams.rings.mib, session->streams.rings.buffered);
	/* what is own was left out while counting */
	status->sampling.is_profile = options->sampling.is_profile;
	status->sampling.interval = status->sampling.interval_most = options->sampling.interval;
	status->sampling.user_stacks = options->sampling.user_stacks;
	status->include_self = options->include_self || options->count.enabled;
	status->begin = session->begin = machine_now();
	err = status_add_own(status, syscall(SYS_gettid));
	if (!err && session->rotation.keeper.worker.pid)
		err = status_add_own(status, (uint32_t)session->rotation.keeper.worker.pid);
	for (size_t i = 0; i < options->pid_count && !err; i++)
		err = status_add_traced_pid(status, options->pids[i]);
	if (!err)
		err = session_status_update_programs(session);
	return err ? error_set_at(&session->error, err, "the status")
		   : session_status_write(session);
}

/* Adds a CPU that came online, but for which no stream could be made. */
static int add_lost_cpu(struct session *session, unsigned int cpu)
{
	static const struct kmt_control none;
	const struct kmt_control *control = &session->streams.rings.controls[cpu];
	const struct kmt_control *base = session->streams.bases ? &session->streams.bases[cpu]
								: &none;
	struct status_cpu *about = status_add_cpu(&session->status, cpu);

	if (!about)
		return -ENOMEM;
	about->seen = about->lost = control->sequence;
	about->skipped = STATUS_UNKNOWN;
	about->counted = (struct status_counted){ 0 };
	session_status_count(&about->counted, control, base);
	session_status_add_samples(&session->status.sampling, control, base);
	return 0;
}

/*
 * The skipped events of each CPU are exact at the end only. So they are known in the only piece
 * that has any.
 */
static uint64_t skipped_of_cpu(const struct session *session, const uint64_t *by_cpu,
			       unsigned int cpu)
{
	if (session->misses.reported == session->rotation.base.skipped)
		return 0;
	return session->rotation.base.skipped ? STATUS_UNKNOWN : by_cpu[cpu];
}

int session_status_finish(struct session *session)
{
	struct status *status = &session->status;
	uint64_t *skipped;
	int err = 0;

	skipped = calloc(session->streams.rings.possible_cpus, sizeof(*skipped));
	if (!skipped)
		return error_set_at(&session->error, -ENOMEM, "the status");
	recursion_misses_by_cpu(&session->misses, &session->programs, &session->streams.rings,
				skipped);
	for (unsigned int i = 0; i < session->streams.rings.possible_cpus && !err; i++) {
		const struct writer *writer = &session->streams.drains[i].writer;
		const struct writer_ended ended = { writer->loss, writer->size, writer->clamped,
						    writer->clamped_max };

		if (session->streams.draining[i])
			err = session_status_add_cpu(session, i, &ended,
						     session_streams_count_own(session, i),
						     skipped_of_cpu(session, skipped, i));
		else if (session->streams.rings.controls[i].sequence)
			err = add_lost_cpu(session, i);
	}
	free(skipped);
	if (!err)
		err = session_status_complete(session);
	if (err)
		return error_set_at(&session->error, err, "the status");
	snprintf(status->backup_programs_reason, sizeof(status->backup_programs_reason), "%s",
		 programs_backup_reason(&session->programs));
	status->end = session->end;
	return session_status_write(session);
}
