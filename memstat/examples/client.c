/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One list for the whole run: each query brings it up to date, and what was learnt from the one
 * before, as the place of a type in memory, is still true.
 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "client.h"

#define EXIT_TROUBLE 2
#define WAIT_MAX 1e9 /* seconds */

struct options {
	const char *path; /* of a capture; NULL: the running system */
	double wait;	  /* seconds between two listings; 0: not told */
	long count;	  /* of listings; 0: not told */
	int help;
};

static void print_help(const struct client *client)
{
	printf("Usage: %s [-M DIR] [-w SECONDS] [-c COUNT] [SECONDS [COUNT]]\n%s\n\n"
	       "  -M DIR      of this capture, as of its end, in place of the running system, of\n"
	       "              which `kmemtraced --publish' tells\n"
	       "  -w SECONDS  again and again, with so many seconds between: of the running\n"
	       "              system until kmemtraced ends, and then with exit status 2\n"
	       "  -c COUNT    so often; with a second between, unless -w is given\n"
	       "  -h, --help  this\n\n"
	       "The figures count from when tracing began. They are sorted by name.\n"
	       "Exit status: 0, or 2 if something could not be done.\n",
	       client->name, client->about);
}

static int trouble(const struct client *client, const char *what, int err)
{
	fprintf(stderr, "%s: %s: %s\n", client->name, what, strerror(err));
	return EXIT_TROUBLE;
}

static int usage(const struct client *client, const char *option, const char *argument,
		 const char *what)
{
	if (what)
		fprintf(stderr, "%s: %s %s: %s\n", client->name, option, argument, what);
	fprintf(stderr, "Try `%s --help' for more information.\n", client->name);
	return -1;
}

static int parse_wait(const struct client *client, struct options *options, const char *option,
		      const char *argument)
{
	char *end;

	options->wait = strtod(argument, &end);
	/* this way round, what is no number is wrong too */
	if (end != argument && !*end && options->wait > 0 && options->wait <= WAIT_MAX)
		return 0;
	return usage(client, option, argument, "the wait is in seconds, more than 0, 1e9 at most");
}

static int parse_count(const struct client *client, struct options *options, const char *option,
		       const char *argument)
{
	char *end;

	errno = 0;
	options->count = strtol(argument, &end, 10);
	if (end != argument && !*end && !errno && options->count > 0)
		return 0;
	return usage(client, option, argument, "the count is a whole number, 1 or more");
}

static int parse(const struct client *client, struct options *options, int argc, char **argv)
{
	static const struct option long_options[] = { { "help", no_argument, NULL, 'h' },
						      { NULL, 0, NULL, 0 } };
	int option, wrong = 0;

	while (!wrong && (option = getopt_long(argc, argv, "M:w:c:h", long_options, NULL)) != -1) {
		switch (option) {
		case 'M':
			options->path = optarg;
			break;
		case 'w':
			wrong = parse_wait(client, options, "-w", optarg);
			break;
		case 'c':
			wrong = parse_count(client, options, "-c", optarg);
			break;
		case 'h':
			options->help = 1;
			return 0;
		default: /* getopt_long() has said what is wrong */
			return usage(client, NULL, NULL, NULL);
		}
	}
	if (!wrong && optind < argc)
		wrong = parse_wait(client, options, "SECONDS", argv[optind++]);
	if (!wrong && optind < argc)
		wrong = parse_count(client, options, "COUNT", argv[optind++]);
	if (!wrong && optind < argc)
		wrong = usage(client, "argument", argv[optind], "SECONDS and COUNT are all");
	return wrong;
}

static int by_name(const void *left, const void *right)
{
	const struct memory_type *const *a = left, *const *b = right;

	return strcmp(memstat_get_name(*a), memstat_get_name(*b));
}

/*
 * The list has the newest type first, so that new ones push the others down. By name, a type is
 * found where it was, and two listings can be compared with diff.
 */
static int show(const struct client *client, struct memory_type_list *list)
{
	const struct memory_type **types;
	struct memory_type *type;
	size_t count = 0, longest = 0;

	for (type = memstat_mtl_first(list); type; type = memstat_mtl_next(type))
		count++;
	types = malloc((count + 1) * sizeof(*types));
	if (!types)
		return -1;
	count = 0;
	for (type = memstat_mtl_first(list); type; type = memstat_mtl_next(type)) {
		size_t length = strlen(memstat_get_name(type));

		if (length > longest)
			longest = length;
		types[count++] = type;
	}
	qsort(types, count, sizeof(*types), by_name);
	client->print(types, count, (int)longest);
	free(types);
	return fflush(stdout);
}

/* Once for each number: a long run with one loss long ago is not to fill the screen with it. */
static void tell_lost(const struct client *client, uint64_t lost, uint64_t *told)
{
	if (lost == *told)
		return;
	*told = lost;
	if (lost == MEMSTAT_LOST_UNKNOWN)
		fprintf(stderr,
			"%s: how many events are missing is not known; the figures count from when "
			"tracing began\n",
			client->name);
	else
		fprintf(stderr,
			"%s: events that are missing: %" PRIu64 ": no count is off by more; the "
			"figures count from when tracing began\n",
			client->name, lost);
}

static void pause_for(double seconds)
{
	struct timespec wait;

	wait.tv_sec = (time_t)seconds;
	wait.tv_nsec = (long)((seconds - (double)wait.tv_sec) * 1e9);
	nanosleep(&wait, NULL);
}

static int run(const struct client *client, const struct options *options,
	       struct memory_type_list *list, struct memstat_capture *capture)
{
	uint64_t told = 0;
	int failed;

	for (long i = 0; options->count == 0 || i < options->count; i++) {
		if (i > 0)
			pause_for(options->wait);
		failed = capture ? client->capture(list, capture) : client->live(list, 0);
		/* a capture that was cut has figures all the same: those up to there */
		if (!failed || memstat_mtl_geterror(list) == MEMSTAT_ERROR_KVM_SHORTREAD) {
			if (i > 0)
				putchar('\n');
			if (show(client, list))
				return trouble(client, "the listing", errno);
			tell_lost(client, memstat_mtl_lost(list, ALLOCATOR_ANY), &told);
		}
		if (failed) {
			fprintf(stderr, "%s: %s\n", client->name, memstat_mtl_errortext(list));
			return EXIT_TROUBLE;
		}
	}
	return EXIT_SUCCESS;
}

int client_main(const struct client *client, int argc, char **argv)
{
	struct options options = { NULL, 0, 0, 0 };
	struct memstat_capture *capture = NULL;
	struct memory_type_list *list;
	int status;

	if (argc > 0)
		argv[0] = (char *)client->name; /* for what getopt_long() says */
	if (parse(client, &options, argc, argv))
		return EXIT_TROUBLE;
	if (options.help) {
		print_help(client);
		return fflush(stdout) ? trouble(client, "the help", errno) : EXIT_SUCCESS;
	}
	if (!options.wait) {
		options.wait = 1;
		if (!options.count)
			options.count = 1;
	}

	if (options.path) {
		capture = memstat_capture_open(options.path);
		if (!capture) {
			fprintf(stderr, "%s: %s%s\n", client->name, memstat_capture_errortext(NULL),
				errno == ENOENT
					? ": capture first with kmemtraced, or name a capture"
					: "");
			return EXIT_TROUBLE;
		}
	}
	list = memstat_mtl_alloc();
	if (list)
		status = run(client, &options, list, capture);
	else
		status = trouble(client, "a list of types", errno);
	memstat_mtl_free(list);
	memstat_capture_close(capture);
	return status;
}
