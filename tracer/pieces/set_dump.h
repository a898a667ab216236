/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Writes a part of a set of pieces as a set of its own, beside it: "NAME.dump.20261123T130500Z".
 * Where both are in one file system, the files are links.
 */
#ifndef TRACER_PIECES_SET_DUMP_H
#define TRACER_PIECES_SET_DUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracer/pieces/dump_directory.h"
#include "tracer/pieces/dump_pieces.h"

struct set_dump_settings {
	int set;	    /* the open directory; -1: there is none */
	unsigned int first; /* the first piece of this run */
	const char *path;   /* absolute: ".dump." and the time are added */
	bool in_memory;	    /* it is in another file system, and pieces must be copied */
	uint64_t max_bytes; /* of a dump: of more, it has the last pieces; 0: no limit */
};

/* The result of a dump. */
struct set_dump_result {
	char path[DUMP_PATH];
	unsigned int pieces;
	unsigned int incomplete; /* the first one, if it gets no checkpoint; else 0 */
	char errmsg[300];	 /* of one that failed */
};

/*
 * Writes the pieces up to the last, which all must be finished. 0, or -errno with errmsg set:
 * nothing is left. asked: the first piece in it is not used.
 */
int set_dump_make(const struct set_dump_settings *settings, const struct dump_request *asked,
		  struct set_dump_result *result);

/* A dump that was not finished when kmemtraced was killed. It is locked. */
struct set_dump_left {
	struct dump_directory directory;
	struct dump_pieces pieces;
	struct dump_request request;
};

struct set_dump_left_list {
	struct set_dump_left *list;
	size_t count;
};

/*
 * Finds them, and takes those of their pieces into them that are still in the set; one without any
 * piece is removed. Call it before pieces are removed from the set. say: gets texts for the user. A
 * dump that another process writes is left alone. 0 or -errno.
 */
int set_dump_find_left(struct set_dump_left_list *left, const struct set_dump_settings *settings,
		       void (*say)(const char *text));

/* Completes it. 0, or -errno with errmsg set: it stays as it is. */
int set_dump_finish_left(struct set_dump_left *left, struct set_dump_result *result);

void set_dump_left_deinit(struct set_dump_left_list *left); /* all zero is allowed */

#endif
