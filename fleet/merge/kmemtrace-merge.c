// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* kmemtrace-merge: adds up summaries of hosts and of times. */
#include "config.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command_line.h"
#include "cli/memory_limit.h"
#include "cli/message.h"
#include "cli/option_table.h"
#include "cli/stop.h"
#include "fleet/merge/merge_inputs.h"
#include "fleet/merge/merge_output.h"
#include "fleet/merge/merge_summaries.h"

#define CAPTURE_INTERVAL 60000000000 /* ns */

struct merge_options {
	bool quiet, force;
	const char *output;
	uint64_t interval; /* as in struct merge_settings */
	uint64_t max_memory;
	struct path_arguments arguments;
};

#define AT(member) OPTION_AT(struct merge_options, member)

static const struct option_row option_rows[] = {
	{ "output", 'o', "DIR",
	  "Write DIR/summaries/merged.kms, with the summaries of each interval; - is standard output",
	  AT(output), .kind = ARGUMENT_PATH },
	{ "interval", 'i', "TIME|all",
	  "Add up the summaries that end in the same interval of TIME (ns, us, ms, s, m, h or d) since 1970, or all. Without it, summaries that end at the same time are added up, and a capture gets a summary for each 60s",
	  AT(interval), .kind = ARGUMENT_DURATION, .least = 1, .all = MERGE_INTERVAL_ALL,
	  .words = "10s|60s|1h|1d|all" },
	{ "force", 'f', NULL, "Replace an older output", AT(force) },
	{ "quiet", 'q', NULL, "Print errors only", AT(quiet) },
	MEMORY_LIMIT_ROW(AT(max_memory)),
	{ .argument = "FILE" },
	{ 0 },
};

static error_t parse_merge_arguments(int key, char *argument, struct argp_state *state)
{
	struct merge_options *options = state->input;

	(void)argument;
	switch (key) {
	case ARGP_KEY_ARGS:
		parse_paths(state, &options->arguments);
		break;
	case ARGP_KEY_SUCCESS:
		if (!options->arguments.count)
			argp_error(state,
				   "name the files of summaries, directories of them, or captures");
		if (!options->output)
			argp_error(state, "-o is missing: name the directory of the result");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static int merge_to_output(const struct merge_options *options, const struct merge_inputs *inputs)
{
	const struct merge_settings settings = {
		.interval = options->interval,
		.quiet = options->quiet,
	};
	struct merge_output output;
	int status = merge_output_open(&output, options->output, options->force);

	if (status)
		return status;
	status = merge_summaries(inputs, &settings, output.file);
	if (status == EXIT_OK && inputs->is_incomplete)
		status = EXIT_FINDINGS;
	return merge_output_close(&output, status);
}

static int merge_paths(const struct merge_options *options)
{
	struct merge_inputs inputs = { .quiet = options->quiet };
	int status = EXIT_OK;

	if (options->interval != MERGE_INTERVAL_ALL)
		inputs.interval = options->interval ? options->interval : CAPTURE_INTERVAL;
	for (size_t i = 0; i < options->arguments.count && !status && !stop_signal(); i++)
		status = merge_inputs_add(&inputs, options->arguments.paths[i]);
	if (!status)
		status = stop_signal() ? EXIT_TROUBLE : merge_to_output(options, &inputs);
	merge_inputs_deinit(&inputs);
	return status;
}

int main(int argc, char **argv)
{
	static const struct option_table option_tables[] = { { .rows = option_rows }, { 0 } };
	static const struct argp argp = {
		.parser = parse_merge_arguments,
		.args_doc = "FILE...",
		.doc = "Add up summaries of the kernel's slab allocations, of many hosts and times. A FILE is a file of summaries, a directory of them, or a capture, which is summed up first. "
		       "The result does not depend on the order, nor on whether parts were merged before.\v"
		       "Exit status: 0 if all was merged; 1 if a summary is damaged, or is missing between others of its run; 2 if nothing was merged, for instance since a summary would count twice.",
	};
	struct merge_options options = { .max_memory = MEMORY_LIMIT_DEFAULT };

	option_tables_parse(&argp, option_tables, argc, argv, 0, &options);
	memory_limit_set(options.max_memory);
	stop_handle_signals(NULL);
	return merge_paths(&options);
}
