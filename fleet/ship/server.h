/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One server of a store: the batch that it gets next, and when it is tried again after a failure.
 */
#ifndef FLEET_SHIP_SERVER_H
#define FLEET_SHIP_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fleet/clickhouse/client.h"
#include "fleet/clickhouse/rows.h"
#include "fleet/ship/accepted.h"

struct ship_server {
	struct clickhouse_client client;
	struct clickhouse_rows rows;
	struct summary pending;	 /* the sources of the batch */
	struct ship_span span;	 /* of the batch */
	int failure;		 /* of the last request, -errno; 0: it succeeded */
	long reason;		 /* client.reason of the failure that was printed */
	char *reported;		 /* the failure that was printed; NULL: none */
	uint64_t failing_since;	 /* CLOCK_MONOTONIC, ns; if failure */
	uint64_t next_try, wait; /* the same; ns */
	bool has_left;		 /* summaries were left in files, since it was not ready */
};

int ship_server_open(struct ship_server *server, const struct clickhouse_url *url, size_t index,
		     const struct clickhouse_settings *settings); /* 0 or -ENOMEM */
void ship_server_close(struct ship_server *server);		  /* all zero is allowed */

/* Is it worth a try now? */
bool ship_server_is_ready(const struct ship_server *server, uint64_t now);

/* 0 or -ENOMEM */
int ship_server_add(struct ship_server *server, const struct summary *summary);

/* Has the batch a good size? */
bool ship_server_is_full(const struct ship_server *server);

/*
 * Sends the batch, if it has something. *sent: its summaries, which are in accepted now. A failure
 * is printed when it is another than before, and the batch is dropped: the files have it. 0 or
 * -errno of the request.
 */
int ship_server_send(struct ship_server *server, struct accepted *accepted, uint64_t max_wait,
		     size_t *sent);

/* Prints and remembers the result of a request. */
void ship_server_note(struct ship_server *server, int err, uint64_t max_wait);

uint64_t ship_now(void); /* CLOCK_MONOTONIC, ns */

#endif
