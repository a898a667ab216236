// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Counts the process events of a time slice. */
#include "config.h"

#include <string.h>

#include "report/views/process_slices.h"

static void add_bytes(int64_t *sum, int64_t bytes)
{
	if (__builtin_add_overflow(*sum, bytes, sum))
		*sum = bytes < 0 ? -INT64_MAX : INT64_MAX;
}

void process_slice_count(struct process_slice *slice, const struct event *event)
{
	/* no address space has as many bytes: such a call fails */
	bool is_possible = event->payload <= INT64_MAX;

	switch (event->id) {
	case KMT_PAGE_FAULT_RETURN:
		slice->minor_faults += (uint32_t)event->payload == KMT_FAULT_MINOR;
		slice->major_faults += (uint32_t)event->payload == KMT_FAULT_MAJOR;
		break;
	case KMT_MMAP:
		add_bytes(&slice->mmap_bytes, is_possible ? (int64_t)event->payload : 0);
		break;
	case KMT_MUNMAP:
		add_bytes(&slice->mmap_bytes, is_possible ? -(int64_t)event->payload : 0);
		break;
	case KMT_BRK:
		if (event->payload == KMT_LENGTH_UNKNOWN)
			slice->brk_is_unknown = true;
		else
			add_bytes(&slice->brk_bytes, (int64_t)event->payload);
		break;
	case KMT_OOM_KILL:
		slice->oom_kills++;
		break;
	}
}

void process_slice_add(struct process_slice *sum, const struct process_slice *slice)
{
	sum->minor_faults += slice->minor_faults;
	sum->major_faults += slice->major_faults;
	sum->oom_kills += slice->oom_kills;
	add_bytes(&sum->mmap_bytes, slice->mmap_bytes);
	add_bytes(&sum->brk_bytes, slice->brk_bytes);
	sum->brk_is_unknown |= slice->brk_is_unknown;
}

/* Were events of the probe recorded, or would they have been? */
static bool has_probe_events(const struct analysis *analysis, enum probe_id probe, uint8_t id)
{
	const struct status_probes *list = &analysis->capture->status.probes;
	const struct select *select = analysis->settings.select;

	if (analysis->totals.by_process_kind[id])
		return true;
	/* it selects objects: all process events are left out */
	if (select && select->older)
		return false;
	for (size_t i = 0; i < list->count; i++)
		if (list->list[i].is_recorded && !strcmp(list->list[i].name, probes[probe].name))
			return true;
	return false;
}

void process_slice_cells(const struct process_slice *slice, const struct analysis *analysis,
			 struct table *table)
{
	bool has_faults =
		has_probe_events(analysis, PROBE_PAGE_FAULT_RETURN, KMT_PAGE_FAULT_RETURN);
	bool has_mmap = has_probe_events(analysis, PROBE_MMAP, KMT_MMAP) &&
			has_probe_events(analysis, PROBE_MUNMAP, KMT_MUNMAP);
	bool has_brk = has_probe_events(analysis, PROBE_BRK, KMT_BRK) && !slice->brk_is_unknown;

	table_cell(table, COLUMN_minor_faults)->number = has_faults ? slice->minor_faults
								    : CELL_UNKNOWN;
	table_cell(table, COLUMN_major_faults)->number = has_faults ? slice->major_faults
								    : CELL_UNKNOWN;
	table_cell(table, COLUMN_mmap_growth_bytes)->change = has_mmap ? slice->mmap_bytes
								       : CHANGE_UNKNOWN;
	table_cell(table, COLUMN_brk_growth_bytes)->change = has_brk ? slice->brk_bytes
								     : CHANGE_UNKNOWN;
	table_cell(table, COLUMN_oom_kills)->number =
		has_probe_events(analysis, PROBE_OOM_KILL, KMT_OOM_KILL) ? slice->oom_kills
									 : CELL_UNKNOWN;
}
