/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The paths of a flame: the names of the frames of each group. */
#ifndef REPORT_VIEWS_FLAME_PATHS_H
#define REPORT_VIEWS_FLAME_PATHS_H

#include "report/render/flame.h"
#include "report/views/view.h"

/*
 * Sets the text of the path of a group of report->allocations: a frame for each value of the first
 * keys of --by, and for each function of a stack; the rest of the keys are labels. 0 or -ENOMEM.
 */
int flame_set_text(const struct report *report, struct flame_path *path, size_t keys,
		   const struct group *group);

/*
 * Writes the functions of a stack. Its text begins at the caller of the allocator: the path begins
 * at its end, unless it is bottom-up.
 */
void flame_put_stack(FILE *file, const char *text, bool bottom_up);

#endif
