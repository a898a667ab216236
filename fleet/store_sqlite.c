// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Summaries in a file of SQLite. Names that repeat are stored once: the tables intervals and
 * figures are views of the tables below.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fleet/store_sqlite.h"

#define APPLICATION_ID "1263357254" /* "KMTF": marks the files of this program */
#define WAIT_MS 5000		    /* for another program that writes to the file */
#define COMMIT_TRIES 120
#define COLUMNS_MAX 200
#define DECIMAL_SIZE 32

#define TEXT_OF(number) TEXT_OF_ARGUMENT(number)
#define TEXT_OF_ARGUMENT(number) #number

static const char schema_sql[] =
	"CREATE TABLE IF NOT EXISTS runs(id INTEGER PRIMARY KEY, host TEXT NOT NULL, boot TEXT NOT "
	"NULL, run INTEGER NOT NULL, UNIQUE(host, boot, run));"
	"CREATE TABLE IF NOT EXISTS machines(id INTEGER PRIMARY KEY, kernel TEXT NOT NULL, arch "
	"TEXT NOT NULL, role TEXT NOT NULL, cpus INTEGER NOT NULL, memory INTEGER NOT NULL, "
	"UNIQUE(kernel, arch, role, cpus, memory));"
	"CREATE TABLE IF NOT EXISTS names(id INTEGER PRIMARY KEY, kind TEXT NOT NULL, function "
	"TEXT NOT NULL, module TEXT NOT NULL, cache TEXT NOT NULL, UNIQUE(kind, function, module, "
	"cache));"
	"CREATE TABLE IF NOT EXISTS stored_intervals(id INTEGER PRIMARY KEY, run_id INTEGER NOT "
	"NULL, number INTEGER NOT NULL, \"begin\" INTEGER NOT NULL, until INTEGER NOT NULL, "
	"machine_id INTEGER NOT NULL, slab_reclaimable INTEGER NOT NULL, slab_unreclaimable "
	"INTEGER NOT NULL, cpu_ns INTEGER NOT NULL, resident INTEGER NOT NULL, recorded INTEGER "
	"NOT NULL, lost INTEGER NOT NULL, skipped INTEGER NOT NULL, uncounted INTEGER NOT NULL, "
	"unobserved INTEGER NOT NULL, sampling INTEGER NOT NULL, names_lost INTEGER NOT NULL, "
	"UNIQUE(run_id, number));"
	"CREATE TABLE IF NOT EXISTS stored_figures(interval_id INTEGER NOT NULL, name_id INTEGER "
	"NOT NULL, allocations INTEGER NOT NULL, frees INTEGER NOT NULL, allocated INTEGER NOT "
	"NULL, freed INTEGER NOT NULL, failed INTEGER NOT NULL, cross_cpu INTEGER NOT NULL, missed "
	"INTEGER NOT NULL, live_objects INTEGER NOT NULL, live_bytes INTEGER NOT NULL, "
	"allocated_variance, live_variance, PRIMARY KEY(interval_id, name_id)) WITHOUT ROWID;"
	"CREATE VIEW IF NOT EXISTS intervals AS SELECT host, boot, run, number, \"begin\", until, "
	"kernel, arch, role, cpus, memory, slab_reclaimable, slab_unreclaimable, cpu_ns, resident, "
	"recorded, lost, skipped, uncounted, unobserved, sampling, names_lost FROM "
	"stored_intervals AS i JOIN runs AS r ON r.id = i.run_id JOIN machines AS m ON m.id = "
	"i.machine_id;"
	/* for answers about a short time */
	"CREATE INDEX IF NOT EXISTS by_until ON stored_intervals(until);"
	/* CROSS JOIN: figures are read by interval, as they are stored */
	"CREATE VIEW IF NOT EXISTS figures AS SELECT host, boot, run, number, until, kernel, role, "
	"kind, function, module, cache, allocations, frees, allocated, freed, failed, cross_cpu, "
	"missed, live_objects, live_bytes, ifnull(allocated_variance, 0.0) AS allocated_variance, "
	"ifnull(live_variance, 0.0) AS live_variance FROM stored_intervals AS i JOIN runs AS r ON "
	"r.id = i.run_id JOIN machines AS m ON m.id = i.machine_id CROSS JOIN stored_figures AS f "
	"ON f.interval_id = i.id CROSS JOIN names AS n ON n.id = f.name_id;"
	"PRAGMA application_id = " APPLICATION_ID ";"
	"PRAGMA user_version = " TEXT_OF(STORE_SCHEMA) ";";

static const char *reason_of_result(int result)
{
	switch (result & 0xff) {
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return "another program writes to it: try again later";
	case SQLITE_READONLY:
	case SQLITE_PERM:
		return "it may only be read";
	case SQLITE_FULL:
		return "no space is left on the disk; what was loaded before stays";
	case SQLITE_CORRUPT:
		return "the file is damaged: load the summaries into another one";
	case SQLITE_NOTADB:
		return "not a store of a fleet: name another file, or a new one";
	default:
		return NULL;
	}
}

