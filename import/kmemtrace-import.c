// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* kmemtrace-import: makes a capture of what another recorder recorded. */
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

#include "cli/command_line.h"
#include "cli/message.h"
#include "cli/stop.h"
#include "import/source.h"
#include "import/import_target.h"
#include "capture/capture.h"

struct options {
	const char *output, *symbols, *release;
	const struct source *source; /* NULL: found by content */
	bool quiet;
	struct path_arguments arguments;
};

/* trace-cmd's and perf's begin with marks of their own; anything may be a relay file. */
static const struct source *const sources[] = { &source_trace_cmd, &source_perf,
						&source_kmemtrace };
#define SOURCES (sizeof(sources) / sizeof(*sources))

enum option_key {
	OPTION_FORMAT = 0x100,
	OPTION_SYMBOLS,
	OPTION_RELEASE,
};

static const struct argp_option option_table[] = {
	{ "output", 'o', "DIR", 0,
	  "Write the capture to DIR (default: " CAPTURE_DEFAULT "); a capture that is there is "
	  "moved to DIR.old",
	  0 },
	{ "format", OPTION_FORMAT, "FORMAT", 0,
	  "What the files are: kmemtrace (relay files of Linux 2.6.31's kmemtrace, one for each "
	  "CPU), trace-cmd (a trace.dat), perf (the text of perf script), or auto (default): "
	  "found by their content",
	  0 },
	{ "symbols", OPTION_SYMBOLS, "FILE", 0,
	  "The recorded kernel's symbols: its System.map or a copy of its /proc/kallsyms, plain or "
	  "gzip",
	  0 },
	{ "release", OPTION_RELEASE, "RELEASE", 0,
	  "The recorded kernel, as uname -r told it (default: as the recording tells, if it does)",
	  0 },
	{ "quiet", 'q', NULL, 0, "Print errors only", 0 },
	{ 0 },
};

