/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The directory of a dump: see dump_list.h for its names. It is locked (flock) while it is written,
 * and has a file that says what was asked for, so that a dump can be finished after a kill.
 */
#ifndef TRACER_PIECES_DUMP_DIRECTORY_H
#define TRACER_PIECES_DUMP_DIRECTORY_H

#include <limits.h>
#include <stddef.h>

#include "tracer/triggers/trigger.h"

#define DUMP_PATH 2048 /* bytes of the path of a dump; a longer one is cut off in messages */

/* The trigger and the pieces of a dump. */
struct dump_request {
	unsigned int first, last;     /* numbers of its pieces */
	char trigger[TRIGGER_LENGTH]; /* its text, or the name of a signal */
};

struct dump_directory {
	int parent, fd; /* -1: not open */
	char name[NAME_MAX], new_name[NAME_MAX];
	char path[DUMP_PATH]; /* of name */
};

/*
 * Makes the directory beside the set, whose absolute path is set_path, with the present time, and
 * writes the request into it. 0 or -errno, as all functions below.
 */
int dump_directory_make(struct dump_directory *directory, const char *set_path,
			const struct dump_request *request);

/*
 * Opens one that is not finished, and reads its request: of one without, both numbers
 * are 0. -EWOULDBLOCK:
 * another process writes it.
 */
int dump_directory_open(struct dump_directory *directory, const char *set_path,
			const char *new_name, struct dump_request *request);

/* All pieces are there: gives it its name, once all of it is on disk. */
int dump_directory_finish(struct dump_directory *directory);

/* Removes it. */
void dump_directory_abandon(struct dump_directory *directory);
void dump_directory_close(struct dump_directory *directory);

/* Opens the directory that holds the set. *name: the last part of set_path. Or -errno. */
int dump_directory_open_parent(const char *set_path, const char **name);

#endif
