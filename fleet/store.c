// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Which kind of store a location names, and what all kinds share. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "fleet/store.h"

int store_fail(struct store *store, int err, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(store->errmsg, sizeof(store->errmsg), format, arguments);
	va_end(arguments);
	return err;
}

/* An address that is wrong may hold a password: no message repeats it. */
static int open_clickhouse(struct store *store, enum store_mode mode)
{
#ifdef HAVE_LIBCURL
	store->ops = &store_clickhouse;
	return store->ops->open(store, store->location, mode);
#else
	(void)mode;
	return store_fail(
		store, -EOPNOTSUPP,
		"this kmemtrace-fleet was built without libcurl, which ClickHouse needs: install libcurl4-gnutls-dev and build it again");
#endif
}

static int open_sqlite(struct store *store, enum store_mode mode)
{
	if (store->settings->cluster)
		return store_fail(store, -EINVAL, "%s: --cluster is for ClickHouse, not for a file",
				  store->location);
#ifdef HAVE_SQLITE
	store->ops = &store_sqlite;
	return store->ops->open(store, store->location, mode);
#else
	(void)mode;
	return store_fail(
		store, -EOPNOTSUPP,
		"%s: this kmemtrace-fleet was built without SQLite: install libsqlite3-dev and build it again",
		store->location);
#endif
}

int store_open(struct store *store, const char *location, enum store_mode mode,
	       const struct store_settings *settings)
{
	*store = (struct store){ .location = location, .settings = settings };
	return strncmp(location, "clickhouse://", strlen("clickhouse://")) == 0 ||
			       strncmp(location, "clickhouses://", strlen("clickhouses://")) == 0
		       ? open_clickhouse(store, mode)
		       : open_sqlite(store, mode);
}

void store_close(struct store *store)
{
	if (store->ops)
		store->ops->close(store);
	store->ops = NULL;
	free(store->left_out_names);
	store->left_out_names = NULL;
}

void store_quote(const struct store *store, FILE *sql, const char *text)
{
	putc('\'', sql);
	for (; *text; text++) {
		if (*text == '\'' || (*text == '\\' && store->ops->has_backslashes))
			putc(*text, sql);
		putc(*text, sql);
	}
	putc('\'', sql);
}

static bool is_number(const char *text, char kind)
{
	double decimal = 0;
	char *end;

	errno = 0;
	if (kind == 'd')
		decimal = strtod(text, &end);
	else
		strtoull(text, &end, 10);
	/* a sum may be above UINT64_MAX */
	if (kind == 's')
		errno = 0;
	/* not what these two also take: blanks before a number, a plus, and -inf */
	return end > text && !*end && !errno && strchr("-0123456789", *text) && isfinite(decimal);
}

int store_check_row(struct store *store, const char *place, const struct store_reader *reader,
		    const struct store_row *row)
{
	size_t columns = reader->rest ? reader->texts + strlen(reader->rest) : row->count;

	if (row->count != columns)
		return store_fail(
			store, -EPROTO,
			"%s: not the answer that was asked for: it has %zu columns, not %zu", place,
			row->count, columns);
	for (size_t i = reader->texts; i < columns && reader->rest; i++) {
		char kind = reader->rest[i - reader->texts];

		if (kind != 't' && row->texts[i] && !is_number(row->texts[i], kind))
			return store_fail(
				store, -EPROTO,
				"%s: not the answer that was asked for: column %zu, %s, has \"%.40s\", which is not a number",
				place, i + 1, row->names[i], row->texts[i]);
	}
	return 0;
}

uint64_t store_number(const struct store_row *row, size_t column)
{
	return row->texts[column] ? strtoull(row->texts[column], NULL, 10) : 0;
}

uint64_t store_sum(const struct store_row *row, size_t column)
{
	return MIN(store_number(row, column), STORE_SUM_MAX);
}

const char *store_text(const struct store_row *row, size_t column)
{
	return row->texts[column] ? row->texts[column] : "";
}
