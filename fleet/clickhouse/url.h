/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The address of a store: clickhouse://HOST[:PORT][,HOST[:PORT]...]/DATABASE, or clickhouses:// for
 * TLS. Several servers share the hosts: each host's rows are on the server that the hash of its
 * name selects.
 */
#ifndef FLEET_CLICKHOUSE_URL_H
#define FLEET_CLICKHOUSE_URL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

#define CLICKHOUSE_SCHEME "clickhouse://"
#define CLICKHOUSE_SCHEME_TLS "clickhouses://"
#define CLICKHOUSE_SERVERS_MAX 256

struct clickhouse_url {
	bool tls;
	char **servers; /* "HOST:PORT" each, the port always */
	size_t server_count;
	char *database; /* letters, digits and _ */
	struct error error;
};

/* Does the text begin with one of the schemes? */
bool clickhouse_is_url(const char *text);

/* 0, -ENOMEM or -EINVAL with error set, which does not repeat the text: it may hold a password. */
int clickhouse_url_parse(struct clickhouse_url *url, const char *text);
void clickhouse_url_deinit(struct clickhouse_url *url); /* all zero is allowed */

/* The server of the rows of a host. */
size_t clickhouse_url_server(const struct clickhouse_url *url, const char *host);

#endif
