// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Parses the options of --switch-output. */
#include "config.h"

#include <string.h>

#include "base/number.h"
#include "cli/command_line.h"
#include "cli/value_range.h"
#include "tracer/load/machine.h"
#include "tracer/pieces/piece_set.h"
#include "tracer/pieces/rotation_options.h"

#define AGE_LEAST 100000000ULL /* ns */
#define PIECE_LEAST (64ULL << 10)
#define OVERWRITE_PIECES 8U
#define MAX_DUMPS 10
#define MEMORY_SHARE 8 /* of the memory of the machine, for pieces in memory */
#define DISK_LEAST (32ULL << 20)

enum {
	KEY_SWITCH_OUTPUT = 0x5000,
	KEY_OVERWRITE,
	KEY_MAX_FILES,
	KEY_MAX_DISK,
	KEY_MAX_DUMPS,
	KEY_IN_MEMORY,
};

static const struct argp_option table[] = {
	{ NULL, 0, NULL, 0, "Pieces, for a capture without an end:", 6 },
	{ "switch-output", KEY_SWITCH_OUTPUT, "SIZE|AGE", 0,
	  "Make DIR a set of captures, its pieces, and begin the next piece when the streams of one have SIZE bytes (a number with k, M or G), or when it is AGE old (a number with s, m, h or d), or at SIGUSR2; signal: at SIGUSR2 only",
	  6 },
	{ "overwrite", KEY_OVERWRITE, "SIZE|AGE", 0,
	  "A flight recorder: keep the last SIZE bytes of the streams, or of the last AGE, in such a set, and write these pieces to DIR.dump.TIME at SIGUSR2 and when a --trigger fires",
	  6 },
	{ "max-files", KEY_MAX_FILES, "N", 0,
	  "Keep at most N pieces, with the present one: remove the oldest", 6 },
	{ "max-disk", KEY_MAX_DISK, "SIZE", 0,
	  "Keep DIR, with its dumps, below SIZE bytes on disk, at least 32M: remove the oldest dumps and pieces, and begin the next piece earlier if needed",
	  6 },
	{ "max-dumps", KEY_MAX_DUMPS, "N", 0,
	  "With --overwrite: keep at most N dumps, and remove the oldest; 0: keep all (default: 10)",
	  6 },
	{ "in-memory", KEY_IN_MEMORY, NULL, 0,
	  "With --overwrite: keep the pieces in memory, packed, and write them to disk as dumps only, also at the end; --max-disk limits this memory (default: 1/8 of all)",
	  6 },
	{ 0 },
};

static void parse_switch_output(struct argp_state *state, const char *text,
				struct rotation_options *options)
{
	options->enabled = true;
	options->age_ns = options->bytes = 0;
	if (!strcmp(text, "signal"))
		return;
	if (age_parse(text, &options->age_ns)) {
		if (options->age_ns < AGE_LEAST)
			option_error(state, "--switch-output: \"%s\" is less than 100ms", text);
		return;
	}
	options->age_ns = 0;
	if (!*text || !strchr("kKMG", text[strlen(text) - 1]) ||
	    !size_parse(text, 1, &options->bytes))
		option_error(
			state,
			"--switch-output: \"%s\" is not a size, such as 100M, nor an age, such as 10m, nor \"signal\": it needs one of the units k, M, G, s, m, h, d",
			text);
	if (options->bytes < PIECE_LEAST)
		option_error(state, "--switch-output: \"%s\" is less than 64k", text);
}

/*
 * Pieces of an eighth. Of an age, eight whole ones are kept beside the present one; of a size,
 * there are eight with the present one.
 */
static void parse_overwrite(struct argp_state *state, const char *text,
			    struct rotation_options *options)
{
	uint64_t age = 0, bytes = 0;

	if (age_parse(text, &age) ? age < OVERWRITE_PIECES * AGE_LEAST
				  : !*text || !strchr("kKMG", text[strlen(text) - 1]) ||
					    !size_parse(text, 1, &bytes) ||
					    bytes < OVERWRITE_PIECES * PIECE_LEAST)
		option_error(
			state,
			"--overwrite: \"%s\" is not a size of at least 512k, such as 100M, nor an age of at least 800ms, such as 10m",
			text);
	options->overwrite = true;
	options->overwrite_age_ns = age;
	options->overwrite_bytes = bytes;
}

static const struct value_range max_disk = {
	"max-disk", RANGE_SIZE, DISK_LEAST,
	0,	    false,	"a size of at least 32M: use a number with k, M or G"
};

/* In place of --switch-output and --max-files. */
static void complete_overwrite(struct argp_state *state, struct rotation_options *options)
{
	if (options->enabled || options->max_files)
		option_error(state, "--overwrite: cannot be used with %s",
			     options->enabled ? "--switch-output" : "--max-files");
	options->enabled = true;
	options->age_ns = options->overwrite_age_ns / OVERWRITE_PIECES;
	options->bytes = options->overwrite_bytes / OVERWRITE_PIECES;
	options->max_files = OVERWRITE_PIECES + (options->age_ns ? 1 : 0);
}

void rotation_options_complete(struct argp_state *state, struct rotation_options *options,
			       const char *refused)
{
	if (options->has_max_dumps && !options->overwrite)
		option_error(state, "--max-dumps: needs --overwrite");
	if (options->in_memory && !options->overwrite)
		option_error(state, "--in-memory: needs --overwrite");
	if (options->in_memory && !options->max_disk)
		options->max_disk = machine_memory() / MEMORY_SHARE;
	if (!options->has_max_dumps)
		options->max_dumps = MAX_DUMPS;
	if (options->overwrite && refused)
		option_error(state, "--overwrite: cannot be used with %s", refused);
	if (options->overwrite)
		complete_overwrite(state, options);
	if (!options->enabled && (options->max_files || options->max_disk))
		option_error(state, "%s",
			     options->max_files
				     ? "--max-files: needs --switch-output"
				     : "--max-disk: needs --switch-output or --overwrite");
	if (options->enabled && refused)
		option_error(state, "--switch-output: cannot be used with %s", refused);
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
	struct rotation_options *options = state->input;

	switch (key) {
	case KEY_SWITCH_OUTPUT:
		parse_switch_output(state, argument, options);
		return 0;
	case KEY_OVERWRITE:
		parse_overwrite(state, argument, options);
		return 0;
	case KEY_MAX_FILES:
		options->max_files = (unsigned int)parse_number(state, "--max-files", argument, 1,
								PIECE_MAX, "pieces");
		return 0;
	case KEY_MAX_DUMPS:
		options->has_max_dumps = true;
		options->max_dumps = (unsigned int)parse_number(state, "--max-dumps", argument, 0,
								UINT32_MAX, "dumps");
		return 0;
	case KEY_IN_MEMORY:
		options->in_memory = true;
		return 0;
	case KEY_MAX_DISK:
		options->max_disk = value_of_option(state, &max_disk, argument);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp rotation_argp = { .options = table, .parser = parse_option };
