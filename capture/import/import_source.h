/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The kinds of recordings that can be imported, and how each is recognised. */
#ifndef CAPTURE_IMPORT_IMPORT_SOURCE_H
#define CAPTURE_IMPORT_IMPORT_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

#include "capture/import/import_target.h"

struct import_source {
	const char *name;				     /* as --format names it */
	const char *description;			     /* of such a file, for messages */
	bool (*is)(const unsigned char *bytes, size_t size); /* bytes: the beginning of a file */
	/* 0 or -errno with target->error set, which names the file */
	int (*import)(struct import_target *target, char *const *paths, size_t count);
	bool has_symbols;
	bool many;     /* several files are one recording */
	bool isolated; /* read in a child process: damaged data may crash the library that reads it
			*/
};

#define SOURCE_PEEK 65536 /* bytes for is(), unless the file is shorter */

extern const struct import_source source_kmemtrace, source_trace_cmd, source_ftrace, source_perf;

#endif
