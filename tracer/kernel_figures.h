/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The figures that the kernel itself keeps, which need no event: who has the memory of the machine,
 * /proc/allocinfo, and the stacks of KFENCE and slub_debug=U.
 */
#ifndef TRACER_KERNEL_FIGURES_H
#define TRACER_KERNEL_FIGURES_H

#include <stdbool.h>

#include "capture/directory.h"
#include "kernel/allocinfo.h"
#include "kernel/where.h"

struct kernel_figures {
	bool has_capture;   /* else nothing is read */
	bool has_allocator; /* all are read, else only who has the memory */
	int debugfs;	    /* of track_files_open(); negative: none */
	struct where where;
	struct allocinfo allocinfo;
};

/* Before the caller is confined. */
void kernel_figures_open(struct kernel_figures *figures, bool has_capture, bool has_allocator);

/* At the begin and at the end. What cannot be read is left out. */
void kernel_figures_read(struct kernel_figures *figures);

/*
 * After the last reading: writes the tables of kernel/, and reads those that are of the end only.
 * Returns the number of tables that are left out, since they could not be written, or not be read
 * to the end: directory->errmsg says why the last one is.
 */
unsigned int kernel_figures_write(struct kernel_figures *figures, struct directory *directory);

/* All zero is allowed, but for debugfs. */
void kernel_figures_close(struct kernel_figures *figures);

#endif
