/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The common part of the example programs. It uses one list for the whole run: each query updates
 * the list, and pointers to types stay valid.
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

#define EXIT_ERROR 2
#define WAIT_MAX 1e9 /* seconds */

struct client_options {
	const char *path; /* of a capture; NULL: the running system */
	double wait;	  /* seconds between two listings; 0: not given */
	long count;	  /* of listings; 0: not given */
	int help;
};

static void print_help(const struct client *client)
{
	printf("Usage: %s [-M DIR] [-w SECONDS] [-c COUNT] [SECONDS [COUNT]]\n%s\n\n"
	       "  -M DIR      read the capture in DIR, as of its end; by default, the running\n"
	       "              system, while `kmemtraced --publish' runs\n"
	       "  -w SECONDS  repeat the listing at this interval, until COUNT or until\n"
	       "              kmemtraced ends, which is exit status 2\n"
	       "  -c COUNT    print COUNT listings, one a second unless -w is given\n"
	       "  -h, --help  print this help\n\n"
	       "The counters start when tracing begins. The listing is sorted by name.\n"
	       "Exit status: 0, or 2 if something could not be done.\n",
	       client->name, client->about);
}

static int fail_client(const struct client *client, const char *what, int err)
{
	fprintf(stderr, "%s: %s: %s\n", client->name, what, strerror(err));
	return EXIT_ERROR;
}

static int print_usage_error(const struct client *client, const char *option, const char *argument,
			     const char *what)
{
	if (what)
		fprintf(stderr, "%s: %s %s: %s\n", client->name, option, argument, what);
	fprintf(stderr, "Try `%s --help' for more information.\n", client->name);
	return -1;
}

static int parse_wait(const struct client *client, struct client_options *options,
		      const char *option, const char *argument)
{
	char *end;

	options->wait = strtod(argument, &end);
	/* written so that NaN fails too */
	if (end != argument && !*end && options->wait > 0 && options->wait <= WAIT_MAX)
		return 0;
	return print_usage_error(client, option, argument,
				 "must be seconds, more than 0 and at most 1e9");
}

static int parse_count(const struct client *client, struct client_options *options,
		       const char *option, const char *argument)
{
	char *end;

	errno = 0;
	options->count = strtol(argument, &end, 10);
	if (end != argument && !*end && !errno && options->count > 0)
		return 0;
	return print_usage_error(client, option, argument, "must be a whole number, 1 or more");
}

static int parse_client_options(const struct client *client, struct client_options *options,
				int argc, char **argv)
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
		default: /* getopt_long() has printed the error */
			return print_usage_error(client, NULL, NULL, NULL);
		}
	}
	if (!wrong && optind < argc)
		wrong = parse_wait(client, options, "SECONDS", argv[optind++]);
	if (!wrong && optind < argc)
		wrong = parse_count(client, options, "COUNT", argv[optind++]);
	if (!wrong && optind < argc)
		wrong = print_usage_error(
			client, "argument", argv[optind],
			"unexpected: only SECONDS and COUNT may follow the options");
	return wrong;
}

static int by_name(const void *left, const void *right)
{
	const struct memory_type *const *a = left, *const *b = right;

	return strcmp(memstat_get_name(*a), memstat_get_name(*b));
}

/*
 * Sorts the types by name, so that two listings can be compared with diff: in the list itself each
 * new type comes first.
 */
static int show_types(const struct client *client, struct memory_type_list *list)
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

/* Reports each number of lost events once, not with each listing. */
static void report_lost(const struct client *client, uint64_t lost, uint64_t *reported)
{
	if (lost == *reported)
		return;
	*reported = lost;
	if (lost == MEMSTAT_LOST_UNKNOWN)
		fprintf(stderr,
			"%s: the number of lost events is unknown; the counters start when tracing begins\n",
			client->name);
	else
		fprintf(stderr,
			"%s: %" PRIu64
			" events were lost: no count is wrong by more; the counters start when tracing begins\n",
			client->name, lost);
}

static void pause_for(double seconds)
{
	struct timespec wait;

	wait.tv_sec = (time_t)seconds;
	wait.tv_nsec = (long)((seconds - (double)wait.tv_sec) * 1e9);
	nanosleep(&wait, NULL);
}

static int run_client(const struct client *client, const struct client_options *options,
		      struct memory_type_list *list, struct memstat_capture *capture)
{
	uint64_t reported = 0;
	int failed;

	for (long i = 0; options->count == 0 || i < options->count; i++) {
		if (i > 0)
			pause_for(options->wait);
		failed = capture ? client->capture(list, capture) : client->live(list, 0);
		/* a capture that was cut still has counters, up to the cut */
		if (!failed || memstat_mtl_geterror(list) == MEMSTAT_ERROR_KVM_SHORTREAD) {
			if (i > 0)
				putchar('\n');
			if (show_types(client, list))
				return fail_client(client, "the listing", errno);
			report_lost(client, memstat_mtl_lost(list, ALLOCATOR_ANY), &reported);
		}
		if (failed) {
			fprintf(stderr, "%s: %s\n", client->name, memstat_mtl_errortext(list));
			return EXIT_ERROR;
		}
	}
	return EXIT_SUCCESS;
}

int client_main(const struct client *client, int argc, char **argv)
{
	struct client_options options = { NULL, 0, 0, 0 };
	struct memstat_capture *capture = NULL;
	struct memory_type_list *list;
	int status;

	if (argc > 0)
		argv[0] = (char *)client->name; /* for messages of getopt_long() */
	if (parse_client_options(client, &options, argc, argv))
		return EXIT_ERROR;
	if (options.help) {
		print_help(client);
		return fflush(stdout) ? fail_client(client, "the help", errno) : EXIT_SUCCESS;
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
					? ": record a capture with kmemtraced, or give another directory"
					: "");
			return EXIT_ERROR;
		}
	}
	list = memstat_mtl_alloc();
	if (list)
		status = run_client(client, &options, list, capture);
	else
		status = fail_client(client, "a list of types", errno);
	memstat_mtl_free(list);
	memstat_capture_close(capture);
	return status;
}
