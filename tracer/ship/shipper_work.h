/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The parts of the process of shipper.h. */
#ifndef TRACER_SHIP_SHIPPER_WORK_H
#define TRACER_SHIP_SHIPPER_WORK_H

#include <limits.h>
#include <stddef.h>

#include "base/error.h"
#include "tracer/ship/shipper_report.h"

#define SHIPPER_CREDENTIALS_MAX 4200 /* bytes */

/* From kmemtraced, a byte each; the end of the messages is SHIPPER_END, too. */
enum shipper_request {
	SHIPPER_GO = 'g',
	SHIPPER_RESTART = 'r',
	SHIPPER_END = 'e',
};

/* All that the process needs; its descriptors are the only ones that it keeps. */
struct shipper_work {
	const struct shipper_settings *settings;
	int requests;	     /* the socket to kmemtraced, which gets the reports */
	int directory;	     /* of the summaries */
	int state;	     /* the directory of the state files, of the user */
	int program;	     /* kmemtrace-ship */
	char path[PATH_MAX]; /* of it */
	char *ca;	     /* absolute; NULL: none */
	bool changes_user;
	uid_t user;
	gid_t group;
};

int shipper_work(struct shipper_work *work); /* the exit status */

/* The message with the user and the password. 0 or -errno with error set. */
int shipper_credentials(const struct ship_options *options, char *text, size_t size,
			struct error *error);

/* Exit statuses of the child that could not become kmemtrace-ship. */
#define SHIPPER_NO_USER 126
#define SHIPPER_NO_PROGRAM 127

/* The files that kmemtrace-ship has. */
struct shipper_files {
	struct shipper_file *list;
	size_t count;
};

/* Sends the files that it does not have yet. */
void shipper_files_send(struct shipper_files *files, int directory, int socket);
void shipper_files_forget(struct shipper_files *files); /* all zero is allowed */

/* Forks, and runs kmemtrace-ship with the socket as its standard input. Its process id, or -errno.
 */
pid_t shipper_execute(const struct shipper_work *work, int socket);

#endif
