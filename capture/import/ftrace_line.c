// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Parses a line of ftrace's file trace or of trace-cmd report, backwards from the time to the name
 * of the task.
 */
#include "config.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "capture/import/text_line.h"
#include "kernel/record.h"

/* The name of a task is printed flush right in so many columns. */
#define COMM_WIDTH 16
#define COMM_WIDTH_LATENCY 8 /* in the latency format, which cuts it */
#define PROCESS_WIDTH 16     /* at least that of "(   9122)" */

/* "504.312344"; "7612852", of a clock that does not count seconds; "54855us!", in latency format */
static bool parse_time(const char *word, size_t size, struct text_line *parsed)
{
	const char *at = word;
	uint64_t number;

	if (text_parse_time(word, size, parsed))
		return true;
	if (!number_parse(&at, 10, &number))
		return false;
	if (at == word + size) {
		parsed->is_number = true;
	} else {
		if (strncmp(at, "us", 2) || number > UINT64_MAX / 1000 ||
		    (at + 2 != word + size && at + 3 != word + size))
			return false;
		parsed->coarse = true;
		number *= 1000;
	}
	parsed->has_time = true;
	parsed->time = number;
	return true;
}

/* "d.h1.": what the CPU ran; in latency format behind the number of the CPU, "1d.h1.". */
static bool is_flags(const char *word, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (!isalnum((unsigned char)word[i]) && !strchr(".#*!?", word[i]))
			return false;
	return size;
}

/* The words "[cpu] flags", "[cpu]" or "1d.h1." before *end, which moves to their beginning. */
static bool parse_place(struct text_line *parsed, const char *line, const char **end, bool *latency)
{
	size_t size = text_word_before(line, end);
	const char *flags = *end, *at = flags;
	uint64_t number;

	*latency = false;
	if (size && text_parse_cpu(flags, size, parsed))
		return true;
	if (!is_flags(flags, size))
		return false;
	size = text_word_before(line, end);
	if (size && text_parse_cpu(*end, size, parsed))
		return true;
	if (!number_parse(&at, 10, &number) || isspace((unsigned char)*at) || number > UINT32_MAX)
		return false;
	*end = flags;
	*latency = true;
	parsed->has_cpu = true;
	parsed->cpu = (unsigned int)number;
	return true;
}

/* "(   9122)", or "(-------)" if it is not known: the process. */
static void parse_process(struct text_line *parsed, const char *line, const char **end)
{
	const char *last = *end, *first;
	uint64_t number;

	while (last > line && isspace((unsigned char)last[-1]))
		last--;
	if (last == line || last[-1] != ')')
		return;
	for (first = last - 1; first > line && *first != '(' && last - first < PROCESS_WIDTH;
	     first--)
		;
	if (*first != '(')
		return;
	*end = first;
	first += 1 + strspn(first + 1, " ");
	if (number_parse(&first, 10, &number) && first == last - 1 && number <= INT32_MAX)
		parsed->pid = (uint32_t)number;
}

/*
 * "  bash-9122", maybe after the name of a buffer and a colon. The name of the task can have
 * blanks and dashes.
 */
static bool parse_task(struct text_line *parsed, const char *line, const char *end, size_t width)
{
	const char *dash, *at, *begin;
	uint64_t tid;
	size_t size;

	size = text_word_before(line, &end);
	for (dash = end + size; dash > end && dash[-1] != '-'; dash--)
		;
	at = dash;
	if (dash-- == end || !number_parse(&at, 10, &tid) || at != end + size || tid > INT32_MAX)
		return false;
	parsed->tid = (uint32_t)tid;
	begin = (size_t)(dash - line) > width ? dash - width : line;
	text_set_comm(parsed, begin, dash);
	if (!tid && !strcmp(parsed->comm, "<idle>"))
		snprintf(parsed->comm, sizeof(parsed->comm), "swapper");
	line += strspn(line, " ");
	while (begin > line && (begin[-1] == ' ' || begin[-1] == ':'))
		begin--;
	if (begin > line)
		snprintf(parsed->buffer, sizeof(parsed->buffer), "%.*s", (int)(begin - line), line);
	return true;
}

/* Parses all in front of the event's name; end: behind the time. */
static enum text_line_kind parse_head(struct text_line *parsed, const char *line, const char *end)
{
	size_t size = text_word_before(line, &end);
	bool latency;

	if (!size || !parse_time(end, size, parsed))
		return TEXT_NO_TIME;
	parsed->pid = UINT32_MAX;
	if (!parse_place(parsed, line, &end, &latency))
		return TEXT_BAD;
	parse_process(parsed, line, &end);
	if (!parse_task(parsed, line, end, latency ? COMM_WIDTH_LATENCY : COMM_WIDTH))
		return TEXT_BAD;
	if (parsed->pid == UINT32_MAX)
		parsed->pid = parsed->tid;
	return TEXT_EVENT;
}

/* "CPU:1 [LOST 12 EVENTS]"; trace-cmd: "CPU:1 [12 EVENTS DROPPED]"; either without the number */
static bool parse_lost(struct text_line *parsed, const char *line)
{
	uint64_t number;

	line += strspn(line, " ");
	if (strncmp(line, "CPU:", 4) || (!strstr(line, "EVENTS]") && !strstr(line, "DROPPED]")))
		return false;
	line += 4;
	if (!number_parse(&line, 10, &number) || number > UINT32_MAX || strncmp(line, " [", 2))
		return false;
	parsed->has_cpu = true;
	parsed->cpu = (unsigned int)number;
	line += 2;
	line += strncmp(line, "LOST ", 5) ? 0 : 5;
	parsed->has_lost = number_parse(&line, 10, &parsed->lost);
	return true;
}

/*
 * "kfree: call_site=... ptr=...", without a time in front of it; not the name of a task in a line
 * of perf script
 */
static bool is_untimed(const char *line, const char *colon)
{
	struct text_line found = { .event = colon };

	found.event_size = text_word_before(line, &found.event);
	return text_line_id(&found) != KMT_NONE && strstr(colon, "ptr=") &&
	       !strstr(colon, " kmem:");
}

/*
 * The name of a task may look like the name of an event. So each colon can be the one behind the
 * time.
 */
enum text_line_kind ftrace_line_parse(struct text_line *parsed, const char *line)
{
	enum text_line_kind best = TEXT_OTHER;

	memset(parsed, 0, sizeof(*parsed));
	if (*line == '#')
		return TEXT_OTHER;
	if (parse_lost(parsed, line))
		return TEXT_LOST;
	for (const char *colon = line; (colon = strstr(colon, ": ")); colon++) {
		struct text_line found = { .event = colon + 1 + strspn(colon + 1, " ") };
		enum text_line_kind kind;

		found.event_size = strcspn(found.event, ": ");
		found.fields = found.event + found.event_size;
		if (*found.fields != ':')
			found.event_size = 0; /* as "<stack trace>" */
		kind = parse_head(&found, line, colon);
		if (kind == TEXT_EVENT) {
			*parsed = found;
			return TEXT_EVENT;
		}
		if (kind == TEXT_BAD && text_line_id(&found) != KMT_NONE)
			best = TEXT_BAD;
		else if (best == TEXT_OTHER && is_untimed(line, colon))
			best = TEXT_NO_TIME;
	}
	return best;
}
