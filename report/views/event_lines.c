// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Rows of events as lines. By hand, since printf() takes longer than all the rest. */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "report/views/event_lines.h"

#define NSEC_PER_SEC 1000000000
#define DIGITS 24 /* bytes: any number */

/* Columns of the text, each with what is before it. */
#define TEXT_TIME 16
#define TEXT_CPU 3
#define TEXT_TASK 20
#define TEXT_EVENT 16

static const char *const keys[EVENT_COLUMNS] = {
	[EVENT_TIME] = "time_ns",
	[EVENT_CPU] = "cpu",
	[EVENT_TID] = "tid",
	[EVENT_PID] = "pid",
	[EVENT_COMM] = "comm",
	[EVENT_EVENT] = "event",
	[EVENT_FATE] = "fate",
	[EVENT_RESCUED] = "rescued",
	[EVENT_POINTER] = "pointer",
	[EVENT_REQUESTED] = "bytes_requested",
	[EVENT_ALLOCATED] = "bytes_allocated",
	[EVENT_CACHE] = "cache",
	[EVENT_GFP] = "gfp",
	[EVENT_NODE] = "node",
	[EVENT_SITE] = "site",
	[EVENT_AGE] = "age_ns",
	[EVENT_ALLOC_SITE] = "alloc_site",
	[EVENT_MISSED_SITE] = "missed_site",
};

void event_lines_init(struct event_lines *lines, FILE *file, enum output_format format,
		      bool counts_events)
{
	lines->file = file;
	lines->format = format;
	lines->counts_events = counts_events;
	lines->err = 0;
	lines->used = 0;
}

static void write_out(struct event_lines *lines, const char *bytes, size_t count)
{
	errno = 0;
	if (!lines->err && count && fwrite(bytes, 1, count, lines->file) != count)
		lines->err = errno ? -errno : -EIO;
}

int event_lines_flush(struct event_lines *lines)
{
	write_out(lines, lines->space, lines->used);
	lines->used = 0;
	errno = 0;
	if (!lines->err && fflush(lines->file))
		lines->err = errno ? -errno : -EIO;
	return lines->err;
}

static void put(struct event_lines *lines, const char *bytes, size_t count)
{
	if (count > sizeof(lines->space) - lines->used) {
		write_out(lines, lines->space, lines->used);
		lines->used = 0;
	}
	if (count > sizeof(lines->space)) {
		write_out(lines, bytes, count);
		return;
	}
	memcpy(lines->space + lines->used, bytes, count);
	lines->used += count;
}

static void put_text(struct event_lines *lines, const char *text)
{
	put(lines, text, strlen(text));
}

static void put_spaces(struct event_lines *lines, size_t written, size_t width)
{
	static const char spaces[] = "                    ";

	if (written < width)
		put(lines, spaces, width - written);
}

/* Writes digits so that they end before end; returns where they begin. */
static char *digits(char *end, uint64_t number, unsigned int at_least)
{
	char *first = end - at_least;

	while (number || end > first) {
		*--end = (char)('0' + number % 10);
		number /= 10;
	}
	return end;
}

static void put_number(struct event_lines *lines, int64_t number, size_t width)
{
	uint64_t positive = number < 0 ? -(uint64_t)number : (uint64_t)number;
	char text[DIGITS], *end = text + sizeof(text), *at = digits(end, positive, 1);

	if (number < 0)
		*--at = '-';
	put_spaces(lines, (size_t)(end - at), width);
	put(lines, at, (size_t)(end - at));
}

static void put_hex(struct event_lines *lines, uint64_t number)
{
	char text[DIGITS], *end = text + sizeof(text), *at = end;

	do {
		*--at = "0123456789abcdef"[number & 15];
		number >>= 4;
	} while (number);
	*--at = 'x';
	*--at = '0';
	put(lines, at, (size_t)(end - at));
}

static void put_value(struct event_lines *lines, const struct event_value *value)
{
	switch (value->type) {
	case EVENT_NOTHING:
		break;
	case EVENT_NUMBER:
		put_number(lines, value->number, 0);
		break;
	case EVENT_HEX:
		put_hex(lines, value->hex);
		break;
	case EVENT_BOOL:
		put_text(lines, value->truth ? "true" : "false");
		break;
	case EVENT_TEXT:
		put(lines, value->text.text, value->text.length);
		break;
	}
}

