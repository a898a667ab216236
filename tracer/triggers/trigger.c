// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Parses the text of a trigger. The name of a cache may have any characters, also parentheses: it
 * ends at the last closing one before the ">".
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
#include "tracer/triggers/trigger.h"

#define SHARE_WINDOW 10000000000ULL /* ns: the default */
#define NUMBER_LENGTH 40

struct trigger_parser {
	const char *begin, *at;
	struct trigger *trigger;
	struct trigger_error *error;
};

static const struct form {
	const char *word;
	const char *form; /* for messages */
	bool is_share;
	bool has_window;
} forms[TRIGGER_KINDS] = {
	[TRIGGER_LIVE] = { "live", "live > SIZE or live(NAME) > SIZE", false, false },
	[TRIGGER_GROWTH] = { "growth",
			     "growth > SIZE/DURATION or growth(NAME) > SIZE/DURATION, as in growth(dentry) > 100M/10m",
			     false, true },
	[TRIGGER_LOST] = { "lost", "lost > PERCENT% or lost > PERCENT%/DURATION", true, true },
	[TRIGGER_SKIPPED] = { "skipped", "skipped > PERCENT% or skipped > PERCENT%/DURATION", true,
			      true },
	[TRIGGER_OOM] = { "oom", "oom", false, false },
};

__attribute__((format(printf, 3, 4))) static int
fail_trigger(const struct trigger_parser *parser, const char *at, const char *format, ...)
{
	va_list arguments;

	parser->error->column = (size_t)(at - parser->begin) + 1;
	va_start(arguments, format);
	vsnprintf(parser->error->text, sizeof(parser->error->text), format, arguments);
	va_end(arguments);
	return -EINVAL;
}

static void skip_blanks(struct trigger_parser *parser)
{
	while (isspace((unsigned char)*parser->at))
		parser->at++;
}

static int parse_kind(struct trigger_parser *parser)
{
	const char *words[TRIGGER_KINDS], *at = parser->at;
	size_t length = strcspn(at, " \t(><=/");
	char word[NUMBER_LENGTH], suggestion[80];

	for (unsigned int kind = 0; kind < TRIGGER_KINDS; kind++) {
		words[kind] = forms[kind].word;
		if (strlen(words[kind]) == length && !memcmp(words[kind], at, length)) {
			parser->trigger->kind = kind;
			parser->at += length;
			return 0;
		}
	}
	snprintf(word, sizeof(word), "%.*s", (int)length, at);
	if (!length)
		return fail_trigger(parser, at, "write live, growth, lost, skipped or oom");
	return fail_trigger(parser, at, "\"%s\" is not live, growth, lost, skipped or oom%s", word,
			    suggest_text(word, words, TRIGGER_KINDS, suggestion,
					 sizeof(suggestion)));
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
static int parse_trigger_name(struct trigger_parser *parser)
{
	static const struct {
		const char *prefix;
		enum trigger_scope scope;
	} scopes[] = { { "cache:", TRIGGER_OF_CACHE }, { "function:", TRIGGER_OF_FUNCTION } };
	struct trigger *trigger = parser->trigger;
	const char *at = parser->at, *end;

	trigger->scope = TRIGGER_OF_ALL;
	if (*at != '(')
		return 0;
	if (forms[trigger->kind].is_share)
		return fail_trigger(parser, at, "%s is known of all events only: write %s",
				    forms[trigger->kind].word, forms[trigger->kind].form);
	end = end_of_name(at);
	if (!end)
		return fail_trigger(parser, at, "write %s", forms[trigger->kind].form);
	at++;
	trigger->scope = TRIGGER_OF_NAME;
	for (size_t i = 0; i < sizeof(scopes) / sizeof(*scopes); i++)
		if (!strncmp(at, scopes[i].prefix, strlen(scopes[i].prefix))) {
			trigger->scope = scopes[i].scope;
			at += strlen(scopes[i].prefix);
		}
	if (at == end)
		return fail_trigger(parser, at,
				    "the name of a slab cache or a function is missing");
	snprintf(trigger->name, sizeof(trigger->name), "%.*s", (int)(end - at), at);
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
	return *percent < 100;
}

static int parse_limit(struct trigger_parser *parser)
{
	struct trigger *trigger = parser->trigger;
	const char *at = parser->at;
	size_t length = strcspn(at, "/ \t");
	char number[NUMBER_LENGTH];
	bool ok;

	if (!length)
		return fail_trigger(parser, at, "the limit is missing: write %s",
				    forms[trigger->kind].form);
	snprintf(number, sizeof(number), "%.*s", (int)length, at);
	if (forms[trigger->kind].is_share)
		ok = parse_percent(number, &trigger->percent);
	else
		ok = size_parse(number, 1, &trigger->bytes);
	if (!ok)
		return fail_trigger(
			parser, at,
			forms[trigger->kind].is_share
				? "\"%s\" is not a share: use a number below 100 and %%, as in 0.1%%"
				: "\"%s\" is not a size: use a number, or one with k, M or G",
			number);
	parser->at += length;
	return 0;
}

/* "/DURATION", which growth needs, and shares may have. */
static int parse_window(struct trigger_parser *parser)
{
	struct trigger *trigger = parser->trigger;
	const char *at;
	size_t length;

	trigger->window_ns = forms[trigger->kind].is_share ? SHARE_WINDOW : 0;
	skip_blanks(parser);
	at = parser->at;
	if (*at != '/') {
		if (trigger->kind == TRIGGER_GROWTH)
			return fail_trigger(parser, at, "the duration is missing: write %s",
					    forms[trigger->kind].form);
		return 0;
	}
	if (!forms[trigger->kind].has_window)
		return fail_trigger(parser, at, "%s has no duration: write %s",
				    forms[trigger->kind].word, forms[trigger->kind].form);
	parser->at++;
	skip_blanks(parser);
	at = parser->at;
	length = strcspn(at, " \t");
	if (!duration_parse(at, length, &trigger->window_ns) ||
	    trigger->window_ns < TRIGGER_WINDOW_MIN || trigger->window_ns > TRIGGER_WINDOW_MAX)
		return fail_trigger(
			parser, at,
			"\"%.*s\" is not a duration from 1s to 24h: use " DURATION_UNITS,
			length > NUMBER_LENGTH ? NUMBER_LENGTH : (int)length, at);
	parser->at += length;
	return 0;
}

static int parse_comparison(struct trigger_parser *parser)
{
	int err = parse_trigger_name(parser);

	if (err)
		return err;
	skip_blanks(parser);
	if (*parser->at != '>' || parser->at[1] == '=')
		return fail_trigger(parser, parser->at, "write %s",
				    forms[parser->trigger->kind].form);
	parser->at++;
	skip_blanks(parser);
	err = parse_limit(parser);
	return err ? err : parse_window(parser);
}

int trigger_parse(struct trigger *trigger, const char *text, struct trigger_error *error)
{
	struct trigger_parser parser = { text, text, trigger, error };
	int err;

	memset(trigger, 0, sizeof(*trigger));
	if (strlen(text) >= sizeof(trigger->text))
		return fail_trigger(&parser, text, "the text is longer than %d bytes",
				    TRIGGER_LENGTH - 1);
	strcpy(trigger->text, text);
	skip_blanks(&parser);
	err = parse_kind(&parser);
	if (!err && trigger->kind != TRIGGER_OOM)
		err = parse_comparison(&parser);
	skip_blanks(&parser);
	if (!err && *parser.at)
		err = fail_trigger(&parser, parser.at, "nothing may follow here: write %s",
				   forms[trigger->kind].form);
	return err;
}
