// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The command line of kmemtraced: one argp table. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "capture/capture.h"
#include "cli/command_line.h"
#include "cli/exit_status.h"
#include "tracer/group.h"
#include "tracer/options.h"
#include "tracer/publish.h"

#define NSEC_PER_SEC 1000000000ULL
#define DURATION_MAX 1000000000ULL /* seconds */
#define MIB (1024 * 1024ULL)

enum {
	KEY_INCLUDE_SELF = 256,
	KEY_RESCUE,
	KEY_NO_RESCUE,
	KEY_PUBLISH,
	KEY_PUBLISH_GROUP,
	KEY_PUBLISH_OBJECTS,
	KEY_NO_CAPTURE,
	KEY_DOCTOR,
};

static const struct argp_option table[] = {
	{ "output", 'o', "DIR", 0,
	  "Write the capture to DIR (default: " CAPTURE_DEFAULT "); "
	  "a capture that is there is moved to DIR.old",
	  0 },
	{ "duration", 'd', "SECONDS", 0,
	  "Stop after SECONDS (fractions allowed), or a number with ns, us, ms, s, m or h", 0 },
	{ "ring-size", 'm', "MIB", 0,
	  "Give the ring of each CPU MIB mebibytes, or a size such as 64M (default: 64, or less "
	  "where all rings together would pass 1/16 of the memory)",
	  0 },
	{ "pid", 'p', "PID[,PID...]", 0,
	  "Record only the events of these processes; frees by others "
	  "are then not observed",
	  0 },
	{ "pack", 'z', NULL, 0,
	  "Pack the capture while it is written, as kmemtrace-pack(1) does: an event then takes "
	  "one to three bytes of disk instead of 48, mostly",
	  0 },
	{ "include-self", KEY_INCLUDE_SELF, NULL, 0,
	  "Let reports count the objects that kmemtraced "
	  "itself allocates",
	  0 },
	{ "rescue", KEY_RESCUE, NULL, 0,
	  "With -p: attach second programs to the frees all the same, which record those that "
	  "interrupt another; every free of any process then costs more",
	  0 },
	{ "no-rescue", KEY_NO_RESCUE, NULL, 0,
	  "Attach no second programs to the frees: each free costs less, and those that "
	  "interrupt another are counted only",
	  0 },
	{ "publish", KEY_PUBLISH, "FILE", OPTION_ARG_OPTIONAL,
	  "Keep the figures of the running system in FILE (default: " STATS_FILE_PATH "), "
	  "for programs that use libmemstat(3)",
	  0 },
	{ "publish-group", KEY_PUBLISH_GROUP, "GROUP", 0,
	  "Let the members of GROUP read that file, beside its owner", 0 },
	{ "publish-objects", KEY_PUBLISH_OBJECTS, "N", 0,
	  "Follow at most N live objects for it (1 to 4294967295; default: 4194304), which take "
	  "up to 128 bytes of memory each",
	  0 },
	{ "no-capture", KEY_NO_CAPTURE, NULL, 0,
	  "With --publish: publish only, and write no capture", 0 },
	{ "quiet", 'q', NULL, 0, "Print errors only", 0 },
	{ "verbose", 'v', NULL, 0, "Print the figures of each CPU at the end, and what libbpf says",
	  0 },
	{ "doctor", KEY_DOCTOR, NULL, 0,
	  "Say, line by line, what this kernel and these privileges "
	  "allow, and exit: 0 if a capture is possible, else 1",
	  0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static const char summary[] =
	"Record the slab allocations and frees of the running kernel, until COMMAND ends, SECONDS "
	"have passed, or SIGINT or SIGTERM arrives.\v"
	"Exit status: that of COMMAND, else 0; 1 if --doctor finds that no capture is possible; "
	"2 if the capture could not be made or is not whole.\n\n"
	"Check a capture with kmemtrace-check(1), explain it with kmemtrace-report(1).";

/* Spellings of strtod(), such as 1e3, mean seconds as they always have. */
static void parse_duration(struct argp_state *state, const char *text, uint64_t *ns)
{
	double seconds;
	char *end;

	if (!duration_parse(text, strlen(text), ns)) {
		seconds = strtod(text, &end);
		if (end == text || *end || !(seconds > 0) || seconds > DURATION_MAX)
			seconds = 0;
		*ns = (uint64_t)(seconds * NSEC_PER_SEC);
		if (!*ns && seconds > 0)
			*ns = 1;
	}
	if (!*ns || *ns > DURATION_MAX * NSEC_PER_SEC)
		argp_error(state, "-d: \"%s\" is not a duration above 0: use " DURATION_UNITS,
			   text);
}

static unsigned int parse_ring(struct argp_state *state, const char *text)
{
	uint64_t bytes = 0;

	if (!size_parse(text, MIB, &bytes) || bytes % MIB || bytes < MIB || bytes > 512 * MIB)
		argp_error(state, "-m: \"%s\" is not a number of mebibytes from 1 to 512", text);
	return (unsigned int)(bytes / MIB);
}

static void parse_pids(struct argp_state *state, const char *text, struct options *options)
{
	const char *at = text;
	unsigned long value;
	uint32_t *more;
	char *end;

	for (;;) {
		errno = 0;
		value = strtoul(at, &end, 10);
		if (*at < '0' || *at > '9' || errno || value < 1 || value > INT32_MAX ||
		    (*end && *end != ','))
			argp_error(state,
				   "-p %s: process ids are numbers above 0, with commas between",
				   text);
		more = realloc(options->pids, (options->pid_count + 1) * sizeof(*more));
		if (!more)
			argp_failure(state, EXIT_TROUBLE, ENOMEM, "-p %s", text);
		options->pids = more;
		options->pids[options->pid_count++] = value;
		if (!*end)
			return;
		at = end + 1;
	}
}

/* What makes sense only with another option, or not with it. */
static void complete_publish(struct argp_state *state, struct options *options)
{
	if (!options->publish && options->no_capture)
		argp_error(state, "--no-capture: nothing is left to do without --publish");
	if (!options->publish && options->publish_group != (gid_t)-1)
		argp_error(state, "--publish-group: nothing is published without --publish");
	if (!options->publish && options->publish_objects)
		argp_error(state, "--publish-objects: nothing is published without --publish");
	if (options->no_capture && options->output)
		argp_error(state, "-o %s: there is no capture with --no-capture", options->output);
	if (options->no_capture && options->pack)
		argp_error(state, "-z: there is no capture with --no-capture");
	if (!options->no_capture && !options->output)
		options->output = CAPTURE_DEFAULT;
	if (!options->publish_objects)
		options->publish_objects = PUBLISH_OBJECTS;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *options = state->input;

	switch (key) {
	case 'o':
		options->output = parse_path(state, "-o", arg);
		return 0;
	case 'd':
		parse_duration(state, arg, &options->duration_ns);
		return 0;
	case 'm':
		options->ring_mib = parse_ring(state, arg);
		return 0;
	case 'p':
		parse_pids(state, arg, options);
		return 0;
	case 'z':
		options->pack = true;
		return 0;
	case KEY_INCLUDE_SELF:
		options->include_self = true;
		return 0;
	case KEY_RESCUE:
		options->rescue = true;
		return 0;
	case KEY_NO_RESCUE:
		options->no_rescue = true;
		return 0;
	case KEY_PUBLISH:
		options->publish = arg ? parse_path(state, "--publish", arg) : STATS_FILE_PATH;
		options->publish_default = !arg;
		return 0;
	case KEY_PUBLISH_GROUP:
		if (!*arg)
			argp_error(state, "--publish-group=: a group must be named");
		options->publish_group_name = arg;
		if (!group_parse(arg, &options->publish_group))
			argp_error(state, "--publish-group %s: there is no such group", arg);
		return 0;
	case KEY_PUBLISH_OBJECTS:
		options->publish_objects = (size_t)parse_number(state, "--publish-objects", arg, 1,
								UINT32_MAX, "objects");
		return 0;
	case KEY_NO_CAPTURE:
		options->no_capture = true;
		return 0;
	case 'q':
		options->quiet = true;
		return 0;
	case 'v':
		options->verbose = true;
		return 0;
	case KEY_DOCTOR:
		options->doctor = true;
		return 0;
	case ARGP_KEY_ARG:
		/* the first word that is no option begins the command: all that follows is its own
		 */
		options->command = state->argv + state->next - 1;
		state->next = state->argc;
		return 0;
	case ARGP_KEY_END:
		if (options->doctor && options->command)
			argp_error(state, "--doctor: runs no command: %s", options->command[0]);
		if (options->rescue && options->no_rescue)
			argp_error(state,
				   "--rescue: --no-rescue asks for the opposite: give one of "
				   "them");
		complete_publish(state, options);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

void options_parse(struct options *options, int argc, char **argv)
{
	static const struct argp argp = {
		.options = table,
		.parser = parse_option,
		.args_doc = "[--] [COMMAND [ARG...]]",
		.doc = summary,
	};

	memset(options, 0, sizeof(*options));
	options->publish_group = (gid_t)-1;
	parse_command_line(&argp, argc, argv, ARGP_IN_ORDER, options);
}

const char *options_no_backup_reason(const struct options *options)
{
	if (options->no_rescue)
		return "--no-rescue was given";
	if (options->pid_count && !options->rescue)
		return "with -p only --rescue asks for second programs";
	return NULL;
}

void options_deinit(struct options *options)
{
	free(options->pids);
}
