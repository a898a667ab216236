// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Key columns of groups, chosen columns, and columns by the names of fields. */
#include "config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/fields/allocations.h"
#include "base/suggest.h"
#include "base/text.h"
#include "kernel/context_names.h"
#include "kernel/tasks.h"
#include "report/columns.h"
#include "report/views/row_names.h"
#include "report/views/value_cells.h"

#define GROUP_COLUMNS 2 /* of a view with has_by: the name and the number of the group */

enum task_column {
	TASK_PID,
	TASK_TID,
	TASK_COMM,
	TASK_CONTEXT,
	TASK_COLUMNS
};

static const struct column_choice task_columns[TASK_COLUMNS] = {
	[TASK_PID] = { .name = COLUMN_pid, .where = COLUMN_NOT_IN_TEXT },
	[TASK_TID] = { .name = COLUMN_tid, .where = COLUMN_NOT_IN_TEXT },
	[TASK_COMM] = { .name = COLUMN_comm, .where = COLUMN_NOT_IN_TEXT },
	[TASK_CONTEXT] = { .name = COLUMN_context, .where = COLUMN_NOT_IN_TEXT },
};

/* Waste matters most when there is least memory. */
#define WASTE "waste"
#define WASTE_KEY "peak_waste"

/* A column of this key, or of another name of its field; column_count: there is none. */
static size_t find_column(const struct table *table, const char *name, size_t length)
{
	const struct event_field *field;

	if (length == strlen(WASTE) && !memcmp(name, WASTE, length)) {
		name = WASTE_KEY;
		length = strlen(WASTE_KEY);
	}
	field = event_field_find(name, length);
	for (size_t i = 0; i < table->column_count; i++)
		if (strlen(table->columns[i].key) == length &&
		    !memcmp(table->columns[i].key, name, length))
			return i;
	for (size_t i = 0; field && i < table->column_count; i++) {
		const char *key = table->columns[i].key;

		/* a slab cache has a size, too: it is not that of a request */
		if (strcmp(key, "size") && event_field_find(key, strlen(key)) == field)
			return i;
	}
	return table->column_count;
}

/* The groups of the rows. NULL: no memory. */
static const struct group **row_groups(const struct report *report, const struct table *table)
{
	const struct group **groups = calloc(table->rows + 1, sizeof(struct group *));

	for (size_t row = 0; groups && row < table->rows; row++)
		groups[row] = &report->analysis.groups[table_row(table, row)[1].number];
	return groups;
}

/* Replaces the first columns, which name the group, by the values of --by. */
static int set_keys(const struct report *report, struct table *table,
		    const struct group *const *groups)
{
	const struct query *query = report->query;
	int err = 0;

	for (size_t row = 0; row < table->rows; row++) {
		const struct aggregate_group *group =
			report->allocations->groups.groups[groups[row]->key];
		struct cell *cells = table->cells + row * table->column_count;

		for (size_t i = 0; i < query->by_count && !err; i++)
			err = value_set_cell(&report->allocations->source.texts, &cells[i],
					     table->columns[i].type, group->keys[i]);
	}
	return err;
}

static int set_tasks(const struct report *report, struct table *table,
		     const struct group *const *groups)
{
	for (size_t row = 0; row < table->rows; row++) {
		struct cell *cells = table->cells + row * table->column_count;
		struct cell *more = cells + table->column_count - TASK_COLUMNS;
		const struct task *task = group_task(report, groups[row]);
		uint32_t thread = groups[row]->thread;
		unsigned int context = group_context(groups[row]);

		if (context != KMT_CONTEXT_TASK || report->capture->status.context) {
			more[TASK_CONTEXT].text = strdup(context_name(context));
			if (!more[TASK_CONTEXT].text)
				return -ENOMEM;
		}
		if (context != KMT_CONTEXT_TASK) {
			cells[1].number = more[TASK_PID].number = more[TASK_TID].number =
				CELL_UNKNOWN;
			more[TASK_COMM].text = strdup(context_name(context));
			if (!more[TASK_COMM].text)
				return -ENOMEM;
			continue;
		}
		cells[1].number = task ? task->tgid : thread;
		more[TASK_PID].number = task ? task->tgid : CELL_UNKNOWN;
		more[TASK_TID].number = thread == THREAD_SEVERAL ? CELL_UNKNOWN : thread;
		more[TASK_COMM].text = task ? strdup(task->comm) : NULL;
		if (task && !more[TASK_COMM].text)
			return -ENOMEM;
	}
	return 0;
}

