/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Options of kmemtrace-fleet. */
#ifndef FLEET_OPTIONS_H
#define FLEET_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fleet/store.h"
#include "report/render/render.h"

struct question;

enum fleet_by {
	BY_FUNCTION,
	BY_CACHE,
	BY_MODULE,
	BY_CGROUP,
	BY_COMM,
	BY_COUNT
};

enum fleet_figure {
	FIGURE_ALLOCATED,
	FIGURE_ALLOCATIONS,
	FIGURE_GROWTH,
	FIGURE_FAILED,
	FIGURE_CROSS_CPU,
	FIGURE_COUNT
};

/* A point in time: ns since 1970, or before the end of the store: see fleet/agreement.h. */
struct fleet_time {
	bool given, is_age;
	uint64_t ns;
};

struct fleet_options;

/* A command of the program: load, init and drop, or a question. */
struct fleet_command {
	const char *name, *arguments, *summary;
	int arguments_min, arguments_max; /* -1: any number */
	bool has_by, has_figure;
	bool takes_host;    /* the argument is the only host of the answer */
	bool takes_time;    /* the argument is a time, or there is none, but hosts */
	bool takes_kernels; /* the arguments are versions of the kernel */
	enum store_mode mode;
	/* For a command that asks nothing: prints messages, and returns the exit status. */
	int (*run)(struct store *store, const struct fleet_options *options);
	/* Makes the tables of a question; NULL: no question. 0 or -errno. */
	int (*ask)(struct question *question);
};

struct fleet_options {
	const struct fleet_command *command;
	char **arguments; /* of the command, ends with NULL */
	int argument_count;
	const char *db;
	struct store_settings store;
	struct fleet_time drop_before; /* the argument of drop */
	struct fleet_time since, until;
	/* lists separated by commas, or NULL */
	const char *hosts, *kernels, *roles;
	const char *expect; /* a file */
	bool partial, quiet;
	enum fleet_by by;
	bool by_given;
	enum fleet_figure figure;
	double error_rate;
	size_t lines;
	bool lines_given;
	const struct renderer *renderer;
	bool legend, no_pager;
	uint64_t max_memory;
};

extern const struct fleet_command fleet_commands[];
extern const size_t fleet_command_count;

/* both end with NULL */
extern const char *const fleet_by_names[BY_COUNT + 1];
extern const char *const fleet_figure_names[FIGURE_COUNT + 1];

/* An error ends the program. */
void fleet_options_parse(struct fleet_options *options, int argc, char **argv);

#endif
