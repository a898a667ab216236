// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* kmemtrace-import: makes a capture of a recording of another tracer. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/capture.h"
#include "capture/import/import_finish.h"
#include "capture/import/import_source.h"
#include "capture/import/import_symbols.h"
#include "capture/import/import_target.h"
#include "cli/command_line.h"
#include "cli/memory_limit.h"
#include "cli/message.h"
#include "cli/option_table.h"
#include "cli/stop.h"

struct import_options {
	const char *output, *symbols, *release;
	size_t format;			    /* 0: found by content; else 1 + its place in sources */
	const struct import_source *source; /* NULL: found by content */
	bool quiet;
	uint64_t max_memory;
	struct path_arguments arguments;
};

/* In the order in which they are tried: any bytes can look like a relay file. */
static const struct import_source *const sources[] = { &source_trace_cmd, &source_ftrace,
						       &source_perf, &source_kmemtrace };
#define SOURCES (sizeof(sources) / sizeof(*sources))

#define AT(member) OPTION_AT(struct import_options, member)

static const char *format_name(size_t index)
{
	if (!index)
		return "auto";
	return index <= SOURCES ? sources[index - 1]->name : NULL;
}

static void parse_release(struct argp_state *state, const char *text)
{
	if (*text < '0' || *text > '9')
		argp_error(state,
			   "--release: \"%s\" does not begin with a number, as uname -r does",
			   text);
}

static const struct option_row option_rows[] = {
	{ "output", 'o', "DIR",
	  "Write the capture to DIR (default: " CAPTURE_DEFAULT
	  "); an existing capture is moved to DIR.old",
	  AT(output), .kind = ARGUMENT_PATH },
	{ "format", 0, "FORMAT",
	  "Format of the files: kmemtrace (relay files of Linux 2.6.31's kmemtrace, one for each CPU), trace-cmd (a trace.dat), ftrace (the text of the file trace or of trace-cmd report), perf (the text of perf script), or auto (default): detected from their content",
	  AT(format), .kind = ARGUMENT_CHOICE, .word = format_name },
	{ "symbols", 0, "FILE",
	  "The recorded kernel's symbols: its System.map or a copy of its /proc/kallsyms, plain or gzip",
	  AT(symbols) },
	{ "release", 0, "RELEASE",
	  "The release of the recorded kernel, as uname -r prints it (default: the release in the recording, if it has one)",
	  AT(release), .parse = parse_release },
	{ "quiet", 'q', NULL, "Print errors only", AT(quiet) },
	MEMORY_LIMIT_ROW(AT(max_memory)),
	{ .argument = "FILE" },
	{ 0 },
};

