/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The user and the password of a server: from the environment or from a file that only its owner
 * can read. They are in no message.
 */
#ifndef FLEET_CLICKHOUSE_CREDENTIALS_H
#define FLEET_CLICKHOUSE_CREDENTIALS_H

#include "base/error.h"

#define CLICKHOUSE_USER "KMEMTRACE_CLICKHOUSE_USER"
#define CLICKHOUSE_PASSWORD "KMEMTRACE_CLICKHOUSE_PASSWORD"

struct clickhouse_credentials {
	char *user, *password; /* NULL: none */
	struct error error;
};

/*
 * file: has the lines "user NAME" and "password TEXT"; NULL: the two variables of the environment.
 * 0 or -errno with error set.
 */
int clickhouse_credentials_load(struct clickhouse_credentials *credentials, const char *file);

/* The same of the text of such a file; where: for messages. */
int clickhouse_credentials_parse(struct clickhouse_credentials *credentials, const char *text,
				 const char *where);
void clickhouse_credentials_deinit(
	struct clickhouse_credentials *credentials); /* all zero: allowed */

#endif