/*
 * A key of --by and a column of the view may have the same name. If that is a text, it is the same
 * value: the view's own column is left out.
 */
static int check_keys(struct report *report, const struct table *table)
{
	const struct query *query = report->query;

	for (size_t i = 0; i < query->by_count; i++) {
		const char *key = query->by[i].text;

		for (size_t k = 0; k < i; k++)
			if (!strcmp(key, query->by[k].text))
				return error_format(&report->error, -EINVAL,
						    "--by: %s is named twice", key);
		for (size_t k = GROUP_COLUMNS; k < table->column_count; k++)
			if (!strcmp(key, table->columns[k].key) &&
			    table->columns[k].type != COLUMN_TEXT)
				return error_format(
					&report->error, -EINVAL,
					"--by: the view %s has a column %s already: use another name of the field",
					report->view->name, key);
	}
	return 0;
}

static bool is_key(const struct query *query, const char *name)
{
	for (size_t i = 0; i < query->by_count; i++)
		if (!strcmp(query->by[i].text, name))
			return true;
	return false;
}

/* Columns after those of the view: a program finds these where they are in groups of other kinds.
 */
static int expand_tasks(struct table *table, struct column *columns, size_t *from)
{
	size_t count = 0;

	for (; count < table->column_count; count++) {
		columns[count] = table->columns[count];
		from[count] = count;
	}
	for (size_t i = 0; i < TASK_COLUMNS; i++) {
		columns[count] = column_choose(&task_columns[i]);
		from[count++] = TABLE_NEW_COLUMN;
	}
	return table_rearrange(table, columns, from, count);
}

static int expand_keys(const struct query *query, struct table *table, struct column *columns,
		       size_t *from)
{
	size_t count = 0;

	for (; count < query->by_count; count++) {
		columns[count] = value_column(&query->by[count]);
		from[count] = TABLE_NEW_COLUMN;
	}
	table->tiebreak = 0;
	table->tiebreaks = count;
	for (size_t i = GROUP_COLUMNS; i < table->column_count; i++) {
		if (is_key(query, table->columns[i].key))
			continue;
		columns[count] = table->columns[i];
		from[count++] = i;
	}
	return table_rearrange(table, columns, from, count);
}

int columns_of_groups(struct report *report)
{
	struct table *table = &report->tables[0];
	enum group_by by = report->settings.by;
	size_t count = table->column_count + QUERY_BY_MAX + TASK_COLUMNS;
	const struct group **groups;
	struct column *columns;
	size_t *from;
	int err;

	if (!report->view->has_by || (by != GROUP_BY_TASK && by != GROUP_BY_CALLER))
		return 0;
	err = by == GROUP_BY_CALLER ? check_keys(report, table) : 0;
	if (err)
		return err;
	groups = row_groups(report, table);
	columns = calloc(count, sizeof(*columns));
	from = calloc(count, sizeof(*from));
	if (!groups || !columns || !from)
		err = -ENOMEM;
	else if (by == GROUP_BY_TASK)
		err = expand_tasks(table, columns, from);
	else
		err = expand_keys(report->query, table, columns, from);
	if (err)
		free(columns);
	else if (by == GROUP_BY_TASK)
		err = set_tasks(report, table, groups);
	else
		err = set_keys(report, table, groups);
	free(groups);
	free(from);
	return err;
}

/* The column that says which figures of a row are bounds, if one of the columns needs it. */
static size_t find_bound(const struct table *table, const size_t *from, size_t count)
{
	bool needed = false;

	for (size_t i = 0; i < count; i++) {
		const struct column *column = &table->columns[from[i]];

		if (column->type == COLUMN_BOUND)
			return TABLE_NEW_COLUMN;
		needed |= column->type == COLUMN_LIVE || column->at_least;
	}
	for (size_t i = 0; needed && i < table->column_count; i++)
		if (table->columns[i].type == COLUMN_BOUND)
			return i;
	return TABLE_NEW_COLUMN;
}

