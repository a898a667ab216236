// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "config.h"

#include "fleet/clickhouse/failure.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REASON_SIZE 240
#define EXCEPTION "Exception: " /* DB::Exception, DB::ErrnoException, ... */

struct sentence {
	char *text;
	size_t size;
};

__attribute__((format(printf, 3, 4))) static int fail_sentence(struct sentence sentence, int err,
							       const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(sentence.text, sentence.size, format, arguments);
	va_end(arguments);
	return err;
}

int clickhouse_transfer_kind(int code)
{
	switch (code) {
	/* which of them it is depends on how far the request was when the server closed */
	case CURLE_GOT_NOTHING:
	case CURLE_PARTIAL_FILE:
	case CURLE_RECV_ERROR:
	case CURLE_SEND_ERROR:
		return CURLE_GOT_NOTHING;
	case CURLE_UNSUPPORTED_PROTOCOL:
	case CURLE_WEIRD_SERVER_REPLY:
		return CURLE_WEIRD_SERVER_REPLY;
	default:
		return code;
	}
}

int clickhouse_fail_transfer(const struct clickhouse_answer *answer, int code, const char *detail,
			     char *text, size_t size)
{
	struct sentence sentence = { text, size };
	const char *reason = *detail ? detail : curl_easy_strerror((CURLcode)code);

	switch (clickhouse_transfer_kind(code)) {
	case CURLE_ABORTED_BY_CALLBACK:
		return fail_sentence(sentence, -EINTR, "stopped by a signal");
	case CURLE_OUT_OF_MEMORY:
		return fail_sentence(sentence, -ENOMEM, "%s", strerror(ENOMEM));
	case CURLE_COULDNT_RESOLVE_HOST:
		return fail_sentence(
			sentence, -EAGAIN,
			"no address is known for this name: check the name, and the DNS");
	case CURLE_COULDNT_CONNECT:
		return fail_sentence(
			sentence, -EAGAIN,
			"no connection: is a ClickHouse server running there, and is this its port for HTTP? (%s)",
			reason);
	case CURLE_OPERATION_TIMEDOUT:
		return fail_sentence(
			sentence, -EAGAIN,
			"no whole answer in time: the server or the network is too slow, or something else listens there (%s)",
			reason);
	case CURLE_PEER_FAILED_VERIFICATION:
		return fail_sentence(
			sentence, -EPROTO,
			"its certificate cannot be verified: name its authority with --ca=FILE, and use the server name of the certificate (%s)",
			reason);
	case CURLE_SSL_CACERT_BADFILE:
		return fail_sentence(sentence, -EPROTO, "the file of --ca cannot be used (%s)",
				     reason);
	case CURLE_SSL_CONNECT_ERROR:
		return fail_sentence(
			sentence, -EPROTO,
			"no TLS connection: clickhouses:// needs the server's port for HTTPS, clickhouse:// that for HTTP (%s)",
			reason);
	case CURLE_WEIRD_SERVER_REPLY:
		return fail_sentence(
			sentence, -EPROTO,
			"the answer is not HTTP: is this the server's port for HTTP, 8123?");
	case CURLE_WRITE_ERROR:
		if (answer->too_large)
			return fail_sentence(
				sentence, -EPROTO,
				"the answer%s more than %zu bytes: is it a ClickHouse server?",
				answer->header_bytes > CLICKHOUSE_HEADERS_MAX ? "'s headers have"
									      : " has",
				answer->header_bytes > CLICKHOUSE_HEADERS_MAX
					? CLICKHOUSE_HEADERS_MAX
					: answer->max);
		return fail_sentence(sentence, -ENOMEM, "%s", strerror(ENOMEM));
	case CURLE_GOT_NOTHING:
		return fail_sentence(sentence, -EAGAIN,
				     "the server closed the connection too early (%s)", reason);
	default:
		return fail_sentence(sentence, -EAGAIN, "%s", reason);
	}
}

