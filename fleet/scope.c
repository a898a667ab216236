// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* SQL of the time, the hosts and the groups of a question. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "base/utc.h"
#include "fleet/agreement.h"
#include "fleet/scope.h"

static const struct {
	const char *kind, *keys, *legend;
	size_t count;
} groups[BY_COUNT] = {
	[BY_FUNCTION] = { "code", "function, module",
			  "the kernel function that allocated: symbol [module]", 2 },
	[BY_CACHE] = { "code", "cache", "the slab cache of the objects", 1 },
	[BY_MODULE] = { "code", "module", "the module of the function that allocated", 1 },
	[BY_CGROUP] = { "cgroup", "function", "the cgroup of the task that allocated", 1 },
	[BY_COMM] = { "comm", "function", "the name of the task that allocated", 1 },
};

const char *scope_kind(const struct scope *scope)
{
	return groups[scope->options->by].kind;
}

const char *scope_keys(const struct scope *scope)
{
	return groups[scope->options->by].keys;
}

const char *scope_legend(const struct scope *scope)
{
	return groups[scope->options->by].legend;
}

size_t scope_key_count(const struct scope *scope)
{
	return groups[scope->options->by].count;
}

char *scope_row_name(const struct scope *scope, const struct store_row *row, size_t column)
{
	const char *name = store_text(row, column);
	const char *module = scope->options->by == BY_FUNCTION ? store_text(row, column + 1) : "";
	char *text;

	if (!*module || strcmp(module, "kernel") == 0)
		return strdup(name);
	return asprintf(&text, "%s [%s]", name, module) < 0 ? NULL : text;
}

/* " AND column IN ('a', 'b')" for "a,b". */
static void write_list(const struct scope *scope, FILE *sql, const char *column, const char *list)
{
	const char *separator = "";

	if (!list)
		return;
	fprintf(sql, " AND %s IN (", column);
	for (;;) {
		size_t length = strcspn(list, ",");
		char *name = strndup(list, length);

		fputs(separator, sql);
		store_quote(scope->store, sql, name ? name : "");
		free(name);
		separator = ", ";
		list += length;
		if (!*list++)
			break;
	}
	putc(')', sql);
}

void scope_from(const struct scope *scope, FILE *sql, const char *table)
{
	const char *suffix = scope->store->ops->suffix;

	fprintf(sql, " FROM %s%s", table, suffix ? suffix : "");
}

void scope_where(const struct scope *scope, FILE *sql, const char *kind)
{
	/* a condition on the time makes SQLite read in order of time */
	if (scope->since)
		fprintf(sql, " WHERE until > %llu", (unsigned long long)scope->since);
	else
		fputs(" WHERE 1 = 1", sql);
	if (scope->until != UINT64_MAX)
		fprintf(sql, " AND until <= %llu", (unsigned long long)scope->until);
	if (kind)
		fprintf(sql, " AND kind = '%s'", kind);
	write_list(scope, sql, "host", scope->options->hosts);
	write_list(scope, sql, "kernel", scope->options->kernels);
	write_list(scope, sql, "role", scope->options->roles);
}

bool scope_begin_intervals(const struct scope *scope, FILE *sql)
{
	const struct store_ops *ops = scope->store->ops;

	if (!ops->interval_in)
		return false;
	fprintf(sql,
		" AND (host, boot, run, number) %s (SELECT host, boot, run, number "
		"FROM intervals_rows",
		ops->interval_in);
	scope_where(scope, sql, NULL);
	return true;
}

void scope_sums(const struct scope *scope, FILE *sql, const char *numbers)
{
	const char *format = scope->store->ops->sum, *place = strstr(format, "%s");

	for (;;) {
		size_t length = strcspn(numbers, ",");

		fprintf(sql, "%.*s%.*s%s", (int)(place - format), format, (int)length, numbers,
			place + strlen("%s"));
		numbers += length;
		if (!*numbers)
			break;
		fputs(", ", sql);
		numbers += strlen(", ");
	}
}

void scope_slice(FILE *sql, uint64_t slice)
{
	/* an interval that ends where a slice begins belongs to the slice before it */
	fprintf(sql, "until - 1 - (until - 1) %% %llu", (unsigned long long)slice);
}

int scope_ask(const struct scope *scope, FILE *sql, char **text, const struct store_reader *reader)
{
	int err = text_close(sql, text);

	if (err)
		return err;
	err = scope->store->ops->query(scope->store, *text, reader);
	free(*text);
	*text = NULL;
	return err;
}

struct host_ends {
	uint64_t *list;
	size_t count;
};

static int add_end(void *data, const struct store_row *row)
{
	struct host_ends *ends = data;
	uint64_t *list = array_grow(ends->list, ends->count, sizeof(*list));

	if (!list)
		return -ENOMEM;
	ends->list = list;
	list[ends->count++] = store_number(row, 1);
	return 0;
}

/* The end of the store, from which ages count: no clock that is wrong moves it. */
static int find_end(const struct scope *scope, uint64_t *end)
{
	struct host_ends ends = { 0 };
	const struct store_reader reader = {
		.row = add_end, .data = &ends, .texts = 1, .rest = "n"
	};
	char *text;
	size_t size;
	int err;
	FILE *sql = text_open(&text, &size);

	if (!sql)
		return -ENOMEM;
	fputs("SELECT host, MAX(until)", sql);
	scope_from(scope, sql, "intervals");
	fputs(" GROUP BY host ORDER BY host", sql);
	err = scope_ask(scope, sql, &text, &reader);
	*end = agreement_end(ends.list, ends.count);
	free(ends.list);
	return err;
}

static uint64_t resolve_time(const struct fleet_time *time, uint64_t end, uint64_t otherwise)
{
	if (!time->given)
		return otherwise;
	if (!time->is_age)
		return time->ns;
	return end > time->ns ? end - time->ns : 0;
}

int scope_init(struct scope *scope, struct store *store, const struct fleet_options *options)
{
	uint64_t end = 0;
	int err = 0;

	*scope = (struct scope){ .options = options, .store = store };
	if (options->since.is_age || options->until.is_age)
		err = find_end(scope, &end);
	scope->since = resolve_time(&options->since, end, 0);
	scope->until = resolve_time(&options->until, end, UINT64_MAX);
	return err;
}

const char *date_text(uint64_t ns, char text[DATE_SIZE])
{
	utc_text(ns, text, DATE_SIZE);
	if (strlen(text) > strlen("2026-11-23T14:05:30"))
		strcpy(text + strlen("2026-11-23T14:05:30"), "Z");
	return text;
}
