// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The names of a kernel's GFP flags. The format file of a tracepoint has the bits of each name as a
 * C expression, which is evaluated here.
 */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/number.h"
#include "base/text.h"
#include "kernel/gfp.h"

#define DEPTH_MAX 100 /* of operands; Linux 6.18 nests 13 parentheses */

/* After an error, failed is set and values are meaningless. */
struct expression {
	const char *at;
	int depth;
	bool failed;
};

static uint64_t expression_binary(struct expression *expr, int level);

static void expression_skip_space(struct expression *expr)
{
	while (isspace((unsigned char)*expr->at))
		expr->at++;
}

/* Skips a cast, such as "( unsigned long)": only words in parentheses. False: not a cast. */
static bool expression_cast(struct expression *expr)
{
	const char *at = expr->at + 1;

	while (isspace((unsigned char)*at))
		at++;
	if (!isalpha((unsigned char)*at) && *at != '_')
		return false;
	while (isalnum((unsigned char)*at) || isspace((unsigned char)*at) || *at == '_')
		at++;
	if (*at != ')')
		return false;
	expr->at = at + 1;
	return true;
}

static uint64_t expression_number(struct expression *expr)
{
	unsigned int base = expr->at[0] == '0' && tolower((unsigned char)expr->at[1]) == 'x' ? 16
											     : 10;
	uint64_t number = 0;

	if (!number_parse(&expr->at, base, &number))
		expr->failed = true;
	while (*expr->at && strchr("uUlL", *expr->at))
		expr->at++;
	return number;
}

static uint64_t expression_unary(struct expression *expr)
{
	uint64_t value = 0;

	expression_skip_space(expr);
	if (expr->failed || ++expr->depth > DEPTH_MAX) {
		expr->failed = true;
		return 0;
	}
	if (*expr->at == '~') {
		expr->at++;
		value = ~expression_unary(expr);
	} else if (*expr->at == '-') {
		expr->at++;
		value = -expression_unary(expr);
	} else if (*expr->at != '(') {
		value = expression_number(expr);
	} else if (expression_cast(expr)) {
		value = expression_unary(expr);
	} else {
		expr->at++;
		value = expression_binary(expr, 0);
		expression_skip_space(expr);
		if (*expr->at == ')')
			expr->at++;
		else
			expr->failed = true;
	}
	expr->depth--;
	return value;
}

/* The operators from the loosest level to the tightest, as C binds them. */
static const char *const operators[][2] = {
	{ "|", "|" }, { "^", "^" }, { "&", "&" }, { "<<", ">>" }, { "+", "-" },
};
#define LEVELS (int)(sizeof(operators) / sizeof(operators[0]))

static uint64_t expression_apply(struct expression *expr, char sign, uint64_t left, uint64_t right)
{
	switch (sign) {
	case '|':
		return left | right;
	case '^':
		return left ^ right;
	case '&':
		return left & right;
	case '+':
		return left + right;
	case '-':
		return left - right;
	}
	if (right > 63) {
		expr->failed = true;
		return 0;
	}
	return sign == '<' ? left << right : left >> right;
}

static uint64_t expression_binary(struct expression *expr, int level)
{
	uint64_t value;

	if (level == LEVELS)
		return expression_unary(expr);
	value = expression_binary(expr, level + 1);
	while (!expr->failed) {
		size_t size = strlen(operators[level][0]);
		char sign;

		expression_skip_space(expr);
		sign = *expr->at;
		if (strncmp(expr->at, operators[level][0], size) &&
		    strncmp(expr->at, operators[level][1], size))
			break;
		expr->at += size;
		value = expression_apply(expr, sign, value, expression_binary(expr, level + 1));
	}
	return value;
}

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
 * ended; -EINVAL: not understood (some kernels leave a name in place of a number).
 */
static int gfp_parse_entry(const char **at, struct gfp_name *name)
{
	struct expression expr = { .at = *at };
	uint64_t bits = expression_binary(&expr, 0);
	const char *name_text;
	size_t size;

	*at += strcspn(*at, "}");
	expression_skip_space(&expr);
	if (expr.failed || *expr.at != ',')
		return -EINVAL;
	expr.at++;
	expression_skip_space(&expr);
	if (*expr.at != '"')
		return 0;
	name_text = ++expr.at;
	size = strcspn(name_text, "\"");
	expr.at += size;
	if (*expr.at++ != '"')
		return -EINVAL;
	expression_skip_space(&expr);
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
append(char *text, size_t size, size_t used, const char *format, ...)
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

char *gfp_text(const struct gfp_table *table, uint64_t flags, char *text, size_t size)
{
	size_t used = append(text, size, 0, "%s", flags ? "" : "none");

	for (size_t i = 0; i < table->count && flags; i++) {
		const struct gfp_name *name = &table->list[i];

		if ((flags & name->bits) != name->bits)
			continue;
		used = append(text, size, used, "%s%s", used ? "|" : "", name->name);
		flags &= ~name->bits;
	}
	if (flags)
		append(text, size, used, "%s0x%" PRIx64, used ? "|" : "", flags);
	return text;
}