int sqlite_store_fail(struct store *store, int result)
{
	static const struct {
		int result, err;
	} table[] = {
		{ SQLITE_BUSY, -EBUSY },      { SQLITE_LOCKED, -EBUSY },
		{ SQLITE_READONLY, -EROFS },  { SQLITE_PERM, -EACCES },
		{ SQLITE_FULL, -ENOSPC },     { SQLITE_CORRUPT, -EBADMSG },
		{ SQLITE_NOTADB, -EBADMSG },  { SQLITE_NOMEM, -ENOMEM },
		{ SQLITE_ABORT, -ECANCELED }, { SQLITE_ERROR, -EINVAL },
		{ SQLITE_CANTOPEN, -EACCES },
	};
	struct sqlite_store *sqlite = store->data;
	const char *text = reason_of_result(result);
	int err = -EIO;

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (table[i].result == (result & 0xff))
			err = table[i].err;
	if ((result & 0xff) == SQLITE_IOERR && sqlite3_system_errno(sqlite->database))
		text = strerror(sqlite3_system_errno(sqlite->database));
	if (!text)
		text = sqlite->database ? sqlite3_errmsg(sqlite->database) : sqlite3_errstr(result);
	return store_fail(store, err, "%s: %s", store->location, text);
}

int sqlite_store_execute(struct store *store, const char *sql)
{
	struct sqlite_store *sqlite = store->data;
	int result = sqlite3_exec(sqlite->database, sql, NULL, NULL, NULL);

	return result == SQLITE_OK ? 0 : sqlite_store_fail(store, result);
}

/* The whole number that a PRAGMA or a query gives. */
static int query_number(struct store *store, const char *sql, int64_t *number)
{
	struct sqlite_store *sqlite = store->data;
	sqlite3_stmt *statement;
	int result = sqlite3_prepare_v2(sqlite->database, sql, -1, &statement, NULL);

	if (result == SQLITE_OK) {
		result = sqlite3_step(statement);
		*number = result == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
		sqlite3_finalize(statement);
	}
	if (result == SQLITE_ROW || result == SQLITE_DONE)
		return 0;
	return sqlite_store_fail(store, result);
}

static int sqlite_init(struct store *store)
{
	int err = sqlite_store_execute(store, "BEGIN IMMEDIATE");

	if (!err)
		err = sqlite_store_execute(store, schema_sql);
	if (!err)
		err = sqlite_store_execute(store, "COMMIT");
	return err;
}

/* Is the file ours, or empty? */
static int check_file(struct store *store, enum store_mode mode)
{
	int64_t application, version, tables;
	int err = query_number(store, "PRAGMA application_id", &application);

	if (!err)
		err = query_number(store, "PRAGMA user_version", &version);
	if (!err)
		err = query_number(store, "SELECT count(*) FROM sqlite_master", &tables);
	if (err)
		return err;
	if (!tables && mode != STORE_READ)
		return sqlite_init(store);
	if (application != strtoll(APPLICATION_ID, NULL, 10))
		return store_fail(store, -EBADMSG, "%s: %s", store->location,
				  reason_of_result(SQLITE_NOTADB));
	if (version != STORE_SCHEMA)
		return store_fail(store, -EPROTONOSUPPORT,
				  "%s: its tables are those of version %lld, this program knows "
				  "version %d: use a later version of kmemtrace",
				  store->location, (long long)version, STORE_SCHEMA);
	return 0;
}

static void sqlite_close(struct store *store)
{
	struct sqlite_store *sqlite = store->data;

	if (!sqlite)
		return;
	sqlite_store_forget(sqlite);
	sqlite3_finalize(sqlite->add_interval);
	sqlite3_finalize(sqlite->add_figure);
	for (size_t i = 0; i < SQLITE_LISTS; i++) {
		sqlite3_finalize(sqlite->lists[i].find);
		sqlite3_finalize(sqlite->lists[i].add);
	}
	sqlite3_close(sqlite->database);
	free(sqlite);
	store->data = NULL;
}

