// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Parses /proc/allocinfo, as alloc_tag_to_text() in lib/alloc_tag.c and codetag_to_text() in
 * lib/codetag.c write it, and the readings of it in a capture.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/number.h"
#include "base/text.h"
#include "kernel/allocinfo.h"

#define WORD_BYTES 512 /* of a place, a function or a module; longer ones are cut */

int allocinfo_compare(const struct allocinfo_line *left, const struct allocinfo_line *right)
{
	int order = strcmp(left->place, right->place);

	if (!order)
		order = strcmp(left->function, right->function);
	return order ? order : strcmp(left->module, right->module);
}

static int compare_lines(const void *left, const void *right)
{
	return allocinfo_compare(left, right);
}

static void free_texts(struct allocinfo_line *line)
{
	free(line->place);
	free(line->function);
	free(line->module);
}

static int64_t add_signed_bytes(int64_t a, int64_t b)
{
	int64_t sum;

	if (!__builtin_add_overflow(a, b, &sum))
		return sum;
	return a < 0 ? -INT64_MAX : INT64_MAX;
}

static void add_line(struct allocinfo_line *into, const struct allocinfo_line *line)
{
	into->bytes = add_signed_bytes(into->bytes, line->bytes);
	into->objects += line->objects;
	into->is_inexact |= line->is_inexact;
}

/* Sorts the lines; those of one place become one. */
static void sort_lines(struct allocinfo_reading *reading)
{
	struct allocinfo_line *list = reading->list;
	size_t kept = 0;

	if (!reading->count)
		return;
	qsort(list, reading->count, sizeof(*list), compare_lines);
	for (size_t i = 1; i < reading->count; i++) {
		if (allocinfo_compare(&list[kept], &list[i])) {
			list[++kept] = list[i];
			continue;
		}
		add_line(&list[kept], &list[i]);
		free_texts(&list[i]);
	}
	reading->count = kept + 1;
}

/* A line with its own copies of the texts. 0 or -ENOMEM. */
static int keep_line(struct allocinfo_reading *reading, struct allocinfo_line line,
		     const char *place, const char *function, const char *module)
{
	struct allocinfo_line *list = array_grow(reading->list, reading->count, sizeof(*list));

	if (!list)
		return -ENOMEM;
	reading->list = list;
	line.place = strdup(place);
	line.function = strdup(function);
	line.module = strdup(module);
	if (!line.place || !line.function || !line.module) {
		free_texts(&line);
		return -ENOMEM;
	}
	list[reading->count++] = line;
	return 0;
}

static bool parse_bytes(struct line *line, int64_t *bytes)
{
	uint64_t number;
	bool is_negative;

	line->at += strspn(line->at, " ");
	is_negative = line->at < line->end && *line->at == '-';
	line->at += is_negative;
	if (!line_u64(line, 10, &number) || number > INT64_MAX)
		return false;
	*bytes = is_negative ? -(int64_t)number : (int64_t)number;
	return true;
}

/* "[module]" or "module:NAME", "func:NAME" and "accurate:no" behind the place, in any order. */
static void parse_tag(struct line *line, struct allocinfo_line *found, char *function, char *module)
{
	char word[WORD_BYTES];

	for (line_word(line, word, sizeof(word)); *word; line_word(line, word, sizeof(word))) {
		if (!strncmp(word, "func:", 5)) {
			snprintf(function, WORD_BYTES, "%s", word + 5);
		} else if (!strncmp(word, "module:", 7)) {
			snprintf(module, WORD_BYTES, "%s", word + 7);
		} else if (*word == '[' && word[strlen(word) - 1] == ']') {
			snprintf(module, WORD_BYTES, "%.*s", (int)strlen(word) - 2, word + 1);
		} else if (!strcmp(word, "accurate:no")) {
			found->is_inexact = true;
		}
	}
}

static int parse_proc_line(struct allocinfo_reading *reading, struct line *line)
{
	char place[WORD_BYTES], function[WORD_BYTES] = "", module[WORD_BYTES] = "";
	struct allocinfo_line found = { 0 };

	line->at += strspn(line->at, " ");
	if (line->at == line->end || *line->at == '#')
		return 0;
	if (!parse_bytes(line, &found.bytes) || !line_u64(line, 10, &found.objects))
		return -EINVAL;
	line_word(line, place, sizeof(place));
	parse_tag(line, &found, function, module);
	if (!*place || !*function)
		return -EINVAL;
	if (!found.bytes && !found.objects)
		return 0;
	return keep_line(reading, found, place, function, module);
}

