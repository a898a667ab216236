// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/exit_status.h"
#include "cli/message.h"
#include "cli/option_table.h"

#define KEY_FIRST 0x1000 /* of the options without a letter and a key */
#define HEADINGS_MAX 16
#define NAMES_SIZE 200

static int key_of(const struct option_parser *parser, size_t index)
{
	const struct option_row *row = parser->list[index].row;

	return row->letter ? row->letter : row->key ? row->key : KEY_FIRST + (int)index;
}

static struct program_option *find_key(struct option_parser *parser, int key)
{
	for (size_t i = 0; i < parser->count; i++)
		if (key_of(parser, i) == key)
			return &parser->list[i];
	return NULL;
}

static struct program_option *find_name(struct option_parser *parser, const char *name,
					size_t length)
{
	for (size_t i = 0; i < parser->count; i++)
		if (!strncmp(parser->list[i].row->name, name, length) &&
		    !parser->list[i].row->name[length])
			return &parser->list[i];
	return NULL;
}

bool option_is_given(const struct argp_state *state, const char *name)
{
	return find_name(state->hook, name, strlen(name))->given;
}

const struct option_row *option_row_current(const struct argp_state *state)
{
	const struct option_parser *parser = state->hook;

	return parser->row;
}

void option_take(struct argp_state *state, struct program_option *option, const char *text)
{
	struct option_parser *parser = state->hook;
	const struct option_row *row = option->row;
	void *options = (char *)parser->options + option->offset, *input = state->input;
	char name[OPTION_NAME], why[OPTION_WHY];

	if (row->optional)
		parser->no_value = text ? NULL : row;
	if (row->optional && !text && *row->optional)
		text = row->optional;
	if ((text || !row->argument) && !option_row_store(row, text, options, why))
		option_error(state, "%s: %s", option_row_name(row, name), why);
	option->given = true;
	if (row->given)
		*(bool *)((char *)options + row->given - 1) = true;
	parser->row = row;
	state->input = options;
	if (row->parse)
		row->parse(state, text);
	state->input = input;
}

/* The next name of a list with "|" between; NULL: there is none. */
static const char *next_name(const char *names)
{
	names = strchr(names, '|');
	return names ? names + 1 : NULL;
}

static void check_needs(struct argp_state *state, struct option_parser *parser,
			const struct option_row *row)
{
	char text[NAMES_SIZE] = "", name[OPTION_NAME];
	size_t used = 0;

	for (const char *needed = row->needs; needed; needed = next_name(needed)) {
		const struct program_option *option =
			find_name(parser, needed, strcspn(needed, "|"));

		if (option->given)
			return;
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s",
					 !used		     ? ""
					 : next_name(needed) ? ", "
							     : " or ",
					 option_row_name(option->row, name));
	}
	option_error(state, "%s: needs %s", option_row_name(row, name), text);
}

static void check_excludes(struct argp_state *state, struct option_parser *parser,
			   const struct option_row *row)
{
	char name[OPTION_NAME], other[OPTION_NAME];

	for (const char *excluded = row->excludes; excluded; excluded = next_name(excluded)) {
		const struct program_option *option =
			find_name(parser, excluded, strcspn(excluded, "|"));

		if (option->given)
			option_error(state, "%s: cannot be used with %s",
				     option_row_name(row, name),
				     option_row_name(option->row, other));
	}
}

static void check_together(struct argp_state *state, struct option_parser *parser)
{
	for (size_t i = 0; i < parser->count; i++) {
		const struct option_row *row = parser->list[i].row;

		if (!parser->list[i].given)
			continue;
		check_excludes(state, parser, row);
		if (row->needs)
			check_needs(state, parser, row);
	}
}

static error_t parse_key(int key, char *text, struct argp_state *state)
{
	struct option_parser *parser = state->input;
	struct program_option *option = find_key(parser, key);
	error_t err;

	if (option) {
		option_take(state, option, text);
		return 0;
	}
	if (key == ARGP_KEY_INIT)
		state->hook = parser;
	if (key == ARGP_KEY_SUCCESS)
		check_together(state, parser);
	state->input = parser->options;
	err = parser->program->parser(key, text, state);
	state->input = parser;
	return err;
}

static void add_option_row(struct option_parser *parser, const struct option_table *table,
			   const struct option_row *row, struct argp_option *option)
{
	if (row->name)
		parser->list[parser->count++] =
			(struct program_option){ .row = row, .offset = table->offset };
	*option = (struct argp_option){
		.name = row->name,
		.key = row->name ? key_of(parser, parser->count - 1) : 0,
		.arg = row->argument,
		.flags = row->optional ? OPTION_ARG_OPTIONAL : 0,
		.doc = row->help,
		.group = row == table->rows ? table->group : 0,
	};
}

static bool is_last(const struct option_row *row)
{
	return !row->name && !row->argument && !row->help;
}

static void print_rows(const struct option_table *tables)
{
	/* those of argp */
	option_row_print(&(struct option_row){ .name = "help", .letter = '?' });
	option_row_print(&(struct option_row){ .name = "usage" });
	option_row_print(&(struct option_row){ .name = "version", .letter = 'V' });
	for (; tables->rows; tables++)
		for (const struct option_row *row = tables->rows; !is_last(row); row++)
			if (row->name || row->argument)
				option_row_print(row);
	exit(close_stdout(EXIT_OK));
}

void option_tables_parse(const struct argp *program, const struct option_table *tables, int argc,
			 char **argv, unsigned int flags, void *options)
{
	struct option_parser parser = { .program = program, .options = options };
	struct argp_option argp_options[OPTIONS_MAX + HEADINGS_MAX + 1] = { 0 };
	struct argp argp = *program;
	size_t count = 0;

	if (argc == 2 && !strcmp(argv[1], OPTION_LIST))
		print_rows(tables);
	for (; tables->rows; tables++)
		for (const struct option_row *row = tables->rows; !is_last(row); row++)
			if (row->name || row->help)
				add_option_row(&parser, tables, row, &argp_options[count++]);
	/* glibc 2.36 leaks a table without options */
	argp.options = count ? argp_options : NULL;
	argp.parser = parse_key;
	parse_command_line(&argp, argc, argv, flags, &parser);
}
