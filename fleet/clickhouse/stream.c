// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "config.h"

#include "fleet/clickhouse/stream.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define AHEAD_MAX ((size_t)512 << 10) /* bytes that wait to be read */
#define LINE_MAX_BYTES ((size_t)64 << 20)
#define POLL_MS 1000
#define NS_PER_BYTE 1000000ULL /* of a slow answer: 1000 bytes a second */
/* a server that lost its power does not close the connection */
#define ALIVE_AFTER 30L /* s */
#define ALIVE_EACH 15L
#define FORMAT "\nFORMAT TabSeparatedWithNamesAndTypes\n"

static size_t unread_bytes(const struct clickhouse_stream *stream)
{
	return stream->end - stream->begin;
}

static bool make_room(struct clickhouse_stream *stream, size_t size)
{
	size_t space = stream->space ? stream->space : AHEAD_MAX;
	char *data;

	if (stream->begin) {
		memmove(stream->data, stream->data + stream->begin, unread_bytes(stream));
		stream->end -= stream->begin;
		stream->begin = 0;
	}
	while (space < stream->end + size)
		space *= 2;
	if (space == stream->space)
		return true;
	data = realloc(stream->data, space);
	if (!data)
		return false;
	stream->data = data;
	stream->space = space;
	return true;
}

/* Rows wait in the stream; all else is an error, which the client keeps. */
static size_t take_rows(char *data, size_t size, size_t count, void *user)
{
	struct clickhouse_stream *stream = user;
	long status = 0;

	curl_easy_getinfo(stream->client.curl, CURLINFO_RESPONSE_CODE, &status);
	if (status != 200 || !stream->client.answer.is_clickhouse)
		return clickhouse_take_answer(data, size, count, &stream->client.answer);
	size *= count;
	/* a line that is longer than this is read as a whole */
	if (unread_bytes(stream) >= AHEAD_MAX &&
	    memchr(stream->data + stream->begin, '\n', unread_bytes(stream))) {
		stream->is_paused = true;
		return CURL_WRITEFUNC_PAUSE;
	}
	if (unread_bytes(stream) + size > LINE_MAX_BYTES) {
		stream->client.answer.too_large = true;
		return 0;
	}
	if (stream->end + size > stream->space && !make_room(stream, size))
		return 0;
	memcpy(stream->data + stream->end, data, size);
	stream->end += size;
	stream->patience += size * NS_PER_BYTE;
	return size;
}

static void set_options(struct clickhouse_stream *stream,
			const struct clickhouse_settings *settings)
{
	uint64_t timeout = settings->timeout_s ? settings->timeout_s : CLICKHOUSE_TIMEOUT;
	CURL *curl = stream->client.curl;

	stream->timeout = (timeout + 1) / 2 * 1000000000;
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_rows);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, stream);
	curl_easy_setopt(curl, CURLOPT_PRIVATE, stream);
	/*
	 * no limit here, since a server that is ahead has to wait: wait_for_bytes() has the limit
	 */
	curl_easy_setopt(curl, CURLOPT_TIMEOUT, 0L);
	curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, 0L);
	curl_easy_setopt(curl, CURLOPT_TCP_KEEPALIVE, 1L);
	curl_easy_setopt(curl, CURLOPT_TCP_KEEPIDLE, ALIVE_AFTER);
	curl_easy_setopt(curl, CURLOPT_TCP_KEEPINTVL, ALIVE_EACH);
}

int clickhouse_streams_open(struct clickhouse_streams *streams, const struct clickhouse_url *url,
			    const struct clickhouse_settings *settings)
{
	int err = 0;

	*streams = (struct clickhouse_streams){ .multi = curl_multi_init(),
						.list = calloc(url->server_count,
							       sizeof(*streams->list)) };
	if (!streams->multi || !streams->list)
		err = -ENOMEM;
	for (size_t i = 0; i < url->server_count && !err; i++) {
		err = clickhouse_open(&streams->list[i].client, url, i, settings);
		if (!err) {
			streams->count++;
			set_options(&streams->list[i], settings);
		}
	}
	return err;
}

