/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The options of --switch-output. */
#ifndef TRACER_PIECES_ROTATION_OPTIONS_H
#define TRACER_PIECES_ROTATION_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

struct rotation_options {
	bool enabled;	/* --switch-output was given */
	bool overwrite; /* --overwrite was given: with these values */
	uint64_t overwrite_bytes, overwrite_age_ns;
	uint64_t bytes;		/* of the streams of a piece; 0: no limit */
	uint64_t age_ns;	/* of a piece; 0: no limit */
	unsigned int max_files; /* pieces; 0: no limit */
	uint64_t max_disk;	/* bytes of all pieces and dumps on disk; 0: no limit */
	unsigned int max_dumps; /* 0: no limit */
	bool has_max_dumps;	/* --max-dumps was given */
	bool in_memory;		/* the pieces are in memory: max_disk is a limit of memory */
};

/* A child of the table of kmemtraced's options. Its input is struct rotation_options, all zero. */
extern const struct argp rotation_argp;

/* After all options are parsed. refused: an option that excludes --switch-output; NULL: none. */
void rotation_options_complete(struct argp_state *state, struct rotation_options *options,
			       const char *refused);

#endif
