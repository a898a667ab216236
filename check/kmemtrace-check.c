// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* kmemtrace-check: checks captures and streams, or repairs a capture. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "check/check.h"
#include "check/check_heap.h"
#include "repair/repair.h"
#include "cli/command_line.h"
#include "cli/memory_limit.h"
#include "cli/message.h"
#include "cli/progress.h"
#include "capture/capture.h"

struct options {
	bool quiet, verbose, heap, list, repair;
	bool repaired; /* the capture is the result of a repair */
	const char *output;
	uint64_t max_memory;
	struct path_arguments arguments;
};

enum option_key {
	OPTION_LIST = 0x100,
	OPTION_REPAIR,
	OPTION_HEAP,
};

static const struct argp_option option_table[] = {
	{ "quiet", 'q', NULL, 0, "Print problems and heap findings only", 0 },
	{ "verbose", 'v', NULL, 0,
	  "Print a line for each stream too; with --repair, for the streams of the result", 0 },
	{ "heap", OPTION_HEAP, NULL, 0,
	  "Look for errors of the kernel in the heap too: double frees, wrong caches, ...; with "
	  "-v, print possible and legal findings too",
	  0 },
	{ "list", OPTION_LIST, NULL, 0, "List the checks and exit", 0 },
	{ "repair", OPTION_REPAIR, NULL, 0,
	  "Make a readable capture of one that is cut off or damaged; rename the original to "
	  "DIR.damaged",
	  0 },
	{ "output", 'o', "OUT", 0, "With --repair: write the result to OUT and leave DIR unchanged",
	  0 },
	MEMORY_LIMIT_OPTION(0),
	{ 0 },
};

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
	struct options *options = state->input;

	switch (key) {
	case 'q':
		options->quiet = true;
		break;
	case 'v':
		options->verbose = true;
		break;
	case OPTION_HEAP:
		options->heap = true;
		break;
	case OPTION_LIST:
		options->list = true;
		break;
	case OPTION_REPAIR:
		options->repair = true;
		break;
	case 'o':
		options->output = parse_path(state, "-o", argument);
		break;
	case MEMORY_LIMIT_KEY:
		options->max_memory = memory_limit_parse(state, argument);
		break;
	case ARGP_KEY_ARGS:
		parse_paths(state, &options->arguments);
		break;
	case ARGP_KEY_SUCCESS:
		if (options->output && !options->repair)
			argp_error(state, "--output is for --repair");
		if (options->list && (options->quiet || options->verbose || options->repair ||
				      options->heap || options->arguments.count))
			argp_error(state, "--list cannot be combined with other options");
		if (options->repair && options->heap)
			argp_error(state, "--heap cannot be combined with --repair: check the "
					  "result with --heap");
		if (options->repair && options->arguments.count > 1)
			argp_error(state, "--repair takes one capture at a time");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static int cannot_check(const char *errmsg, int err)
{
	return error_msg("%s%s", errmsg,
			 err == -ENOENT ? ": capture first with kmemtraced, or name a capture"
					: "");
}

static void print_check(const struct check_info *check)
{
	printf("%-12s %s\n", check->name, check->summary);
}

static bool is_directory(const char *path)
{
	struct stat stat_buffer;

	return stat(path, &stat_buffer) || S_ISDIR(stat_buffer.st_mode);
}

/* A later version wrote parts that could not be checked. */
static bool is_partial(const struct check_result *result)
{
	return result->unknown || result->status_unknown;
}

static void report_unknown(const char *path, const struct check_result *result)
{
	char newer[METADATA_TEXT];

	metadata_newer_text(result->tracer_version, newer, sizeof(newer));
	if (result->unknown)
		error_msg("%s: unchecked records of kinds that this version does not know: "
			  "%" PRIu64 "; %s",
			  path, result->unknown, newer);
	if (result->status_unknown)
		error_msg(
			"%s/kernel/status: unchecked: its format is newer than this version knows; "
			"%s",
			path, newer);
}

static void print_summary(const char *path, const struct check_problems *problems,
			  const struct check_result *result)
{
	print_text("%s: ", path);
	if (problems->count)
		printf("%" PRIu64 " problem%s", problems->count, problems->count == 1 ? "" : "s");
	else
		printf("ok");
	if (is_partial(result))
		printf(" in the parts that could be checked");
	printf(": %" PRIu64 " records of %zu CPU%s, lost %" PRIu64 ", skipped %" PRIu64,
	       result->records, result->cpus, result->cpus == 1 ? "" : "s", result->lost,
	       result->skipped);
	if (result->own_known)
		printf(", own %" PRIu64, result->own);
	putchar('\n');
}

/* Suggests what to do about the problems. */
static void print_advice(const char *path, const struct check_problems *problems,
			 const struct check_result *result)
{
	/* a repair refuses a status of a newer format */
	if (!result->being_written && (!problems->repairable || result->status_unknown))
		return;
	if (result->being_written)
		info_msg("%s: stop kmemtraced, then check again", path);
	else
		info_msg("%s: kmemtrace-check --repair %s makes a readable capture of it", path,
			 path);
}

/* The exit status of --heap: only certain findings count. */
static int check_heap(const char *path, const struct options *options)
{
	struct check_heap result;
	struct progress_line line;
	char errmsg[400];
	int err;

	progress_line_init(&line, options->quiet, PROGRESS_DELAY);
	line.file = path;
	err = check_heap_run(path, options->verbose, &line, &result, errmsg, sizeof(errmsg));
	if (err)
		return cannot_check(errmsg, err);
	if (!options->quiet)
		print_text("%s: heap: %" PRIu64 " certain finding%s, %" PRIu64 " possible, %" PRIu64
			   " legal on this kernel%s\n",
			   path, result.certain, result.certain == 1 ? "" : "s", result.possible,
			   result.legal,
			   options->verbose || !(result.possible || result.legal)
				   ? ""
				   : " (-v or kmemtrace-report findings lists them)");
	return result.certain ? EXIT_FINDINGS : EXIT_OK;
}

static int check(const char *path, const struct options *options)
{
	struct progress_line line;
	struct check_problems problems = { .verbose = options->verbose, .line = &line };
	struct check_result result = { 0 };
	bool is_capture = is_directory(path);
	char errmsg[400];
	int status, err;

	progress_line_init(&line, options->quiet, PROGRESS_DELAY);
	line.file = path;
	err = is_capture ? check_capture(path, &problems, &result, errmsg, sizeof(errmsg))
			 : check_stream(path, &problems, &result, errmsg, sizeof(errmsg));
	progress_line_clear();
	if (err)
		return cannot_check(errmsg, err);
	if (!options->quiet)
		print_summary(path, &problems, &result);
	if (!options->quiet && is_capture)
		print_advice(path, &problems, &result);
	status = problems.count ? EXIT_FINDINGS : EXIT_OK;
	if (is_partial(&result) && !options->repaired) {
		report_unknown(path, &result);
		status = EXIT_TROUBLE;
	}
	if (options->heap && is_capture) {
		int heap = check_heap(path, options);

		if (heap > status)
			status = heap;
	}
	return status;
}

/* Metadata that cannot be read (-EINVAL) is a reason for a repair. */
static int repair(const char *path, const struct options *options)
{
	struct progress_line line;
	struct check_problems problems = { .silent = true, .line = &line };
	struct check_result result = { 0 };
	struct options after = { .quiet = true,
				 .verbose = options->verbose && !options->quiet,
				 .repaired = true };
	char errmsg[400];
	int err, status;

	progress_line_init(&line, options->quiet, PROGRESS_DELAY);
	line.file = path;
	err = check_capture(path, &problems, &result, errmsg, sizeof(errmsg));
	progress_line_clear();
	if (!err && !problems.count) {
		if (!options->quiet)
			print_text("%s: nothing to repair\n", path);
		return EXIT_OK;
	}
	if (err && err != -EINVAL)
		return cannot_check(errmsg, err);
	err = repair_run(path, options->output, options->quiet, errmsg, sizeof(errmsg));
	if (err)
		return error_msg("%s", errmsg);
	status = check(options->output ? options->output : path, &after);
	if (status == EXIT_FINDINGS)
		info_msg("%s: these problems remain: a repair changes no record of a whole packet",
			 path);
	return status;
}

int main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = option_table,
		.parser = parse_option,
		.args_doc = "[DIR|STREAM...]",
		.doc = "Check that captures of the kernel's slab allocations "
		       "(default: " CAPTURE_DEFAULT
		       "), or single streams of them, are complete and consistent; or repair a "
		       "capture.\v"
		       "Exit status: 0 without problems and certain findings; 1 if there are "
		       "some, or problems remain after a repair; 2 if a capture could not be "
		       "checked or repaired.\n\n"
		       "Make a capture with kmemtraced(8), explain it with kmemtrace-report(1).",
	};
	struct options options = { .max_memory = MEMORY_LIMIT_DEFAULT };
	static char *default_paths[] = { CAPTURE_DEFAULT };
	int status = EXIT_OK;

	parse_command_line(&argp, argc, argv, 0, &options);
	if (!options.arguments.count)
		options.arguments = (struct path_arguments){ .paths = default_paths, .count = 1 };
	memory_limit_set(options.max_memory);
	if (options.list) {
		check_list(print_check);
	} else if (options.repair) {
		status = repair(options.arguments.paths[0], &options);
	} else {
		for (size_t i = 0; i < options.arguments.count; i++) {
			int one = check(options.arguments.paths[i], &options);

			if (one > status)
				status = one;
		}
	}
	return close_stdout(status);
}
