// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The counters of a piece. The kernel and the programs count on through all pieces: their counters
 * at the begin of a piece are subtracted.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "base/array.h"
#include "base/hash_map.h"
#include "tracer/pieces_work.h"

void pieces_add_counted(struct status_counted *sum, const struct kmt_control *control,
			const struct kmt_control *base)
{
	static const struct kmt_control none;

	base = base ? base : &none;
	sum->allocations += control->counted.kmalloc - base->counted.kmalloc +
			    control->counted.cache_alloc - base->counted.cache_alloc +
			    control->counted_elsewhere.allocations -
			    base->counted_elsewhere.allocations;
	sum->frees += control->counted.kfree - base->counted.kfree + control->counted.cache_free -
		      base->counted.cache_free + control->counted_elsewhere.frees -
		      base->counted_elsewhere.frees;
	sum->bytes += control->counted.kmalloc_bytes - base->counted.kmalloc_bytes +
		      control->counted.cache_alloc_bytes - base->counted.cache_alloc_bytes +
		      control->counted_elsewhere.bytes - base->counted_elsewhere.bytes;
}

struct status_counted pieces_counted(const struct pieces *pieces)
{
	struct status_counted sum = { 0 };

	for (unsigned int i = 0; i < pieces->streams->rings.possible_cpus; i++)
		pieces_add_counted(&sum, &pieces->streams->rings.controls[i], NULL);
	return sum;
}

void pieces_add_samples(struct status_sampling *sampling, const struct kmt_control *control,
			const struct kmt_control *base)
{
	sampling->unwalked += control->unwalked - base->unwalked;
	sampling->user_unwalked += control->user_unwalked - base->user_unwalked;
	sampling->no_room += control->no_room - base->no_room;
	sampling->unsized += control->unsized - base->unsized;
	sampling->dropped += control->dropped - base->dropped;
	sampling->interval_most = MAX(sampling->interval_most, control->sample_interval);
}

int pieces_status_add_cpu(struct pieces *pieces, unsigned int cpu, const struct writer_ended *ended,
			  uint64_t own, uint64_t skipped)
{
	static const struct kmt_control none;
	const struct kmt_control *base = pieces->streams->bases ? &pieces->streams->bases[cpu]
								: &none;
	const struct kmt_control *control = pieces->streams->drains[cpu].control;
	struct status *status = &pieces->present.status;
	struct status_cpu *about = status_add_cpu(status, cpu);
	bool full = false;

	if (!about)
		return -ENOMEM;
	about->recorded = ended->loss.records;
	about->lost = loss_missing(&ended->loss);
	about->skipped = skipped;
	about->seen = about->recorded + about->lost + (skipped == STATUS_UNKNOWN ? 0 : skipped);
	about->from_backup = control->from_backup - base->from_backup;
	status->from_backup += about->from_backup;
	pieces_add_samples(&status->sampling, control, base);
	about->counted = (struct status_counted){ 0 };
	pieces_add_counted(&about->counted, control, base);
	for (unsigned int i = 0; i < KMT_BACKUP_KINDS; i++)
		full |= control->marks[i].full;
	status->backup_off_cpus += full;
	about->own = own;
	status->clamped += ended->clamped;
	if (ended->clamped_max > status->clamped_max)
		status->clamped_max = ended->clamped_max;
	return status_add_spans(status, cpu, &ended->loss);
}

int pieces_status_add_stream(struct pieces *pieces, unsigned int cpu,
			     const struct writer_ended *ended, uint64_t own)
{
	bool skipped = pieces->misses->reported != pieces->base.skipped;
	int err = pieces_status_add_cpu(pieces, cpu, ended, own, skipped ? STATUS_UNKNOWN : 0);

	pieces->streams->bases[cpu] = *pieces->streams->drains[cpu].control;
	return err;
}

/* The lost events of the task that earlier pieces have; NULL: no memory. */
static uint64_t *find_base(struct pieces_base *base, uint32_t task)
{
	uint32_t index = base->lost_count ? hash_map_find(&base->lost_tasks, task) : HASH_MAP_NONE;
	uint64_t *list;

	if (index != HASH_MAP_NONE)
		return &base->lost[index];
	if (!base->lost_count && hash_map_init(&base->lost_tasks))
		return NULL;
	list = array_grow(base->lost, base->lost_count, sizeof(*list));
	if (!list)
		return NULL;
	base->lost = list;
	list[base->lost_count] = 0;
	if (hash_map_add(&base->lost_tasks, task, (uint32_t)base->lost_count))
		return NULL;
	return &list[base->lost_count++];
}

