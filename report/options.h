/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The command line of kmemtrace-report. */
#ifndef REPORT_OPTIONS_H
#define REPORT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "analysis/fields/query.h"
#include "analysis/select.h"
#include "report/diff/options.h"
#include "report/render/render.h"
#include "report/views/view.h"

enum color_when {
	COLOR_AUTO,
	COLOR_ALWAYS,
	COLOR_NEVER,
};

#define OPTIONS_FILTERS_MAX 16

struct report_options {
	const char *input;   /* the capture that is read */
	const char *capture; /* as a plain argument; NULL: none */
	const char *second;  /* another one: of a view that compares two; NULL: none */
	const char *sort;    /* NULL: the default of the view */
	const struct view *view;
	const struct renderer *renderer;
	bool lines_given;
	size_t lines;
	size_t nodes;	     /* of a tree: at most so many, those with the most bytes; 0: all */
	const char *by_text; /* of --by; NULL: not given */
	const char *probes;  /* of --probes; NULL: all */
	const char *columns; /* of -F; NULL: not given */
	bool has_by;	     /* by is of a view with groups */
	enum group_by by;
	const char *measure_text; /* of --bytes; NULL: not given */
	bool bottom_up;
	bool possible; /* list possible and legal findings too */
	enum color_when color;
	bool legend, no_pager;
	bool verbose;	       /* a text has all lines of the header */
	bool is_trace;	       /* for the viewers of traces: see report_trace.h */
	bool is_page;	       /* an HTML page */
	const char *page_file; /* of --html; NULL: standard output */
	unsigned int threads;  /* 0: one for each CPU */
	uint64_t max_memory;   /* bytes; 0: no limit */
	double max_loss;       /* percent; negative: any */
	struct select select;
	char *filters[OPTIONS_FILTERS_MAX]; /* the filters as texts */
	size_t filter_count;
	struct query *query; /* --where, --by and the statistics of the view count, -F */
	struct diff_options diff;
};

/*
 * Parses the command line. Exits with 2 after a message if it is wrong, with 0 after --help and
 * --version.
 */
void report_options_parse(struct report_options *options, int argc, char **argv);
void report_options_deinit(struct report_options *options);

/* The options of the view diff; each exits with 2 after a message if it is wrong. */
struct argp_state;
void options_parse_normalise(struct argp_state *state, const char *text);
void options_parse_condition(struct argp_state *state, const char *text);

/* The view is known: it has one capture, or two if it compares. Sets input and second. */
void options_finish_captures(struct report_options *options, struct argp_state *state);

/* For --help: the names of all fields and functions. */
void options_help_fields(FILE *file);

#endif
