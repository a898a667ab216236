// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "config.h"

#include "fleet/clickhouse/schema.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NS_PER_HOUR 3600000000000ULL
#define NS_PER_DAY (24 * NS_PER_HOUR)

#define SUM_COLUMNS                                                                         \
	"allocations UInt64, frees UInt64, allocated UInt64, freed UInt64, failed UInt64, " \
	"cross_cpu UInt64, missed UInt64, live_objects UInt64, live_bytes UInt64, "         \
	"allocated_variance Float64, live_variance Float64"
/* an hour's or a day's; live objects are those at the last of its intervals */
#define ROLLED_COLUMNS                                                                     \
	"host String, boot String, run UInt64, until UInt64, kernel String, role String, " \
	"kind String, function String, module String, cache String, " SUM_COLUMNS          \
	", intervals UInt64, version UInt64"
#define ROLLED_KEY "host, boot, run, until, kind, function, module, cache"

/* A day as a number, as in 20261231: ALTER TABLE ... DROP PARTITION 20261231. */
#define DAY "toYYYYMMDD(toDateTime(intDiv(until, 1000000000), 'UTC'))"
#define MONTH "toYYYYMM(toDateTime(intDiv(until, 1000000000), 'UTC'))"

static const struct table {
	const char *name, *columns, *key, *partition;
	const char *version; /* the column that says which of equal rows stays; NULL: the last */
} tables[CLICKHOUSE_TABLES] = {
	[CLICKHOUSE_INTERVALS] = { "intervals",
				   "host String, boot String, run UInt64, number UInt64, begin "
				   "UInt64, until UInt64, "
				   "kernel String, arch String, role String, cpus UInt32, memory "
				   "UInt64, "
				   "slab_reclaimable UInt64, slab_unreclaimable UInt64, cpu_ns "
				   "UInt64, "
				   "resident UInt64, recorded UInt64, lost UInt64, skipped UInt64, "
				   "uncounted UInt64, "
				   "unobserved UInt64, sampling UInt64, names_lost UInt8",
				   "host, boot, run, number", DAY, NULL },
	[CLICKHOUSE_FIGURES] = { "figures",
				 "host String, boot String, run UInt64, number UInt64, until "
				 "UInt64, "
				 "kernel String, role String, kind String, function String, module "
				 "String, "
				 "cache String, " SUM_COLUMNS,
				 "host, boot, run, kind, function, module, cache, number", DAY,
				 NULL },
	[CLICKHOUSE_HOURLY] = { "figures_hourly", ROLLED_COLUMNS, ROLLED_KEY, DAY, "version" },
	[CLICKHOUSE_DAILY] = { "figures_daily", ROLLED_COLUMNS, ROLLED_KEY, MONTH, "version" },
};

static int fail_schema_memory(struct clickhouse_client *client)
{
	snprintf(client->errmsg, sizeof(client->errmsg), "%s", strerror(ENOMEM));
	return -ENOMEM;
}

/* The query that the format makes; -ENOMEM too if there is no memory for it. */
__attribute__((format(printf, 2, 3))) static int run_statement(struct clickhouse_client *client,
							       const char *format, ...)
{
	va_list arguments;
	char *query;
	int length, err;

	va_start(arguments, format);
	length = vasprintf(&query, format, arguments);
	va_end(arguments);
	if (length < 0)
		return fail_schema_memory(client);
	err = clickhouse_query(client, query);
	free(query);
	return err;
}

static bool is_name(const char *text)
{
	size_t length = 0;

	for (; text[length]; length++) {
		if (!isalnum((unsigned char)text[length]) && text[length] != '_')
			return false;
	}
	return length > 0;
}

static int create_rows(struct clickhouse_client *client, const struct clickhouse_layout *layout,
		       const struct table *table)
{
	const char *version = table->version ? table->version : "";
	const char *comma = layout->replicated && table->version ? ", " : "";
	char replica[200] = "";

	if (layout->replicated)
		snprintf(replica, sizeof(replica),
			 "'/clickhouse/tables/{shard}/%s/%s', '{replica}'", client->database,
			 table->name);
	return run_statement(
		client,
		"CREATE TABLE IF NOT EXISTS %s.%s_%s (%s) ENGINE = %sReplacingMergeTree(%s%s%s) "
		"PARTITION BY %s ORDER BY (%s)",
		client->database, table->name, layout->cluster ? "local" : "rows", table->columns,
		layout->replicated ? "Replicated" : "", replica, comma, version, table->partition,
		table->key);
}

