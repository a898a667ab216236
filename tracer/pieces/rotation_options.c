// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The options of --switch-output. */
#include "config.h"

#include <string.h>

#include "base/number.h"
#include "tracer/load/machine.h"
#include "tracer/pieces/piece_set.h"
#include "tracer/pieces/rotation_options.h"

#define AGE_LEAST 100000000ULL /* ns */
#define PIECE_LEAST (64ULL << 10)
#define OVERWRITE_PIECES 8U
#define MEMORY_SHARE 8 /* of the memory of the machine, for pieces in memory */
#define DISK_LEAST (32ULL << 20)

static void parse_switch_output(struct argp_state *state, const char *text)
{
	struct rotation_options *options = state->input;

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
 * A piece has an eighth of the age or size. An age keeps eight whole pieces beside the present one,
 * a size keeps seven.
 */
static void parse_overwrite(struct argp_state *state, const char *text)
{
	struct rotation_options *options = state->input;
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

#define AT(member) OPTION_AT(struct rotation_options, member)

const struct option_row rotation_rows[] = {
	{ .help = "Pieces, for a capture without an end:" },
	{ "switch-output", 0, "SIZE|AGE",
	  "Make DIR a set of captures, its pieces, and begin the next piece when the streams of the present one have SIZE bytes (a number with k, M or G), or when it is AGE old (a number with s, m, h or d), or at SIGUSR2; signal: at SIGUSR2 only",
	  .parse = parse_switch_output, .words = "100M|1G|1m|10m|1h|1d|signal" },
	{ "overwrite", 0, "SIZE|AGE",
	  "Be a flight recorder: keep the last SIZE bytes of the streams, or the last AGE, in such a set, and write these pieces to DIR.dump.TIME at SIGUSR2 and when a --trigger fires",
	  .parse = parse_overwrite, .excludes = "switch-output|max-files",
	  .words = "100M|1G|10m|1h" },
	{ "max-files", 0, "N",
	  "Keep at most N pieces, including the present one: remove the oldest", AT(max_files),
	  .kind = ARGUMENT_NUMBER, .least = 1, .most = PIECE_MAX, .unit = "pieces",
	  .needs = "switch-output", .words = "10|60|168" },
	{ "max-disk", 0, "SIZE",
	  "Keep DIR, with its dumps, below SIZE bytes on disk, at least 32M: remove the oldest dumps and pieces, and begin the next piece earlier if needed",
	  AT(max_disk), .kind = ARGUMENT_SIZE, .least = DISK_LEAST,
	  .needs = "switch-output|overwrite", .words = "1G|10G|100G" },
	{ "max-dumps", 0, "N",
	  "With --overwrite: keep at most N dumps, and remove the oldest; 0: keep all (default: 10)",
	  AT(max_dumps), .kind = ARGUMENT_NUMBER, .most = UINT32_MAX, .unit = "dumps",
	  .needs = "overwrite", .words = "1|10|100" },
	{ "in-memory", 0, NULL,
	  "With --overwrite: keep the pieces in memory, packed, and write them to disk only as dumps, one of them at the end; --max-disk limits this memory (default: 1/8 of all)",
	  AT(in_memory), .needs = "overwrite" },
	{ 0 },
};

/* In place of --switch-output and --max-files. */
static void complete_overwrite(struct rotation_options *options)
{
	options->enabled = true;
	options->age_ns = options->overwrite_age_ns / OVERWRITE_PIECES;
	options->bytes = options->overwrite_bytes / OVERWRITE_PIECES;
	options->max_files = OVERWRITE_PIECES + (options->age_ns ? 1 : 0);
}

void rotation_options_complete(struct argp_state *state, struct rotation_options *options,
			       const char *refused)
{
	if (options->in_memory && !options->max_disk)
		options->max_disk = machine_memory() / MEMORY_SHARE;
	if (refused && (options->overwrite || options->enabled))
		option_error(state, "%s: cannot be used with %s",
			     options->overwrite ? "--overwrite" : "--switch-output", refused);
	if (options->overwrite)
		complete_overwrite(options);
}