static void free_answer(struct clickhouse_stream *stream)
{
	free(stream->names);
	free(stream->types);
	free(stream->texts);
	free(stream->name_line);
	free(stream->type_line);
	free(stream->address);
	free(stream->query);
	stream->names = stream->types = stream->texts = NULL;
	stream->name_line = stream->type_line = stream->address = stream->query = NULL;
	stream->columns = stream->begin = stream->end = 0;
	stream->is_paused = false;
}

static void stop_stream(struct clickhouse_streams *streams, struct clickhouse_stream *stream)
{
	if (stream->is_running)
		curl_multi_remove_handle(streams->multi, stream->client.curl);
	stream->is_running = false;
}

void clickhouse_stream_cancel(struct clickhouse_streams *streams, size_t server)
{
	stop_stream(streams, &streams->list[server]);
	free_answer(&streams->list[server]);
}

void clickhouse_streams_close(struct clickhouse_streams *streams)
{
	for (size_t i = 0; i < streams->count; i++) {
		struct clickhouse_stream *stream = &streams->list[i];

		clickhouse_stream_cancel(streams, i);
		clickhouse_close(&stream->client);
		free(stream->data);
		free(stream->line);
	}
	if (streams->multi)
		curl_multi_cleanup(streams->multi);
	free(streams->list);
	*streams = (struct clickhouse_streams){ 0 };
}

int clickhouse_stream_start(struct clickhouse_streams *streams, size_t server, const char *query,
			    bool is_of_user)
{
	struct clickhouse_stream *stream = &streams->list[server];
	struct clickhouse_client *client = &stream->client;

	clickhouse_stream_cancel(streams, server);
	if (asprintf(&stream->address, "%s?wait_end_of_query=1&database=%s%s", client->address,
		     client->database, is_of_user ? "&readonly=1" : "") < 0)
		stream->address = NULL;
	if (asprintf(&stream->query, "%s" FORMAT, query) < 0)
		stream->query = NULL;
	if (!stream->address || !stream->query)
		return clickhouse_fail(client, -ENOMEM, strerror(ENOMEM));
	clickhouse_request_begin(client, stream->address, stream->query, strlen(stream->query),
				 client->headers);
	stream->err = 1;
	stream->patience = stream->timeout;
	stream->is_running = true;
	if (curl_multi_add_handle(streams->multi, client->curl) == CURLM_OK)
		return 0;
	stream->is_running = false;
	return clickhouse_fail(client, -ENOMEM, strerror(ENOMEM));
}

/* Lets all servers go on, and waits if none has something. */
static int transfer_some(struct clickhouse_streams *streams)
{
	int running, left;
	CURLMsg *message;

	if (curl_multi_perform(streams->multi, &running) != CURLM_OK)
		return -ENOMEM;
	while ((message = curl_multi_info_read(streams->multi, &left))) {
		struct clickhouse_stream *stream;
		CURLcode code = message->data.result;

		if (message->msg != CURLMSG_DONE)
			continue;
		curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&stream);
		stop_stream(streams, stream);
		stream->err = clickhouse_request_end(&stream->client, (int)code);
	}
	return 0;
}

/* \t, \N and so on, in place. The text ends at a tab. */
static char *unescape_column(char *text)
{
	static const char letters[] = "btnfr0", values[] = "\b\t\n\f\r";
	const char *from = text, *letter;
	char *to = text;

	if (strcmp(text, "\\N") == 0)
		return NULL;
	for (; *from; from++) {
		if (*from == '\\' && from[1]) {
			from++;
			letter = strchr(letters, *from);
			*to++ = letter ? values[letter - letters] : *from;
		} else {
			*to++ = *from;
		}
	}
	*to = '\0';
	return text;
}

/* The columns of a line become texts. Their number. */
static size_t split_line(char *line, char **texts, size_t most)
{
	size_t count = 0;
	char *text;

	while ((text = strsep(&line, "\t"))) {
		if (count < most)
			texts[count] = unescape_column(text);
		count++;
	}
	return count;
}

static int take_names(struct clickhouse_stream *stream, size_t length)
{
	size_t columns = 1;

	stream->name_line = strdup(stream->line);
	for (size_t i = 0; i < length; i++)
		columns += stream->line[i] == '\t';
	stream->names = calloc(columns, sizeof(*stream->names));
	stream->texts = calloc(columns, sizeof(*stream->texts));
	if (!stream->name_line || !stream->names || !stream->texts)
		return clickhouse_fail(&stream->client, -ENOMEM, strerror(ENOMEM));
	stream->columns = split_line(stream->name_line, stream->names, columns);
	return 0;
}

