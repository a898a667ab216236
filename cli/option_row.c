// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/suggest.h"
#include "cli/option_row.h"

#define CHOICES_MAX 32
#define SUGGESTION_SIZE 80
#define LIMIT_TEXT 32 /* bytes */
#define NSEC_PER_SEC 1000000000ULL

struct limit_unit {
	const char *name;
	uint64_t factor; /* 0: the last */
};

static const struct limit_unit number_units[] = { { "", 1 }, { 0 } };
static const struct limit_unit size_units[] = {
	{ "G", 1ULL << 30 }, { "M", 1ULL << 20 }, { "k", 1ULL << 10 }, { "", 1 }, { 0 }
};
static const struct limit_unit time_units[] = {
	{ "d", 86400 * NSEC_PER_SEC },
	{ "h", 3600 * NSEC_PER_SEC },
	{ "m", 60 * NSEC_PER_SEC },
	{ "s", NSEC_PER_SEC },
	{ "ms", 1000000 },
	{ "us", 1000 },
	{ "ns", 1 },
	{ 0 },
};

static const struct kind {
	const char *name;	/* as the list of options has it */
	const char *noun, *use; /* in messages; NULL: no number */
	const struct limit_unit *units;
} kinds[] = {
	[ARGUMENT_TEXT] = { "text", NULL, NULL, number_units },
	[ARGUMENT_PATH] = { "path", NULL, NULL, number_units },
	[ARGUMENT_CHOICE] = { "choice", NULL, NULL, number_units },
	[ARGUMENT_NUMBER] = { "number", "a number", NULL, number_units },
	[ARGUMENT_DURATION] = { "duration", "a duration", DURATION_UNITS, time_units },
	[ARGUMENT_SECONDS] = { "duration", "a duration", DURATION_UNITS, time_units },
	[ARGUMENT_AGE] = { "age", "an age", AGE_UNITS, time_units },
	[ARGUMENT_SIZE] = { "size", "a size", SIZE_UNITS, size_units },
};

const char *option_row_name(const struct option_row *row, char name[OPTION_NAME])
{
	if (row->letter)
		snprintf(name, OPTION_NAME, "-%c", row->letter);
	else
		snprintf(name, OPTION_NAME, "--%s", row->name);
	return name;
}

const char *option_row_word(const struct option_row *row, size_t index)
{
	if (row->word)
		return row->word(index);
	return row->choices ? row->choices[index] : NULL;
}

/* "100ms", "64k": in the largest unit of which it is a multiple. Returns text. */
static const char *limit_text(const struct option_row *row, uint64_t limit, char text[LIMIT_TEXT])
{
	const struct limit_unit *unit = kinds[row->kind].units;

	while (limit % unit->factor)
		unit++;
	snprintf(text, LIMIT_TEXT, "%" PRIu64 "%s", limit / unit->factor, unit->name);
	return text;
}

static void write_range(FILE *file, const struct option_row *row)
{
	char least[LIMIT_TEXT], most[LIMIT_TEXT];

	limit_text(row, row->least, least);
	limit_text(row, row->most, most);
	if (row->most && (row->kind == ARGUMENT_NUMBER || row->least > 1))
		fprintf(file, " from %s to %s", least, most);
	else if (row->least > 1)
		fprintf(file, " of at least %s", least);
	else
		fprintf(file, "%s%s%s%s", row->least ? " above 0" : "",
			row->least && row->most ? " and" : "", row->most ? " up to " : "",
			row->most ? most : "");
}

static void say_not_number(const struct option_row *row, const char *text, char why[OPTION_WHY])
{
	const struct kind *kind = &kinds[row->kind];
	FILE *file = fmemopen(why, OPTION_WHY, "w");

	*why = '\0';
	if (!file)
		return;
	fprintf(file, "\"%.*s\" is not %s%s%s", OPTION_WHY / 2, text, kind->noun,
		row->unit ? " of " : "", row->unit ? row->unit : "");
	write_range(file, row);
	if (kind->use)
		fprintf(file, ": use %s%s", kind->use, row->all ? ", or all" : "");
	fclose(file);
}