/* Advice for the error codes of ClickHouse that waiting does not solve. */
static const struct advice {
	long code;
	const char *text;
} advices[] = {
	{ 16, "a table has other columns: was it made by another version?" },
	{ 27, "the server does not understand the rows: a table has other columns" },
	{ 36, "" },
	{ 43, "" },
	{ 46, "" },
	{ 47, "a table has other columns: was it made by another version?" },
	{ 53, "a table has other columns: was it made by another version?" },
	{ 60, "make the tables with --init" },
	{ 62, "" },
	{ 81, "make the database and its tables with --init" },
	{ 164, "the user may only read" },
	{ 170, "the configuration of the server does not have this cluster" },
	{ 192, "check the user" },
	{ 193, "check the user and the password" },
	{ 194, "check the user and the password" },
	{ 195, "the server does not accept this user from this machine" },
	{ 291, "the user may not use this database" },
	{ 497, "the user needs more rights" },
	{ 516, "check the user and the password" },
};

static const struct advice *find_advice(long code)
{
	for (size_t i = 0; i < sizeof(advices) / sizeof(*advices); i++) {
		if (advices[i].code == code)
			return &advices[i];
	}
	return NULL;
}

/* "Code: 60, e.displayText() = DB::Exception: Table t doesn't exist., e.what() = ...", or as later
 * versions have it: "Code: 60. DB::Exception: Table t doesn't exist. (UNKNOWN_TABLE) (version ...".
 * Returns the code, or -1. */
static long parse_exception(const char *answer, char *reason, size_t size)
{
	const char *text = strstr(answer, EXCEPTION), *end;
	size_t length;
	long code;

	if (strncmp(answer, "Code: ", 6) != 0 || !text)
		return -1;
	text += strlen(EXCEPTION);
	length = strcspn(text, "\n");
	end = memmem(text, length, ", e.what() =", 12);
	if (!end)
		end = memmem(text, length, " (version ", 10);
	if (end)
		length = (size_t)(end - text);
	while (length && (text[length - 1] == '.' || text[length - 1] == ' '))
		length--;
	snprintf(reason, size, "%.*s", (int)(length < size ? length : size - 1), text);
	code = strtol(answer + 6, NULL, 10);
	return code < 0 ? -1 : code;
}

static int fail_exception(struct sentence sentence, long code, const char *reason)
{
	const struct advice *advice = find_advice(code);

	if (!advice)
		return fail_sentence(sentence, -EAGAIN, "the server refused: %s (code %ld)", reason,
				     code);
	return fail_sentence(sentence, -EPROTO, "the server refused: %s%s%s (code %ld)", reason,
			     *advice->text ? ": " : "", advice->text, code);
}

int clickhouse_fail_status(const struct clickhouse_answer *answer, long status, char *text,
			   size_t size)
{
	struct sentence sentence = { text, size };
	char reason[REASON_SIZE] = "";
	long code = parse_exception(answer->text ? answer->text : "", reason, sizeof(reason));

	if (answer->is_clickhouse && code >= 0)
		return fail_exception(sentence, code, reason);
	if (status >= 300 && status < 400)
		return fail_sentence(
			sentence, -EPROTO,
			"it answers with a redirect, HTTP %ld, which is not followed: name the server itself",
			status);
	if (status == 401 || status == 403)
		return fail_sentence(
			sentence, -EPROTO,
			"it refuses the user or the password with HTTP %ld: check both", status);
	if (status == 408 || status == 429 || status >= 500)
		return fail_sentence(sentence, -EAGAIN, "the server failed with HTTP %ld%s", status,
				     status == 507 ? ": it has no space left" : "");
	return fail_sentence(
		sentence, -EPROTO,
		"this is not a ClickHouse server: HTTP %ld without its headers: check the address",
		status);
}

long clickhouse_exception_code(const struct clickhouse_answer *answer)
{
	char reason[REASON_SIZE];

	return answer->text && answer->is_clickhouse
		       ? parse_exception(answer->text, reason, sizeof(reason))
		       : -1;
}
