// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The answer of a ClickHouse server: rows, with the checks of a question's columns, and errors; the
 * address of --db; and a file of credentials. The first byte of an input says which.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fleet/clickhouse/credentials.h"
#include "fleet/clickhouse/failure.h"
#include "fleet/clickhouse/stream.h"
#include "fleet/store.h"
#include "tests/fuzz/fuzz.h"

/* The columns of a question: host, whole number, decimal, text. */
static const struct store_reader reader = { .texts = 1, .rest = "ndt" };

static void use_row(struct store *store, const struct clickhouse_stream *stream)
{
	const struct store_row row = { .count = stream->columns,
				       .names = (const char *const *)stream->names,
				       .texts = (const char *const *)stream->texts };
	int err = store_check_row(store, "server:1", &reader, &row);

	FUZZ_EXPECT(!err || (err == -EPROTO && *store->errmsg));
	if (err)
		return;
	FUZZ_EXPECT(row.count == 4);
	FUZZ_EXPECT(!row.texts[2] || isfinite(strtod(row.texts[2], NULL)));
	FUZZ_EXPECT(strlen(store_text(&row, 0)) < SIZE_MAX && store_number(&row, 1) <= UINT64_MAX);
}

/* All of the answer has come. */
static void read_rows(const struct fuzz_input *input)
{
	struct clickhouse_stream stream = { .client.server = "server:1" };
	struct clickhouse_streams streams = { .list = &stream, .count = 1 };
	struct store store = { .location = "clickhouse://server:1/fleet" };
	int got;

	stream.data = malloc(input->left + 1);
	FUZZ_EXPECT(stream.data);
	memcpy(stream.data, input->at, input->left);
	stream.end = stream.space = input->left;
	while ((got = clickhouse_stream_next(&streams, 0)) == 1)
		use_row(&store, &stream);
	FUZZ_EXPECT(!got || got == -EPROTO || got == -EAGAIN);
	FUZZ_EXPECT(!got == !*stream.client.errmsg);
	clickhouse_stream_cancel(&streams, 0);
	free(stream.data);
	free(stream.line);
}

static void read_error(char *text, unsigned int how)
{
	struct clickhouse_answer answer = { .text = text,
					    .size = strlen(text),
					    .is_clickhouse = how & 1 };
	char sentence[how % 64 + 20];
	int err = clickhouse_fail_status(&answer, how & 2 ? 200 : 500 + (how >> 4), sentence,
					 sizeof(sentence));

	FUZZ_EXPECT(err == -EAGAIN || err == -EPROTO);
	FUZZ_EXPECT(strlen(sentence) < sizeof(sentence));
	FUZZ_EXPECT(clickhouse_exception_code(&answer) >= -1);
}

static void read_url(const char *text)
{
	struct clickhouse_url url;
	int err = clickhouse_url_parse(&url, text);

	FUZZ_EXPECT(!err || (err == -EINVAL && *url.error.text));
	FUZZ_EXPECT(err || (url.server_count && url.server_count <= CLICKHOUSE_SERVERS_MAX &&
			    clickhouse_url_server(&url, text) < url.server_count));
	for (size_t i = 0; i < url.server_count; i++)
		FUZZ_EXPECT(strchr(url.servers[i], ':') && !strpbrk(url.servers[i], "/@?# \n\"\\"));
	clickhouse_url_deinit(&url);
}

static void read_credentials(const char *text)
{
	struct clickhouse_credentials credentials = { 0 };
	int err = clickhouse_credentials_parse(&credentials, text, "a file");

	FUZZ_EXPECT(!err || (err == -EINVAL && *credentials.error.text));
	/* they are headers of a request */
	FUZZ_EXPECT(!credentials.user || !strpbrk(credentials.user, "\r\n"));
	FUZZ_EXPECT(!credentials.password || !strpbrk(credentials.password, "\r\n"));
	clickhouse_credentials_deinit(&credentials);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input input = { data, size };
	unsigned int how = fuzz_byte(&input);
	char *text = fuzz_text(&input);

	switch (how % 4) {
	case 0:
		read_rows(&input);
		break;
	case 1:
		read_error(text, how >> 2);
		break;
	case 2:
		read_url(text);
		break;
	default:
		read_credentials(text);
	}
	free(text);
	return 0;
}
