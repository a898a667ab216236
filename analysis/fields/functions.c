// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The functions of expressions that need the capture's machine only. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "analysis/fields/functions.h"

struct value call_vm_fault_contains(struct value_source *source,
				    const struct transition *transition,
				    const struct value *arguments)
{
	(void)source;
	(void)transition;
	return value_of(arguments[0].number == arguments[1].number);
}

struct value call_addr_to_node(struct value_source *source, const struct transition *transition,
			       const struct value *arguments)
{
	(void)transition;
	return memory_node_of(source, (uint64_t)arguments[0].number);
}

struct value call_mem_page_size(struct value_source *source, const struct transition *transition,
				const struct value *arguments)
{
	unsigned int size = source->capture->metadata.page_size;

	(void)transition;
	(void)arguments;
	return size ? value_of(size) : value_unknown();
}

void size_text(int64_t bytes, char text[SIZE_TEXT])
{
	int64_t whole = bytes, rest = 0;
	const char *unit = "KMG";

	if (bytes < 1024) {
		snprintf(text, SIZE_TEXT, "%5" PRId64, bytes);
		return;
	}
	for (;; unit++) {
		rest = whole % 1024;
		whole /= 1024;
		if (whole < 1024 || *unit == 'G')
			break;
	}
	if (whole < 10)
		snprintf(text, SIZE_TEXT, "%" PRId64 ".%02" PRId64 "%c", whole, rest * 100 / 1024,
			 *unit);
	else if (whole < 100)
		snprintf(text, SIZE_TEXT, "%" PRId64 ".%" PRId64 "%c", whole, rest * 10 / 1024,
			 *unit);
	else
		snprintf(text, SIZE_TEXT, "%4" PRId64 "%c", whole, *unit);
}

static struct value size_value(struct value_source *source, int64_t bytes)
{
	char text[SIZE_TEXT];
	uint32_t number;

	size_text(bytes, text);
	number = texts_add(&source->texts, text);
	if (!number)
		source->err = -ENOMEM;
	return (struct value){ number, number != 0 };
}

struct value call_bytes_to_string(struct value_source *source, const struct transition *transition,
				  const struct value *arguments)
{
	(void)transition;
	return size_value(source, arguments[0].number);
}

struct value call_pages_to_string(struct value_source *source, const struct transition *transition,
				  const struct value *arguments)
{
	struct value page = call_mem_page_size(source, transition, NULL);
	int64_t bytes;

	if (!page.known || __builtin_mul_overflow(arguments[0].number, page.number, &bytes))
		return value_unknown();
	return size_value(source, bytes);
}