static int create_table(struct clickhouse_client *client, const struct clickhouse_layout *layout,
			const struct table *table)
{
	const char *database = client->database, *name = table->name;
	int err = create_rows(client, layout, table);

	if (!err && layout->cluster)
		err = run_statement(client,
				    "CREATE TABLE IF NOT EXISTS %s.%s_rows AS %s.%s_local ENGINE = "
				    "Distributed(%s, %s, %s_local, cityHash64(host))",
				    database, name, database, name, layout->cluster, database,
				    name);
	if (!err)
		err = run_statement(
			client, "CREATE VIEW IF NOT EXISTS %s.%s AS SELECT * FROM %s.%s_rows FINAL",
			database, name, database, name);
	return err;
}

int clickhouse_create(struct clickhouse_client *client, const struct clickhouse_layout *layout)
{
	int err;

	if (layout->cluster && !is_name(layout->cluster)) {
		snprintf(client->errmsg, sizeof(client->errmsg),
			 "the name of a cluster has letters, digits and _");
		return -EPROTO;
	}
	err = run_statement(client, "CREATE DATABASE IF NOT EXISTS %s", client->database);
	for (size_t i = 0; !err && i < CLICKHOUSE_TABLES; i++)
		err = create_table(client, layout, &tables[i]);
	return err;
}

/* The number of the day in UTC, as in 20261231. */
static unsigned int day_number(uint64_t time)
{
	time_t seconds = (time_t)(time / 1000000000);
	struct tm date;

	if (!gmtime_r(&seconds, &date))
		return 0;
	return (unsigned int)(date.tm_year + 1900) * 10000 + (unsigned int)(date.tm_mon + 1) * 100 +
	       (unsigned int)date.tm_mday;
}

/* line: "TABLE<tab>DAY" */
static int drop_day(struct clickhouse_client *client, const char *line, unsigned int *dropped)
{
	const char *day = strchr(line, '\t');
	int err;

	if (!day || strspn(day + 1, "0123456789") != strlen(day + 1))
		return 0;
	err = run_statement(client, "ALTER TABLE %s.%.*s DROP PARTITION %s", client->database,
			    (int)(day - line), line, day + 1);
	if (!err)
		(*dropped)++;
	return err;
}

static int drop_days(struct clickhouse_client *client, const struct table *table, unsigned int day,
		     unsigned int *dropped)
{
	char *days, *rest, *line;
	int err;

	err = run_statement(
		client,
		"SELECT DISTINCT table, partition FROM system.parts WHERE database = '%s' AND "
		"table IN ('%s_rows', '%s_local') AND active AND toUInt32OrZero(partition) < %u "
		"ORDER BY partition",
		client->database, table->name, table->name, day);
	if (err)
		return err;
	days = strdup(client->answer.text ? client->answer.text : "");
	if (!days)
		return fail_schema_memory(client);
	rest = days;
	while (!err && (line = strsep(&rest, "\n")))
		err = drop_day(client, line, dropped);
	free(days);
	return err;
}

int clickhouse_drop_before(struct clickhouse_client *client, uint64_t time, unsigned int *dropped)
{
	static const enum clickhouse_table by_day[] = { CLICKHOUSE_INTERVALS, CLICKHOUSE_FIGURES,
							CLICKHOUSE_HOURLY };
	int err = 0;

	*dropped = 0;
	for (size_t i = 0; !err && i < sizeof(by_day) / sizeof(*by_day); i++)
		err = drop_days(client, &tables[by_day[i]], day_number(time), dropped);
	return err;
}

/* line: the name of a table */
static int delete_rows(struct clickhouse_client *client, const char *line, const char *where)
{
	return *line ? run_statement(client, "ALTER TABLE %s.%s DELETE%s", client->database, line,
				     where)
		     : 0;
}

