// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The text of ftrace's file trace, and the text that trace-cmd report prints. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "capture/import/text_import.h"
#include "kernel/record.h"

#define HEADER "# tracer: "

/* A text without a header is recognised by a line with an allocation or a free. */
static bool is_ftrace(const unsigned char *bytes, size_t size)
{
	const char *line = (const char *)bytes, *end = line + size, *next;
	struct text_line parsed;
	char text[1024];

	if (memchr(bytes, '\0', size))
		return false;
	if (size >= strlen(HEADER) && !memcmp(bytes, HEADER, strlen(HEADER)))
		return true;
	for (; line < end; line = next + 1) {
		next = memchr(line, '\n', (size_t)(end - line));
		if (!next)
			next = end;
		snprintf(text, sizeof(text), "%.*s", (int)(next - line), line);
		switch (ftrace_line_parse(&parsed, text)) {
		case TEXT_EVENT:
			if (text_line_id(&parsed) == KMT_NONE)
				break;
			/* fall through */
		case TEXT_BAD:
		case TEXT_NO_TIME:
			return true;
		default:
			break;
		}
	}
	return false;
}

static int import_ftrace(struct import_target *target, char *const *paths, size_t count)
{
	static const struct text_format format = {
		.parse = ftrace_line_parse,
		.tracer = "ftrace",
		.record =
			"record with trace-cmd record -e kmem, and import its trace.dat, or the text of trace-cmd report",
		.add_time =
			"import the trace.dat, or the whole lines of the file trace or of trace-cmd report",
		.add_ns = "; trace-cmd report -t prints nanoseconds",
		.add_lost = "",
		.add_offset = "; ftrace prints it after echo 1 >options/sym-offset",
		.add_pointers = "; ftrace prints addresses after echo 0 >options/hash-ptr",
	};

	(void)count;
	return text_import(&format, target, paths[0]);
}

const struct import_source source_ftrace = {
	.name = "ftrace",
	.description = "the text of ftrace or trace-cmd report",
	.is = is_ftrace,
	.import = import_ftrace,
};