/*
 * The lost events of the tasks are read a moment after the streams have ended. If they are more
 * than those of the streams, the rest belongs to the next piece.
 */
static int attribute_lost(struct pieces *pieces, uint64_t lost)
{
	struct pieces_base *base = &pieces->base;
	struct status *status = &pieces->present.status;
	size_t kept = 0;
	int err;

	status->lost_unattributed = lost;
	if (!lost)
		return 0;
	err = programs_add_lost_tasks(pieces->programs, status);
	if (err)
		return err;
	for (size_t i = 0; i < status->lost_task_count; i++) {
		struct status_lost_task lost_task = status->lost_tasks[i];
		uint64_t *before = find_base(base, lost_task.task);

		if (!before)
			return -ENOMEM;
		lost_task.count -= *before;
		if (lost_task.count > status->lost_unattributed)
			lost_task.count = status->lost_unattributed;
		*before += lost_task.count;
		status->lost_unattributed -= lost_task.count;
		if (lost_task.count)
			status->lost_tasks[kept++] = lost_task;
	}
	status->lost_task_count = kept;
	return 0;
}

int pieces_status_complete(struct pieces *pieces)
{
	const struct pieces_base *base = &pieces->base;
	struct status *status = &pieces->present.status;
	uint64_t lost = 0;
	int err;

	for (size_t i = 0; i < status->cpu_count; i++)
		lost += status->cpus[i].lost;
	err = attribute_lost(pieces, lost);
	if (!err)
		err = pieces_status_update_programs(pieces);
	status->complete = STATUS_COMPLETE;
	status->skipped = pieces->misses->reported - base->skipped;
	status->names_lost = pieces->programs->variant.totals->names_lost +
			     pieces->names->messages.unknown_caches - base->names_lost;
	status->sampling.mappings_lost =
		pieces->names->user_stacks.events.lost - base->mappings_lost;
	return err;
}

static int add_probes(struct status_probes *base, const struct status_probes *more)
{
	int err = 0;

	for (size_t i = 0; i < more->count && !err; i++) {
		const struct status_probe *probe = &more->list[i];

		if (i >= base->count)
			err = status_probes_add(base, &(struct status_probe){ 0 }, probe->name, "");
		if (err)
			continue;
		base->list[i].counted += probe->counted == STATUS_UNKNOWN ? 0 : probe->counted;
		base->list[i].skipped += probe->skipped == STATUS_UNKNOWN ? 0 : probe->skipped;
	}
	return err;
}

int pieces_status_end(struct pieces *pieces)
{
	struct pieces_base *base = &pieces->base;
	struct status *status = &pieces->present.status;
	int err = pieces_status_complete(pieces);

	snprintf(status->stopped, sizeof(status->stopped), STATUS_STOPPED_NEXT_PIECE);
	status->end = pieces->last;
	status->until = pieces->first;
	base->skipped = pieces->misses->reported;
	base->names_lost += status->names_lost;
	base->hook_calls_skipped += status->hook_calls_skipped;
	base->mappings_lost += status->sampling.mappings_lost;
	if (!err)
		err = add_probes(&base->probes, &status->probes);
	return err ? error_set_at(pieces->error, err, "the status") : 0;
}

int pieces_status_begin(const struct pieces *pieces, struct status *next)
{
	const struct status *status = &pieces->present.status;
	int err = 0;

	*next = (struct status){
		.begin = status->begin,
		.ring_bytes = status->ring_bytes,
		.include_self = status->include_self,
		.sampling = { .interval = status->sampling.interval,
			      .interval_most = status->sampling.interval_most,
			      .is_profile = status->sampling.is_profile,
			      .user_stacks = status->sampling.user_stacks },
	};
	for (size_t i = 0; i < status->own_count && !err; i++)
		err = status_add_own(next, status->own_tasks[i]);
	for (size_t i = 0; i < status->traced_pid_count && !err; i++)
		err = status_add_traced_pid(next, status->traced_pids[i]);
	return err ? err : pieces_status_programs_of(pieces, next);
}