static int fail_no_table(struct clickhouse_stream *stream)
{
	return clickhouse_fail(&stream->client, -EPROTO,
			       "the answer is not a table: is it a ClickHouse server?");
}

static int take_types(struct clickhouse_stream *stream)
{
	stream->type_line = strdup(stream->line);
	stream->types = calloc(stream->columns, sizeof(*stream->types));
	if (!stream->type_line || !stream->types)
		return clickhouse_fail(&stream->client, -ENOMEM, strerror(ENOMEM));
	return split_line(stream->type_line, stream->types, stream->columns) == stream->columns
		       ? 0
		       : fail_no_table(stream);
}

static int copy_line(struct clickhouse_stream *stream, const char *text, size_t length)
{
	if (length + 1 > stream->line_space) {
		char *line = realloc(stream->line, length + 1);

		if (!line)
			return clickhouse_fail(&stream->client, -ENOMEM, strerror(ENOMEM));
		stream->line = line;
		stream->line_space = length + 1;
	}
	memcpy(stream->line, text, length);
	stream->line[length] = '\0';
	return 0;
}

/* 1: a row, 0: the names or the types of the columns; or -errno. */
static int read_line(struct clickhouse_stream *stream, const char *text, size_t length)
{
	int err = copy_line(stream, text, length);

	if (err)
		return err;
	if (!stream->names)
		return take_names(stream, length);
	if (!stream->types)
		return take_types(stream);
	return split_line(stream->line, stream->texts, stream->columns) == stream->columns
		       ? 1
		       : fail_no_table(stream);
}

static int end_stream(struct clickhouse_stream *stream)
{
	if (stream->err)
		return stream->err;
	if (unread_bytes(stream))
		return clickhouse_fail(&stream->client, -EAGAIN,
				       "the answer was cut off: try again");
	return 0;
}

static void go_on(struct clickhouse_stream *stream)
{
	if (!stream->is_paused || unread_bytes(stream) > AHEAD_MAX / 2)
		return;
	stream->is_paused = false;
	curl_easy_pause(stream->client.curl, CURLPAUSE_CONT);
}

static uint64_t monotonic_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/*
 * Waits until the server has sent something more. The sum of all waiting is limited, and each byte
 * makes the limit a bit longer. So a server that sends its bytes slowly cannot be waited for
 * without an end.
 */
static int wait_for_bytes(struct clickhouse_streams *streams, struct clickhouse_stream *stream)
{
	size_t before = unread_bytes(stream);
	uint64_t begin = monotonic_now(), waited;

	if (transfer_some(streams) ||
	    (stream->err > 0 && unread_bytes(stream) == before &&
	     curl_multi_poll(streams->multi, NULL, 0, POLL_MS, NULL) != CURLM_OK))
		return clickhouse_fail(&stream->client, -ENOMEM, strerror(ENOMEM));
	waited = monotonic_now() - begin;
	if (stream->err > 0 && waited > stream->patience) {
		stop_stream(streams, stream);
		stream->err = clickhouse_request_end(&stream->client, CURLE_OPERATION_TIMEDOUT);
	}
	stream->patience -= waited < stream->patience ? waited : stream->patience;
	return 0;
}

int clickhouse_stream_next(struct clickhouse_streams *streams, size_t server)
{
	struct clickhouse_stream *stream = &streams->list[server];
	size_t searched = 0;

	for (;;) {
		const char *text = stream->data + stream->begin;
		const char *newline =
			unread_bytes(stream) > searched
				? memchr(text + searched, '\n', unread_bytes(stream) - searched)
				: NULL;
		int result;

		if (newline) {
			result = read_line(stream, text, (size_t)(newline - text));
			stream->begin += (size_t)(newline - text) + 1;
			go_on(stream);
			if (result)
				return result;
			searched = 0;
			continue;
		}
		searched = unread_bytes(stream);
		if (stream->err <= 0)
			return end_stream(stream);
		go_on(stream);
		result = wait_for_bytes(streams, stream);
		if (result)
			return result;
	}
}