static int no_column(struct report *report, const struct table *table, const char *name,
		     size_t length)
{
	const char **keys = calloc(table->column_count + 1, sizeof(*keys));
	char list[400] = "", text[41], suggestion[80];
	size_t used = 0;

	if (!keys)
		return -ENOMEM;
	snprintf(text, sizeof(text), "%.*s", (int)length, name);
	for (size_t i = 0; i < table->column_count; i++) {
		keys[i] = table->columns[i].key;
		if (used < sizeof(list))
			used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s",
						 used ? ", " : "", keys[i]);
	}
	suggest_text(text, keys, table->column_count, suggestion, sizeof(suggestion));
	free(keys);
	return error_format(&report->error, -EINVAL, "-F: the view %s has no column \"%s\"%s%s %s",
			    report->view->name, text, suggestion,
			    *suggestion ? " The columns are" : ": the columns are", list);
}

/* Finds the columns that the text names. */
static int parse_columns(struct report *report, const struct table *table, const char *text,
			 size_t *from, size_t *count)
{
	for (const char *at = text;; at++) {
		size_t length = strcspn(at, ","), column = find_column(table, at, length);

		if (column == table->column_count)
			return no_column(report, table, at, length);
		for (size_t i = 0; i < *count; i++)
			if (from[i] == column)
				return error_format(&report->error, -EINVAL,
						    "-F: the column %s is named twice",
						    table->columns[column].key);
		from[(*count)++] = column;
		at += length;
		if (!*at)
			return 0;
	}
}

int columns_choose(struct report *report, const char *text)
{
	struct table *table = &report->tables[0];
	struct column *columns = calloc(table->column_count + 1, sizeof(*columns));
	size_t *from = calloc(table->column_count + 1, sizeof(*from));
	size_t count = 0, bound;
	int err = columns && from ? parse_columns(report, table, text, from, &count) : -ENOMEM;

	if (!err) {
		bound = find_bound(table, from, count);
		if (bound != TABLE_NEW_COLUMN)
			from[count++] = bound;
		for (size_t i = 0; i < count; i++) {
			columns[i] = table->columns[from[i]];
			if (columns[i].type != COLUMN_BOUND)
				columns[i].where = COLUMN_ALWAYS;
		}
		err = table_rearrange(table, columns, from, count);
	}
	if (err)
		free(columns);
	free(from);
	return err;
}

int columns_show(struct table *table, const char *text)
{
	struct column *columns = calloc(table->column_count + 1, sizeof(*columns));
	size_t *from = calloc(table->column_count + 1, sizeof(*from));
	int err = columns && from ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < table->column_count; i++) {
		columns[i] = table->columns[i];
		from[i] = i;
	}
	for (const char *at = text; !err;) {
		size_t sign = *at == '-' || *at == '+', length = strcspn(at, ",");
		size_t column = find_column(table, at + sign, length - sign);

		if (column < table->column_count &&
		    (columns[column].where == COLUMN_NOT_IN_TEXT ||
		     columns[column].where == COLUMN_IF_ROOM) &&
		    columns[column].type != COLUMN_BOUND)
			columns[column].where = COLUMN_INSTEAD;
		at += length;
		if (!*at++)
			break;
	}
	if (!err)
		err = table_rearrange(table, columns, from, table->column_count);
	if (err)
		free(columns);
	free(from);
	return err;
}

char *columns_sort_keys(const struct table *table, const char *text)
{
	char *keys = NULL;
	size_t size;
	FILE *file = text_open(&keys, &size);

	if (!file)
		return NULL;
	for (const char *at = text;; at++) {
		size_t sign = *at == '-' || *at == '+', length = strcspn(at, ",") - sign;
		size_t column = find_column(table, at + sign, length);

		fprintf(file, "%.*s", (int)sign, at);
		if (column < table->column_count)
			fputs(table->columns[column].key, file);
		else
			fprintf(file, "%.*s", (int)length, at + sign);
		at += sign + length;
		if (!*at)
			break;
		putc(',', file);
	}
	text_close(file, &keys);
	return keys;
}
