// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* kmemtrace-ship: sends the summaries of hosts to ClickHouse servers. */
#include "config.h"

#include <curl/curl.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "cli/command_line.h"
#include "cli/memory_limit.h"
#include "cli/message.h"
#include "cli/option_table.h"
#include "cli/stop.h"
#include "fleet/clickhouse/credentials.h"
#include "fleet/clickhouse/schema.h"
#include "fleet/ship/receive.h"
#include "fleet/ship/ship.h"

#define NS_PER_S 1000000000ULL
#define NS_PER_HOUR (3600 * NS_PER_S)
#define POLL_INTERVAL NS_PER_S	/* of --follow */
#define STOP_INTERVAL 100000000 /* ns */

struct shipping_options {
	const char *to, *state, *credentials;
	bool init;
	uint64_t retention; /* ns; 0: not wanted */
	uint64_t max_memory;
	struct clickhouse_layout layout;
	struct clickhouse_settings client;
	struct ship_settings ship;
	struct path_arguments arguments;
};

static void parse_descriptors(struct argp_state *state, const char *text)
{
	struct shipping_options *options = state->input;

	(void)text;
	options->ship.socket = STDIN_FILENO;
	options->ship.follow = true;
}

#define AT(member) OPTION_AT(struct shipping_options, member)

static const struct option_row option_rows[] = {
	{ "to", 0, "URL",
	  "Send to clickhouse://HOST[:PORT]/DATABASE, or clickhouses:// for TLS; if there are several servers (HOST,HOST/DATABASE), each gets the hosts that the hash of their name selects",
	  AT(to), .words = "clickhouse://|clickhouses://" },
	{ "follow", 'f', NULL, "Go on when all is sent: wait for more", AT(ship.follow) },
	{ "init", 0, NULL, "First make the database and its tables, unless they are there",
	  AT(init) },
	{ "cluster", 0, "NAME",
	  "--init: make tables that are distributed over this cluster of the server's configuration",
	  AT(layout.cluster) },
	{ "replicated", 0, NULL, "--init: make tables that the replicas of the cluster share",
	  AT(layout.replicated) },
	{ "retention", 0, "AGE", "Drop the days older than AGE, as in 30d; the sums of days stay",
	  AT(retention), .kind = ARGUMENT_DURATION, .least = 1, .words = "30d|90d|365d" },
	{ "ca", 0, "FILE",
	  "Trust the authorities whose certificates are in FILE (default: those of the system)",
	  AT(client.ca_file), .kind = ARGUMENT_PATH },
	{ "credentials", 0, "FILE",
	  "Lines \"user NAME\" and \"password TEXT\", in a file that only its owner can read (default: " CLICKHOUSE_USER
	  " and " CLICKHOUSE_PASSWORD " of the environment)",
	  AT(credentials), .kind = ARGUMENT_PATH },
	{ "descriptors", 0, NULL,
	  "Take open files over standard input, a socket, and --follow them until it ends: for kmemtraced",
	  .parse = parse_descriptors },
	{ "state", 0, "FILE",
	  "Remember in FILE which summaries were accepted (default: a file for each URL in $STATE_DIRECTORY or ~/.local/state/kmemtrace/ship)",
	  AT(state), .kind = ARGUMENT_PATH },
	{ "status", 0, "FILE", "Write to FILE how much was sent, what waits, and what failed",
	  AT(ship.status_file), .kind = ARGUMENT_PATH },
	{ "max-spool", 0, "SIZE",
	  "Remove the oldest files of the directories when all have more than SIZE bytes, as in 500M, even if they were not sent: unsent summaries are counted",
	  AT(ship.max_spool), .kind = ARGUMENT_SIZE, .least = 1, .words = "100M|500M|2G" },
	{ "timeout", 0, "TIME", "Wait at most TIME for a server (default: 2m)",
	  AT(client.timeout_s), .kind = ARGUMENT_SECONDS, .least = 1,
	  .most = CLICKHOUSE_TIMEOUT_MAX, .words = "10s|1m|10m" },
	{ "max-wait", 0, "TIME",
	  "Wait at most TIME between two attempts; the first wait is 1 s (default: 1m)",
	  AT(ship.max_wait), .kind = ARGUMENT_DURATION, .least = 1, .words = "10s|1m|10m" },
	{ "give-up", 0, "TIME", "Without --follow: end when a server failed for TIME (default: 1m)",
	  AT(ship.give_up), .kind = ARGUMENT_DURATION, .least = 1, .words = "10s|1m|10m" },
	{ "quiet", 'q', NULL, "Print errors only", AT(ship.quiet) },
	MEMORY_LIMIT_ROW(AT(max_memory)),
	{ .argument = "DIR|FILE" },
	{ 0 },
};

