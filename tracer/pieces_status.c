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
#include "tracer/pieces_work.h"

int pieces_status_write_of(struct pieces *pieces, struct piece *piece)
{
	struct directory *directory = &piece->directory;
	FILE *file = directory_open(directory, "kernel/.status", false);
	int err, failed;

	if (!file)
		return error_set(pieces->error, -EIO, directory->errmsg);
	err = status_write(&piece->status, file);
	failed = directory_close(directory, file, "kernel/status");
	if (err || failed)
		return error_set(pieces->error, err ? err : failed, directory->errmsg);
	err = directory_rename(directory, "kernel/.status", "kernel/status");
	return err ? error_set(pieces->error, err, directory->errmsg) : 0;
}

int pieces_status_write(struct pieces *pieces)
{
	return pieces_status_write_of(pieces, &pieces->present);
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
static void subtract_base(const struct pieces *pieces, struct status *status)
{
	const struct pieces_base *base = &pieces->base;

	status->hook_calls_skipped -= base->hook_calls_skipped;
	for (size_t i = 0; i < status->probes.count && i < base->probes.count; i++) {
		struct status_probe *probe = &status->probes.list[i];

		if (probe->counted != STATUS_UNKNOWN)
			probe->counted -= base->probes.list[i].counted;
		if (probe->skipped != STATUS_UNKNOWN)
			probe->skipped -= base->probes.list[i].skipped;
	}
}

int pieces_status_programs_of(const struct pieces *pieces, struct status *status)
{
	const struct programs *programs = pieces->programs;
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
		subtract_base(pieces, status);
	return err;
}

int pieces_status_update_programs(struct pieces *pieces)
{
	return pieces_status_programs_of(pieces, &pieces->present.status);
}

int pieces_status_start(struct pieces *pieces)
{
	const struct options *options = pieces->options;
	struct status *status = &pieces->present.status;
	int err;

	status->ring_bytes =
		rings_bytes(pieces->streams->rings.mib, pieces->streams->rings.buffered);
	/* with --count the programs have left out kmemtraced's own events */
	status->sampling.is_profile = options->sampling.is_profile;
	status->sampling.interval = status->sampling.interval_most = options->sampling.interval;
	status->sampling.user_stacks = options->sampling.user_stacks;
	status->include_self = options->include_self || options->count.enabled;
	status->begin = pieces->begin = machine_now();
	err = status_add_own(status, syscall(SYS_gettid));
	if (!err && pieces->keeper.worker.pid)
		err = status_add_own(status, (uint32_t)pieces->keeper.worker.pid);
	for (size_t i = 0; i < options->pid_count && !err; i++)
		err = status_add_traced_pid(status, options->pids[i]);
	if (!err)
		err = pieces_status_update_programs(pieces);
	return err ? error_set_at(pieces->error, err, "the status") : pieces_status_write(pieces);
}

/* Adds a CPU that came online, but for which no stream could be made. */
static int add_lost_cpu(struct pieces *pieces, unsigned int cpu)
{
	static const struct kmt_control none;
	const struct kmt_control *control = &pieces->streams->rings.controls[cpu];
	const struct kmt_control *base = pieces->streams->bases ? &pieces->streams->bases[cpu]
								: &none;
	struct status_cpu *about = status_add_cpu(&pieces->present.status, cpu);

	if (!about)
		return -ENOMEM;
	about->seen = about->lost = control->sequence;
	about->skipped = STATUS_UNKNOWN;
	about->counted = (struct status_counted){ 0 };
	pieces_add_counted(&about->counted, control, base);
	pieces_add_samples(&pieces->present.status.sampling, control, base);
	return 0;
}

/*
 * The skipped events of each CPU are exact at the end only. So they are known in the only piece
 * that has any.
 */
static uint64_t skipped_of_cpu(const struct pieces *pieces, const uint64_t *by_cpu,
			       unsigned int cpu)
{
	if (pieces->misses->reported == pieces->base.skipped)
		return 0;
	return pieces->base.skipped ? STATUS_UNKNOWN : by_cpu[cpu];
}

int pieces_status_finish(struct pieces *pieces)
{
	struct status *status = &pieces->present.status;
	uint64_t *skipped;
	int err = 0;

	skipped = calloc(pieces->streams->rings.possible_cpus, sizeof(*skipped));
	if (!skipped)
		return error_set_at(pieces->error, -ENOMEM, "the status");
	recursion_misses_by_cpu(pieces->misses, pieces->programs, &pieces->streams->rings, skipped);
	for (unsigned int i = 0; i < pieces->streams->rings.possible_cpus && !err; i++) {
		const struct writer *writer = &pieces->streams->drains[i].writer;
		const struct writer_ended ended = { writer->loss, writer->size, writer->clamped,
						    writer->clamped_max };

		if (pieces->streams->draining[i])
			err = pieces_status_add_cpu(pieces, i, &ended, pieces_count_own(pieces, i),
						    skipped_of_cpu(pieces, skipped, i));
		else if (pieces->streams->rings.controls[i].sequence)
			err = add_lost_cpu(pieces, i);
	}
	free(skipped);
	if (!err)
		err = pieces_status_complete(pieces);
	if (err)
		return error_set_at(pieces->error, err, "the status");
	snprintf(status->backup_programs_reason, sizeof(status->backup_programs_reason), "%s",
		 programs_backup_reason(pieces->programs));
	status->end = pieces->end;
	return pieces_status_write(pieces);
}
