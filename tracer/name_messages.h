/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Takes the names that the programs tell, and writes them to kernel/caches and kernel/tasks. */
#ifndef TRACER_NAME_MESSAGES_H
#define TRACER_NAME_MESSAGES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "capture/directory.h"

struct publish;
struct ring_buffer;

struct name_messages {
	struct directory *directory;
	struct publish *publish; /* caches are told to it too; NULL: nobody publishes */
	struct ring_buffer *buffer;
	FILE *caches, *tasks; /* NULL: nothing is written */
	uint64_t unnamed;     /* caches of which nothing is known */
	bool modules_changed; /* set by a message; the user of names clears it */
	char errmsg[400];
};

/* 0 or -errno, with errmsg set. The files, unless there is no directory, stay open to the end. */
int name_messages_open(struct name_messages *names, struct directory *directory, int names_fd);

/* Adds the tasks that are there now, from /proc. */
int name_messages_add_tasks(struct name_messages *names);

/* Writes what was told since the last call, so that it is in the files when it returns. */
int name_messages_read(struct name_messages *names);

/*
 * After the programs, on a kernel without BTF: what the table of struct kmt_cache_sighting knows of
 * caches that were never told: of some no event tells a name, of others none the sizes. 0 or
 * -errno.
 */
int name_messages_add_incomplete(struct name_messages *names, int told_fd);

/* Closes the files; 0, or -errno if not all was written. Without name_messages_open(): nothing. */
int name_messages_close(struct name_messages *names);

#endif
