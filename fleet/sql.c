// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The question sql: any query of the user. A column is of numbers if each of its cells is one. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "fleet/question.h"

struct answer {
	struct question *question;
	char **names; /* of columns */
	char **texts; /* cell by cell; NULL: null */
	size_t columns, cells, space;
	size_t servers; /* 1: the first column is the server */
};

static int begin_answer(struct answer *answer, const struct store_row *row)
{
	answer->servers = row->server != NULL;
	answer->names = calloc(row->count + answer->servers, sizeof(*answer->names));
	if (!answer->names)
		return -ENOMEM;
	answer->columns = row->count + answer->servers;
	for (size_t i = 0; i < answer->columns; i++) {
		answer->names[i] =
			strdup(i < answer->servers ? "server" : row->names[i - answer->servers]);
		if (!answer->names[i])
			return -ENOMEM;
	}
	return 0;
}

static int add_answer_row(void *data, const struct store_row *row)
{
	struct answer *answer = data;
	char **texts;

	if (!answer->columns && begin_answer(answer, row))
		return -ENOMEM;
	texts = array_grow_zeroed(answer->texts, &answer->space, answer->cells + answer->columns,
				  sizeof(*texts));
	if (!texts)
		return -ENOMEM;
	answer->texts = texts;
	for (size_t i = 0; i < answer->columns; i++) {
		const char *text = i < answer->servers ? row->server
						       : row->texts[i - answer->servers];

		if (text) {
			texts[answer->cells] = strdup(text);
			if (!texts[answer->cells])
				return -ENOMEM;
		}
		answer->cells++;
	}
	return 0;
}

/* Nothing is a number that would have other digits: 007, a whole number of more than 63 bits. */
static bool is_whole(const char *text)
{
	const char *digits = text + (*text == '-');
	size_t length = strspn(digits, "0123456789");

	errno = 0;
	return length && !digits[length] && (*digits != '0' || !strcmp(text, "0")) &&
	       strtoll(text, NULL, 10) != CHANGE_UNKNOWN && !errno;
}

static bool is_exact(long long number)
{
	return llabs(number) < 1LL << 62 && (long long)(double)number == number;
}

static bool is_decimal(const char *text)
{
	size_t whole = strspn(text + (*text == '-'), "0123456789") + (*text == '-');
	char *end;

	if (text[strspn(text, "-+.eE0123456789")] || !strchr("-0123456789", *text))
		return false;
	/* a whole number of a column that has decimals, too: SQLite shows 2.0 as 2 */
	if (!text[whole])
		return is_whole(text) && is_exact(strtoll(text, NULL, 10));
	return isfinite(strtod(text, &end)) && end > text && !*end;
}

static enum column_type type_of(const struct answer *answer, size_t column)
{
	bool whole = true, decimal = true;

	for (size_t i = column; i < answer->cells; i += answer->columns) {
		const char *text = answer->texts[i];

		whole &= !text || is_whole(text);
		decimal &= !text || is_decimal(text);
	}
	return whole ? COLUMN_SIGNED : decimal ? COLUMN_DECIMAL : COLUMN_TEXT;
}

static void set_cell(struct cell *cell, enum column_type type, char **text)
{
	if (type == COLUMN_SIGNED) {
		cell->change = *text ? strtoll(*text, NULL, 10) : CHANGE_UNKNOWN;
	} else if (type == COLUMN_DECIMAL) {
		cell->decimal = *text ? strtod(*text, NULL) : NAN;
	} else {
		cell->text = *text;
		*text = NULL;
	}
}

static int make_table(struct answer *answer)
{
	struct question *question = answer->question;
	struct column *columns = calloc(answer->columns + 1, sizeof(*columns));
	int err;

	if (!columns)
		return -ENOMEM;
	/* without a row the columns are not known */
	columns[0] = (struct column){ .key = "row", .header = "row", .unit = "" };
	for (size_t i = 0; i < answer->columns; i++)
		columns[i] = (struct column){ .key = answer->names[i],
					      .header = answer->names[i],
					      .unit = "",
					      .type = type_of(answer, i),
					      .decimals = 6 };
	err = question_set_table(question, "rows", columns, answer->columns ? answer->columns : 1,
				 false);
	question->table.empty = "No rows.";
	for (size_t i = 0; i < answer->cells && !err; i += answer->columns) {
		struct cell *row = table_add(&question->table);

		if (!row)
			err = -ENOMEM;
		for (size_t j = 0; j < answer->columns && !err; j++)
			set_cell(&row[j], columns[j].type, &answer->texts[i + j]);
	}
	free(columns);
	return err;
}

/*
 * A statement that changes something has another first word; the words that a server does not
 * refuse to a reader, as KILL, are many. A comment before it is refused: servers differ in
 * comments.
 */
static bool is_question(const char *sql)
{
	static const char *const words[] = { "SELECT", "SHOW" };
	const char *word = sql + strspn(sql, "( \t\n\r");
	size_t length =
		strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (length == strlen(words[i]) && !strncasecmp(word, words[i], length))
			return true;
	return false;
}

int question_sql(struct question *question)
{
	struct answer answer = { .question = question };
	const struct store_reader reader = { .row = add_answer_row,
					     .data = &answer,
					     .join = STORE_OF_USER };
	struct store *store = question->scope.store;
	const char *sql = question->scope.options->arguments[0];
	int err = is_question(sql)
			  ? store->ops->query(store, sql, &reader)
			  : store_fail(store, -EINVAL,
				       "%s: not one question, which begins with SELECT or SHOW: %s",
				       store->location, sql);

	if (!err)
		err = make_table(&answer);
	for (size_t i = 0; i < answer.cells; i++)
		free(answer.texts[i]);
	free(answer.texts);
	question->column_names = answer.names;
	question->column_name_count = answer.columns;
	return err;
}
