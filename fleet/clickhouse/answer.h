/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The answer of a server to one request. */
#ifndef FLEET_CLICKHOUSE_ANSWER_H
#define FLEET_CLICKHOUSE_ANSWER_H

#include <stdbool.h>
#include <stddef.h>

#define CLICKHOUSE_HEADERS_MAX ((size_t)65536) /* bytes of all headers of an answer */

struct clickhouse_answer {
	char *text; /* with a NUL behind it */
	size_t size, space, max;
	size_t header_bytes;
	bool too_large;
	bool is_clickhouse; /* it has a header that other servers do not send */
};

#endif
