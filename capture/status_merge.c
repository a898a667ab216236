// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Counters are added; times go from the first begin to the last end. A sum with STATUS_UNKNOWN is
 * STATUS_UNKNOWN, the most that number_add() gives.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "capture/status_merge.h"

static int merge_cpus(struct status *status, const struct status *next)
{
	for (size_t i = 0; i < next->cpu_count; i++) {
		const struct status_cpu *more = &next->cpus[i];
		struct status_cpu *cpu = status_find_cpu(status, more->cpu);

		if (!cpu)
			cpu = status_add_cpu(status, more->cpu);
		if (!cpu)
			return -ENOMEM;
		number_add(&cpu->seen, more->seen);
		number_add(&cpu->recorded, more->recorded);
		number_add(&cpu->lost, more->lost);
		number_add(&cpu->skipped, more->skipped);
		number_add(&cpu->own, more->own);
		number_add(&cpu->from_backup, more->from_backup);
		number_add(&cpu->counted.allocations, more->counted.allocations);
		number_add(&cpu->counted.frees, more->counted.frees);
		number_add(&cpu->counted.bytes, more->counted.bytes);
	}
	return 0;
}

/* A task may have several counts then: their readers add up all counts. */
static int merge_lost_tasks(struct status *status, const struct status *next)
{
	int err = 0;

	for (size_t i = 0; i < next->lost_task_count && !err; i++)
		err = status_add_lost_task(status, next->lost_tasks[i].task,
					   next->lost_tasks[i].count);
	return err;
}

static int merge_spans(struct status *status, const struct status *next)
{
	int err = 0;

	for (size_t i = 0; i < next->span_count && !err; i++)
		err = status_add_span(status, &next->spans[i]);
	for (size_t i = 0; i < next->skip_span_count && !err; i++)
		err = status_add_skip_span(status, next->skip_spans[i].after,
					   next->skip_spans[i].before, next->skip_spans[i].count);
	return err;
}

static void merge_sampling(struct status_sampling *sampling, const struct status_sampling *next)
{
	number_add(&sampling->unwalked, next->unwalked);
	number_add(&sampling->user_unwalked, next->user_unwalked);
	number_add(&sampling->mappings_lost, next->mappings_lost);
	number_add(&sampling->no_room, next->no_room);
	number_add(&sampling->unsized, next->unsized);
	number_add(&sampling->dropped, next->dropped);
	if (next->interval_most > sampling->interval_most)
		sampling->interval_most = next->interval_most;
}

/* A set is as complete as its least complete piece. */
static enum status_complete least_complete(enum status_complete a, enum status_complete b)
{
	if (a == STATUS_CUT_OFF || b == STATUS_CUT_OFF)
		return STATUS_CUT_OFF;
	return a == STATUS_REPAIRED ? a : b;
}

/* A path is observed if it was in all pieces. */
static void merge_paths(struct status *status, const struct status *next)
{
	for (size_t i = 0; i < status->path_count && i < next->path_count; i++)
		if (!strcmp(status->paths[i].name, next->paths[i].name) &&
		    status->paths[i].observed && !next->paths[i].observed)
			status->paths[i] = next->paths[i];
}

int status_merge(struct status *status, const struct status *next)
{
	int err = 0;

	status->complete = least_complete(status->complete, next->complete);
	snprintf(status->stopped, sizeof(status->stopped), "%s", next->stopped);
	status->end = next->end;
	number_add(&status->skipped, next->skipped);
	number_add(&status->from_backup, next->from_backup);
	if (next->backup_off_cpus > status->backup_off_cpus)
		status->backup_off_cpus = next->backup_off_cpus;
	number_add(&status->hook_calls_skipped, next->hook_calls_skipped);
	number_add(&status->names_lost, next->names_lost);
	number_add(&status->lost_unattributed, next->lost_unattributed);
	number_add(&status->clamped, next->clamped);
	if (next->clamped_max > status->clamped_max)
		status->clamped_max = next->clamped_max;
	merge_sampling(&status->sampling, &next->sampling);
	merge_paths(status, next);
	for (size_t i = 0; i < next->own_count && !err; i++)
		err = status_add_own(status, next->own_tasks[i]);
	if (!err)
		err = merge_cpus(status, next);
	if (!err)
		err = merge_lost_tasks(status, next);
	if (!err)
		err = merge_spans(status, next);
	for (size_t i = 0; i < next->probes.count && i < status->probes.count; i++)
		number_add(&status->probes.list[i].skipped, next->probes.list[i].skipped);
	return err;
}
