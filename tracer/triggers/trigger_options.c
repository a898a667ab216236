// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The options of --trigger. */
#include "config.h"

#include "tracer/triggers/trigger_options.h"

#define PAUSE_MAX (24 * 3600 * 1000000000ULL)
#define FULL_MAX (3600 * 1000000000ULL)

static void add_trigger(struct argp_state *state, const char *text)
{
	struct trigger_options *options = state->input;
	struct trigger_error error;

	if (options->count == TRIGGERS_MAX)
		option_error(state, "--trigger '%s': there are more than %d triggers", text,
			     TRIGGERS_MAX);
	if (trigger_parse(&options->list[options->count], text, &error))
		option_error(state, "--trigger '%s': character %zu: %s", text, error.column,
			     error.text);
	options->count++;
}

static void check_command(struct argp_state *state, const char *text)
{
	if (!*text)
		option_error(state, "--trigger-command: the command is empty");
}

static void store_full_duration(struct argp_state *state, const char *text)
{
	struct trigger_options *options = state->input;

	options->full = text;
}

#define AT(member) OPTION_AT(struct trigger_options, member)

const struct option_row trigger_rows[] = {
	{ .help = "Triggers:" },
	{ "trigger", 0, "CONDITION",
	  "Print a message when CONDITION becomes true: 'live > 2G', 'growth(dentry) > 100M/10m', 'lost > 0.1%', 'skipped > 0.1%' or oom; may be given several times",
	  .parse = add_trigger, .reloads = true,
	  .words = "live > 2G|growth(dentry) > 100M/10m|lost > 0.1%|skipped > 0.1%|oom" },
	{ "trigger-pause", 0, "DURATION",
	  "Let a trigger fire again after DURATION at the earliest (default: 60)", AT(pause_ns),
	  .kind = ARGUMENT_DURATION, .most = PAUSE_MAX, .needs = "trigger", .reloads = true,
	  .words = "60|10m" },
	{ "trigger-command", 0, "COMMAND",
	  "Run COMMAND with the shell, the path of the capture as last argument, when a trigger fires",
	  AT(command), .parse = check_command, .needs = "trigger" },
	{ "trigger-full", 0, "DURATION",
	  "With --profile: when a trigger fires, also record every event for DURATION, in DIR.full.TIME",
	  .kind = ARGUMENT_DURATION, .least = 1, .most = FULL_MAX, .parse = store_full_duration,
	  .needs = "trigger", .words = "30s|5m" },
	{ 0 },
};

bool trigger_options_need_figures(const struct trigger_options *options)
{
	for (size_t i = 0; i < options->count; i++)
		if (trigger_needs_figures(&options->list[i]))
			return true;
	return false;
}

bool trigger_options_have(const struct trigger_options *options, enum trigger_kind kind)
{
	for (size_t i = 0; i < options->count; i++)
		if (options->list[i].kind == kind)
			return true;
	return false;
}
