// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The names of a kernel's GFP flags. The format file of a tracepoint has the bits of each name as a
 * C expression.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "kernel/c_expression.h"
#include "kernel/gfp.h"

static int gfp_append(struct gfp_table *table, const struct gfp_name *name)
{
	struct gfp_name *list = array_grow(table->list, table->count, sizeof(*list));

	if (!list)
		return -ENOMEM;
	table->list = list;
	list[table->count++] = *name;
	return 0;
}

/*
 * Parses "expression, "NAME"}" at *at and moves *at behind it. 1: name is set; 0: the table has
 * ended; -EINVAL: not such an entry (some kernels have a name instead of a number).
 */
static int gfp_parse_entry(const char **at, struct gfp_name *name)
{
	struct c_expression expr = { .at = *at };
	uint64_t bits = c_expression_evaluate(&expr);
	const char *name_text;
	size_t size;

	*at += strcspn(*at, "}");
	c_expression_skip_space(&expr);
	if (expr.failed || *expr.at != ',')
		return -EINVAL;
	expr.at++;
	c_expression_skip_space(&expr);
	if (*expr.at != '"')
		return 0;
	name_text = ++expr.at;
	size = strcspn(name_text, "\"");
	expr.at += size;
	/* a line of the capture's table has a name */
	if (!size || *expr.at++ != '"')
		return -EINVAL;
	c_expression_skip_space(&expr);
	if (*expr.at != '}')
		return -EINVAL;
	/* gfp_t is an unsigned int; here a ~ sets the bits above it too. */
	name->bits = bits & UINT32_MAX;
	snprintf(name->name, sizeof(name->name), "%.*s",
		 (int)(size < sizeof(name->name) ? size : sizeof(name->name)), name_text);
	return 1;
}

int gfp_parse_format(struct gfp_table *table, const char *format)
{
	const char *at = strstr(format, "__print_flags(");

	*table = (struct gfp_table){ 0 };
	while (at && (at = strpbrk(at, "{:")) && *at == '{') {
		struct gfp_name name;
		int got;

		at++;
		got = gfp_parse_entry(&at, &name);
		if (!got)
			break;
		if (got > 0 && name.bits && gfp_append(table, &name)) {
			gfp_deinit(table);
			return -ENOMEM;
		}
	}
	return table->count ? 0 : -ENODATA;
}

int gfp_parse(struct gfp_table *table, const char *text)
{
	struct line line;

	*table = (struct gfp_table){ 0 };
	while (line_next(&line, &text)) {
		struct gfp_name name;

		/* a line without "0x" has a key of a later version, even if the key is hex, such as
		 * "bad" */
		if (strncmp(line.at, "0x", 2) || !line_u64(&line, 16, &name.bits) || !name.bits)
			continue;
		line_word(&line, name.name, sizeof(name.name));
		if (name.name[0] && gfp_append(table, &name)) {
			gfp_deinit(table);
			return -ENOMEM;
		}
	}
	return 0;
}

int gfp_write(const struct gfp_table *table, FILE *file)
{
	for (size_t i = 0; i < table->count; i++) {
		fprintf(file, "0x%" PRIx64 " ", table->list[i].bits);
		text_write_word(file, table->list[i].name);
		putc('\n', file);
	}
	return text_write_result(file);
}

void gfp_deinit(struct gfp_table *table)
{
	free(table->list);
	*table = (struct gfp_table){ 0 };
}

static size_t __attribute__((format(printf, 4, 5)))
append_format(char *text, size_t size, size_t used, const char *format, ...)
{
	va_list arguments;
	int added;

	if (used >= size)
		return used;
	va_start(arguments, format);
	added = vsnprintf(text + used, size - used, format, arguments);
	va_end(arguments);
	return added < 0 ? used : used + added;
}

uint64_t gfp_find(const struct gfp_table *table, const char *name)
{
	for (size_t i = 0; i < table->count; i++) {
		const char *found = table->list[i].name;

		/* older kernels print "__GFP_DMA" as "GFP_DMA" */
		if (!strcmp(found, name) || !strcmp(found, name + 2))
			return table->list[i].bits;
	}
	return 0;
}

char *gfp_text(const struct gfp_table *table, uint64_t flags, char *text, size_t size)
{
	size_t used = append_format(text, size, 0, "%s", flags ? "" : "none");

	for (size_t i = 0; i < table->count && flags; i++) {
		const struct gfp_name *name = &table->list[i];

		if ((flags & name->bits) != name->bits)
			continue;
		used = append_format(text, size, used, "%s%s", used ? "|" : "", name->name);
		flags &= ~name->bits;
	}
	if (flags)
		append_format(text, size, used, "%s0x%" PRIx64, used ? "|" : "", flags);
	return text;
}