static error_t parse_import_arguments(int key, char *argument, struct argp_state *state)
{
	struct import_options *options = state->input;

	(void)argument;
	switch (key) {
	case ARGP_KEY_ARGS:
		parse_paths(state, &options->arguments);
		break;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "no file is named: name the files to import");
		break;
	case ARGP_KEY_SUCCESS:
		options->source = options->format ? sources[options->format - 1] : NULL;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

/* The beginning of a regular file; its size, or -1 after a message. */
static ssize_t peek_input(const char *path, unsigned char *bytes)
{
	struct stat about;
	size_t size;
	FILE *file;

	if (stat(path, &about)) {
		error_msg("%s: %s", path, strerror(errno));
		return -1;
	}
	if (S_ISDIR(about.st_mode)) {
		error_msg("%s: is a directory: name the recorded files", path);
		return -1;
	}
	if (!S_ISREG(about.st_mode)) {
		error_msg("%s: is not a regular file: copy it to one first", path);
		return -1;
	}
	file = fopen(path, "rbe");
	if (!file) {
		error_msg("%s: %s", path, strerror(errno));
		return -1;
	}
	size = fread(bytes, 1, SOURCE_PEEK, file);
	fclose(file);
	return (ssize_t)size;
}

static const struct import_source *find_source(const unsigned char *bytes, size_t size)
{
	for (size_t i = 0; i < SOURCES; i++)
		if (sources[i]->is(bytes, size))
			return sources[i];
	return NULL;
}

static int refuse_unknown(const char *path, const unsigned char *bytes, size_t size)
{
	if (size >= 8 && !memcmp(bytes, "PERFILE2", 8))
		return error_msg(
			"%s: is a perf.data: print it with perf script -i %s --ns --show-lost-events, and import the text",
			path, path);
	return error_msg(
		"%s: is not a relay file of kmemtrace, a trace.dat, or the text of ftrace, trace-cmd report or perf script with kmem events in its first 64 KiB: if it is one, set its format with --format",
		path);
}

/* All files must be of one format; a relay file may be empty. Sets options->source. */
static int detect_source(struct import_options *options)
{
	unsigned char *bytes = malloc(SOURCE_PEEK);
	bool given = options->source, empty = true;
	int status = EXIT_OK;

	if (!bytes)
		return error_msg("%s", strerror(ENOMEM));
	for (size_t i = 0; i < options->arguments.count && status == EXIT_OK; i++) {
		const char *path = options->arguments.paths[i];
		const struct import_source *source;
		ssize_t size = peek_input(path, bytes);

		if (size < 0)
			status = EXIT_TROUBLE;
		empty &= size <= 0;
		if (size <= 0 || given)
			continue;
		source = find_source(bytes, (size_t)size);
		if (!source)
			status = refuse_unknown(path, bytes, (size_t)size);
		else if (options->source && options->source != source)
			status = error_msg(
				"%s: is %s, unlike the files before it: import them one by one",
				path, source->description);
		options->source = source;
	}
	free(bytes);
	if (status == EXIT_OK && empty)
		status = error_msg("%s: is empty: nothing to import", options->arguments.paths[0]);
	if (status == EXIT_OK && options->arguments.count > 1 && !options->source->many)
		status = error_msg(
			"%s: only one file of this format can be imported at a time: their times are not comparable",
			options->arguments.paths[1]);
	return status;
}

/* Prints each line with the prefix. */
static void print_notes(struct import_notes *notes, const char *prefix)
{
	fflush(notes->file);
	for (char *line = notes->text, *end; (end = strchr(line, '\n')); line = end + 1)
		info_msg("%s: %.*s", prefix, (int)(end - line), line);
}

static void print_import(const struct import_options *options, struct import_target *target)
{
	uint64_t lost = 0;

	if (target->impossible)
		import_target_damage(target,
				     "events with an impossible address or size: %" PRIu64
				     ": counted as lost",
				     target->impossible);
	if (target->unknown_sites)
		import_target_note(target, "events without a call site: %" PRIu64,
				   target->unknown_sites);
	if (target->metadata.odd_allocated)
		import_target_note(
			target,
			"kmalloc() of %" PRIu32 " bytes got %" PRIu32
			", the size of no class, as with slab debugging or pages of 64 KiB: the classes of all objects are unknown",
			target->metadata.odd_requested, target->metadata.odd_allocated);
	if (options->quiet) {
		print_notes(&target->damages, "damaged");
		return;
	}
	for (size_t i = 0; i < target->cpu_count; i++)
		lost += target->cpus[i]->lost;
	info_msg("%s: %" PRIu64 " event%s of %zu CPU%s, lost %" PRIu64 ", from %s", options->output,
		 target->events, target->events == 1 ? "" : "s", target->cpu_count,
		 target->cpu_count == 1 ? "" : "s", lost, options->source->description);
	print_notes(&target->damages, "damaged");
	print_notes(&target->notes, "note");
}

static int import_recording(const struct import_options *options, struct directory *directory)
{
	struct import_target target;
	int err, status;

	err = import_target_open(&target, directory, options->source->description);
	if (!err)
		err = options->source->import(&target, options->arguments.paths,
					      options->arguments.count);
	if (!err && options->symbols)
		err = import_symbols_load(&target, options->symbols);
	if (options->release)
		snprintf(target.metadata.release, sizeof(target.metadata.release), "%s",
			 options->release);
	if (!err)
		err = import_finish(&target);
	if (err)
		error_msg("%s", target.error.text);
	else
		print_import(options, &target);
	status = err ? EXIT_TROUBLE : target.damages.size ? EXIT_FINDINGS : EXIT_OK;
	import_target_close(&target);
	return status;
}

/* Added to the status of the child: the library may end the process with a status of its own. */
#define CHILD_STATUS 64

/*
 * In a child process: if the library crashes or loops, the new capture is removed and an error
 * printed.
 */
static int import_isolated(const struct import_options *options, struct directory *directory)
{
	pid_t child = fork();
	int code;

	if (child < 0)
		return error_msg("cannot create a process: %s", strerror(errno));
	if (!child) {
		code = import_recording(options, directory);
		fflush(stderr);
		_exit(CHILD_STATUS + code);
	}
	while (waitpid(child, &code, 0) < 0) {
		if (errno != EINTR)
			return error_msg("%s", strerror(errno));
		kill(child, SIGTERM);
	}
	if (WIFEXITED(code) && WEXITSTATUS(code) >= CHILD_STATUS)
		return WEXITSTATUS(code) - CHILD_STATUS;
	if (WIFEXITED(code))
		return error_msg(
			"%s: the library that reads it ended the process: the file is damaged",
			options->arguments.paths[0]);
	if (WTERMSIG(code) == SIGPROF)
		return error_msg("%s: the library that reads it finds no end: the file is damaged",
				 options->arguments.paths[0]);
	return error_msg("%s: the library that reads it died of signal %d: the file is damaged",
			 options->arguments.paths[0], WTERMSIG(code));
}

static int import_to_directory(const struct import_options *options)
{
	struct directory directory;
	int status;

	if (directory_probe(&directory, options->output) || directory_make(&directory)) {
		status = error_msg("%s", directory.errmsg);
	} else {
		status = options->source->isolated ? import_isolated(options, &directory)
						   : import_recording(options, &directory);
		if (status != EXIT_TROUBLE && directory_commit(&directory))
			status = error_msg("%s", directory.errmsg);
	}
	if (status == EXIT_TROUBLE)
		directory_abandon(&directory);
	directory_deinit(&directory);
	return status;
}

int main(int argc, char **argv)
{
	static const struct option_table option_tables[] = { { .rows = option_rows }, { 0 } };
	static const struct argp argp = {
		.parser = parse_import_arguments,
		.args_doc = "FILE...",
		.doc = "Make a capture from a recording of the kernel's slab allocations by another tracer: relay files of kmemtrace, a trace.dat of trace-cmd, or the text of ftrace, trace-cmd report or perf script.\v"
		       "Exit status: 0 if the recording was imported, 1 if parts of it are damaged and were left out, 2 if it was not imported.\n\n"
		       "Check the capture with kmemtrace-check(1), explain it with kmemtrace-report(1).",
	};
	struct import_options options = { .output = CAPTURE_DEFAULT,
					  .max_memory = MEMORY_LIMIT_DEFAULT };
	int status;

	option_tables_parse(&argp, option_tables, argc, argv, 0, &options);
	memory_limit_set(options.max_memory);
	stop_handle_signals(NULL);
	status = detect_source(&options);
	if (status == EXIT_OK && options.symbols && options.source->has_symbols)
		status = error_msg(
			"--symbols: %s: is %s, which has its own symbols: omit the option",
			options.arguments.paths[0], options.source->description);
	return status == EXIT_OK ? import_to_directory(&options) : status;
}
