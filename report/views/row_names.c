// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Names from the symbols, caches and tasks of the capture. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/delta.h"
#include "analysis/fields/labels.h"
#include "kernel/context_names.h"
#include "kernel/symbols.h"
#include "kernel/tasks.h"
#include "report/views/row_names.h"

char *site_name(const struct report *report, uint64_t address, uint64_t time)
{
	return address ? label_site(&report->capture->symbols, address, time) : strdup("");
}

const char *cache_name(const struct report *report, uint32_t cache)
{
	if (cache == CACHE_SEVERAL)
		return "several";
	return cache < report->analysis.cache_count ? report->analysis.caches[cache].name : "";
}

char *task_name(const struct report *report, uint32_t tid, uint64_t time)
{
	return label_thread(tasks_find(&report->capture->tasks, tid, time), tid);
}

static char *module_name(const struct report *report, uint64_t key)
{
	return key == GROUP_KEY_UNKNOWN
		       ? strdup("unknown")
		       : label_module(symbols_string(&report->capture->symbols, (uint32_t)key));
}

const struct task *group_task(const struct report *report, const struct group *group)
{
	const struct tasks *tasks = &report->capture->tasks;

	return group->key < tasks->count ? &tasks->list[group->key] : NULL;
}

unsigned int group_context(const struct group *group)
{
	return group->key < GROUP_KEY_INTERRUPT ? KMT_CONTEXT_TASK
						: (unsigned int)(group->key - GROUP_KEY_INTERRUPT);
}

/* In place of a process: of objects that were allocated in an interrupt. */
#define NO_PROCESS UINT32_MAX

/* The process of an object's allocation: its thread's, or the thread itself if it is not known. */
static uint32_t object_process(const struct report *report, const struct slab_object *object)
{
	const struct task *task;

	if (object->flags & OBJECT_IN_INTERRUPT)
		return NO_PROCESS;
	task = tasks_find(&report->capture->tasks, object->task, object->time);

	return task ? task->tgid : object->task;
}

/*
 * The process that can have more than half of the bytes: the one that is left when each byte of
 * another is taken off against one of its own.
 */
static uint32_t find_majority(const struct report *report, const struct slab_object *const *list,
			      size_t count)
{
	uint32_t leader = object_process(report, list[0]);
	uint64_t lead = 0;

	for (size_t i = 0; i < count; i++) {
		uint32_t process = object_process(report, list[i]);
		uint64_t bytes = weigh_object(&report->analysis, list[i]).allocated;

		if (process == leader) {
			lead += bytes;
		} else if (lead >= bytes) {
			lead -= bytes;
		} else {
			lead = bytes - lead;
			leader = process;
		}
	}
	return leader;
}

int main_task_set(const struct report *report, const struct slab_object *const *list, size_t count,
		  struct table *table)
{
	uint32_t process = find_majority(report, list, count);
	const struct slab_object *last = NULL;
	const struct task *task;
	uint64_t bytes = 0, all = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t weight = weigh_object(&report->analysis, list[i]).allocated;

		all += weight;
		if (object_process(report, list[i]) != process)
			continue;
		bytes += weight;
		if (!last || last->time <= list[i]->time)
			last = list[i];
	}
	if (!last || 2 * bytes <= all) {
		table_cell(table, COLUMN_main_task_pid)->number = CELL_UNKNOWN;
		table_cell(table, COLUMN_main_task)->text = strdup("");
		return table_cell(table, COLUMN_main_task)->text ? 0 : -ENOMEM;
	}
	table_cell(table, COLUMN_main_task_percent)->decimal = 100.0 * (double)bytes / (double)all;
	if (process == NO_PROCESS) {
		table_cell(table, COLUMN_main_task)->text = strdup("interrupts");
		table_cell(table, COLUMN_main_task_pid)->number = CELL_UNKNOWN;
		return table_cell(table, COLUMN_main_task)->text ? 0 : -ENOMEM;
	}
	task = tasks_find(&report->capture->tasks, last->task, last->time);
	table_cell(table, COLUMN_main_task)->text =
		label_new("%s (pid %" PRIu32 ")", task ? task->comm : "?", process);
	table_cell(table, COLUMN_main_task_pid)->number = task ? process : CELL_UNKNOWN;
	table_cell(table, COLUMN_main_task_comm)->text = task ? strdup(task->comm) : NULL;
	return table_cell(table, COLUMN_main_task)->text &&
			       (!task || table_cell(table, COLUMN_main_task_comm)->text)
		       ? 0
		       : -ENOMEM;
}

char *group_name(const struct report *report, const struct group *group)
{
	const struct symbols *symbols = &report->capture->symbols;

	switch (report->settings.by) {
	case GROUP_BY_SITE:
		if (group->key == GROUP_KEY_BOOKKEEPING)
			return strdup(BOOKKEEPING_ROW);
		break;
	case GROUP_BY_FUNCTION:
		if (group->key == GROUP_KEY_BOOKKEEPING)
			return strdup(BOOKKEEPING_ROW);
		return label_function(symbols, group->key, group->first_time);
	case GROUP_BY_MODULE:
		return module_name(report, group->key);
	case GROUP_BY_CACHE:
		if (group->key >= report->analysis.cache_count)
			return strdup("unknown");
		return strdup(cache_name(report, (uint32_t)group->key));
	case GROUP_BY_TASK:
		if (group->key >= GROUP_KEY_INTERRUPT)
			return strdup(context_name(group_context(group)));
		return label_task(group_task(report, group), group->thread);
	case GROUP_BY_NODE:
		if (group->key == GROUP_KEY_UNKNOWN)
			return strdup("unknown");
		return label_new("%" PRIu64, group->key);
	case GROUP_BY_SIZE:
	case GROUP_BY_CPU:
		return label_new("%" PRIu64, group->key);
	case GROUP_BY_GFP:
		return label_gfp(&report->capture->gfp, group->key);
	case GROUP_BY_CALLER:
		return strdup("");
	}
	return label_site(symbols, group->key, group->first_time);
}

uint64_t group_number(const struct report *report, const struct group *group)
{
	switch (report->settings.by) {
	case GROUP_BY_MODULE:
	case GROUP_BY_CACHE:
		return CELL_UNKNOWN;
	case GROUP_BY_TASK:
	case GROUP_BY_CALLER:
		return (uint64_t)(group - report->analysis.groups);
	case GROUP_BY_NODE:
		return group->key == GROUP_KEY_UNKNOWN ? CELL_UNKNOWN : group->key;
	case GROUP_BY_SITE:
	case GROUP_BY_FUNCTION:
		if (group->key == GROUP_KEY_BOOKKEEPING)
			return CELL_UNKNOWN;
		break;
	case GROUP_BY_SIZE:
	case GROUP_BY_CPU:
	case GROUP_BY_GFP:
		break;
	}
	return group->key;
}

bool group_is_empty(const struct group *group)
{
	return !group->allocations && !group->failed && !group->frees && !group->missed_frees &&
	       !group->initial_objects;
}
