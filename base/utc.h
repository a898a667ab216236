/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Dates as text. */
#ifndef BASE_UTC_H
#define BASE_UTC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The present time, in ns since 1970. */
uint64_t utc_now(void);

/* Writes the time, in ns since 1970, in ISO 8601, in UTC and with nanoseconds. */
void utc_text(uint64_t ns, char *text, size_t size);

/* The same without nanoseconds. */
void utc_text_second(uint64_t ns, char *text, size_t size);

#define DATE_EXAMPLE "2026-11-23T14:05"

/*
 * "2026-11-23T14:05", "2026-11-23T14:05:30.5Z": length characters that are a date and a time of
 * UTC, from 1970 on, as utc_text() writes it; without a fraction, seconds or Z, too. ns: since
 * 1970.
 */
bool utc_parse(const char *text, size_t length, uint64_t *ns);

#endif