static int open_database(struct store *store, const char *location, enum store_mode mode)
{
	struct sqlite_store *sqlite = store->data;
	/* A question writes, too, if it can: it takes back the rest of a killed load. */
	int flags = SQLITE_OPEN_READWRITE | (mode == STORE_READ ? 0 : SQLITE_OPEN_CREATE);
	struct stat status;
	int result;

	if (mode == STORE_READ && stat(location, &status))
		return errno == ENOENT
			       ? store_fail(store, -ENOENT,
					    "%s: no such store: load summaries into it with "
					    "kmemtrace-fleet load",
					    location)
			       : store_fail(store, -errno, "%s: %s", location, strerror(errno));
	if (stat(location, &status) == 0 && S_ISDIR(status.st_mode))
		return store_fail(store, -EISDIR, "%s: %s", location, strerror(EISDIR));
	result = sqlite3_open_v2(location, &sqlite->database, flags, NULL);
	if (result == SQLITE_OK)
		result = sqlite_store_add_sum(sqlite);
	if (result != SQLITE_OK)
		return sqlite_store_fail(store, result);
	sqlite3_busy_timeout(sqlite->database, WAIT_MS);
	return sqlite_store_execute(
		store, mode != STORE_READ
			       ? "PRAGMA cache_size = -65536; PRAGMA synchronous = NORMAL"
			       : "PRAGMA cache_size = -65536; PRAGMA query_only = ON; "
				 "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON");
}

static int sqlite_open(struct store *store, const char *location, enum store_mode mode)
{
	struct sqlite_store *sqlite = calloc(1, sizeof(*sqlite));
	int err = 0;

	if (!sqlite)
		return store_fail(store, -ENOMEM, "%s", strerror(ENOMEM));
	store->data = sqlite;
	for (size_t i = 0; i < SQLITE_LISTS && !err; i++)
		err = texts_init(&sqlite->lists[i].texts);
	if (err)
		return store_fail(store, err, "%s", strerror(-err));
	err = open_database(store, location, mode);
	return err ? err : check_file(store, mode);
}

static int sqlite_begin(struct store *store)
{
	return sqlite_store_execute(store, "BEGIN IMMEDIATE");
}

/* A question that reads the file delays the end of a transaction. */
static int sqlite_commit(struct store *store)
{
	int err = -EBUSY;

	for (int i = 0; i < COMMIT_TRIES && err == -EBUSY; i++)
		err = sqlite_store_execute(store, "COMMIT");
	/* another program may now drop rows, whose ids are then those of others */
	sqlite_store_forget(store->data);
	return err;
}

static void sqlite_cancel(struct store *store)
{
	struct sqlite_store *sqlite = store->data;

	/* the failure that is cancelled has set errmsg, and may have ended the transaction */
	sqlite3_exec(sqlite->database, "ROLLBACK", NULL, NULL, NULL);
	sqlite_store_forget(sqlite);
}

static int read_row(struct store *store, sqlite3_stmt *statement, size_t columns,
		    const struct store_reader *reader)
{
	const char *names[COLUMNS_MAX], *texts[COLUMNS_MAX];
	char decimals[COLUMNS_MAX][DECIMAL_SIZE];
	struct store_row row = { .count = columns, .names = names, .texts = texts };
	int err;

	for (size_t i = 0; i < columns; i++) {
		names[i] = sqlite3_column_name(statement, (int)i);
		if (sqlite3_column_type(statement, (int)i) == SQLITE_FLOAT) {
			/* the text that SQLite makes has 15 digits only */
			snprintf(decimals[i], DECIMAL_SIZE, "%.17g",
				 sqlite3_column_double(statement, (int)i));
			texts[i] = decimals[i];
		} else {
			texts[i] = (const char *)sqlite3_column_text(statement, (int)i);
		}
	}
	err = store_check_row(store, store->location, reader, &row);
	return err ? err : reader->row(reader->data, &row);
}

static int sqlite_query(struct store *store, const char *sql, const struct store_reader *reader)
{
	struct sqlite_store *sqlite = store->data;
	sqlite3_stmt *statement;
	const char *rest;
	int columns, err = 0;
	int result = sqlite3_prepare_v2(sqlite->database, sql, -1, &statement, &rest);

	if (result != SQLITE_OK)
		return sqlite_store_fail(store, result);
	columns = sqlite3_column_count(statement);
	if (!statement || columns <= 0 || columns > COLUMNS_MAX || rest[strspn(rest, "; \t\n")] ||
	    !sqlite3_stmt_readonly(statement)) {
		sqlite3_finalize(statement);
		return store_fail(store, -EINVAL,
				  "%s: not one question, which begins with SELECT or SHOW: %s",
				  store->location, sql);
	}
	while (!err && (result = sqlite3_step(statement)) == SQLITE_ROW)
		err = read_row(store, statement, (size_t)columns, reader);
	if (!err && result != SQLITE_DONE)
		err = sqlite_store_fail(store, result);
	sqlite3_finalize(statement);
	return err;
}

const struct store_ops store_sqlite = {
	.name = "SQLite",
	.sum = "SUM(%s)",
	.hosts_per_query =
		20, /* 20 hosts with figures of each minute of a day are sorted in memory */
	.open = sqlite_open,
	.init = sqlite_init,
	.begin = sqlite_begin,
	.put = sqlite_store_put,
	.commit = sqlite_commit,
	.cancel = sqlite_cancel,
	.drop = sqlite_store_drop,
	.drop_hosts = sqlite_store_drop_hosts,
	.query = sqlite_query,
	.close = sqlite_close,
};
