/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names of call sites, caches, tasks and groups, as reports show them. */
#ifndef REPORT_VIEWS_ROW_NAMES_H
#define REPORT_VIEWS_ROW_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/analysis.h"
#include "report/views/view.h"

/* The name of the row of all sites that allocate for the slab allocator itself. */
#define BOOKKEEPING_ROW "(bookkeeping of the allocator)"

/*
 * The name of a group of the kind report->settings.by: a symbol, a name, "comm (pid 12)", …; of
 * a group by expressions "". Never cut. A new string, or NULL: no memory.
 */
char *group_name(const struct report *report, const struct group *group);

/* Of a group by task: KMT_CONTEXT_TASK, or the interrupts whose work the group is. */
unsigned int group_context(const struct group *group);

/* The task of a group by task, or NULL: only the thread id is known, or it is of interrupts. */
const struct task *group_task(const struct report *report, const struct group *group);

/*
 * The address, size, CPU, node or flags of the group, or CELL_UNKNOWN. Of groups by task or by
 * expressions, the index of the group: see report/columns.h.
 */
uint64_t group_number(const struct report *report, const struct group *group);

char *site_name(const struct report *report, uint64_t address, uint64_t time); /* "" for 0 */
const char *cache_name(const struct report *report, uint32_t cache);	       /* "" for none */
char *task_name(const struct report *report, uint32_t tid, uint64_t time);     /* "comm/tid" */

/*
 * Sets the cells main_task… of the last row, which are 0, to the process that allocated more than
 * half of the bytes of the objects: "comm (pid 12)", with its last name; "interrupts"; or "". The
 * name of the task is NULL if no process did, or the task is not known. 0 or -ENOMEM.
 */
int main_task_set(const struct report *report, const struct slab_object *const *list, size_t count,
		  struct table *table);

/* Are all counters 0, as of a group whose objects the filters excluded? */
bool group_is_empty(const struct group *group);

#endif
