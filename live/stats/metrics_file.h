/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A file that the textfile collector of node_exporter reads at any time: each new text replaces it
 * at once. It is found by the descriptor of its directory, so that it can be written after the
 * process gave up the right to open other files.
 */
#ifndef LIVE_STATS_METRICS_FILE_H
#define LIVE_STATS_METRICS_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

#define METRICS_FILE_SUFFIX ".prom" /* other files are not read */
#define METRICS_FILE_MODE 0644	    /* the collector is another user */

struct metrics_file;

/*
 * Checks that the file can be made, and that it is not another program's. An existing file stays
 * until the first write. 0, or -errno with error set.
 */
int metrics_file_open(struct metrics_file **file, const char *path, struct error *error);

/* Replaces the file. 0 or -errno: then it stays as it was. -EBUSY: another kmemtraced writes it. */
int metrics_file_write(struct metrics_file *file, const char *text, size_t size);

/* The descriptor of its directory. */
int metrics_file_directory(const struct metrics_file *file);

/* Does the directory belong to another user, so that only CAP_DAC_OVERRIDE allows to write? */
bool metrics_file_is_foreign(const struct metrics_file *file);

/* Removes the file, if it is still the one that was written, and frees the rest. 0 or -errno. */
int metrics_file_remove(struct metrics_file *file);

#endif
