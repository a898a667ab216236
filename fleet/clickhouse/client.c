// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "config.h"

#include "fleet/clickhouse/client.h"

#include <curl/curl.h>
#include <errno.h>
#include <libdeflate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/deflate_setup.h"
#include "fleet/clickhouse/failure.h"

#define CONNECT_TIMEOUT 10L /* s */
#define SLOW_BYTES 1L	    /* a second: less is silence */
#define SENTENCE_SIZE 500
#define HTTP_REASON 1000000 /* above the numbers of ClickHouse */
#define PACK_LEVEL 1
#define OWN_HEADER "X-ClickHouse-"

size_t clickhouse_take_answer(char *data, size_t size, size_t count, void *user)
{
	struct clickhouse_answer *answer = user;

	size *= count;
	if (size > answer->max - answer->size) {
		answer->too_large = true;
		return 0;
	}
	if (size >= answer->space - answer->size) {
		size_t space = (answer->size + size) * 2 + 1;
		char *text = realloc(answer->text, space);

		if (!text)
			return 0;
		answer->text = text;
		answer->space = space;
	}
	memcpy(answer->text + answer->size, data, size);
	answer->size += size;
	answer->text[answer->size] = '\0';
	return size;
}

static size_t take_header(char *data, size_t size, size_t count, void *user)
{
	struct clickhouse_answer *answer = user;

	size *= count;
	answer->header_bytes += size;
	if (answer->header_bytes > CLICKHOUSE_HEADERS_MAX) {
		answer->too_large = true;
		return 0;
	}
	if (size > strlen(OWN_HEADER) && strncasecmp(data, OWN_HEADER, strlen(OWN_HEADER)) == 0)
		answer->is_clickhouse = true;
	return size;
}

static int check_stop(void *user, curl_off_t to_get, curl_off_t got, curl_off_t to_put,
		      curl_off_t put)
{
	const struct clickhouse_client *client = user;

	(void)to_get;
	(void)got;
	(void)to_put;
	(void)put;
	return client->settings->stop && client->settings->stop();
}

static int add_http_header(struct curl_slist **list, const char *name, const char *value)
{
	struct curl_slist *longer;
	char *text;

	if (!value)
		return 0;
	if (asprintf(&text, "%s:%s%s", name, *value ? " " : "", value) < 0)
		return -ENOMEM;
	longer = curl_slist_append(*list, text);
	explicit_bzero(text, strlen(text));
	free(text);
	if (!longer)
		return -ENOMEM;
	*list = longer;
	return 0;
}

static int add_headers(struct clickhouse_client *client, struct curl_slist **list)
{
	const struct clickhouse_credentials *credentials = client->settings->credentials;
	int err = add_http_header(list, "Content-Type", "text/plain");

	/* with an empty Expect, libcurl sends the body without waiting for "100 Continue" */
	if (!err)
		err = add_http_header(list, "Expect", "");
	if (!err && credentials)
		err = add_http_header(list, "X-ClickHouse-User", credentials->user);
	if (!err && credentials && credentials->password && *credentials->password)
		err = add_http_header(list, "X-ClickHouse-Key", credentials->password);
	return err;
}

static void set_options(struct clickhouse_client *client, bool tls)
{
	const struct clickhouse_settings *settings = client->settings;
	long timeout = settings->timeout_s ? (long)settings->timeout_s : CLICKHOUSE_TIMEOUT;
	CURL *curl = client->curl;

	curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, tls ? "https" : "http");
	curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
	/* an environment that names a proxy for the web does not mean this server */
	curl_easy_setopt(curl, CURLOPT_PROXY, "");
	curl_easy_setopt(curl, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT,
			 timeout < CONNECT_TIMEOUT ? timeout : CONNECT_TIMEOUT);
	curl_easy_setopt(curl, CURLOPT_TIMEOUT, timeout);
	curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, SLOW_BYTES);
	curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, (timeout + 1) / 2);
	curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, 1L);
	curl_easy_setopt(curl, CURLOPT_SSL_VERIFYHOST, 2L);
	if (settings->ca_file)
		curl_easy_setopt(curl, CURLOPT_CAINFO, settings->ca_file);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, clickhouse_take_answer);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, &client->answer);
	curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, take_header);
	curl_easy_setopt(curl, CURLOPT_HEADERDATA, &client->answer);
	curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
	curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, check_stop);
	curl_easy_setopt(curl, CURLOPT_XFERINFODATA, client);
}

int clickhouse_open(struct clickhouse_client *client, const struct clickhouse_url *url,
		    size_t server, const struct clickhouse_settings *settings)
{
	*client = (struct clickhouse_client){
		.settings = settings,
		.database = url->database,
		.server = url->servers[server],
		.answer.max = CLICKHOUSE_ANSWER_MAX,
	};
	client->curl = curl_easy_init();
	if (!client->curl ||
	    asprintf(&client->address, "%s://%s/", url->tls ? "https" : "http", client->server) <
		    0 ||
	    add_headers(client, &client->headers) || add_headers(client, &client->gzip_headers) ||
	    add_http_header(&client->gzip_headers, "Content-Encoding", "gzip")) {
		clickhouse_close(client);
		snprintf(client->errmsg, sizeof(client->errmsg), "%s", strerror(ENOMEM));
		return -ENOMEM;
	}
	set_options(client, url->tls);
	return 0;
}

static void free_headers(struct curl_slist *list)
{
	for (struct curl_slist *item = list; item; item = item->next)
		explicit_bzero(item->data, strlen(item->data));
	curl_slist_free_all(list);
}

