/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The command line of kmemtrace-top, parsed. */
#ifndef LIVE_TOP_OPTIONS_H
#define LIVE_TOP_OPTIONS_H

#include <regex.h>
#include <stdbool.h>
#include <stdint.h>

#include "live/top/columns.h"
#include "live/top/model.h"

enum top_start {
	START_IF_NEEDED, /* kmemtraced is started if nothing is published at the default path */
	START_NEVER,
	START_ALWAYS,
};

struct top_options {
	const char *input; /* the statistics file; NULL: the default */
	bool batch, json;
	uint64_t moments; /* 0: no limit */
	uint64_t delay_ns;
	bool has_key;
	enum top_key key;
	enum column sort;
	bool reverse;
	const char *filter; /* NULL: none */
	regex_t regex;	    /* of the filter */
	uint64_t lines;	    /* of each moment with --batch; 0: all */
	bool no_color;
	enum top_start start;
};

/* Exits with 2 and a message if the command line is wrong, and with 0 after --help and --version.
 */
void top_options_parse(struct top_options *options, int argc, char **argv);
void top_options_deinit(struct top_options *options);

#endif
