/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where a fleet's summaries are stored. Each kind of store has the tables intervals and figures,
 * see kmemtrace-fleet(1), and understands the same plain SQL: SUM, COUNT, MIN, MAX, GROUP BY,
 * ORDER BY; no window functions, no WITH, and no division, which is not the same in all of them.
 */
#ifndef FLEET_STORE_H
#define FLEET_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "fleet/summary/summary.h"

#define STORE_SCHEMA 1		/* of the tables; raised when one of their columns changes */
#define STORE_SUM_MAX INT64_MAX /* the largest number of SQLite and of JSON */

enum store_mode {
	STORE_READ,
	STORE_WRITE, /* makes a file if it is missing */
	STORE_INIT,  /* makes all that is missing */
};

/* Of servers. */
struct store_settings {
	const char *credentials, *ca_file; /* files; NULL: those of the environment */
	unsigned int timeout_s;
	const char *cluster; /* STORE_INIT: the tables are distributed over it; NULL: none */
	bool replicated;
};

/* Numbers are texts, too: of a whole number, its digits. */
struct store_row {
	size_t count;
	const char *const *names;
	const char *const *texts; /* NULL: null */
	const char *server;	  /* STORE_EACH, STORE_OF_USER: of several; else NULL */
};

/* How the rows of several servers become one answer. All rows of a host are on one of them. */
enum store_join {
	STORE_BY_HOST, /* in order of the first column, which is the host */
	STORE_SUMS,    /* in order of the first keys, texts; other columns: sums of equal keys */
	STORE_EACH,    /* the servers one after the other */
	STORE_OF_USER, /* the same, of a query that a user wrote: it may only read */
};

struct store_reader {
	/* 0, or -errno, which ends the query */
	int (*row)(void *data, const struct store_row *row);
	void *data;
	/*
	 * The columns that are asked for: so many texts, then "n" for a whole number, "s" for a sum
	 * of whole numbers, "d" for a decimal, "t" for a text each. NULL: those of the user's
	 * query, whatever they are.
	 */
	size_t texts;
	const char *rest;
	enum store_join join;
	size_t keys;
};

struct store;

/*
 * Each returns 0 or -errno, with errmsg set, unless it says something else; -EAGAIN: a server does
 * not answer now.
 */
struct store_ops {
	const char *name;
	size_t hosts_per_query; /* that large answers are asked for in; 0: all */
	bool has_backslashes;	/* a backslash in a text of SQL escapes */
	const char *suffix;	/* of the names of the tables, in questions */
	const char *sum;	/* format of a sum of whole numbers, which does not wrap around */
	/*
	 * The operator that finds the interval of a figure in a query; NULL: each figure has one,
	 * since all rows of a load come at once.
	 */
	const char *interval_in;

	int (*open)(struct store *store, const char *location, enum store_mode mode);
	/* Makes the tables, if they are missing. */
	int (*init)(struct store *store);

	/* Summaries are added between begin and commit: all of them or none. */
	int (*begin)(struct store *store);
	/* 1: added; 0: the store has it already, by its host, boot, run and number. */
	int (*put)(struct store *store, const struct summary *summary);
	int (*commit)(struct store *store);
	void (*cancel)(struct store *store);
	/* After the last commit of a load; NULL: nothing to do. */
	int (*finish)(struct store *store);

	/* Drops the days, in UTC, that ended before a time, ns since 1970. */
	int (*drop)(struct store *store, uint64_t time);
	/* Drops all rows of hosts. where: " WHERE ..." of SQL, which names no other column. */
	int (*drop_hosts)(struct store *store, const char *where);

	/* If row() of the reader fails, returns its error without errmsg. */
	int (*query)(struct store *store, const char *sql, const struct store_reader *reader);
	/*
	 * After -EAGAIN: leaves the server out that failed, from now on. False: no other server is
	 * left. NULL: the store has no servers.
	 */
	bool (*leave_out)(struct store *store);
	void (*close)(struct store *store);
};

struct store {
	const struct store_ops *ops;
	const char *location; /* as the user named it */
	const struct store_settings *settings;
	void *data;
	size_t servers, left_out; /* how many; 0: it has none */
	char *left_out_names;	  /* "HOST:PORT, HOST:PORT", or NULL */
	char errmsg[600];
};

extern const struct store_ops store_sqlite, store_clickhouse;

/* Chooses the kind of store by its location. 0 or -errno with errmsg set. */
int store_open(struct store *store, const char *location, enum store_mode mode,
	       const struct store_settings *settings);
void store_close(struct store *store); /* all zero is allowed */

/* Sets errmsg and returns err. */
__attribute__((format(printf, 3, 4))) int store_fail(struct store *store, int err,
						     const char *format, ...);

/*
 * Has the row the columns that the reader asked for? 0, or -EPROTO with errmsg set, of the store
 * at this place: a server may answer with anything, and a file be from another program.
 */
int store_check_row(struct store *store, const char *place, const struct store_reader *reader,
		    const struct store_row *row);

/* Writes the text as SQL has it. */
void store_quote(const struct store *store, FILE *sql, const char *text);

/* These are for rows that were checked. */
/* The whole number in a column; 0 for null. */
uint64_t store_number(const struct store_row *row, size_t column);

/* The sum of whole numbers in a column; 0 for null. A sum above STORE_SUM_MAX stays there. */
uint64_t store_sum(const struct store_row *row, size_t column);

/* The text in a column; "" for null. */
const char *store_text(const struct store_row *row, size_t column);

#endif
