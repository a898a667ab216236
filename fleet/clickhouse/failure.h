/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The sentences for what can go wrong with a request. */
#ifndef FLEET_CLICKHOUSE_FAILURE_H
#define FLEET_CLICKHOUSE_FAILURE_H

#include "fleet/clickhouse/answer.h"

/* The same number for all codes, CURLcodes, that have the same sentence. */
int clickhouse_transfer_kind(int code);

/*
 * Each writes the sentence and returns -EAGAIN, -EPROTO, -EINTR or -ENOMEM, see client.h. code: a
 * CURLcode, detail: its text or ""; status: of HTTP.
 */
int clickhouse_fail_transfer(const struct clickhouse_answer *answer, int code, const char *detail,
			     char *text, size_t size);
int clickhouse_fail_status(const struct clickhouse_answer *answer, long status, char *text,
			   size_t size);

/* ClickHouse's number of the error; -1: the answer is none of its errors. */
long clickhouse_exception_code(const struct clickhouse_answer *answer);

#endif
