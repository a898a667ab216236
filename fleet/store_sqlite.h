/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The common part of the files of the SQLite store. */
#ifndef FLEET_STORE_SQLITE_H
#define FLEET_STORE_SQLITE_H

#include <sqlite3.h>

#include "base/texts.h"
#include "fleet/store.h"

/* Rows that have an id, and are looked up in memory once they were seen. */
enum sqlite_list {
	SQLITE_RUNS,
	SQLITE_MACHINES,
	SQLITE_NAMES,
	SQLITE_LISTS
};

struct sqlite_ids {
	struct texts texts; /* the values of a row, joined */
	int64_t *ids;	    /* by the number of the text */
	size_t space;
	sqlite3_stmt *find, *add;
};

struct sqlite_store {
	sqlite3 *database;
	struct sqlite_ids lists[SQLITE_LISTS];
	sqlite3_stmt *add_interval, *add_figure;
	bool is_prepared;
};

/* Sets errmsg after a failure of SQLite, and returns a -errno for its result. */
int sqlite_store_fail(struct store *store, int result);
int sqlite_store_execute(struct store *store, const char *sql);

/* Replaces the function SUM() of SQL. Returns a result of SQLite. */
int sqlite_store_add_sum(struct sqlite_store *sqlite);

int sqlite_store_put(struct store *store, const struct summary *summary);
int sqlite_store_drop(struct store *store, uint64_t time);
int sqlite_store_drop_hosts(struct store *store, const char *where);
/* Ids are valid in a transaction only, unless it is cancelled. */
void sqlite_store_forget(struct sqlite_store *sqlite);

#endif
