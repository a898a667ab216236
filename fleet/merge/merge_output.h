/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The output of a merge: a file in a directory, which appears when it is complete; or a pipe. */
#ifndef FLEET_MERGE_MERGE_OUTPUT_H
#define FLEET_MERGE_MERGE_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

struct merge_output {
	const char *path; /* of the directory, or "-" */
	FILE *file;
	bool is_forced; /* an older file is replaced */
	int directory;	/* file descriptor, or -1 */
};

/* 0, or EXIT_TROUBLE after a message, as below. Then there is nothing to close. */
int merge_output_open(struct merge_output *output, const char *path, bool is_forced);

/* status: of the merge. Up to EXIT_FINDINGS the file gets its name. Returns the status. */
int merge_output_close(struct merge_output *output, int status);

#endif
