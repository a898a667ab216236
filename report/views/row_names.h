/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names of call sites, caches, tasks and groups, as reports show them. */
#ifndef REPORT_VIEWS_ROW_NAMES_H
#define REPORT_VIEWS_ROW_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/analysis.h"
#include "report/views/view.h"

/*
 * The name of a group of the kind report->settings.by: a symbol, a name, "comm (pid 12)", ….
 * Never cut. A new string, or NULL: no memory.
 */
char *group_name(const struct report *report, const struct group *group);
const char *group_by_text(enum group_by by); /* "site", … */

/* The address, size, process or thread id, CPU, node or flags of the group, or CELL_UNKNOWN. */
uint64_t group_number(const struct report *report, const struct group *group);

char *site_name(const struct report *report, uint64_t address, uint64_t time); /* "" for 0 */
const char *cache_name(const struct report *report, uint32_t cache);	       /* "" for none */
char *task_name(const struct report *report, uint32_t tid, uint64_t time);     /* "comm/tid" */

/*
 * "comm (pid 12)": the process that allocated more than half of the bytes of the objects, with its
 * last name, and its share in percent; "" and 0 if no process did. A new string, or NULL: no
 * memory.
 */
char *main_task_name(const struct report *report, const struct slab_object *const *list,
		     size_t count, double *percent);

/* Are all counters 0, as of a group whose objects the filters excluded? */
bool group_is_empty(const struct group *group);

#endif
