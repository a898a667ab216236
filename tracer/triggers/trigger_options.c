// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Parses the options of --trigger. */
#include "config.h"

#include <string.h>

#include "base/number.h"
#include "cli/command_line.h"
#include "cli/value_range.h"
#include "tracer/triggers/trigger_options.h"

#define PAUSE_MAX (24 * 3600 * 1000000000ULL)
#define FULL_MAX (3600 * 1000000000ULL)

enum {
	KEY_TRIGGER = 0x3000,
	KEY_PAUSE,
	KEY_COMMAND,
	KEY_FULL,
};

static const struct argp_option table[] = {
	{ NULL, 0, NULL, 0, "Triggers:", 7 },
	{ "trigger", KEY_TRIGGER, "CONDITION", 0,
	  "Print a message when CONDITION becomes true: 'live > 2G', 'growth(dentry) > 100M/10m', 'lost > 0.1%', 'skipped > 0.1%' or oom; may be given several times",
	  7 },
	{ "trigger-pause", KEY_PAUSE, "DURATION", 0,
	  "After a trigger, let the same one wait for DURATION (default: 60)", 7 },
	{ "trigger-command", KEY_COMMAND, "COMMAND", 0,
	  "Let the shell run COMMAND, with the path of the capture behind it, when a trigger fires",
	  7 },
	{ "trigger-full", KEY_FULL, "DURATION", 0,
	  "With --profile: when a trigger fires, record every event for DURATION, too, in DIR.full.TIME",
	  7 },
	{ 0 },
};

static void add(struct argp_state *state, struct trigger_options *options, const char *text)
{
	struct trigger_error error;

	if (options->count == TRIGGERS_MAX)
		option_error(state, "--trigger '%s': there are more than %d triggers", text,
			     TRIGGERS_MAX);
	if (trigger_parse(&options->list[options->count], text, &error))
		option_error(state, "--trigger '%s': character %zu: %s", text, error.column,
			     error.text);
	options->count++;
}

const struct value_range trigger_pause = {
	"trigger-pause", RANGE_DURATION, 0,
	PAUSE_MAX,	 false,		 "a duration up to 24h: use " DURATION_UNITS
};

static const struct value_range trigger_full = {
	"trigger-full", RANGE_DURATION, 1,
	FULL_MAX,	false,		"a duration up to 1h: use " DURATION_UNITS
};

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
	struct trigger_options *options = state->input;

	switch (key) {
	case KEY_TRIGGER:
		add(state, options, argument);
		return 0;
	case KEY_PAUSE:
		options->has_pause = true;
		options->pause_ns = value_of_option(state, &trigger_pause, argument);
		return 0;
	case KEY_COMMAND:
		if (!*argument)
			option_error(state, "--trigger-command: the command is empty");
		options->command = argument;
		return 0;
	case KEY_FULL:
		value_of_option(state, &trigger_full, argument);
		options->full = argument;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

void trigger_options_complete(struct argp_state *state, struct trigger_options *options)
{
	if (!options->count && options->has_pause)
		option_error(state, "--trigger-pause: needs --trigger");
	if (!options->count && options->command)
		option_error(state, "--trigger-command: needs --trigger");
	if (!options->count && options->full)
		option_error(state, "--trigger-full: needs --trigger");
	if (!options->has_pause)
		options->pause_ns = TRIGGER_PAUSE_DEFAULT;
}

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

const struct argp trigger_argp = { .options = table, .parser = parse_option };
