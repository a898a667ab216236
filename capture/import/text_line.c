// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Parses the words and fields that all texts of kmem events have. */
#include "config.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "capture/import/text_line.h"
#include "kernel/record.h"

size_t text_word_before(const char *line, const char **end)
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

bool text_parse_time(const char *word, size_t size, struct text_line *parsed)
{
	const char *at = word, *point;
	uint64_t seconds, fraction;

	if (!number_parse(&at, 10, &seconds) || *at != '.' || seconds > UINT32_MAX)
		return false;
	point = ++at;
	if (!isdigit((unsigned char)*at) || !number_parse(&at, 10, &fraction) ||
	    at != word + size || (at - point != 6 && at - point != 9))
		return false;
	parsed->has_time = true;
	parsed->coarse = at - point == 6;
	parsed->time = seconds * 1000000000 + (parsed->coarse ? fraction * 1000 : fraction);
	return true;
}

bool text_parse_cpu(const char *word, size_t size, struct text_line *parsed)
{
	const char *at = word + 1;
	uint64_t number;

	if (size < 3 || *word != '[' || !number_parse(&at, 10, &number) || *at != ']' ||
	    at + 1 != word + size || number > UINT32_MAX)
		return false;
	parsed->has_cpu = true;
	parsed->cpu = (unsigned int)number;
	return true;
}

void text_set_comm(struct text_line *parsed, const char *begin, const char *end)
{
	while (begin < end && isspace((unsigned char)*begin))
		begin++;
	while (end > begin && isspace((unsigned char)end[-1]))
		end--;
	snprintf(parsed->comm, sizeof(parsed->comm), "%.*s", (int)(end - begin), begin);
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
	else if (at[strspn(at, " ")] ==
		 '(') /* the kernel pads "(null)" to the width of a pointer */
		at += strspn(at, " ");
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
	return number_parse(&at, strncmp(text, "0x", 2) ? 10 : 16, number) && !*at;
}

uint8_t text_line_id(const struct text_line *line)
{
	static const struct {
		const char *name;
		uint8_t id;
	} events[] = {
		{ "kmalloc", KMT_KMALLOC },
		{ "kmalloc_node", KMT_KMALLOC },
		{ "kfree", KMT_KFREE },
		{ "kmem_cache_alloc", KMT_CACHE_ALLOC },
		{ "kmem_cache_alloc_node", KMT_CACHE_ALLOC },
		{ "kmem_cache_free", KMT_CACHE_FREE },
	};

	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++)
		if (strlen(events[i].name) == line->event_size &&
		    !strncmp(events[i].name, line->event, line->event_size))
			return events[i].id;
	return KMT_NONE;
}