void clickhouse_close(struct clickhouse_client *client)
{
	if (client->curl)
		curl_easy_cleanup(client->curl);
	free_headers(client->headers);
	free_headers(client->gzip_headers);
	free(client->address);
	free(client->answer.text);
	*client = (struct clickhouse_client){ 0 };
}

/* The sentence needs the server. */
int clickhouse_fail(struct clickhouse_client *client, int err, const char *text)
{
	snprintf(client->errmsg, sizeof(client->errmsg), "%s: %s", client->server, text);
	return err;
}

static int fail_client_memory(struct clickhouse_client *client)
{
	return clickhouse_fail(client, -ENOMEM, strerror(ENOMEM));
}

void clickhouse_request_begin(struct clickhouse_client *client, const char *address,
			      const char *body, size_t size, struct curl_slist *headers)
{
	CURL *curl = client->curl;

	/* without one, the text would be that of the answer before */
	client->answer.size = 0;
	if (client->answer.text)
		client->answer.text[0] = '\0';
	client->answer.header_bytes = 0;
	client->answer.too_large = false;
	client->answer.is_clickhouse = false;
	client->detail[0] = '\0';
	curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, client->detail);
	curl_easy_setopt(curl, CURLOPT_URL, address);
	curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
	curl_easy_setopt(curl, CURLOPT_POST, 1L);
	curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)size);
	curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body);
}

int clickhouse_request_end(struct clickhouse_client *client, int code)
{
	char text[SENTENCE_SIZE];
	CURL *curl = client->curl;
	long status = 0;
	int err;

	curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, NULL);
	client->reason = -(long)clickhouse_transfer_kind(code);
	if (code != CURLE_OK) {
		err = clickhouse_fail_transfer(&client->answer, code, client->detail, text,
					       sizeof(text));
		return clickhouse_fail(client, err, text);
	}
	curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
	client->reason = clickhouse_exception_code(&client->answer);
	if (client->reason < 0)
		client->reason = HTTP_REASON + status;
	if (status != 200 || !client->answer.is_clickhouse) {
		err = clickhouse_fail_status(&client->answer, status, text, sizeof(text));
		return clickhouse_fail(client, err, text);
	}
	return 0;
}

static int post_body(struct clickhouse_client *client, const char *address, const char *body,
		     size_t size, struct curl_slist *headers)
{
	clickhouse_request_begin(client, address, body, size, headers);
	return clickhouse_request_end(client, (int)curl_easy_perform(client->curl));
}

/*
 * The server sends nothing before it has the whole answer: an error is one, and not a cut. Rows
 * that a query inserts into the tables of a cluster are on all of its servers when it ends.
 */
static int query_with(struct clickhouse_client *client, const char *parameters, const char *query)
{
	char *address;
	int err;

	if (asprintf(&address, "%s?wait_end_of_query=1%s", client->address, parameters) < 0)
		return fail_client_memory(client);
	err = post_body(client, address, query, strlen(query), client->headers);
	free(address);
	return err;
}

int clickhouse_query(struct clickhouse_client *client, const char *query)
{
	return query_with(client, "", query);
}

int clickhouse_change(struct clickhouse_client *client, const char *query)
{
	/* groups that need more memory than this go to the disk of the server */
	return query_with(client,
			  "&insert_distributed_sync=1&max_bytes_before_external_group_by=200000000",
			  query);
}

int clickhouse_select(struct clickhouse_client *client, const char *query)
{
	char *address;
	int err;

	if (asprintf(&address, "%s?wait_end_of_query=1&readonly=1&database=%s", client->address,
		     client->database) < 0)
		return fail_client_memory(client);
	err = post_body(client, address, query, strlen(query), client->headers);
	free(address);
	return err;
}

static char *insert_address(struct clickhouse_client *client, const char *query)
{
	char *escaped = curl_easy_escape(client->curl, query, 0), *address = NULL;

	if (escaped &&
	    asprintf(&address, "%s?wait_end_of_query=1&insert_distributed_sync=1&query=%s",
		     client->address, escaped) < 0)
		address = NULL;
	curl_free(escaped);
	return address;
}

/* With a checksum of all rows. NULL: no memory. */
static char *pack_rows(const char *rows, size_t size, size_t *packed_size)
{
	struct libdeflate_compressor *compressor;
	char *packed = NULL;
	size_t bound;

	deflate_setup();
	compressor = libdeflate_alloc_compressor(PACK_LEVEL);
	if (!compressor)
		return NULL;
	bound = libdeflate_gzip_compress_bound(compressor, size);
	packed = malloc(bound);
	if (packed)
		*packed_size = libdeflate_gzip_compress(compressor, rows, size, packed, bound);
	libdeflate_free_compressor(compressor);
	return packed;
}

/* A server that has taken the rows has nothing to say. */
static int check_silence(struct clickhouse_client *client)
{
	char text[SENTENCE_SIZE];
	long code;

	if (!client->answer.size)
		return 0;
	code = clickhouse_exception_code(&client->answer);
	client->reason = code >= 0 ? code : HTTP_REASON;
	if (code >= 0)
		return clickhouse_fail(
			client, clickhouse_fail_status(&client->answer, 200, text, sizeof(text)),
			text);
	return clickhouse_fail(
		client, -EPROTO,
		"the answer to an INSERT has a text: is this a ClickHouse server, without a proxy before it?");
}

int clickhouse_insert(struct clickhouse_client *client, const char *query, const char *rows,
		      size_t size)
{
	char *address = insert_address(client, query);
	size_t packed_size = 0;
	char *packed = pack_rows(rows, size, &packed_size);
	int err;

	if (address && packed)
		err = post_body(client, address, packed, packed_size, client->gzip_headers);
	else
		err = fail_client_memory(client);
	free(address);
	free(packed);
	return err ? err : check_silence(client);
}
