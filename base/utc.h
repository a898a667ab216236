/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Dates as text. */
#ifndef BASE_UTC_H
#define BASE_UTC_H

#include <stddef.h>
#include <stdint.h>

/* Writes the time, in ns since 1970, in ISO 8601, in UTC and with nanoseconds. */
void utc_text(uint64_t ns, char *text, size_t size);

#endif
