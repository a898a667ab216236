/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Takes the names that the programs tell, and writes them to kernel/caches and kernel/tasks. */
#ifndef TRACER_NAMES_H
#define TRACER_NAMES_H

#include <stdbool.h>
#include <stdio.h>

#include "tracer/directory.h"

struct ring_buffer;

struct names {
	struct directory *directory;
	struct ring_buffer *buffer;
	FILE *caches, *tasks;
	bool modules_changed; /* set by a message; the user of names clears it */
	char why[400];
};

/* 0 or -errno, with why set. The files stay open to the end. */
int names_open(struct names *names, struct directory *directory, int names_fd);

/* Adds the tasks that are there now, from /proc. */
int names_add_tasks(struct names *names);

/* Writes what was told since the last call, so that it is in the files when it returns. */
int names_run(struct names *names);

/* Closes the files; 0, or -errno if not all was written. Without names_open(): nothing. */
int names_close(struct names *names);

#endif
