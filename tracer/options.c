// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The command line of kmemtraced. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "capture/capture.h"
#include "cli/exit_status.h"
#include "kernel/sampling.h"
#include "live/stats/stats_file.h"
#include "report/render/render.h"
#include "tracer/live_counts.h"
#include "tracer/options.h"
#include "tracer/publish/publish.h"
#include "tracer/system/user_group.h"

#define PROFILE_RING_MIB 1
#define MEMORY_RING_MIB 16
#define PROFILE_SAMPLES 500 /* a second */

#define INTERVAL_MIN 10000000	    /* ns between two readings of --proc-mem */
#define SAMPLE_DEFAULT (512 * 1024) /* bytes */
/* without a given interval, --stacks begins dense, and thins out down to the default */
#define SAMPLE_DENSE (8 * 1024)
#define DENSE_SAMPLES 3000 /* a second */
#define NSEC_PER_SEC 1000000000ULL
#define DURATION_MAX 1000000000ULL /* seconds */
#define MIB (1024 * 1024ULL)

/* A number in a spelling of strtod(), such as 1e3, means seconds. */
static void parse_duration(struct argp_state *state, const char *text)
{
	struct options *options = state->input;
	uint64_t ns = 0;
	double seconds;
	char *end;

	if (!duration_parse(text, strlen(text), &ns)) {
		seconds = strtod(text, &end);
		if (end == text || *end || !(seconds > 0) || seconds > DURATION_MAX)
			seconds = 0;
		ns = (uint64_t)(seconds * NSEC_PER_SEC);
		if (!ns && seconds > 0)
			ns = 1;
	}
	if (!ns || ns > DURATION_MAX * NSEC_PER_SEC)
		option_error(state, "-d: \"%s\" is not a duration above 0: use " DURATION_UNITS,
			     text);
	options->duration_ns = ns;
}

static void parse_ring_mib(struct argp_state *state, const char *text)
{
	struct options *options = state->input;
	uint64_t bytes = 0;

	if (!size_parse(text, MIB, &bytes) || bytes % MIB || bytes < MIB || bytes > 512 * MIB)
		option_error(
			state,
			"-m: \"%s\" is not a number of mebibytes from 1 to 512, nor a size such as 64M",
			text);
	options->ring_mib = (unsigned int)(bytes / MIB);
}

