// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Parses the text of a condition. A name may have any characters, also parentheses: it ends at the
 * last closing one before the ">".
 */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/suggest.h"
#include "report/diff/condition.h"

#define NUMBER_LENGTH 40
#define FORM "FIGURE > +PERCENT%% or FIGURE(NAME) > +SIZE, as in live(dentry) > +10%%"

struct condition_parser {
	const char *begin, *at;
	struct diff_condition *condition;
	struct diff_condition_error *error;
};

static const char *const words[DIFF_FIGURES] = {
	[DIFF_ALLOCATIONS] = "allocations",
	[DIFF_ALLOCATED] = "allocated",
	[DIFF_WASTE] = "waste",
	[DIFF_GROWTH] = "growth",
	[DIFF_LIVE_OBJECTS] = "objects",
	[DIFF_LIVE] = "live",
	[DIFF_PEAK] = "peak",
};

__attribute__((format(printf, 3, 4))) static int
fail_condition(const struct condition_parser *parser, const char *at, const char *format, ...)
{
	va_list arguments;

	parser->error->column = (size_t)(at - parser->begin) + 1;
	va_start(arguments, format);
	vsnprintf(parser->error->text, sizeof(parser->error->text), format, arguments);
	va_end(arguments);
	return -EINVAL;
}

static void skip_blanks(struct condition_parser *parser)
{
	while (isspace((unsigned char)*parser->at))
		parser->at++;
}

static int parse_figure(struct condition_parser *parser)
{
	const char *at = parser->at;
	size_t length = strcspn(at, " \t(><=");
	char word[NUMBER_LENGTH], suggestion[80];

	for (enum diff_figure figure = 0; figure < DIFF_FIGURES; figure++) {
		if (strlen(words[figure]) != length || memcmp(words[figure], at, length))
			continue;
		parser->condition->figure = figure;
		parser->at += length;
		return 0;
	}
	snprintf(word, sizeof(word), "%.*s", (int)length, at);
	if (!length)
		return fail_condition(parser, at, "write " FORM);
	return fail_condition(
		parser, at,
		"\"%s\" is not live, objects, peak, growth, allocated, allocations or waste%s",
		word, suggest_text(word, words, DIFF_FIGURES, suggestion, sizeof(suggestion)));
}

/* The closing parenthesis behind the name; NULL: there is none. */
static const char *end_of_name(const char *at)
{
	const char *end = NULL;

	for (; *at; at++)
		if (*at == ')' && at[1 + strspn(at + 1, " \t")] == '>')
			end = at;
	return end;
}

/* "(NAME)", if it is there. */
static int parse_condition_name(struct condition_parser *parser)
{
	const char *at = parser->at, *end;

	if (*at != '(')
		return 0;
	end = end_of_name(at);
	if (!end)
		return fail_condition(parser, at, "write " FORM);
	diff_name_set(&parser->condition->name, at + 1, (int)(end - at - 1));
	if (!*parser->condition->name.text)
		return fail_condition(
			parser, at + 1,
			"the name of a slab cache, a function or a call site is missing");
	parser->at = end + 1;
	return 0;
}

/* Only digits and at most one dot: no sign, no exponent. */
static bool parse_percent(const char *text, double *percent)
{
	size_t length = strspn(text, "0123456789.");
	const char *dot = strchr(text, '.');

	if (!length || text[length] != '%' || text[length + 1] || (dot && strchr(dot + 1, '.')) ||
	    (dot && length == 1))
		return false;
	*percent = strtod(text, NULL);
	return true;
}

static int parse_limit(struct condition_parser *parser)
{
	struct diff_condition *condition = parser->condition;
	const char *at = parser->at;
	size_t length = strcspn(at, " \t");
	char number[NUMBER_LENGTH];
	double percent;
	uint64_t more;

	if (!length)
		return fail_condition(parser, at, "the limit is missing: write " FORM);
	if (*at == '-')
		return fail_condition(parser, at, "a limit is an increase: write " FORM);
	snprintf(number, sizeof(number), "%.*s", (int)length, at);
	condition->factor = 1;
	if (parse_percent(number + (*number == '+'), &percent))
		condition->factor = 1 + percent / 100;
	else if (size_parse(number + (*number == '+'), 1, &more))
		condition->more = (double)more;
	else
		return fail_condition(
			parser, at,
			"\"%s\" is not a limit: use a percentage as +10%%, or a number, or one with k, M or G",
			number);
	parser->at += length;
	return 0;
}

int diff_condition_parse(struct diff_condition *condition, const char *text,
			 struct diff_condition_error *error)
{
	struct condition_parser parser = { text, text, condition, error };
	int err;

	memset(condition, 0, sizeof(*condition));
	if (strlen(text) >= sizeof(condition->text))
		return fail_condition(&parser, text, "the text is longer than %d bytes",
				      DIFF_CONDITION_LENGTH - 1);
	strcpy(condition->text, text);
	skip_blanks(&parser);
	err = parse_figure(&parser);
	if (!err)
		err = parse_condition_name(&parser);
	skip_blanks(&parser);
	if (!err && (*parser.at != '>' || parser.at[1] == '='))
		err = fail_condition(&parser, parser.at, "write " FORM);
	if (err)
		return err;
	parser.at++;
	skip_blanks(&parser);
	err = parse_limit(&parser);
	skip_blanks(&parser);
	if (!err && *parser.at)
		err = fail_condition(&parser, parser.at, "nothing may follow here: write " FORM);
	return err;
}
