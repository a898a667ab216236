/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The command line of kmemtraced, parsed. */
#ifndef TRACER_OPTIONS_H
#define TRACER_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct options {
	const char *output;    /* the capture directory */
	double duration;       /* seconds; 0: until stopped */
	unsigned int ring_mib; /* of each CPU; 0: by the machine's memory */
	uint32_t *pids;	       /* only these processes; none: all */
	size_t pid_count;
	bool include_self;
	bool no_rescue;
	bool quiet, verbose;
	bool doctor;
	char **command; /* NULL-terminated; NULL: no command */
};

/* Exits with 2 and a sentence where the command line is wrong; --help and --version exit with 0. */
void options_parse(struct options *options, int argc, char **argv);
void options_deinit(struct options *options);

#endif