static void parse_format(struct argp_state *state, const char *name, struct options *options)
{
	const char *names[SOURCES + 1] = { "auto" };
	size_t choice;

	for (size_t i = 0; i < SOURCES; i++)
		names[i + 1] = sources[i]->name;
	choice = parse_choice(state, "--format", name, names, SOURCES + 1);
	options->source = choice ? sources[choice - 1] : NULL;
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
	struct options *options = state->input;

	switch (key) {
	case 'o':
		options->output = parse_path(state, "-o", argument);
		break;
	case 'q':
		options->quiet = true;
		break;
	case OPTION_SYMBOLS:
		options->symbols = argument;
		break;
	case OPTION_RELEASE:
		if (*argument < '0' || *argument > '9')
			argp_error(state,
				   "--release=%s: must begin with a number, as uname -r does",
				   argument);
		options->release = argument;
		break;
	case OPTION_FORMAT:
		parse_format(state, argument, options);
		break;
	case ARGP_KEY_ARGS:
		parse_paths(state, &options->arguments);
		break;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "the files to import must be named");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

/* The beginning of a regular file; its size, or -1 after a message. */
static ssize_t peek(const char *path, unsigned char *bytes)
{
	struct stat about;
	size_t size;
	FILE *file;

	if (stat(path, &about)) {
		error_msg("%s: %s", path, strerror(errno));
		return -1;
	}
	if (S_ISDIR(about.st_mode)) {
		error_msg("%s: is a directory: name the files that were recorded", path);
		return -1;
	}
	if (!S_ISREG(about.st_mode)) {
		error_msg("%s: is no regular file: write it to one first", path);
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

static const struct source *find_source(const unsigned char *bytes, size_t size)
{
	for (size_t i = 0; i < SOURCES; i++)
		if (sources[i]->is(bytes, size))
			return sources[i];
	return NULL;
}

static int refuse_unknown(const char *path, const unsigned char *bytes, size_t size)
{
	if (size >= 8 && !memcmp(bytes, "PERFILE2", 8))
		return error_msg("%s: is perf's own file: print it with perf script -i %s --ns "
				 "--show-lost-events, and import that",
				 path, path);
	return error_msg("%s: is neither relay files of kmemtrace, nor a trace.dat, nor the text "
			 "of perf script with kmem events: --format says what it is",
			 path);
}

/* All files must be of one format; a relay file may be empty. Sets options->source. */
static int look_at_files(struct options *options)
{
	unsigned char *bytes = malloc(SOURCE_PEEK);
	bool given = options->source, empty = true;
	int status = EXIT_OK;

	if (!bytes)
		return error_msg("%s", strerror(ENOMEM));
	for (size_t i = 0; i < options->arguments.count && status == EXIT_OK; i++) {
		const char *path = options->arguments.paths[i];
		const struct source *source;
		ssize_t size = peek(path, bytes);

		if (size < 0)
			status = EXIT_TROUBLE;
		empty &= size <= 0;
		if (size <= 0 || given)
			continue;
		source = find_source(bytes, (size_t)size);
		if (!source)
			status = refuse_unknown(path, bytes, (size_t)size);
		else if (options->source && options->source != source)
			status = error_msg("%s: is %s, unlike the files before it: import them one "
					   "by one",
					   path, source->sentence);
		options->source = source;
	}
	free(bytes);
	if (status == EXIT_OK && empty)
		status = error_msg("%s: is empty: there is nothing to import",
				   options->arguments.paths[0]);
	if (status == EXIT_OK && options->arguments.count > 1 && !options->source->many)
		status = error_msg("%s: only one such file can be imported at a time: their times "
				   "are not comparable",
				   options->arguments.paths[1]);
	return status;
}

static void say(const struct options *options, struct import_target *target)
{
	uint64_t lost = 0;

	if (options->quiet)
		return;
	for (size_t i = 0; i < target->cpu_count; i++)
		lost += target->cpus[i]->lost;
	info_msg("%s: %" PRIu64 " event%s of %zu CPU%s, lost %" PRIu64 ", from %s", options->output,
		 target->events, target->events == 1 ? "" : "s", target->cpu_count,
		 target->cpu_count == 1 ? "" : "s", lost, options->source->sentence);
	fflush(target->notes);
	for (char *line = target->note_text, *end; (end = strchr(line, '\n')); line = end + 1)
		info_msg("note: %.*s", (int)(end - line), line);
}

static int import(const struct options *options, struct directory *directory)
{
	struct import_target target;
	int err;

	err = target_open(&target, directory, options->source->sentence);
	if (!err)
		err = options->source->import(&target, options->arguments.paths,
					      options->arguments.count);
	if (!err && options->symbols)
		err = target_symbols(&target, options->symbols);
	if (options->release)
		snprintf(target.metadata.release, sizeof(target.metadata.release), "%s",
			 options->release);
	if (!err)
		err = target_finish(&target);
	if (err)
		error_msg("%s", target.errmsg);
	else
		say(options, &target);
	target_close(&target);
	return err ? EXIT_TROUBLE : EXIT_OK;
}

/* So that what brings a library down leaves nothing behind, and is told. */
static int import_isolated(const struct options *options, struct directory *directory)
{
	pid_t child = fork();
	int code;

	if (child < 0)
		return error_msg("no process can be made: %s", strerror(errno));
	if (!child) {
		code = import(options, directory);
		fflush(stderr);
		_exit(code);
	}
	while (waitpid(child, &code, 0) < 0) {
		if (errno != EINTR)
			return error_msg("%s", strerror(errno));
		kill(child, SIGTERM);
	}
	if (WIFEXITED(code))
		return WEXITSTATUS(code) == EXIT_OK ? EXIT_OK : EXIT_TROUBLE;
	return error_msg("%s: the library that reads it ended with signal %d: it is damaged",
			 options->arguments.paths[0], WTERMSIG(code));
}

static int run(const struct options *options)
{
	struct directory directory;
	int status;

	if (directory_probe(&directory, options->output) || directory_make(&directory)) {
		status = error_msg("%s", directory.errmsg);
	} else {
		status = options->source->isolated ? import_isolated(options, &directory)
						   : import(options, &directory);
		if (status == EXIT_OK && directory_commit(&directory))
			status = error_msg("%s", directory.errmsg);
	}
	if (status != EXIT_OK)
		directory_abandon(&directory);
	directory_deinit(&directory);
	return status;
}

int main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = option_table,
		.parser = parse_option,
		.args_doc = "FILE...",
		.doc = "Make a capture of what another recorder recorded of the kernel's slab "
		       "allocations: relay files of kmemtrace, a trace.dat of trace-cmd, or the "
		       "text of perf script.\v"
		       "Exit status: 0 if it is imported, 2 if it could not be.\n\n"
		       "Check the capture with kmemtrace-check(1), explain it with "
		       "kmemtrace-report(1).",
	};
	struct options options = { .output = CAPTURE_DEFAULT };
	int status;

	parse_command_line(&argp, argc, argv, 0, &options);
	stop_handle_signals(NULL);
	status = look_at_files(&options);
	if (status == EXIT_OK && options.symbols && options.source->has_symbols)
		status = error_msg("--symbols: %s: is %s, which has its own: leave the option out",
				   options.arguments.paths[0], options.source->sentence);
	return status == EXIT_OK ? run(&options) : status;
}
