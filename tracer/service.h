/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The service manager and kmemtraced --status see a session while it runs. */
#ifndef TRACER_SERVICE_H
#define TRACER_SERVICE_H

#include "tracer/pieces.h"
#include "tracer/ship/shipper.h"
#include "tracer/status_file.h"
#include "tracer/system/notify.h"
#include "tracer/trigger_watch.h"

struct service {
	const struct pieces *pieces;
	const struct trigger_watch *triggers;
	struct shipper *shipper; /* if options->ship.url */
	struct notify notify;
	struct status_file status_file;
	struct daemon_status status;
	uint64_t next_status, next_notification; /* ns */
};

/* Connects to the service manager, if one listens. Before any process is forked. */
void service_open(struct service *service);
void service_close(struct service *service);

/* Makes the file for --status. Before the threads start; a session without the file goes on. */
void service_make_file(struct service *service);

/* Reports to the service manager that each event from now on is recorded. */
void service_ready(struct service *service);

/* In each round over the rings. now: ns. */
void service_step(struct service *service, uint64_t now);

#endif