static void parse_pids(struct argp_state *state, const char *text)
{
	struct options *options = state->input;
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

static void parse_probes(struct argp_state *state, const char *text)
{
	struct options *options = state->input;
	struct probe_globs globs = { 0 };
	int err = probe_globs_parse(&globs, text);

	if (err == -EINVAL)
		option_error(state, "--probes: %s", globs.error.text);
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

static void parse_group(struct argp_state *state, const char *text)
{
	struct options *options = state->input;

	if (!*text)
		option_error(state, "--publish-group: the name of the group is empty");
	if (!group_parse(text, &options->publish_group))
		option_error(state, "--publish-group %s: there is no such group", text);
}

static void open_config(struct argp_state *state, const char *path)
{
	struct options *options = state->input;

	config_file_open(&options->config, path);
}

#define AT(member) OPTION_AT(struct options, member)

/* The value of --stacks and --profile. */
#define SAMPLING                                                                            \
	AT(sampling.interval), .kind = ARGUMENT_SIZE, .least = SAMPLING_LEAST,              \
			       .most = SAMPLING_MOST, .all = SAMPLING_EACH, .optional = "", \
			       .words = "512k|64k|all"

static const struct option_row option_rows[] = {
	{ "output", 'o', "DIR",
	  "Write the capture to DIR (default: " CAPTURE_DEFAULT
	  "); rename an existing capture to DIR.old. -: write it to standard output, for kmemtrace-report events -i -",
	  AT(output), .kind = ARGUMENT_PATH },
	{ "duration", 'd', "DURATION",
	  "Stop after DURATION: seconds, or a number with ns, us, ms, s, m, h or d",
	  .parse = parse_duration, .words = "5|10|60" },
	{ "ring-size", 'm', "MIB",
	  "Set the size of each CPU's ring to MIB mebibytes, or a size such as 64M (default: 64, or less, so that all rings together take at most 1/16 of the memory)",
	  .parse = parse_ring_mib, .words = "4|16|64|256" },
	{ "pid", 'p', "PID[,PID...]",
	  "Record only the events of these processes; other processes' frees of their objects are then not observed",
	  .parse = parse_pids },
	{ "probes", 0, "GLOB[,GLOB...]",
	  "Record the events of these probes only, as in 'vm.page*,vm.mmap'; a name of a slab event stands for all slab events (default: all slab events)",
	  .parse = parse_probes, .word = probe_name },
	{ "list-probes", 'L', NULL,
	  "List each probe, with how it can be recorded on this kernel, or why it cannot, and exit",
	  AT(list_probes), .command_line_only = true },
	{ "pack", 'z', NULL,
	  "Pack the capture while writing it, as kmemtrace-pack(1) does: most events then take one to three bytes on disk instead of 48",
	  AT(pack), .excludes = "no-capture" },
	{ "include-self", 0, NULL,
	  "Let reports include the objects that kmemtraced itself allocates", AT(include_self) },
	{ "rescue", 0, NULL,
	  "With -p: attach backup programs to the frees, which record frees that interrupt a free; each free of any process then costs more",
	  AT(rescue), .excludes = "no-rescue" },
	{ "no-rescue", 0, NULL,
	  "Attach no backup programs to the frees: each free costs less, and frees that interrupt a free are only counted",
	  AT(no_rescue) },
	{ "audit", 0, NULL,
	  "Read which objects the slab allocator has given out, as is the default, and say so if that is impossible: reports and published figures then know what was freed without an event",
	  AT(audit), .excludes = "count|profile|no-audit" },
	{ "no-audit", 0, NULL, "Do not read the slab allocator", AT(no_audit) },
	{ "proc-mem", 0, "SECONDS",
	  "Read the memory of all processes at the begin, at the end and every SECONDS, for the functions proc_mem_rss() and the like in reports",
	  AT(proc_mem_ns), OPTION_GIVEN(struct options, proc_mem), .kind = ARGUMENT_DURATION,
	  .least = INTERVAL_MIN, .optional = "", .excludes = "no-capture", .words = "100ms|1|10" },
	{ "stacks", 0, "BYTES",
	  "Record the kernel stack of a random sample of the allocations: on average one for every BYTES of allocated memory, such as 64k (64 to 1G; default: from 8k to 512k, by the load); all: the stack of each allocation",
	  SAMPLING, OPTION_GIVEN(struct options, stacks) },
	{ "user-stacks", 0, NULL,
	  "Also record the user stack of each sample, with the names of its functions; implies --stacks if neither --stacks nor --profile is given",
	  AT(sampling.user_stacks), .excludes = "no-capture" },
	{ "profile", 0, "BYTES",
	  "Record only the sample that --stacks=BYTES takes, with the stacks and the frees of its objects, and count all others: cheap enough to stay on; reports show estimates; implies -z (default: 512k)",
	  SAMPLING, OPTION_GIVEN(struct options, sampling.is_profile) },
	{ "max-samples", 0, "N",
	  "While more than N samples a second are taken, double BYTES repeatedly; 0: never (default: 500 with --profile, 3000 with --stacks without BYTES, else 0)",
	  AT(sampling.most), .kind = ARGUMENT_NUMBER, .most = UINT32_MAX,
	  .unit = "samples a second", .needs = "stacks|user-stacks|profile",
	  .words = "0|100|500|1000" },
	{ "publish", 0, "FILE",
	  "Publish statistics of the running system in FILE (default: " STATS_FILE_PATH
	  "), for programs that use libmemstat(3)",
	  AT(publish), .kind = ARGUMENT_PATH, .optional = STATS_FILE_PATH },
	{ "publish-group", 0, "GROUP", "With --publish: let the members of GROUP read the file",
	  AT(publish_group_name), .parse = parse_group, .needs = "publish" },
	{ "publish-objects", 0, "N",
	  "With --publish, --metrics, --summaries or --trigger: track at most N live objects (1 to 4294967295; default: 4194304); each takes up to 128 bytes of memory",
	  AT(publish_objects), .kind = ARGUMENT_NUMBER, .least = 1, .most = UINT32_MAX,
	  .unit = "objects", .words = "100000|1000000|4194304" },
	{ "publish-base", 0, NULL,
	  "With --publish: programs show all objects in use, including those from before the start",
	  AT(publish_base), .needs = "publish" },
	{ "no-details", 0, NULL,
	  "With --publish: publish no figures by call site, task and cgroup, which kmemtrace-top(1) shows",
	  AT(no_details), .needs = "publish" },
	{ "no-capture", 0, NULL,
	  "With --publish, --metrics, --summaries or --trigger: write no capture", AT(no_capture) },
	{ "config", 0, "FILE",
	  "Take options from FILE too: one in each line, as \"duration = 5\"; those of the command line win. If given several times, the first FILE that exists is used",
	  .kind = ARGUMENT_PATH, .parse = open_config, .command_line_only = true },
	{ "quiet", 'q', NULL, "Print errors and triggers only", AT(quiet) },
	{ "verbose", 'v', NULL,
	  "Print the counters of each CPU at the end, and the messages of libbpf", AT(verbose) },
	{ "doctor", 0, NULL,
	  "Check what this kernel and these privileges allow, print a line for each check, and exit: 0 if a capture is possible, else 1",
	  AT(doctor), .command_line_only = true },
	{ "status", 0, NULL,
	  "List each running kmemtraced of this machine, with its options, counts and sizes, and exit: 0 if one runs, else 1",
	  AT(status), .command_line_only = true },
	{ "memory", 0, NULL,
	  "Say who has the memory of this machine: processes, caches, slab, vmalloc and others, and exit. With -d, and how that changed in this time",
	  AT(memory), .command_line_only = true },
	{ .argument = "COMMAND" },
	{ 0 },
};

static const struct option_table option_tables[] = {
	{ .rows = option_rows },
	{ ship_rows, offsetof(struct options, ship), 1 },
	{ summaries_rows, offsetof(struct options, summaries), 2 },
	{ metrics_rows, offsetof(struct options, metrics), 3 },
	{ rotation_rows, offsetof(struct options, rotation), 4 },
	{ trigger_rows, offsetof(struct options, triggers), 5 },
	{ count_rows, offsetof(struct options, count), 6 },
	{ 0 },
};

static void complete_count(struct argp_state *state, struct options *options)
{
	if (!options->count.enabled)
		return;
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

/* Triggers compare figures of slab events. The trigger oom needs the probe of OOM kills, too. */
static void complete_triggers(struct argp_state *state, struct options *options)
{
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

/* A full capture (--trigger-full) is written beside the profile. */
static void complete_full(struct argp_state *state, const struct options *options)
{
	bool has_profile = options->sampling.is_profile && !options->no_capture && !options->stream;

	if (options->triggers.full && !has_profile)
		option_error(state,
			     "--trigger-full: needs --profile, and a capture in a directory");
}

/* Something must use the readings. */
static void complete_audit(struct argp_state *state, const struct options *options)
{
	if (!options->audit)
		return;
	if (options->stream)
		option_error(state,
			     "--audit: the readings are in no stream: it cannot be used with -o -");
	if (!options->records_slab)
		option_error(state, "--audit: needs slab events: name one of them in --probes");
	if (options->no_capture && !options_aggregate(options))
		option_error(
			state,
			"--audit: with --no-capture, needs --publish, --metrics, --summaries, or a trigger of live bytes or of OOM kills");
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
	if (!options_aggregate(options) && options->publish_objects)
		option_error(
			state,
			"--publish-objects: needs --publish, --metrics, --summaries, or a trigger of live bytes or of OOM kills");
	if (options->no_capture && options->output)
		option_error(state, "-o %s: cannot be used with --no-capture", options->output);
	if (!options->no_capture && !options->output)
		options->output = CAPTURE_DEFAULT;
	if (!options->publish_objects)
		options->publish_objects = PUBLISH_OBJECTS;
	options->stream = options->output && !strcmp(options->output, "-");
	complete_audit(state, options);
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

/* A profile stays on: it begins with the default, and its limit makes it cheaper still. */
static void choose_interval(struct argp_state *state, struct sampling *sampling)
{
	bool has_limit = option_is_given(state, "max-samples");

	sampling->interval = SAMPLE_DEFAULT;
	if (sampling->is_profile || (has_limit && !sampling->most))
		return;
	sampling->interval = SAMPLE_DENSE;
	if (has_limit)
		return;
	sampling->most = DENSE_SAMPLES;
	sampling->interval_most = SAMPLE_DEFAULT;
}

static void complete_sampling(struct argp_state *state, struct options *options)
{
	const char *option = options->sampling.is_profile ? "--profile"
			     : options->stacks		  ? "--stacks"
							  : "--user-stacks";

	if (options->stacks || options->sampling.user_stacks || options->sampling.is_profile)
		if (!options->sampling.interval)
			choose_interval(state, &options->sampling);
	if (options->sampling.interval == SAMPLING_EACH && option_is_given(state, "max-samples"))
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
	if (!options->records_slab)
		option_error(state, "%s: needs slab events: name one of them in --probes", option);
	if (!options->sampling.is_profile)
		return;
	if (!options->ring_mib)
		options->ring_mib = PROFILE_RING_MIB;
	if (!option_is_given(state, "max-samples"))
		options->sampling.most = PROFILE_SAMPLES;
	options->pack = !options->no_capture;
}

static void check_command(struct argp_state *state, const struct options *options)
{
	const char *option = options->doctor	    ? "--doctor"
			     : options->list_probes ? "-L"
			     : options->status	    ? "--status"
			     : options->memory	    ? "--memory"
						    : NULL;

	if (option && options->command)
		option_error(state, "%s: cannot be used with a command: %s", option,
			     options->command[0]);
}

static error_t parse_command(int key, char *arg, struct argp_state *state)
{
	struct options *options = state->input;
	const struct option_parser *parser = state->hook;

	(void)arg;
	switch (key) {
	case ARGP_KEY_ARG:
		/* the first word that is not an option begins the command */
		options->command = state->argv + state->next - 1;
		state->next = state->argc;
		return 0;
	case ARGP_KEY_END:
		/*
		 * only a word on the command line can be meant as the value of an option before it
		 */
		options->no_value = parser->no_value ? parser->no_value->name : NULL;
		config_file_parse(&options->config, state);
		return 0;
	case ARGP_KEY_SUCCESS:
		check_command(state, options);
		complete_sampling(state, options);
		complete_count(state, options);
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

static const char summary[] =
	"Record the slab allocations and frees of the running kernel, until COMMAND ends, DURATION is over, or a signal such as SIGINT or SIGTERM arrives.\v"
	"Exit status: that of COMMAND, or 0 without a command; 1 if --doctor finds that no capture is possible; 2 if the capture could not be made or is not complete.\n\n"
	"Check a capture with kmemtrace-check(1), and read it with kmemtrace-report(1).";

void options_init(struct options *options)
{
	*options = (struct options){
		.publish_group = (gid_t)-1,
		.records_slab = true,
		.metrics = { .interval_ns = METRICS_INTERVAL_DEFAULT,
			     .top = METRICS_TOP_DEFAULT,
			     .owners = METRICS_OWNERS_DEFAULT },
		.summaries = { .directory = SUMMARIES_DIRECTORY,
			       .keep_ns = SUMMARIES_KEEP_DEFAULT,
			       .role = "" },
		.rotation.max_dumps = MAX_DUMPS_DEFAULT,
		.triggers.pause_ns = TRIGGER_PAUSE_DEFAULT,
		.count = { .groups = LIVE_COUNTS_GROUPS, .renderer = &renderer_text },
	};
}

void options_parse(struct options *options, int argc, char **argv)
{
	static const struct argp argp = {
		.args_doc = "[--] [COMMAND [ARG...]]",
		.parser = parse_command,
		.doc = summary,
	};

	options_init(options);
	options->argv = argv;
	option_tables_parse(&argp, option_tables, argc, argv, ARGP_IN_ORDER, options);
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
