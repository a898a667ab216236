/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sends what is in files of summaries and not in the store yet. */
#ifndef FLEET_SHIP_SHIP_H
#define FLEET_SHIP_SHIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fleet/clickhouse/client.h"
#include "fleet/ship/accepted.h"
#include "fleet/ship/files.h"
#include "fleet/ship/server.h"

struct ship_settings {
	char *const *paths;
	size_t path_count;
	bool follow, quiet;
	uint64_t max_wait;  /* ns, between two tries */
	uint64_t give_up;   /* ns, without --follow: of failures */
	uint64_t max_spool; /* bytes; 0: no limit */
	const char *status_file;
	int socket; /* of --descriptors; -1: none */
};

struct ship {
	const struct ship_settings *settings;
	struct accepted accepted;
	struct ship_files files;
	struct ship_server *servers;
	const struct clickhouse_url *url;
	uint64_t sent, damaged, unsuitable; /* summaries, of this process */
	uint64_t dropped;		    /* summaries that were not sent: --max-spool */
	uint64_t dropped_files;
	uint64_t last_sent;	 /* ns since 1970; 0: none */
	uint64_t last_rolled_up; /* CLOCK_MONOTONIC, ns */
	uint64_t turn;		 /* grows when a server that failed is tried again */
	bool has_left;		 /* the last pass left something: a server failed */
	bool batch_failed;	 /* in this pass */
	bool cannot_remove;	 /* and this was printed */
	bool cannot_write_status, cannot_scan;
};

/* All print their messages. 0 or -errno. */
int ship_open(struct ship *ship, const struct ship_settings *settings,
	      const struct clickhouse_url *url, const struct clickhouse_settings *client_settings,
	      const char *state_path, const char *url_text);
void ship_close(struct ship *ship); /* all zero is allowed */

/* Reads the files from where all before is sent, and sends the rest, as far as it goes. -EINTR: a
 * signal came. A server that fails is not an error of this function. */
int ship_pass(struct ship *ship);

/* Computes the sums of hours and days of which rows were sent. */
void ship_roll_up(struct ship *ship);

/*
 * The failure of any server; 0: none. failing_ns: of the server that has failed for the longest
 * time; 0: none.
 */
int ship_failure(const struct ship *ship, uint64_t *failing_ns);

/*
 * Removes the oldest files of directories until the rest has at most max_spool bytes. -EACCES: it
 * cannot remove a file; this is printed once.
 */
int ship_bound_spool(struct ship *ship);

/* Counts and reports the summaries of files that were removed before they were sent. */
void ship_count_gone(struct ship *ship);

/* Replaces the status file, if one is wanted, and sends it to the socket, if there is one. */
void ship_write_status(struct ship *ship);

/* The lines of the status, to be freed; NULL: no memory. */
char *ship_status_text(const struct ship *ship);

#endif