static const char *key_of(const struct event_lines *lines, size_t column)
{
	if (lines->counts_events && column == EVENT_TIME)
		return "time_events";
	if (lines->counts_events && column == EVENT_AGE)
		return "age_events";
	return keys[column];
}

void event_lines_head(struct event_lines *lines)
{
	if (lines->format != OUTPUT_CSV)
		return;
	for (size_t i = 0; i < EVENT_COLUMNS; i++) {
		put_text(lines, i ? "," : "");
		put_text(lines, key_of(lines, i));
	}
	put_text(lines, "\r\n");
}

static void csv_row(struct event_lines *lines, const struct event_value *row)
{
	for (size_t i = 0; i < EVENT_COLUMNS; i++) {
		if (i)
			put(lines, ",", 1);
		put_value(lines, &row[i]);
	}
	put(lines, "\r\n", 2);
}

static void json_row(struct event_lines *lines, const struct event_value *row)
{
	for (size_t i = 0; i < EVENT_COLUMNS; i++) {
		put_text(lines, i ? ", \"" : "{\"");
		put_text(lines, key_of(lines, i));
		put(lines, "\": ", 3);
		if (row[i].type == EVENT_NOTHING) {
			put(lines, "null", 4);
		} else if (row[i].type == EVENT_HEX) {
			put(lines, "\"", 1);
			put_value(lines, &row[i]);
			put(lines, "\"", 1);
		} else {
			put_value(lines, &row[i]);
		}
	}
	put(lines, "}\n", 2);
}

static void put_seconds(struct event_lines *lines, int64_t ns)
{
	uint64_t positive = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
	char text[2 * DIGITS], *end = text + sizeof(text), *at;

	at = digits(end, positive % NSEC_PER_SEC, 9);
	*--at = '.';
	at = digits(at, positive / NSEC_PER_SEC, 1);
	if (ns < 0)
		*--at = '-';
	put_spaces(lines, (size_t)(end - at), TEXT_TIME);
	put(lines, at, (size_t)(end - at));
}

static void put_padded(struct event_lines *lines, const struct event_value *value, size_t width)
{
	put(lines, " ", 1);
	put_value(lines, value);
	put_spaces(lines, value->text.length, width);
}

/* Is there anything that a reader of the text does not take for granted? */
static bool tells(const struct event_value *value)
{
	if (value->type == EVENT_BOOL)
		return value->truth;
	return value->type != EVENT_NOTHING && (value->type != EVENT_TEXT || value->text.length);
}

static void text_row(struct event_lines *lines, const struct event_value *row)
{
	char cpu[DIGITS], *end = cpu + sizeof(cpu), *at;

	if (lines->counts_events)
		put_number(lines, row[EVENT_TIME].number, TEXT_TIME);
	else
		put_seconds(lines, row[EVENT_TIME].number);
	at = digits(end, (uint64_t)row[EVENT_CPU].number, TEXT_CPU);
	put(lines, " [", 2);
	put(lines, at, (size_t)(end - at));
	put(lines, "]", 1);
	put_padded(lines, &row[EVENT_COMM], TEXT_TASK);
	put_padded(lines, &row[EVENT_EVENT], TEXT_EVENT);
	for (size_t i = EVENT_FATE; i < EVENT_COLUMNS; i++) {
		if (!tells(&row[i]))
			continue;
		put(lines, " ", 1);
		put_text(lines, key_of(lines, i));
		put(lines, "=", 1);
		put_value(lines, &row[i]);
	}
	put(lines, "\n", 1);
}

void event_lines_row(struct event_lines *lines, const struct event_value *row)
{
	switch (lines->format) {
	case OUTPUT_TEXT:
		text_row(lines, row);
		break;
	case OUTPUT_JSON:
		json_row(lines, row);
		break;
	case OUTPUT_CSV:
		csv_row(lines, row);
		break;
	}
}
