// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* kmemtrace-report: one pass over a capture, one view of it, one renderer. */
#include "config.h"

#include <argp.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/header.h"
#include "report/render.h"
#include "report/table.h"
#include "report/view.h"
#include "trace/analysis.h"
#include "trace/capture.h"

enum {
	EXIT_CLEAN = 0,
	EXIT_FINDINGS = 1,
	EXIT_TROUBLE = 2,
};

static const struct view views[] = {
	{ "summary", "the header, the totals and the table of call sites (the default)",
	  view_sites },
	{ "sites", "the same: the table of call sites", view_sites },
};

static const struct renderer renderers[] = {
	{ "text", render_text, 20, true },
	{ "json", render_json, 0, true },
	{ "csv", render_csv, 0, false },
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum color_when {
	COLOR_AUTO,
	COLOR_ALWAYS,
	COLOR_NEVER,
};

struct options {
	const char *input;
	const char *sort;	 /* NULL: the view's own */
	const struct view *view; /* NULL: the first */
	const struct renderer *renderer;
	bool lines_given;
	size_t lines;
	enum color_when color;
	double max_loss; /* percent; negative: any */
};

enum option_key {
	OPTION_FORMAT = 0x100,
	OPTION_COLOR,
	OPTION_MAX_LOSS,
};

static const struct argp_option option_table[] = {
	{ "input", 'i', "DIR", 0, "Read the capture DIR (default: " CAPTURE_DEFAULT ")", 0 },
	{ "sort", 's', "KEY[,KEY...]", 0,
	  "Sort by these columns; -KEY is descending, +KEY ascending", 0 },
	{ "lines", 'l', "N", 0, "Show the first N rows; 0 is all (default: 20 in text, else all)",
	  0 },
	{ "format", OPTION_FORMAT, "FORMAT", 0, "Print text, json or csv (default: text)", 0 },
	{ "color", OPTION_COLOR, "WHEN", 0, "Color the text: auto, always or never", 0 },
	{ "max-loss", OPTION_MAX_LOSS, "PCT", 0,
	  "Exit with 1 if more than PCT percent of the events were lost or skipped", 0 },
	{ 0 },
};

static size_t parse_lines(const char *text, struct argp_state *state)
{
	unsigned long long lines;
	char *end;

	errno = 0;
	lines = strtoull(text, &end, 10);
	if (errno || *end || *text < '0' || *text > '9' || lines > SIZE_MAX)
		argp_error(state, "--lines: \"%s\" is no number of rows", text);
	return lines;
}

static double parse_percent(const char *text, struct argp_state *state)
{
	double percent;
	char *end;

	percent = strtod(text, &end);
	if (end == text || *end || !isfinite(percent) || percent < 0 || percent > 100)
		argp_error(state, "--max-loss: \"%s\" is no percentage from 0 to 100", text);
	return percent;
}

static enum color_when parse_color(const char *text, struct argp_state *state)
{
	if (strcmp(text, "always") == 0)
		return COLOR_ALWAYS;
	if (strcmp(text, "never") == 0)
		return COLOR_NEVER;
	if (strcmp(text, "auto") != 0)
		argp_error(state, "--color: \"%s\" is none of auto, always, never", text);
	return COLOR_AUTO;
}

static const struct renderer *parse_format(const char *text, struct argp_state *state)
{
	for (size_t i = 0; i < COUNT(renderers); i++) {
		if (strcmp(renderers[i].name, text) == 0)
			return &renderers[i];
	}
	argp_error(state, "--format: \"%s\" is none of text, json, csv", text);
	return NULL;
}

static const struct view *parse_view(const char *text, struct argp_state *state)
{
	for (size_t i = 0; i < COUNT(views); i++) {
		if (strcmp(views[i].name, text) == 0)
			return &views[i];
	}
	argp_error(state, "no view is named \"%s\" (a capture is named with -i)", text);
	return NULL;
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
	struct options *options = state->input;

	switch (key) {
	case 'i':
		if (!*argument)
			argp_error(state, "-i: a directory must be named");
		options->input = argument;
		break;
	case 's':
		options->sort = argument;
		break;
	case 'l':
		options->lines = parse_lines(argument, state);
		options->lines_given = true;
		break;
	case OPTION_FORMAT:
		options->renderer = parse_format(argument, state);
		break;
	case OPTION_COLOR:
		options->color = parse_color(argument, state);
		break;
	case OPTION_MAX_LOSS:
		options->max_loss = parse_percent(argument, state);
		break;
	case ARGP_KEY_ARG:
		if (options->view)
			argp_error(state, "one view at a time: \"%s\" is one too many", argument);
		options->view = parse_view(argument, state);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

/* What follows the options in --help: the views. The caller frees it. */
static char *help_views(int key, const char *text, void *input)
{
	char *help = NULL;
	size_t size;
	FILE *file;

	(void)input;
	if (key != ARGP_KEY_HELP_POST_DOC)
		return (char *)text;
	file = open_memstream(&help, &size);
	if (!file)
		return NULL;
	fputs("Views:\n", file);
	for (size_t i = 0; i < COUNT(views); i++)
		fprintf(file, "  %-10s %s\n", views[i].name, views[i].sentence);
	fprintf(file, "\n%s", text);
	return fclose(file) ? NULL : help;
}

static bool use_color(enum color_when when)
{
	const char *no_color = getenv("NO_COLOR");

	if (when == COLOR_AUTO)
		return isatty(STDOUT_FILENO) && !(no_color && *no_color);
	return when == COLOR_ALWAYS;
}

static void complain(const char *what, const char *why)
{
	fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, why);
}

static int render(const struct options *options, const struct header *header,
		  const struct table *table)
{
	int err;

	errno = 0;
	err = options->renderer->render(stdout, header, table, use_color(options->color));
	if (err) {
		complain("standard output", strerror(-err));
		return EXIT_TROUBLE;
	}
	if (fflush(stdout) || ferror(stdout)) {
		complain("standard output", strerror(errno ? errno : EIO));
		return EXIT_TROUBLE;
	}
	return EXIT_CLEAN;
}

static int judge_loss(const struct options *options, const struct header *header,
		      const struct analysis *analysis)
{
	const struct analysis_loss *loss = &analysis->loss;

	if (!options->renderer->has_header && (loss->lost || loss->skipped))
		fprintf(stderr, "%s: %s: lost %llu and skipped %llu of %llu events\n",
			program_invocation_short_name, options->input,
			(unsigned long long)loss->lost, (unsigned long long)loss->skipped,
			(unsigned long long)loss->seen);
	if (options->max_loss < 0 || header->loss_percent <= options->max_loss)
		return EXIT_CLEAN;
	fprintf(stderr, "%s: %s: %.6g%% of the events were lost or skipped: more than %.6g%%\n",
		program_invocation_short_name, options->input, header->loss_percent,
		options->max_loss);
	return EXIT_FINDINGS;
}

static int report(const struct options *options, struct capture *capture)
{
	struct analysis analysis = { 0 };
	struct header header = { 0 };
	struct table table = { 0 };
	int status = EXIT_TROUBLE;
	int err;

	err = analysis_run(&analysis, capture);
	if (err) {
		fprintf(stderr, "%s: %s\n", program_invocation_short_name, capture->why);
		return EXIT_TROUBLE;
	}
	err = header_init(&header, capture, &analysis);
	if (!err)
		err = options->view->make(&table, capture, &analysis);
	if (!err)
		err = table_sort(&table, options->sort ? options->sort : table.sort);
	if (err) {
		complain(options->input, strerror(-err));
	} else {
		table_cut(&table, options->lines_given ? options->lines : options->renderer->rows);
		status = render(options, &header, &table);
	}
	if (status == EXIT_CLEAN)
		status = judge_loss(options, &header, &analysis);
	table_deinit(&table);
	header_deinit(&header);
	analysis_deinit(&analysis);
	return status;
}

/* A table of no rows tells whether the keys are right, before the long pass. */
static int check_sort(const struct options *options)
{
	const struct analysis nothing = { 0 };
	struct table table;
	int err;

	err = options->view->make(&table, NULL, &nothing);
	if (!err && options->sort)
		err = table_sort(&table, options->sort);
	if (err)
		complain("--sort", table.why);
	table_deinit(&table);
	return err;
}

const char *argp_program_version = "kmemtrace-report " PACKAGE_VERSION;

int main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = option_table,
		.parser = parse_option,
		.args_doc = "[VIEW]",
		.doc = "Explain a capture of the kernel's slab allocations: what was captured "
		       "and what was lost, the totals, and a table by call site.\v"
		       "Exit status: 0 if the report was made; 1 if more was lost than --max-loss "
		       "allows; 2 if it could not be made.\n\n"
		       "Make a capture with kmemtraced(8), check and repair one with "
		       "kmemtrace-check(1).",
		.help_filter = help_views,
	};
	struct options options = {
		.input = CAPTURE_DEFAULT,
		.renderer = &renderers[0],
		.max_loss = -1,
	};
	struct capture capture;
	int status, err;

	argp_err_exit_status = EXIT_TROUBLE;
	argv[0] = program_invocation_short_name;
	argp_parse(&argp, argc, argv, 0, NULL, &options);
	if (!options.view)
		options.view = &views[0];
	if (check_sort(&options))
		return EXIT_TROUBLE;

	err = capture_open(&capture, options.input);
	if (err) {
		fprintf(stderr, "%s: %s%s\n", program_invocation_short_name, capture.why,
			err == -ENOENT
				? ": capture first with kmemtraced, or name a capture with -i"
				: "");
		return EXIT_TROUBLE;
	}
	status = report(&options, &capture);
	capture_close(&capture);
	if (fclose(stdout) && status != EXIT_TROUBLE) {
		complain("standard output", strerror(errno));
		status = EXIT_TROUBLE;
	}
	return status;
}
