// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Parses a line of perf script, backwards from the name of the event to the name of the command. */
#include "config.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "capture/import/text_line.h"

#define SYSTEM "kmem:"
#define LOST "PERF_RECORD_LOST"

/* Finds the last word before *end, and sets *end to its beginning. Its size, or 0. */
static size_t word_before(const char *line, const char **end)
{
	const char *last = *end, *first;

	while (last > line && isspace((unsigned char)last[-1]))
		last--;
	first = last;
	while (first > line && !isspace((unsigned char)first[-1]))
		first--;
	*end = first;
	return (size_t)(last - first);
}

/* "16322.129882:", with 6 or 9 digits behind the point. */
static bool parse_time(const char *word, size_t size, struct text_line *parsed)
{
	const char *at = word, *point;
	uint64_t seconds, fraction;

	if (!number_parse(&at, 10, &seconds) || *at != '.' || seconds > UINT32_MAX)
		return false;
	point = ++at;
	if (!isdigit((unsigned char)*at) || !number_parse(&at, 10, &fraction) || *at != ':' ||
	    at + 1 != word + size || (at - point != 6 && at - point != 9))
		return false;
	parsed->coarse = at - point == 6;
	parsed->time = seconds * 1000000000 + (parsed->coarse ? fraction * 1000 : fraction);
	return true;
}

/* "[003]" */
static bool parse_cpu(const char *word, size_t size, unsigned int *cpu)
{
	const char *at = word + 1;
	uint64_t number;

	if (size < 3 || *word != '[' || !number_parse(&at, 10, &number) || *at != ']' ||
	    at + 1 != word + size || number > UINT32_MAX)
		return false;
	*cpu = (unsigned int)number;
	return true;
}

/* "1041" or "1041/1042"; perf prints -1 for an event without a task. */
static bool parse_task(const char *word, size_t size, struct text_line *parsed)
{
	const char *at = word;
	uint64_t pid, tid;

	if (size == 2 && !strncmp(word, "-1", 2)) {
		parsed->pid = parsed->tid = 0;
		return true;
	}
	if (!number_parse(&at, 10, &pid) || pid > INT32_MAX)
		return false;
	tid = pid;
	if (*at == '/' && at++ && (!number_parse(&at, 10, &tid) || tid > INT32_MAX))
		return false;
	if (at != word + size)
		return false;
	parsed->pid = (uint32_t)pid;
	parsed->tid = (uint32_t)tid;
	return true;
}

/* Parses the words in front of the event's name. */
static enum text_line_kind parse_head(struct text_line *parsed, const char *line, const char *end)
{
	enum text_line_kind kind = TEXT_NO_TIME;
	size_t size;

	while ((size = word_before(line, &end)) != 0) {
		if (kind == TEXT_NO_TIME) {
			if (parse_time(end, size, parsed))
				kind = TEXT_BAD;
		} else if (!parsed->has_cpu && parse_cpu(end, size, &parsed->cpu)) {
			parsed->has_cpu = true;
		} else if (parse_task(end, size, parsed)) {
			kind = TEXT_EVENT;
			break;
		}
	}
	if (kind != TEXT_EVENT)
		return kind;
	while (isspace((unsigned char)*line))
		line++;
	while (end > line && isspace((unsigned char)end[-1]))
		end--;
	snprintf(parsed->comm, sizeof(parsed->comm), "%.*s", (int)(end > line ? end - line : 0),
		 line);
	return kind;
}

enum text_line_kind text_line_parse(struct text_line *parsed, const char *line)
{
	enum text_line_kind kind = TEXT_EVENT;
	const char *name = strstr(line, " " SYSTEM);

	memset(parsed, 0, sizeof(*parsed));
	if (*line == '#')
		return TEXT_OTHER;
	if (name) {
		parsed->event = name + strlen(" " SYSTEM);
	} else {
		name = strstr(line, " " LOST);
		if (!name)
			return TEXT_OTHER;
		kind = TEXT_LOST;
		parsed->event = name + 1;
	}
	parsed->event_size = strcspn(parsed->event, ": \n");
	parsed->fields = parsed->event + parsed->event_size;
	switch (parse_head(parsed, line, name)) {
	case TEXT_EVENT:
		return kind;
	case TEXT_NO_TIME:
		return kind == TEXT_LOST ? TEXT_OTHER : TEXT_NO_TIME;
	default:
		return kind == TEXT_LOST ? TEXT_OTHER : TEXT_BAD;
	}
}

bool text_line_field(const struct text_line *line, const char *key, const char *until, char *value,
		     size_t size)
{
	const char *at = line->fields, *end = NULL;

	while ((at = strstr(at, key)) && at[-1] != ' ')
		at++;
	if (!at)
		return false;
	at += strlen(key);
	if (until)
		end = strstr(at, until);
	if (!end)
		end = at + strcspn(at, until ? "\n" : " \n");
	snprintf(value, size, "%.*s", (int)(end - at), at);
	return true;
}

bool text_line_number(const struct text_line *line, const char *key, uint64_t *number)
{
	const char *at;
	char text[32];

	if (!text_line_field(line, key, NULL, text, sizeof(text)))
		return false;
	at = text;
	return number_parse(&at, 10, number) && !*at;
}