static void check_options(const struct argp_state *state, struct shipping_options *options)
{
	bool has_work = options->init || options->retention;
	bool receives = options->ship.socket >= 0;

	if (!options->to)
		argp_error(state,
			   "--to=URL is missing: the server, as in clickhouse://HOST/DATABASE");
	if (receives && (options->arguments.count || has_work || options->credentials ||
			 options->ship.max_spool))
		argp_error(
			state,
			"--descriptors cannot be used with files, --init, --retention, --credentials or --max-spool");
	if (!options->arguments.count && !has_work && !receives)
		argp_error(state, "a file or directory of summaries is missing");
	if (!options->arguments.count && options->ship.follow && !receives)
		argp_error(state, "--follow needs a file or directory of summaries");
	if ((options->layout.cluster || options->layout.replicated) && !options->init)
		argp_error(state, "--cluster and --replicated are for --init");
	if (options->layout.replicated && !options->layout.cluster)
		argp_error(state, "--replicated needs --cluster=NAME");
	options->ship.paths = options->arguments.paths;
	options->ship.path_count = options->arguments.count;
}

static error_t parse_ship_arguments(int key, char *argument, struct argp_state *state)
{
	struct shipping_options *options = state->input;

	(void)argument;
	switch (key) {
	case ARGP_KEY_ARGS:
		parse_paths(state, &options->arguments);
		break;
	case ARGP_KEY_SUCCESS:
		check_options(state, options);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static int drop_old(const struct shipping_options *options, struct clickhouse_client *client)
{
	uint64_t now = (uint64_t)time(NULL) * NS_PER_S;
	unsigned int dropped;
	int err;

	if (!options->retention || options->retention >= now)
		return 0;
	err = clickhouse_drop_before(client, now - options->retention, &dropped);
	if (dropped && !options->ship.quiet)
		info_msg("%s: dropped %u old part%s of tables", client->server, dropped,
			 dropped == 1 ? "" : "s");
	return err;
}

/* --init and --retention, on each server. The status. */
static int prepare_servers(const struct shipping_options *options, const struct clickhouse_url *url)
{
	int status = EXIT_OK;

	for (size_t i = 0; i < url->server_count; i++) {
		struct clickhouse_client client;
		int err = clickhouse_open(&client, url, i, &options->client);

		if (!err && options->init)
			err = clickhouse_create(&client, &options->layout);
		if (!err)
			err = drop_old(options, &client);
		if (err)
			status = error_msg("%s", client.errmsg);
		clickhouse_close(&client);
	}
	return status;
}

/* Has kmemtraced ended? */
static bool has_ended(const struct ship *ship)
{
	return ship->settings->socket >= 0 && ship_receive_has_ended(ship->settings->socket);
}

/* Returns early when a signal comes. */
static void pause_until(const struct ship *ship, uint64_t due)
{
	const struct timespec interval = { .tv_nsec = STOP_INTERVAL };

	while (!stop_signal() && !has_ended(ship) && ship_now() < due)
		nanosleep(&interval, NULL);
}

static void pause_for_next_try(const struct ship *ship)
{
	uint64_t due = ship_now() + POLL_INTERVAL;

	for (size_t i = 0; i < ship->url->server_count; i++) {
		const struct ship_server *server = &ship->servers[i];

		if (server->failure && server->next_try < due)
			due = server->next_try;
	}
	pause_until(ship, due);
}

static void roll_up_if_due(const struct shipping_options *options, struct ship *ship)
{
	uint64_t now = ship_now();

	if (ship->has_left || (options->ship.follow && now - ship->last_rolled_up < NS_PER_HOUR))
		return;
	for (size_t i = 0; i < ship->url->server_count; i++) {
		if (!ship_server_is_ready(&ship->servers[i], now))
			return;
	}
	ship_roll_up(ship);
}

/* Is the work done, one way or the other? *status gets the exit status. */
static bool is_done(const struct shipping_options *options, const struct ship *ship, int *status)
{
	uint64_t failing;
	int failure = ship_failure(ship, &failing);

	if (options->ship.follow)
		return false;
	if (!ship->has_left && !ship->accepted.to_roll_up.until) {
		*status = EXIT_OK;
		return true;
	}
	if (failure == -EPROTO) {
		*status = EXIT_TROUBLE;
		return true;
	}
	if (failure && failing >= options->ship.give_up) {
		*status = error_msg(
			"gave up after %" PRIu64
			" s: the files still have all that was not sent: run the same command again",
			(uint64_t)(failing / NS_PER_S));
		return true;
	}
	return false;
}

static void scan_files(const struct shipping_options *options, struct ship *ship)
{
	/* one that cannot be received does not keep those that were */
	if (ship->settings->socket >= 0 &&
	    ship_receive_files(&ship->files, ship->settings->socket) < 0)
		error_msg("%s", ship->files.errmsg);
	if (ship_files_scan(&ship->files, options->ship.paths, options->ship.path_count) &&
	    !ship->cannot_scan)
		error_msg("%s", ship->files.errmsg);
	ship->cannot_scan = *ship->files.errmsg != '\0';
	ship_count_gone(ship);
}

static int do_pass(const struct shipping_options *options, struct ship *ship)
{
	int err;

	/* a request can take long, and what waits is known */
	ship_write_status(ship);
	err = ship_pass(ship);
	if (!err) {
		roll_up_if_due(options, ship);
		ship_bound_spool(ship);
	}
	ship_write_status(ship);
	return err == -EINTR ? 0 : err;
}

/* One more attempt, also if a server was to be left alone for longer. */
static int do_last_pass(const struct shipping_options *options, struct ship *ship)
{
	for (size_t i = 0; i < ship->url->server_count; i++)
		ship->servers[i].next_try = 0;
	scan_files(options, ship);
	if (do_pass(options, ship))
		return EXIT_TROUBLE;
	return ship->has_left ? EXIT_FINDINGS : EXIT_OK;
}

/* Until all is sent, or a signal comes. The status. */
static int send_all(const struct shipping_options *options, struct ship *ship)
{
	int status = EXIT_OK;

	for (;;) {
		if (do_pass(options, ship))
			return EXIT_TROUBLE;
		if (stop_signal())
			return options->ship.follow && !ship->has_left ? EXIT_OK : EXIT_FINDINGS;
		if (has_ended(ship))
			return do_last_pass(options, ship);
		if (is_done(options, ship, &status))
			return status;
		pause_for_next_try(ship);
		scan_files(options, ship);
	}
}

static int print_result(const struct shipping_options *options, const struct ship *ship, int status)
{
	if (!options->ship.quiet)
		info_msg("sent %" PRIu64 " summar%s to %s", ship->sent,
			 ship->sent == 1 ? "y" : "ies", options->to);
	if (status == EXIT_OK &&
	    (ship->damaged || ship->unsuitable || ship->dropped || ship->accepted.cannot_save))
		return EXIT_FINDINGS;
	return status;
}

static int ship_files(const struct shipping_options *options, const struct clickhouse_url *url)
{
	char *state = options->state ? strdup(options->state) : accepted_default_path(options->to);
	struct ship ship;
	int status = EXIT_TROUBLE;

	if (!state)
		return EXIT_TROUBLE;
	if (!ship_open(&ship, &options->ship, url, &options->client, state, options->to))
		status = print_result(options, &ship, send_all(options, &ship));
	ship_close(&ship);
	free(state);
	return status;
}

static int load_credentials(const struct shipping_options *options,
			    struct clickhouse_credentials *credentials)
{
	if (options->ship.socket < 0)
		return clickhouse_credentials_load(credentials, options->credentials);
	return ship_receive_credentials(credentials, options->ship.socket);
}

static int ship_files_of(struct shipping_options *options)
{
	struct clickhouse_credentials credentials;
	struct clickhouse_url url;
	int status;

	if (load_credentials(options, &credentials)) {
		status = error_msg("%s", credentials.error.text);
	} else if (clickhouse_url_parse(&url, options->to)) {
		status = error_msg("--to: %s", *url.error.text ? url.error.text : strerror(ENOMEM));
		clickhouse_url_deinit(&url);
	} else {
		options->client.credentials = &credentials;
		options->client.stop = stop_signal;
		status = options->init || options->retention ? prepare_servers(options, &url)
							     : EXIT_OK;
		if (status == EXIT_OK && (options->arguments.count || options->ship.socket >= 0))
			status = ship_files(options, &url);
		clickhouse_url_deinit(&url);
	}
	clickhouse_credentials_deinit(&credentials);
	return status;
}

/* kmemtraced decides when the work ends, also if a terminal or systemd signals all processes. */
static void leave_end_to_kmemtraced(void)
{
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
}

int main(int argc, char **argv)
{
	static const struct option_table option_tables[] = { { .rows = option_rows }, { 0 } };
	static const struct argp argp = {
		.parser = parse_ship_arguments,
		.args_doc = "[FILE|DIR...]",
		.doc = "Send summaries, which kmemtraced writes to files (*.kms), to a store of a fleet. A summary that is sent several times counts once.\v"
		       "Exit status: 0 if all was sent; 1 if all was sent except damaged summaries or sums, or if a signal came before; 2 if something could not be sent: the files still have it.",
	};
	struct shipping_options options = {
		.max_memory = MEMORY_LIMIT_DEFAULT,
		.ship.max_wait = 60 * NS_PER_S,
		.ship.give_up = 60 * NS_PER_S,
		.ship.socket = -1,
	};
	int status;

	option_tables_parse(&argp, option_tables, argc, argv, 0, &options);
	memory_limit_set(options.max_memory);
	stop_handle_signals(NULL);
	if (options.ship.socket >= 0)
		leave_end_to_kmemtraced();
	/* other processes of this user cannot read the password in its memory */
	prctl(PR_SET_DUMPABLE, 0);
	curl_global_init(CURL_GLOBAL_DEFAULT);
	status = ship_files_of(&options);
	curl_global_cleanup();
	return status;
}
