/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The recordings that can be imported, and how a file is known to be one. */
#ifndef IMPORT_SOURCE_H
#define IMPORT_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

#include "import/import_target.h"

struct source {
	const char *name;				     /* of --format */
	const char *sentence;				     /* what such a file is */
	bool (*is)(const unsigned char *bytes, size_t size); /* by the beginning of a file */
	/* 0 or -errno with target->errmsg set, which names the file */
	int (*import)(struct import_target *target, char *const *paths, size_t count);
	bool has_symbols;
	bool many;     /* files make one recording */
	bool isolated; /* a library reads it that damaged data may bring down */
};

#define SOURCE_PEEK 65536 /* bytes that is() gets, or the whole file */

extern const struct source source_kmemtrace, source_trace_cmd, source_perf;

#endif
