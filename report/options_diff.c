// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Options and arguments of the view diff, which compares two captures. */
#include "config.h"

#include <string.h>

#include "cli/command_line.h"
#include "report/options.h"
#include "report/summaries_search.h"

void options_parse_normalise(struct argp_state *state, const char *text)
{
	struct report_options *options = state->input;
	struct diff_options *diff = &options->diff;

	diff->normalise_text = text;
	diff->normalise = DIFF_BY_WORK;
	if (!strcmp(text, "time"))
		diff->normalise = DIFF_BY_TIME;
	else if (!strcmp(text, "events"))
		diff->normalise = DIFF_BY_EVENTS;
	else if (!*text || strlen(text) >= sizeof(diff->work.text))
		argp_error(
			state,
			"--normalise: \"%s\" is not time, events, or the name of a function, a call site or a slab cache",
			text);
	else
		diff_name_set(&diff->work, text, (int)strlen(text));
}

void options_parse_condition(struct argp_state *state, const char *text)
{
	struct report_options *options = state->input;
	struct diff_options *diff = &options->diff;
	struct diff_condition_error error;

	if (diff->condition_count == DIFF_CONDITIONS_MAX)
		argp_error(state, "--fail-if: there are more than %d conditions",
			   DIFF_CONDITIONS_MAX);
	if (diff_condition_parse(&diff->conditions[diff->condition_count], text, &error))
		argp_error(state, "--fail-if: \"%s\", character %zu: %s", text, error.column,
			   error.text);
	diff->condition_count++;
}

/* Two captures: both as arguments, or one of them as -i. */
static void finish_two(struct report_options *options, struct argp_state *state)
{
	if (options->input && options->capture && !options->second)
		options->second = options->capture;
	else if (!options->input && options->second)
		options->input = options->capture;
	else
		argp_error(state, "the view %s compares two captures: write %s A B",
			   options->view->name, options->view->name);
	if (!strcmp(options->input, "-"))
		argp_error(state,
			   "-i -: the view %s needs whole captures: record them with kmemtraced",
			   options->view->name);
}

void options_finish_captures(struct report_options *options, struct argp_state *state)
{
	if (options->view->compares) {
		finish_two(options, state);
		return;
	}
	if (options->diff.normalise_text || options->diff.condition_count)
		argp_error(state, "--%s: the view %s compares no captures: use the view diff",
			   options->diff.normalise_text ? "normalise" : "fail-if",
			   options->view->name);
	if (options->second && summaries_search_name(options->capture))
		argp_error(
			state,
			"%s and %s: a report is on one file of summaries: add them up first: kmemtrace-merge -o SUM %s %s, or compare them: diff %s %s",
			options->capture, options->second, options->capture, options->second,
			options->capture, options->second);
	if (options->second)
		argp_error(state, "two captures are named: %s and %s: name one of them",
			   options->capture, options->second);
	if (options->input && options->capture)
		argp_error(state, "two captures are named: -i %s and %s: name one of them",
			   options->input, options->capture);
	if (options->capture)
		options->input = options->capture;
	if (!options->input)
		options->input = CAPTURE_DEFAULT;
}
