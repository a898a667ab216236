// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The hosts that an answer should have. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/files.h"
#include "base/text.h"
#include "fleet/expected.h"
#include "fleet/scope.h"

#define FILE_MAX ((size_t)64 << 20)
#define WEEK (7 * 24 * NSEC_PER_HOUR)

static int add_expected_name(struct expected *expected, const char *name)
{
	char **names = array_grow(expected->names, expected->count, sizeof(*names));

	if (!names)
		return -ENOMEM;
	expected->names = names;
	names[expected->count] = strdup(name);
	return names[expected->count++] ? 0 : -ENOMEM;
}

static int add_expected_row(void *data, const struct store_row *row)
{
	return add_expected_name(data, store_text(row, 0));
}

/* The hosts that the store knows in this time, of all or of those that the filters select. */
static int known_hosts(const struct scope *scope, struct expected *expected, bool all)
{
	const struct store_reader reader = {
		.row = add_expected_row, .data = expected, .texts = 1, .rest = ""
	};
	struct fleet_options any = *scope->options;
	struct scope asked = *scope;
	char *text;
	size_t size;
	FILE *sql = text_open(&text, &size);

	if (!sql)
		return -ENOMEM;
	asked.since = scope->since > WEEK ? scope->since - WEEK : 0;
	if (all)
		any.hosts = any.kernels = any.roles = NULL;
	asked.options = &any;
	fputs("SELECT host", sql);
	scope_from(scope, sql, "intervals");
	scope_where(&asked, sql, NULL);
	fputs(" GROUP BY host ORDER BY host", sql);
	return scope_ask(scope, sql, &text, &reader);
}

static int compare_expected(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool has_name(const struct expected *expected, const char *name)
{
	return expected->count &&
	       bsearch(&name, expected->names, expected->count, sizeof(name), compare_expected);
}

/* A name a line; comments begin with "#". */
static int read_expected_names(const struct scope *scope, struct expected *expected)
{
	const char *path = scope->options->expect;
	char *text, *save = NULL, *line;
	int err = read_file(AT_FDCWD, path, FILE_MAX, &text, NULL);

	if (err)
		return store_fail(scope->store, err, "%s: %s", path, strerror(-err));
	for (line = strtok_r(text, "\n", &save); line && !err; line = strtok_r(NULL, "\n", &save)) {
		line += strspn(line, " \t");
		line[strcspn(line, " \t\r#")] = '\0';
		if (*line)
			err = add_expected_name(expected, line);
	}
	free(text);
	if (!err && !expected->count)
		return store_fail(scope->store, -EINVAL,
				  "%s: it names no host: write a name in each line", path);
	return err;
}

/* Is the name in a list that commas separate? */
static bool lists_name(const char *list, const char *name)
{
	size_t length = strlen(name);

	for (; list; list = strchr(list, ',') ? strchr(list, ',') + 1 : NULL)
		if (strcspn(list, ",") == length && strncmp(list, name, length) == 0)
			return true;
	return false;
}

/* Removes names that are there twice, and those that the filters leave out. */
static void select_names(struct expected *expected, const char *hosts, const struct expected *known,
			 const struct expected *selected)
{
	size_t kept = 0;

	for (size_t i = 0; i < expected->count; i++) {
		char *name = expected->names[i];

		if ((kept && strcmp(expected->names[kept - 1], name) == 0) ||
		    (hosts && !lists_name(hosts, name)) ||
		    (has_name(known, name) && !has_name(selected, name)))
			free(name);
		else
			expected->names[kept++] = name;
	}
	expected->count = kept;
}

int expected_init(struct expected *expected, const struct scope *scope)
{
	struct expected known = { 0 }, selected = { 0 };
	int err;

	if (!scope->options->expect)
		return known_hosts(scope, expected, false);
	err = read_expected_names(scope, expected);
	if (!err)
		err = known_hosts(scope, &known, true);
	if (!err)
		err = known_hosts(scope, &selected, false);
	if (!err) {
		qsort(expected->names, expected->count, sizeof(*expected->names), compare_expected);
		select_names(expected, scope->options->hosts, &known, &selected);
	}
	expected_deinit(&known);
	expected_deinit(&selected);
	return err;
}

void expected_deinit(struct expected *expected)
{
	for (size_t i = 0; i < expected->count; i++)
		free(expected->names[i]);
	free(expected->names);
	*expected = (struct expected){ 0 };
}
