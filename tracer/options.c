// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The command line of kmemtraced: one argp table. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/capture.h"
#include "cli/command_line.h"
#include "cli/value_range.h"
#include "cli/exit_status.h"
#include "kernel/sampling.h"
#include "live/stats/stats_file.h"
#include "tracer/option_values.h"
#include "tracer/options.h"
#include "tracer/publish/publish.h"
#include "tracer/system/user_group.h"

#define PROFILE_RING_MIB 1
#define MEMORY_RING_MIB 16
#define PROFILE_SAMPLES 500 /* a second */

enum {
	KEY_INCLUDE_SELF = 256,
	KEY_RESCUE,
	KEY_NO_RESCUE,
	KEY_PUBLISH,
	KEY_PUBLISH_GROUP,
	KEY_PUBLISH_OBJECTS,
	KEY_PUBLISH_BASE,
	KEY_NO_DETAILS,
	KEY_NO_CAPTURE,
	KEY_PROC_MEM,
	KEY_DOCTOR,
	KEY_PROBES,
	KEY_STACKS,
	KEY_USER_STACKS,
	KEY_PROFILE,
	KEY_MAX_SAMPLES,
	KEY_CONFIG,
	KEY_STATUS,
};

static const struct argp_option table[] = {
	{ "output", 'o', "DIR", 0,
	  "Write the capture to DIR (default: " CAPTURE_DEFAULT
	  "); rename an existing capture to DIR.old. -: write it to standard output, for kmemtrace-report events -i -",
	  0 },
	{ "duration", 'd', "DURATION", 0,
	  "Stop after DURATION: seconds, or a number with ns, us, ms, s, m, h or d", 0 },
	{ "ring-size", 'm', "MIB", 0,
	  "Set the size of each CPU's ring to MIB mebibytes, or a size such as 64M (default: 64, or less, so that all rings together take at most 1/16 of the memory)",
	  0 },
	{ "pid", 'p', "PID[,PID...]", 0,
	  "Record only the events of these processes; other processes' frees of their objects are then not observed",
	  0 },
	{ "probes", KEY_PROBES, "GLOB[,GLOB...]", 0,
	  "Record the events of these probes only, as in 'vm.page*,vm.mmap'; a name of a slab event stands for all slab events (default: all slab events)",
	  0 },
	{ "list-probes", 'L', NULL, 0,
	  "List each probe, with how this kernel takes it, or why it does not, and exit", 0 },
	{ "pack", 'z', NULL, 0,
	  "Pack the capture while writing it, as kmemtrace-pack(1) does: most events then take one to three bytes on disk instead of 48",
	  0 },
	{ "include-self", KEY_INCLUDE_SELF, NULL, 0,
	  "Let reports include the objects that kmemtraced itself allocates", 0 },
	{ "rescue", KEY_RESCUE, NULL, 0,
	  "With -p: attach backup programs to the frees, which record frees that interrupt a free; each free of any process then costs more",
	  0 },
	{ "no-rescue", KEY_NO_RESCUE, NULL, 0,
	  "Attach no backup programs to the frees: each free costs less, and frees that interrupt a free are only counted",
	  0 },
	{ "proc-mem", KEY_PROC_MEM, "SECONDS", OPTION_ARG_OPTIONAL,
	  "Read the memory of all processes at the begin, at the end and every SECONDS, for the functions proc_mem_rss() and the like in reports",
	  0 },
	{ "stacks", KEY_STACKS, "BYTES", OPTION_ARG_OPTIONAL,
	  "Record the kernel stack of a random sample of the allocations: one in each BYTES that are allocated, such as 64k (64 to 1G; default: 512k); all: the stack of each allocation",
	  0 },
	{ "user-stacks", KEY_USER_STACKS, NULL, 0,
	  "Record the stack of the process too, with the names of its functions; without --stacks or --profile, as if --stacks was given",
	  0 },
	{ "profile", KEY_PROFILE, "BYTES", OPTION_ARG_OPTIONAL,
	  "Record only the sample that --stacks=BYTES takes, with the stacks and the frees of its objects, and count all others: cheap enough to stay on; reports show estimates; implies -z (default: 512k)",
	  0 },
	{ "max-samples", KEY_MAX_SAMPLES, "N", 0,
	  "While more than N samples a second come, double BYTES, again and again; 0: never (default: 500 with --profile, else 0)",
	  0 },
	{ "publish", KEY_PUBLISH, "FILE", OPTION_ARG_OPTIONAL,
	  "Publish statistics of the running system in FILE (default: " STATS_FILE_PATH
	  "), for programs that use libmemstat(3)",
	  0 },
	{ "publish-group", KEY_PUBLISH_GROUP, "GROUP", 0,
	  "With --publish: let the members of GROUP read the file", 0 },
	{ "publish-objects", KEY_PUBLISH_OBJECTS, "N", 0,
	  "With --publish, --metrics, --summaries or --trigger: track at most N live objects (1 to 4294967295; default: 4194304); each takes up to 128 bytes of memory",
	  0 },
	{ "publish-base", KEY_PUBLISH_BASE, NULL, 0,
	  "With --publish: programs show what is in use, also what was allocated before the start",
	  0 },
	{ "no-details", KEY_NO_DETAILS, NULL, 0,
	  "With --publish: publish no figures by call site, task and cgroup, which kmemtrace-top(1) shows",
	  0 },
	{ "no-capture", KEY_NO_CAPTURE, NULL, 0,
	  "With --publish, --metrics, --summaries or --trigger: write no capture", 0 },
	{ "config", KEY_CONFIG, "FILE", 0,
	  "Take options from FILE too: one in each line, as \"duration = 5\"; those of the command line win. Given several times: the first FILE that exists",
	  0 },
	{ "quiet", 'q', NULL, 0, "Print errors only", 0 },
	{ "verbose", 'v', NULL, 0,
	  "Print the counters of each CPU at the end, and the messages of libbpf", 0 },
	{ "doctor", KEY_DOCTOR, NULL, 0,
	  "Check what this kernel and these privileges allow, print a line for each check, and exit: 0 if a capture is possible, else 1",
	  0 },
	{ "status", KEY_STATUS, NULL, 0,
	  "List each running kmemtraced of this machine, with its options, counts and sizes, and exit: 0 if one runs, else 1",
	  0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static const char summary[] =
	"Record the slab allocations and frees of the running kernel, until COMMAND ends, DURATION is over, or a signal such as SIGINT or SIGTERM arrives.\v"
	"Exit status: that of COMMAND, or 0 without a command; 1 if --doctor finds that no capture is possible; 2 if the capture could not be made or is not complete.\n\n"
	"Check a capture with kmemtrace-check(1), and read it with kmemtrace-report(1).";

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
			option_error(
				state,
				"-p %s: process ids must be numbers above 0, separated by commas: pgrep -d, NAME prints those of a name",
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

static void complete_count(struct argp_state *state, struct options *options)
{
	if (!options->count.enabled) {
		count_options_check_disabled(state, &options->count, options->status);
		return;
	}
	if (options->output || options->pack || options->publish || options->metrics.path ||
	    options->summaries.interval_ns || options->triggers.count || options->ring_mib ||
	    options->proc_mem || options->sampling.interval)
		option_error(
			state,
			"--count writes no capture: it cannot be used with -o, -z, -m, --publish, --metrics, --summaries, --trigger, --proc-mem, --stacks, --user-stacks or --profile");
	count_options_complete(state, &options->count, options->probes_text);
	options->no_capture = true;
	options->ring_mib = 1; /* its memory is the table of counts */
}

static void parse_probes(struct argp_state *state, const char *text, struct options *options)
{
	struct probe_globs globs = { 0 };
	int err = probe_globs_parse(&globs, text);

	if (err == -EINVAL)
		option_error(state, "--probes: %s", globs.errmsg);
	if (err)
		argp_failure(state, EXIT_TROUBLE, -err, "--probes %s", text);
	options->has_probes = true;
	options->probes_text = text;
	for (unsigned int probe = 0; probe < PROBES; probe++)
		options->probes[probe] = options->named[probe] = probe_globs_take(&globs, probe);
	/* a free belongs to an allocation, whose probe may be another */
	options->records_slab = false;
	for (unsigned int probe = 0; probe < PROBE_SLAB_END; probe++)
		options->records_slab |= options->probes[probe];
	for (size_t i = 0; i < globs.count; i++)
		options->records_slab |= globs.list[i].is_dtrace;
	for (unsigned int probe = 0; probe < PROBE_SLAB_END; probe++)
		options->probes[probe] = options->records_slab;
	probe_globs_deinit(&globs);
}

/* The triggers have the figures of slab events; that of OOM kills needs their probe. */
static void complete_triggers(struct argp_state *state, struct options *options)
{
	trigger_options_complete(state, &options->triggers);
	if (trigger_options_need_figures(&options->triggers) && !options->records_slab)
		option_error(
			state,
			"--trigger: live bytes need slab events: name one of them in --probes");
	if (!trigger_options_have(&options->triggers, TRIGGER_OOM))
		return;
	if (options->pid_count)
		option_error(
			state,
			"--trigger oom: cannot be used with -p: any process may be current when the kernel kills one");
	for (unsigned int probe = 0; probe < PROBE_SLAB_END; probe++)
		options->probes[probe] |= !options->has_probes;
	options->probes[PROBE_OOM_KILL] = options->named[PROBE_OOM_KILL] = true;
	options->has_probes = true;
}

/* It is written beside the profile. */
static void complete_full(struct argp_state *state, const struct options *options)
{
	bool has_profile = options->sampling.is_profile && !options->no_capture && !options->stream;

	if (options->triggers.full && !has_profile)
		option_error(state,
			     "--trigger-full: needs --profile, and a capture in a directory");
}

/* Checks the options that need, or exclude, another option; sets defaults. */
static void complete_publish(struct argp_state *state, struct options *options)
{
	if (options->publish && !options->records_slab)
		option_error(state, "--publish: needs slab events: name one of them in --probes");
	if (options->metrics.path && !options->records_slab)
		option_error(state, "--metrics: needs slab events: name one of them in --probes");
	if (options->summaries.interval_ns && !options->records_slab)
		option_error(state, "--summaries: needs slab events: name one of them in --probes");
	if (options->summaries.interval_ns && options->pid_count)
		option_error(state,
			     "--summaries: are of the whole machine: they cannot be used with -p");
	if (!options->publish && !options->metrics.path && !options->summaries.interval_ns &&
	    !options->triggers.count && options->no_capture && !options->count.enabled)
		option_error(state,
			     "--no-capture: needs --publish, --metrics, --summaries or --trigger");
	if (!options->publish && options->publish_group != (gid_t)-1)
		option_error(state, "--publish-group: needs --publish");
	if (!options_aggregate(options) && options->publish_objects)
		option_error(
			state,
			"--publish-objects: needs --publish, --metrics, --summaries, or a trigger of live bytes or of OOM kills");
	if (!options->publish && options->no_details)
		option_error(state, "--no-details: needs --publish");
	if (!options->publish && options->publish_base)
		option_error(state, "--publish-base: needs --publish");
	if (options->no_capture && options->output)
		option_error(state, "-o %s: cannot be used with --no-capture", options->output);
	if (options->no_capture && options->pack)
		option_error(state, "-z: cannot be used with --no-capture");
	if (!options->no_capture && !options->output)
		options->output = CAPTURE_DEFAULT;
	if (!options->publish_objects)
		options->publish_objects = PUBLISH_OBJECTS;
	options->stream = options->output && !strcmp(options->output, "-");
	if (options->stream && isatty(STDOUT_FILENO))
		option_error(
			state,
			"-o -: standard output is a terminal: pipe it into kmemtrace-report events -i -");
}

/* The option that excludes --switch-output; NULL: none. */
static const char *options_no_pieces(const struct options *options)
{
	if (options->count.enabled)
		return "--count";
	if (options->no_capture)
		return "--no-capture";
	return options->stream ? "-o -" : NULL;
}

static void complete_sampling(struct argp_state *state, struct options *options)
{
	const char *option = options->sampling.is_profile ? "--profile"
			     : options->stacks		  ? "--stacks"
							  : "--user-stacks";

	if (options->sampling.user_stacks && !options->sampling.interval)
		options->sampling.interval = SAMPLE_DEFAULT;

	if (!options->sampling.interval && options->has_limit)
		option_error(state, "--max-samples: needs --stacks, --user-stacks or --profile");
	if (options->sampling.interval == SAMPLING_EACH && options->has_limit)
		option_error(state, "--max-samples: cannot be used with %s=all", option);
	if (!options->sampling.interval)
		return;
	if (options->stacks && options->sampling.is_profile)
		option_error(state, "--profile: has stacks: it cannot be used with --stacks");
	if (options->sampling.is_profile && options->publish && options->no_details)
		option_error(
			state,
			"--profile: publishes estimates by stack, with the details: it cannot be used with --publish and --no-details");
	if (options->sampling.is_profile &&
	    (options->summaries.by[SUMMARY_CGROUP] || options->summaries.by[SUMMARY_COMM]))
		option_error(
			state,
			"--summaries-by: counts each allocation: it cannot be used with --profile");
	if (options->sampling.is_profile && options->rescue)
		option_error(state,
			     "--profile: has no backup programs: it cannot be used with --rescue");
	if (options->no_capture && !options->sampling.is_profile &&
	    (!options->publish || options->no_details))
		option_error(
			state,
			"%s: cannot be used with --no-capture, unless with --publish, which publishes the stacks with the details",
			option);
	if (options->no_capture && options->sampling.user_stacks)
		option_error(state, "--user-stacks: cannot be used with --no-capture");
	if (!options->records_slab)
		option_error(state, "%s: needs slab events: name one of them in --probes", option);
	if (!options->sampling.is_profile)
		return;
	if (!options->ring_mib)
		options->ring_mib = PROFILE_RING_MIB;
	if (!options->has_limit)
		options->sampling.most = PROFILE_SAMPLES;
	options->pack = !options->no_capture;
}

static const struct argp argp;

/* Only what is behind an option on the command line can be meant as its value. */
static void parse_config(struct argp_state *state, struct options *options)
{
	static const char *const command_line_only[] = { "config",  "doctor", "list-probes",
							 "status",  "help",   "usage",
							 "version", NULL };
	const char *no_value = options->no_value;

	config_file_parse(&options->config, &argp, state, command_line_only);
	options->no_value = no_value;
}

static void check_command(struct argp_state *state, const struct options *options)
{
	const char *option = options->doctor	    ? "--doctor"
			     : options->list_probes ? "-L"
			     : options->status	    ? "--status"
						    : NULL;

	if (option && options->command)
		option_error(state, "%s: cannot be used with a command: %s", option,
			     options->command[0]);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *options = state->input;

	switch (key) {
	case 'o':
		options->output = parse_path(state, "-o", arg);
		return 0;
	case 'd':
		options->duration_ns = parse_duration(state, arg);
		return 0;
	case 'm':
		options->ring_mib = parse_ring_mib(state, arg);
		return 0;
	case 'p':
		parse_pids(state, arg, options);
		return 0;
	case KEY_PROBES:
		parse_probes(state, arg, options);
		return 0;
	case 'L':
		options->list_probes = true;
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
		options->no_value = arg ? NULL : "--publish";
		return 0;
	case KEY_PUBLISH_GROUP:
		if (!*arg)
			option_error(state, "--publish-group: the name of the group is empty");
		options->publish_group_name = arg;
		if (!group_parse(arg, &options->publish_group))
			option_error(state, "--publish-group %s: there is no such group", arg);
		return 0;
	case KEY_NO_DETAILS:
		options->no_details = true;
		return 0;
	case KEY_PUBLISH_BASE:
		options->publish_base = true;
		return 0;
	case KEY_PUBLISH_OBJECTS:
		options->publish_objects = (size_t)parse_number(state, "--publish-objects", arg, 1,
								UINT32_MAX, "objects");
		return 0;
	case KEY_PROC_MEM:
		options->proc_mem = true;
		options->proc_mem_ns = arg ? value_of_option(state, &proc_mem_interval, arg) : 0;
		options->no_value = arg ? NULL : "--proc-mem";
		return 0;
	case KEY_STACKS:
		options->stacks = true;
		options->sampling.interval = parse_sampling(state, "--stacks", arg);
		options->no_value = arg ? NULL : "--stacks";
		return 0;
	case KEY_USER_STACKS:
		options->sampling.user_stacks = true;
		return 0;
	case KEY_PROFILE:
		options->sampling.is_profile = true;
		options->sampling.interval = parse_sampling(state, "--profile", arg);
		options->no_value = arg ? NULL : "--profile";
		return 0;
	case KEY_MAX_SAMPLES:
		options->has_limit = true;
		options->sampling.most = (uint32_t)parse_number(state, "--max-samples", arg, 0,
								UINT32_MAX, "samples a second");
		return 0;
	case KEY_NO_CAPTURE:
		options->no_capture = true;
		return 0;
	case KEY_CONFIG:
		config_file_open(&options->config, parse_path(state, "--config", arg));
		return 0;
	case KEY_STATUS:
		options->status = true;
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
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->metrics;
		state->child_inputs[1] = &options->summaries;
		state->child_inputs[2] = &options->ship;
		state->child_inputs[3] = &options->rotation;
		state->child_inputs[4] = &options->triggers;
		state->child_inputs[5] = &options->count;
		options->summaries.no_value = &options->no_value;
		return 0;
	case ARGP_KEY_ARG:
		/* the first word that is not an option begins the command */
		options->command = state->argv + state->next - 1;
		state->next = state->argc;
		return 0;
	case ARGP_KEY_END:
		parse_config(state, options);
		check_command(state, options);
		if (options->proc_mem && options->no_capture)
			option_error(state, "--proc-mem: cannot be used with --no-capture");
		complete_sampling(state, options);
		if (options->rescue && options->no_rescue)
			option_error(state, "--rescue: cannot be used with --no-rescue");
		complete_count(state, options);
		metrics_options_complete(state, &options->metrics);
		ship_options_complete(state, &options->ship, options->summaries.interval_ns);
		summaries_options_complete(state, &options->summaries);
		complete_triggers(state, options);
		complete_publish(state, options);
		complete_full(state, options);
		rotation_options_complete(state, &options->rotation, options_no_pieces(options));
		if (options->rotation.in_memory) {
			options->pack = true;
			if (!options->ring_mib)
				options->ring_mib = MEMORY_RING_MIB;
		}
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = { { &metrics_argp, 0, NULL, 5 },
					      { &summaries_argp, 0, NULL, 5 },
					      { &ship_argp, 0, NULL, 5 },
					      { &rotation_argp, 0, NULL, 6 },
					      { &trigger_argp, 0, NULL, 7 },
					      { &count_argp, 0, NULL, 10 },
					      { 0 } };
static const struct argp argp = {
	.children = children,
	.options = table,
	.parser = parse_option,
	.args_doc = "[--] [COMMAND [ARG...]]",
	.doc = summary,
};

void options_parse(struct options *options, int argc, char **argv)
{
	memset(options, 0, sizeof(*options));
	options->publish_group = (gid_t)-1;
	options->records_slab = true;
	options->argv = argv;
	parse_command_line(&argp, argc, argv, ARGP_IN_ORDER, options);
}

const char *options_no_backup_reason(const struct options *options)
{
	if (options->no_rescue)
		return "--no-rescue was given";
	if (options->pid_count && !options->rescue)
		return "with -p, backup programs need --rescue";
	return NULL;
}

void options_deinit(struct options *options)
{
	free(options->pids);
	config_file_deinit(&options->config);
	count_options_deinit(&options->count);
}
