/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How a trace.dat begins, for those who can read it and for those who cannot. */
#ifndef IMPORT_MAGIC_H
#define IMPORT_MAGIC_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static inline bool trace_cmd_is(const unsigned char *bytes, size_t size)
{
	static const char magic[] = "\x17\x08\x44tracing";

	return size >= sizeof(magic) - 1 && !memcmp(bytes, magic, sizeof(magic) - 1);
}

#endif
