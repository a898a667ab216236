/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A connection to one ClickHouse server, by HTTP. Nothing that the server answers is trusted: an
 * answer has a largest size, a request a longest time, and no redirect is followed.
 */
#ifndef FLEET_CLICKHOUSE_CLIENT_H
#define FLEET_CLICKHOUSE_CLIENT_H

#include <stdbool.h>
#include <stddef.h>

#include "fleet/clickhouse/answer.h"
#include "fleet/clickhouse/credentials.h"
#include "fleet/clickhouse/url.h"

#define CLICKHOUSE_TIMEOUT 120				       /* s */
#define CLICKHOUSE_TIMEOUT_MAX (24855 * 86400 * 1000000000ULL) /* ns: the last day below 2^31 s */
#define CLICKHOUSE_ANSWER_MAX ((size_t)1 << 20) /* bytes, unless answer.max is changed */

struct curl_slist;

struct clickhouse_settings {
	const struct clickhouse_credentials *credentials;
	const char *ca_file;	/* certificates of trusted authorities; NULL: those of the system */
	unsigned int timeout_s; /* of a request; half of it: the longest silence; 0: default */
	int (*stop)(void);	/* not 0: give up; may be NULL */
};

struct clickhouse_client {
	const struct clickhouse_settings *settings;
	void *curl;
	struct curl_slist *headers, *gzip_headers;
	const char *database; /* of the URL */
	const char *server;   /* HOST:PORT, of the URL */
	char *address;	      /* http://HOST:PORT/ */
	struct clickhouse_answer answer;
	char detail[256]; /* CURL_ERROR_SIZE: the library's text of a failure */
	long reason;	  /* of the last failure: the same number, the same reason */
	char errmsg[600]; /* one sentence: the server, what failed, why, and what to do */
};

/*
 * Does not connect yet. The settings and the URL must stay. 0 or -ENOMEM with errmsg set. All of
 * these functions are for one thread.
 */
int clickhouse_open(struct clickhouse_client *client, const struct clickhouse_url *url,
		    size_t server, const struct clickhouse_settings *settings);
void clickhouse_close(struct clickhouse_client *client); /* all zero is allowed */

/*
 * Each returns 0, or with errmsg set:
 *   -EAGAIN  it may succeed later: the server is down, slow or full
 *   -EPROTO  somebody must change something: the address, the password, the tables
 *   -EINTR   settings->stop() was true
 *   -ENOMEM
 * The answer of a query is in client->answer until the next request. An insert takes rows in the
 * format TabSeparated. It is sent packed with a checksum, so that a server takes no row of a
 * request that was cut off.
 */
int clickhouse_query(struct clickhouse_client *client, const char *query);
/* The same for a query that inserts the rows that it selects: it may need much memory. */
int clickhouse_change(struct clickhouse_client *client, const char *query);
/* The same for a query of a user, which may only read; its tables are in the database of the URL.
 */
int clickhouse_select(struct clickhouse_client *client, const char *query);
int clickhouse_insert(struct clickhouse_client *client, const char *query, const char *rows,
		      size_t size);

/* The parts of a request, for transfers that run side by side (stream.c). */

/* Prepares a transfer; address and body must stay until its end. */
void clickhouse_request_begin(struct clickhouse_client *client, const char *address,
			      const char *body, size_t size, struct curl_slist *headers);

/* code: a CURLcode. 0, or as clickhouse_query(). */
int clickhouse_request_end(struct clickhouse_client *client, int code);

/* Takes a part of an answer that is kept whole; as CURLOPT_WRITEFUNCTION. */
size_t clickhouse_take_answer(char *data, size_t size, size_t count, void *answer);

/* Sets errmsg, which begins with the server, and returns err. */
int clickhouse_fail(struct clickhouse_client *client, int err, const char *text);

#endif