static bool parse_kind(enum argument_kind kind, const char *text, uint64_t *value)
{
	switch (kind) {
	case ARGUMENT_DURATION:
	case ARGUMENT_SECONDS:
		return duration_parse(text, strlen(text), value);
	case ARGUMENT_AGE:
		return age_parse(text, value);
	case ARGUMENT_SIZE:
		return size_parse(text, 1, value);
	default:
		return number_in_range(text, 0, UINT64_MAX, value);
	}
}

static bool parse_in_range(const struct option_row *row, const char *text, uint64_t *value,
			   char why[OPTION_WHY])
{
	if (row->all && !strcmp(text, "all")) {
		*value = row->all;
		return true;
	}
	/* UINT64_MAX stands for all, or for a value that was not given */
	if (!parse_kind(row->kind, text, value) || *value < row->least || *value == UINT64_MAX ||
	    (row->most && *value > row->most) ||
	    (row->size && row->size < sizeof(*value) && *value >> (8 * row->size) &&
	     row->kind != ARGUMENT_SECONDS)) {
		say_not_number(row, text, why);
		return false;
	}
	if (row->kind == ARGUMENT_SECONDS)
		*value = *value / NSEC_PER_SEC + (*value % NSEC_PER_SEC > 0);
	return true;
}

static bool parse_choice(const struct option_row *row, const char *text, uint64_t *value,
			 char why[OPTION_WHY])
{
	const char *words[CHOICES_MAX];
	char all[300] = "", suggestion[SUGGESTION_SIZE];
	size_t used = 0, count = 0;

	for (; count < CHOICES_MAX && (words[count] = option_row_word(row, count)); count++) {
		*value = count;
		if (!strcmp(words[count], text))
			return true;
		if (used < sizeof(all))
			used += (size_t)snprintf(all + used, sizeof(all) - used, "%s%s",
						 count ? ", " : "", words[count]);
	}
	snprintf(why, OPTION_WHY, "\"%.*s\" is not one of %s%s", OPTION_WHY / 2, text, all,
		 suggest_text(text, words, count, suggestion, sizeof(suggestion)));
	return false;
}

static void store_number(const struct option_row *row, void *member, uint64_t value)
{
	const uint8_t byte = (uint8_t)value;
	const uint32_t word = (uint32_t)value;

	if (row->size == sizeof(byte))
		memcpy(member, &byte, sizeof(byte));
	else if (row->size == sizeof(word))
		memcpy(member, &word, sizeof(word));
	else if (row->size == sizeof(value))
		memcpy(member, &value, sizeof(value));
}

bool option_row_store(const struct option_row *row, const char *text, void *options,
		      char why[OPTION_WHY])
{
	char *member = (char *)options + row->at;
	uint64_t value = row->value ? row->value : 1;

	if (row->argument && row->kind >= ARGUMENT_NUMBER &&
	    !parse_in_range(row, text, &value, why))
		return false;
	if (row->argument && row->kind == ARGUMENT_CHOICE && !parse_choice(row, text, &value, why))
		return false;
	if (row->kind == ARGUMENT_PATH && !*text) {
		snprintf(why, OPTION_WHY, "the name is empty");
		return false;
	}
	if (row->size && row->argument && row->kind < ARGUMENT_CHOICE)
		memcpy(member, &text, sizeof(text));
	else
		store_number(row, member, value);
	return true;
}

/* The words with "|" between. */
static void print_words(const struct option_row *row)
{
	const char *word;

	if (row->words)
		fputs(row->words, stdout);
	else if (!option_row_word(row, 0))
		putchar('-');
	else
		for (size_t i = 0; (word = option_row_word(row, i)); i++)
			printf("%s%s", i ? "|" : "", word);
	putchar('\n');
}

void option_row_print(const struct option_row *row)
{
	char least[LIMIT_TEXT] = "-", most[LIMIT_TEXT] = "-";

	if (row->least)
		limit_text(row, row->least, least);
	if (row->most)
		limit_text(row, row->most, most);
	printf("%s%s\t%s%c\t", row->name ? "--" : "", row->name ? row->name : "-",
	       row->letter ? "-" : "", row->letter ? row->letter : '-');
	printf(row->optional ? "[%s]" : "%s", row->argument ? row->argument : "-");
	printf("\t%s\t%s\t%s\t", kinds[row->kind].name, least, most);
	print_words(row);
}
