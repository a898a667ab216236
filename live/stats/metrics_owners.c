// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Adds up the rows of the details by name, and chooses those that have a series. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/container.h"
#include "live/stats/metrics.h"
#include "live/stats/metrics_owners.h"

static const struct {
	enum details_owner owner;
	const char *label, *help;
} kinds[METRICS_OWNERS] = {
	[METRICS_COMM] = { DETAILS_COMM, "comm", "name of the task that allocated" },
	[METRICS_CONTAINER] = { DETAILS_CGROUP, "container", "container that allocated" },
};

struct owner_row {
	char *name; /* the row's own */
	uint64_t bytes;
	bool was_shown;
};

/* Rows by name, and the bytes that have none. */
struct owner_table {
	struct owner_row *rows;
	size_t count;
	uint64_t interrupts, none, other;
};

void metrics_owners_deinit(struct metrics_owners *owners)
{
	for (size_t kind = 0; kind < METRICS_OWNERS; kind++) {
		for (size_t i = 0; i < owners->count[kind]; i++)
			free(owners->shown[kind][i]);
		free(owners->shown[kind]);
	}
	memset(owners, 0, sizeof(*owners));
}

static void owner_table_deinit(struct owner_table *table)
{
	for (size_t i = 0; i < table->count; i++)
		free(table->rows[i].name);
	free(table->rows);
}

static int compare_owner_names(const void *left, const void *right)
{
	const struct owner_row *a = left, *b = right;

	return strcmp(a->name, b->name);
}

static int compare_owner_bytes(const void *left, const void *right)
{
	const struct owner_row *a = left, *b = right;

	if (a->bytes != b->bytes)
		return a->bytes < b->bytes ? 1 : -1;
	return strcmp(a->name, b->name);
}

/* Rows of one name become one: several cgroups are in one container. */
static void add_up_equal_names(struct owner_table *table)
{
	size_t kept = 0;

	if (table->count)
		qsort(table->rows, table->count, sizeof(*table->rows), compare_owner_names);
	for (size_t i = 0; i < table->count; i++) {
		if (kept && !strcmp(table->rows[kept - 1].name, table->rows[i].name)) {
			table->rows[kept - 1].bytes += table->rows[i].bytes;
			free(table->rows[i].name);
		} else {
			table->rows[kept++] = table->rows[i];
		}
	}
	table->count = kept;
}

/* The series that are no owner. A task can have any name. */
#define INTERRUPTS "(interrupts)"
#define NONE "(none)"
#define OTHER "(other)"

static bool is_reserved(const char *name)
{
	return !strcmp(name, INTERRUPTS) || !strcmp(name, NONE) || !strcmp(name, OTHER);
}

/* In ASCII: names that are equal in a label must be one series. NULL: no memory. */
static char *owner_text(const char *name)
{
	char *text = malloc(4 * strlen(name) + 1), *at = text;

	for (; text && *name; name++) {
		if (*name < ' ' || *name > '~')
			at += sprintf(at, "\\x%02x", (unsigned char)*name);
		else
			*at++ = *name;
	}
	if (text)
		*at = '\0';
	return text;
}

/* A new string with the name of the row; NULL: it has none. 0 or -ENOMEM. */
static int name_owner(enum metrics_owner kind, const char *text, char **name)
{
	char container[CONTAINER_TEXT];

	*name = NULL;
	if (kind == METRICS_CONTAINER && !container_name(text, container))
		return 0;
	*name = owner_text(kind == METRICS_CONTAINER ? container : text);
	return *name ? 0 : -ENOMEM;
}

static int add_up_owners(struct owner_table *table, enum metrics_owner kind,
			 const struct details *details)
{
	const struct details_table *from = &details->tables[kinds[kind].owner];
	int err = 0;

	table->rows = calloc(from->count + 1, sizeof(*table->rows));
	if (!table->rows)
		return -ENOMEM;
	for (size_t i = 0; i < from->count && !err; i++) {
		const struct details_row *row = &from->rows[i];
		uint64_t bytes = row->counts.allocated - row->counts.freed;
		char *name = NULL;

		if (i == DETAILS_INTERRUPT) {
			table->interrupts = bytes;
			continue;
		}
		if (i < DETAILS_FIRST || is_reserved(row->name)) {
			table->other += bytes;
			continue;
		}
		err = name_owner(kind, row->name, &name);
		if (name)
			table->rows[table->count++] = (struct owner_row){ name, bytes, false };
		else
			table->none += bytes;
	}
	if (!err)
		add_up_equal_names(table);
	return err;
}

static void note_shown(struct owner_table *table, char *const *shown, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct owner_row key = { .name = shown[i] };
		struct owner_row *row = bsearch(&key, table->rows, table->count,
						sizeof(*table->rows), compare_owner_names);

		if (row)
			row->was_shown = true;
	}
}

static void write_series(FILE *file, enum metrics_owner kind, const char *name, uint64_t bytes)
{
	fprintf(file, "kmemtrace_%s_live_bytes{%s=\"", kinds[kind].label, kinds[kind].label);
	metrics_write_label(file, name);
	fprintf(file, "\"} %" PRIu64 "\n", bytes);
}

/* Moves the names that it writes to shown, which has room for them. */
static size_t write_rows(FILE *file, enum metrics_owner kind, struct owner_table *table, size_t top,
			 char **shown)
{
	size_t count = 0, kept = 0;

	for (size_t i = 0; i < table->count; i++) {
		struct owner_row *row = &table->rows[i];
		bool is_kept = i >= top && row->was_shown && kept < top;

		kept += is_kept;
		if (!row->bytes || (i >= top && !is_kept)) {
			table->other += row->bytes;
			continue;
		}
		write_series(file, kind, row->name, row->bytes);
		shown[count++] = row->name;
		row->name = NULL;
	}
	return count;
}

static int write_owners(struct metrics_owners *owners, enum metrics_owner kind,
			const struct details *details, size_t top, FILE *file)
{
	struct owner_table table = { 0 };
	char **shown = calloc(2 * top + 1, sizeof(*shown));
	int err = shown ? add_up_owners(&table, kind, details) : -ENOMEM;

	if (err) {
		owner_table_deinit(&table);
		free(shown);
		return err;
	}
	note_shown(&table, owners->shown[kind], owners->count[kind]);
	if (table.count)
		qsort(table.rows, table.count, sizeof(*table.rows), compare_owner_bytes);
	fprintf(file,
		"# HELP kmemtrace_%s_live_bytes Bytes that were allocated since the begin, and not freed yet, by %s\n# TYPE kmemtrace_%s_live_bytes gauge\n",
		kinds[kind].label, kinds[kind].help, kinds[kind].label);
	for (size_t i = 0; i < owners->count[kind]; i++)
		free(owners->shown[kind][i]);
	free(owners->shown[kind]);
	owners->shown[kind] = shown;
	owners->count[kind] = write_rows(file, kind, &table, top, shown);
	write_series(file, kind, INTERRUPTS, table.interrupts);
	if (kind == METRICS_CONTAINER)
		write_series(file, kind, NONE, table.none);
	write_series(file, kind, OTHER, table.other);
	owner_table_deinit(&table);
	return 0;
}

int metrics_owners_write(struct metrics_owners *owners, const struct details *details, size_t top,
			 FILE *file)
{
	int err = 0;

	for (unsigned int kind = 0; kind < METRICS_OWNERS && !err; kind++)
		err = write_owners(owners, kind, details, top, file);
	return err;
}
