/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A question to a store, and its answer: a header that says what is missing, and a table. */
#ifndef FLEET_QUESTION_H
#define FLEET_QUESTION_H

#include "fleet/coverage.h"
#include "fleet/scope.h"
#include "report/render/header.h"
#include "report/render/table.h"

struct question {
	struct scope scope;
	struct coverage coverage;
	struct header header;
	struct table table;
	struct column *columns; /* a copy that the question has changed; or NULL */
	char **column_names;	/* of the question sql */
	size_t column_name_count;
	bool has_sum_max; /* a figure may be larger than STORE_SUM_MAX, where it stays */
	char note[800];	  /* a last sentence of the header; or "" */
	char empty[400];  /* why nothing could be tested or compared */
};

/* The answer, after messages: the exit status. */
int question_answer(struct store *store, const struct fleet_options *options);

/* Each makes the table of its question. 0, or -errno with errmsg of the store set, or -ENOMEM. */
int question_growth(struct question *question);
int question_top(struct question *question);
int question_hosts(struct question *question);
int question_outliers(struct question *question);
int question_versions(struct question *question);
int question_history(struct question *question);
int question_sql(struct question *question);

/*
 * The table, with these columns. The first is named by --by, if by is true. 0 or -ENOMEM.
 */
int question_set_table(struct question *question, const char *key, const struct column *columns,
		       size_t count, bool by);

/* Bytes allocated - bytes freed; CHANGE_UNKNOWN if one of these sums stays at STORE_SUM_MAX. */
int64_t question_growth_of(struct question *question, uint64_t allocated, uint64_t freed);

#endif
