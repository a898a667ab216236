// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Does the store have the hosts, kernels and roles that the user named? */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "fleet/names.h"

#define NAMES_SHOWN 10

struct store_names {
	char **list;
	size_t count;
};

static int add_store_name(struct store_names *names, char *name)
{
	char **list = array_grow(names->list, names->count, sizeof(*list));

	if (!list || !name) {
		free(name);
		return -ENOMEM;
	}
	names->list = list;
	list[names->count++] = name;
	return 0;
}

static int add_name_row(void *data, const struct store_row *row)
{
	return add_store_name(data, strdup(store_text(row, 0)));
}

static void free_names(struct store_names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->list[i]);
	free(names->list);
	*names = (struct store_names){ 0 };
}

static int compare_store_names(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

/* The names that the store has in a column: of these, or NULL: all. */
static int read_store_names(const struct scope *scope, const char *column,
			    const struct store_names *some, struct store_names *found)
{
	const struct store_reader reader = { .row = add_name_row,
					     .data = found,
					     .texts = 1,
					     .rest = "n",
					     .join = STORE_SUMS,
					     .keys = 1 };
	char *text;
	size_t size;
	int err;
	FILE *sql = text_open(&text, &size);

	if (!sql)
		return -ENOMEM;
	fprintf(sql, "SELECT %s, COUNT(number)", column);
	scope_from(scope, sql, "intervals");
	for (size_t i = 0; some && i < some->count; i++) {
		fprintf(sql, i ? ", " : " WHERE %s IN (", column);
		store_quote(scope->store, sql, some->list[i]);
	}
	fprintf(sql, "%s GROUP BY %s ORDER BY %s", some ? ")" : "", column, column);
	err = scope_ask(scope, sql, &text, &reader);
	if (!err && found->count)
		qsort(found->list, found->count, sizeof(*found->list), compare_store_names);
	return err;
}

static int fail_missing(const struct scope *scope, const char *column, const char *name)
{
	struct store_names all = { 0 };
	char *text;
	size_t size;
	FILE *file = text_open(&text, &size);
	int err = file ? read_store_names(scope, column, NULL, &all) : -ENOMEM;

	for (size_t i = 0; i < all.count && i < NAMES_SHOWN && file; i++)
		fprintf(file, "%s%s", i ? ", " : ": ", *all.list[i] ? all.list[i] : "(empty)");
	if (all.count > NAMES_SHOWN && file)
		fprintf(file, " and %zu more", all.count - NAMES_SHOWN);
	if (file && text_close(file, &text)) {
		text = NULL;
		err = -ENOMEM;
	}
	if (!err)
		err = store_fail(scope->store, -ENOENT,
				 "%s: no host has the %s %s; the store has%s",
				 scope->store->location, strcmp(column, "host") ? column : "name",
				 name, all.count ? text : " none");
	if (file)
		free(text);
	free_names(&all);
	return err;
}

static int check_names(const struct scope *scope, const char *column,
		       const struct store_names *given)
{
	struct store_names found = { 0 };
	int err = read_store_names(scope, column, given, &found);

	for (size_t i = 0; i < given->count && !err; i++) {
		const char *name = given->list[i];

		if (!found.count ||
		    !bsearch(&name, found.list, found.count, sizeof(name), compare_store_names))
			err = fail_missing(scope, column, name);
	}
	free_names(&found);
	return err;
}

/* The names of a list that commas separate. */
static int check_list(const struct scope *scope, const char *column, const char *list)
{
	struct store_names given = { 0 };
	int err = 0;

	if (!list)
		return 0;
	for (; list && !err; list = strchr(list, ',') ? strchr(list, ',') + 1 : NULL)
		err = add_store_name(&given, strndup(list, strcspn(list, ",")));
	if (!err)
		err = check_names(scope, column, &given);
	free_names(&given);
	return err;
}

/* Two versions of the kernel, which may have commas. */
static int check_versions(const struct scope *scope)
{
	const struct store_names given = { scope->options->arguments,
					   (size_t)scope->options->argument_count };

	return given.count ? check_names(scope, "kernel", &given) : 0;
}

int names_check(const struct scope *scope)
{
	const struct fleet_options *options = scope->options;
	int err = 0;

	/* they may be those of a server that does not answer */
	if (scope->store->left_out)
		return 0;
	/* a host that is expected may be one that was never seen */
	if (!options->expect)
		err = check_list(scope, "host", options->hosts);
	if (!err)
		err = check_list(scope, "kernel", options->kernels);
	if (!err)
		err = check_list(scope, "role", options->roles);
	if (!err && options->command->takes_kernels)
		err = check_versions(scope);
	return err;
}
