/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The options of --switch-output. */
#ifndef TRACER_PIECES_ROTATION_OPTIONS_H
#define TRACER_PIECES_ROTATION_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/option_table.h"

#define MAX_DUMPS_DEFAULT 10

struct rotation_options {
	bool enabled;	/* --switch-output was given */
	bool overwrite; /* --overwrite was given: with these values */
	uint64_t overwrite_bytes, overwrite_age_ns;
	uint64_t bytes;		/* of the streams of a piece; 0: no limit */
	uint64_t age_ns;	/* of a piece; 0: no limit */
	unsigned int max_files; /* pieces; 0: no limit */
	uint64_t max_disk;	/* bytes of all pieces and dumps on disk; 0: no limit */
	unsigned int max_dumps; /* 0: no limit */
	bool in_memory;		/* the pieces are in memory: max_disk is a limit of memory */
};

extern const struct option_row rotation_rows[];

/* After all options are parsed. refused: an option that excludes --switch-output; NULL: none. */
void rotation_options_complete(struct argp_state *state, struct rotation_options *options,
			       const char *refused);

#endif
