/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The scope of a question: a store, a time and hosts, and its SQL. */
#ifndef FLEET_SCOPE_H
#define FLEET_SCOPE_H

#include "fleet/options.h"
#include "fleet/store.h"

#define NSEC_PER_SEC 1000000000ULL
#define NSEC_PER_HOUR (3600 * NSEC_PER_SEC)
#define DATE_SIZE 40

struct scope {
	const struct fleet_options *options;
	struct store *store;
	uint64_t since, until; /* 0, UINT64_MAX: not limited */
};

/* Finds the times of the options. 0 or -errno with errmsg of the store set. */
int scope_init(struct scope *scope, struct store *store, const struct fleet_options *options);

/*
 * Writes " WHERE ...": what the filters select of intervals, or, if kind is not NULL, of these
 * figures.
 */
void scope_where(const struct scope *scope, FILE *sql, const char *kind);

/*
 * After scope_where() for figures: begins a condition that their interval exists, if the store may
 * have figures without one. True: the caller may add conditions on both, and then writes the
 * closing parenthesis. False: no condition is needed.
 */
bool scope_begin_intervals(const struct scope *scope, FILE *sql);

/* Writes " FROM ..." for a table. */
void scope_from(const struct scope *scope, FILE *sql, const char *table);

/*
 * Ends the SQL, which began with text_open(), asks it and frees it. 0, or -errno with errmsg
 * of the store set, or -ENOMEM.
 */
int scope_ask(const struct scope *scope, FILE *sql, char **text, const struct store_reader *reader);

/* The kind of rows, and the columns that name one of them, for --by. */
const char *scope_kind(const struct scope *scope);
const char *scope_keys(const struct scope *scope);
size_t scope_key_count(const struct scope *scope);

/* The kind of the names, for people. */
const char *scope_legend(const struct scope *scope);

/* The name of a row with these keys, from a column on; to be freed. NULL: no memory. */
char *scope_row_name(const struct scope *scope, const struct store_row *row, size_t column);

/* Writes SQL of the sums of whole numbers, which are separated by ", ", as the sums are. */
void scope_sums(const struct scope *scope, FILE *sql, const char *numbers);

/* SQL of the begin of the slice of time of an interval. */
void scope_slice(FILE *sql, uint64_t slice);

/* "2026-11-23T14:05:00Z" */
const char *date_text(uint64_t ns, char text[DATE_SIZE]);

#endif