int allocinfo_parse_proc(struct allocinfo_reading *reading, const char *text, uint64_t time)
{
	struct line line;
	int err = 0;

	*reading = (struct allocinfo_reading){ .time = time };
	if (!line_next(&line, &text) || !line_key(&line, "allocinfo"))
		return -EINVAL;
	while (!err && line_next(&line, &text))
		err = parse_proc_line(reading, &line);
	if (err)
		allocinfo_reading_deinit(reading);
	else
		sort_lines(reading);
	return err;
}

const struct allocinfo_line *allocinfo_find(const struct allocinfo_reading *reading,
					    const struct allocinfo_line *line)
{
	if (!reading->count)
		return NULL;
	return bsearch(line, reading->list, reading->count, sizeof(*line), compare_lines);
}

static void write_word_after(FILE *file, const char *word)
{
	putc(' ', file);
	text_write_word(file, word);
}

int allocinfo_write(FILE *file, const struct allocinfo_reading *reading)
{
	fprintf(file, "read %" PRIu64 "\n", reading->time);
	for (size_t i = 0; i < reading->count; i++) {
		const struct allocinfo_line *line = &reading->list[i];

		fprintf(file, "%s %" PRId64 " %" PRIu64, line->is_inexact ? "inexact" : "line",
			line->bytes, line->objects);
		write_word_after(file, line->place);
		write_word_after(file, line->function);
		if (*line->module)
			write_word_after(file, line->module);
		putc('\n', file);
	}
	return text_write_result(file);
}

static int parse_kept_line(struct allocinfo *allocinfo, struct line *line, bool is_inexact)
{
	char place[WORD_BYTES], function[WORD_BYTES], module[WORD_BYTES];
	struct allocinfo_line found = { .is_inexact = is_inexact };

	if (!allocinfo->count || !parse_bytes(line, &found.bytes) ||
	    !line_u64(line, 10, &found.objects))
		return -EINVAL;
	line_word(line, place, sizeof(place));
	line_word(line, function, sizeof(function));
	line_word(line, module, sizeof(module));
	if (!*place || !*function)
		return -EINVAL;
	return keep_line(&allocinfo->list[allocinfo->count - 1], found, place, function, module);
}

/* Of more than two readings, the first and the last one stay. */
static int begin_lines(struct allocinfo *allocinfo, struct line *line)
{
	uint64_t time;

	if (!line_u64(line, 10, &time))
		return -EINVAL;
	if (allocinfo->count == 2)
		allocinfo_reading_deinit(&allocinfo->list[--allocinfo->count]);
	allocinfo->list[allocinfo->count++] = (struct allocinfo_reading){ .time = time };
	return 0;
}

int allocinfo_parse(struct allocinfo *allocinfo, const char *text)
{
	struct line line;
	int err = 0;

	*allocinfo = (struct allocinfo){ 0 };
	while (!err && line_next(&line, &text)) {
		if (line_key(&line, "read"))
			err = begin_lines(allocinfo, &line);
		else if (line_key(&line, "line"))
			err = parse_kept_line(allocinfo, &line, false);
		else if (line_key(&line, "inexact"))
			err = parse_kept_line(allocinfo, &line, true);
	}
	for (size_t i = 0; i < allocinfo->count && !err; i++)
		sort_lines(&allocinfo->list[i]);
	if (err)
		allocinfo_deinit(allocinfo);
	return err;
}

void allocinfo_reading_deinit(struct allocinfo_reading *reading)
{
	for (size_t i = 0; i < reading->count; i++)
		free_texts(&reading->list[i]);
	free(reading->list);
	*reading = (struct allocinfo_reading){ 0 };
}

void allocinfo_deinit(struct allocinfo *allocinfo)
{
	for (size_t i = 0; i < allocinfo->count; i++)
		allocinfo_reading_deinit(&allocinfo->list[i]);
	*allocinfo = (struct allocinfo){ 0 };
}
