/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The first bytes of a trace.dat. A build without libtracecmd recognises the file too. */
#ifndef CAPTURE_IMPORT_TRACE_CMD_MAGIC_H
#define CAPTURE_IMPORT_TRACE_CMD_MAGIC_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static inline bool is_trace_cmd(const unsigned char *bytes, size_t size)
{
	static const char magic[] = "\x17\x08\x44tracing";

	return size >= sizeof(magic) - 1 && !memcmp(bytes, magic, sizeof(magic) - 1);
}

#endif
