/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The files of summaries that the arguments name; captures are summed up first. */
#ifndef FLEET_MERGE_MERGE_INPUTS_H
#define FLEET_MERGE_MERGE_INPUTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/scratch_directory.h"

struct merge_input {
	char *path;
	char *shown; /* for messages: the file, or the capture that its summaries are of */
};

struct merge_inputs {
	struct merge_input *list;
	size_t count;
	struct scratch_directory scratch; /* for summaries of captures */
	uint64_t interval;		  /* ns: of summaries of captures; 0: one of all */
	bool quiet;
	bool is_incomplete; /* a capture is damaged: a message said so */
};

void merge_inputs_deinit(struct merge_inputs *inputs);

/*
 * Adds the files that an argument names: a file of summaries, a directory of such files, or a
 * capture. 0, or EXIT_TROUBLE after a message.
 */
int merge_inputs_add(struct merge_inputs *inputs, const char *path);

#endif
