// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The text that perf script prints for the tracepoints of kmem. */
#include "config.h"

#include <string.h>

#include "capture/import/text_import.h"

static bool is_perf(const unsigned char *bytes, size_t size)
{
	static const char key[] = " kmem:";

	return !memchr(bytes, '\0', size) && memmem(bytes, size, key, strlen(key));
}

static int import_perf(struct import_target *target, char *const *paths, size_t count)
{
	static const struct text_format format = {
		.parse = perf_line_parse,
		.stack_follows = true,
		.tracer = "perf",
		.record = "record with perf record -a -e 'kmem:*' and print with perf script",
		.add_time = "print them with perf script -F comm,tid,cpu,time,event,trace",
		.add_ns = "; perf script --ns prints nanoseconds",
		.add_lost = ": perf script --show-lost-events prints them, if there are any",
		.add_offset = "; perf script -F +symoff prints it",
		.add_pointers = "",
	};

	(void)count;
	return text_import(&format, target, paths[0]);
}

const struct import_source source_perf = {
	.name = "perf",
	.description = "the text of perf script",
	.is = is_perf,
	.import = import_perf,
};
