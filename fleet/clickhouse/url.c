// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "config.h"

#include "fleet/clickhouse/url.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"

#define PORT 8123
#define PORT_TLS 8443
#define HOST_MAX 255 /* bytes */
#define DATABASE_MAX 64
#define EXAMPLE "clickhouse://HOST:8123/DATABASE"

bool clickhouse_is_url(const char *text)
{
	return strncmp(text, CLICKHOUSE_SCHEME, strlen(CLICKHOUSE_SCHEME)) == 0 ||
	       strncmp(text, CLICKHOUSE_SCHEME_TLS, strlen(CLICKHOUSE_SCHEME_TLS)) == 0;
}

static int url_fail(struct clickhouse_url *url, const char *why)
{
	return error_format(&url->error, -EINVAL, "%s, as in " EXAMPLE, why);
}

static bool port_is_valid(const char *text, size_t length)
{
	unsigned int port = 0;

	if (!length || length > 5)
		return false;
	for (size_t i = 0; i < length; i++) {
		if (!isdigit((unsigned char)text[i]))
			return false;
		port = port * 10 + (unsigned int)(text[i] - '0');
	}
	return port > 0 && port <= 65535;
}

/* A name, an IPv4 address, or an IPv6 address in brackets. */
static bool host_is_valid(const char *text, size_t length)
{
	const char *others = ".-_";

	if (length > 2 && text[0] == '[' && text[length - 1] == ']') {
		text++;
		length -= 2;
		others = ".:%";
	}
	if (!length || length > HOST_MAX || text[0] == '-')
		return false;
	for (size_t i = 0; i < length; i++) {
		if (!isalnum((unsigned char)text[i]) && !strchr(others, text[i]))
			return false;
	}
	return true;
}

static int add_server(struct clickhouse_url *url, const char *text, size_t length)
{
	const char *bracket = memchr(text, ']', length);
	const char *from = bracket ? bracket : text;
	const char *colon = memchr(from, ':', (size_t)(text + length - from));
	size_t host = colon ? (size_t)(colon - text) : length;
	char **servers, *server;

	if (!host_is_valid(text, host))
		return url_fail(url, "the name of a server is missing or wrong");
	if (colon && !port_is_valid(colon + 1, length - host - 1))
		return url_fail(url, "a port is a number from 1 to 65535");
	if (url->server_count == CLICKHOUSE_SERVERS_MAX)
		return url_fail(url, "these are too many servers");
	servers = array_grow(url->servers, url->server_count, sizeof(*servers));
	if (!servers)
		return -ENOMEM;
	url->servers = servers;
	if (colon ? asprintf(&server, "%.*s", (int)length, text) < 0
		  : asprintf(&server, "%.*s:%d", (int)length, text, url->tls ? PORT_TLS : PORT) < 0)
		return -ENOMEM;
	servers[url->server_count++] = server;
	return 0;
}

static int set_database(struct clickhouse_url *url, const char *text)
{
	size_t length = strlen(text);

	if (!length || length > DATABASE_MAX || isdigit((unsigned char)text[0]))
		return url_fail(url, "the name of a database is missing or wrong");
	for (size_t i = 0; i < length; i++) {
		if (!isalnum((unsigned char)text[i]) && text[i] != '_')
			return url_fail(url, "the name of a database has letters, digits and _");
	}
	url->database = strdup(text);
	return url->database ? 0 : -ENOMEM;
}

int clickhouse_url_parse(struct clickhouse_url *url, const char *text)
{
	const char *slash;
	int err;

	*url = (struct clickhouse_url){ 0 };
	if (!clickhouse_is_url(text))
		return url_fail(url, "the address of a server begins with " CLICKHOUSE_SCHEME
				     " or " CLICKHOUSE_SCHEME_TLS);
	url->tls = text[strlen("clickhouse")] == 's';
	text = strstr(text, "://") + strlen("://");
	if (strchr(text, '@'))
		return url_fail(
			url,
			"a user and a password do not belong in the address: put them into the environment or --credentials=FILE");
	slash = strchr(text, '/');
	if (!slash)
		return url_fail(url, "the database is missing");
	for (;;) {
		size_t length = strcspn(text, ",/");

		err = add_server(url, text, length);
		if (err)
			return err;
		text += length;
		if (text == slash)
			return set_database(url, slash + 1);
		text++;
	}
}

void clickhouse_url_deinit(struct clickhouse_url *url)
{
	for (size_t i = 0; i < url->server_count; i++)
		free(url->servers[i]);
	free(url->servers);
	free(url->database);
	*url = (struct clickhouse_url){ 0 };
}

size_t clickhouse_url_server(const struct clickhouse_url *url, const char *host)
{
	uint64_t hash = hash_text(0, host);

	/* the low bits of FNV-1a depend on the last letters only */
	return (size_t)((hash ^ hash >> 32) % url->server_count);
}
