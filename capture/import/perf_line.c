// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Parses a line of perf script, backwards from the name of the event to the name of the command. */
#include "config.h"

#include <ctype.h>
#include <string.h>

#include "base/number.h"
#include "capture/import/text_line.h"

#define SYSTEM "kmem:"
#define LOST "PERF_RECORD_LOST"

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

	while ((size = text_word_before(line, &end)) != 0) {
		if (kind == TEXT_NO_TIME) {
			if (end[size - 1] == ':' && text_parse_time(end, size - 1, parsed))
				kind = TEXT_BAD;
		} else if (!parsed->has_cpu && text_parse_cpu(end, size, parsed)) {
			continue;
		} else if (parse_task(end, size, parsed)) {
			kind = TEXT_EVENT;
			break;
		}
	}
	if (kind == TEXT_EVENT)
		text_set_comm(parsed, line, end);
	return kind;
}

static void parse_lost(struct text_line *parsed)
{
	const char *at = strstr(parsed->fields, " lost ");

	if (!at)
		return;
	at += strlen(" lost ");
	parsed->has_lost = number_parse(&at, 10, &parsed->lost);
}

enum text_line_kind perf_line_parse(struct text_line *parsed, const char *line)
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
		if (kind == TEXT_LOST)
			parse_lost(parsed);
		return kind;
	case TEXT_NO_TIME:
		return kind == TEXT_LOST ? TEXT_OTHER : TEXT_NO_TIME;
	default:
		return kind == TEXT_LOST ? TEXT_OTHER : TEXT_BAD;
	}
}