/* The server deletes in the background. */
static int wait_for_deletes(struct clickhouse_client *client)
{
	const struct timespec pause = { .tv_nsec = 100000000 };
	const struct clickhouse_settings *settings = client->settings;
	struct timespec now, begin;
	int err;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	for (;;) {
		err = run_statement(client,
				    "SELECT count() FROM system.mutations WHERE database = '%s' "
				    "AND NOT is_done",
				    client->database);
		if (err || !client->answer.text || !strcmp(client->answer.text, "0\n"))
			return err;
		if (settings->stop && settings->stop())
			return clickhouse_fail(client, -EINTR, "stopped: it goes on to delete");
		clock_gettime(CLOCK_MONOTONIC, &now);
		if (now.tv_sec - begin.tv_sec >=
		    (settings->timeout_s ? settings->timeout_s : CLICKHOUSE_TIMEOUT))
			return clickhouse_fail(client, -EAGAIN,
					       "it still deletes rows: see system.mutations");
		nanosleep(&pause, NULL);
	}
}

int clickhouse_delete(struct clickhouse_client *client, const char *where)
{
	char *names, *rest, *line;
	int err = run_statement(client,
				"SELECT name FROM system.tables WHERE database = '%s' AND engine "
				"LIKE '%%MergeTree' ORDER BY name",
				client->database);

	if (err)
		return err;
	names = strdup(client->answer.text ? client->answer.text : "");
	if (!names)
		return fail_schema_memory(client);
	rest = names;
	while (!err && (line = strsep(&rest, "\n")))
		err = delete_rows(client, line, where);
	free(names);
	return err ? err : wait_for_deletes(client);
}

/* As a text of SQL, to be freed. NULL: no memory. */
static char *quote_text(const char *text)
{
	char *quoted = malloc(strlen(text) * 2 + 3), *at = quoted;

	if (!quoted)
		return NULL;
	*at++ = '\'';
	for (; *text; text++) {
		if (*text == '\'' || *text == '\\')
			*at++ = '\\';
		*at++ = *text;
	}
	*at++ = '\'';
	*at = '\0';
	return quoted;
}

/*
 * The sums of the spans of time, of this length, from begin (which one of them has) to until. In a
 * cluster, the rows of other servers must be there when the query ends: clickhouse_change() waits.
 */
static int roll_up(struct clickhouse_client *client, enum clickhouse_table table, const char *where,
		   uint64_t span, uint64_t begin, uint64_t until)
{
	const char *database = client->database;
	char *query;
	int err;

	if (asprintf(&query,
		     "INSERT INTO %s.%s_rows SELECT host, boot, run, (intDiv(until - 1, %" PRIu64
		     ") + 1) * %" PRIu64 " AS last, any(kernel), any(role), kind, function, "
		     "module, cache, sum(allocations), sum(frees), sum(allocated), sum(freed), "
		     "sum(failed), sum(cross_cpu), sum(missed), argMax(live_objects, number), "
		     "argMax(live_bytes, number), sum(allocated_variance), "
		     "argMax(live_variance, number), count(), toUInt64(now()) "
		     "FROM %s.figures_rows FINAL WHERE until > %" PRIu64 " AND until <= %" PRIu64
		     "%s GROUP BY host, boot, run, last, kind, function, module, cache",
		     database, tables[table].name, span, span, database, begin / span * span,
		     (until + span - 1) / span * span, where) < 0)
		return fail_schema_memory(client);
	err = clickhouse_change(client, query);
	free(query);
	return err;
}

int clickhouse_roll_up(struct clickhouse_client *client, const char *host, uint64_t begin,
		       uint64_t until)
{
	char *quoted = host ? quote_text(host) : NULL, *where = NULL;
	int err;

	if ((host && !quoted) ||
	    asprintf(&where, "%s%s", host ? " AND host = " : "", host ? quoted : "") < 0) {
		free(quoted);
		return fail_schema_memory(client);
	}
	err = roll_up(client, CLICKHOUSE_HOURLY, where, NS_PER_HOUR, begin, until);
	if (!err)
		err = roll_up(client, CLICKHOUSE_DAILY, where, NS_PER_DAY, begin, until);
	free(quoted);
	free(where);
	return err;
}

char *clickhouse_insert_query(const char *database, enum clickhouse_table table)
{
	char *query;

	/* without names of columns: with another number of them, the server refuses the rows */
	if (asprintf(&query, "INSERT INTO %s.%s_rows FORMAT TabSeparated", database,
		     tables[table].name) < 0)
		return NULL;
	return query;
}
