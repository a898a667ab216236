/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The path on which most bytes of a row were allocated, as far as its objects have stacks. */
#ifndef REPORT_VIEWS_ROW_PATH_H
#define REPORT_VIEWS_ROW_PATH_H

#include "report/views/view.h"

struct row_paths;

/* Before the analysis: the stacks are kept. */
void row_paths_request(struct report *report);

/* After the analysis. NULL in *paths: the capture has no stacks. 0 or -ENOMEM. */
int row_paths_open(struct row_paths **paths, const struct report *report);
void row_paths_close(struct row_paths *paths);

/*
 * Sets the cells path, path_objects and stack_objects of the last row by its live objects. paths
 * NULL: the path is not known. 0 or -ENOMEM.
 */
int row_path_set(struct row_paths *paths, const struct slab_object *const *list, size_t count,
		 struct table *table);

#endif
