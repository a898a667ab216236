/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A question about events: which of them, by which groups, which statistics, which columns. */
#ifndef ANALYSIS_FIELDS_QUERY_H
#define ANALYSIS_FIELDS_QUERY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "analysis/fields/expression.h"
#include "analysis/fields/probe_filter.h"

#define QUERY_BY_MAX 8
#define QUERY_HIDDEN_MAX 2
#define QUERY_KEYS_MAX (QUERY_BY_MAX + QUERY_HIDDEN_MAX)
#define QUERY_STATISTICS_MAX 16
#define QUERY_COLUMNS_MAX 40
#define QUERY_BUCKETS_MAX 1000 /* of a linear histogram, without the open ones */

enum statistic_function {
	STATISTIC_COUNT, /* of the values that are known */
	STATISTIC_SUM,
	STATISTIC_AVG,
	STATISTIC_MIN,
	STATISTIC_MAX,
	STATISTIC_HIST,	  /* a bucket for each power of two */
	STATISTIC_LINEAR, /* buckets of equal width */
};

struct statistic {
	enum statistic_function function;
	struct expression expression;
	int64_t low, high, step;    /* of STATISTIC_LINEAR */
	char *low_name, *high_name; /* of the interval of an estimate */
	char *name;		    /* "sum_bytes_req", "sum(bytes_alloc - bytes_req)" */
};

/* All zero: all events, in one group. */
struct query {
	struct probe_filter *probes; /* NULL: all */
	bool has_where;
	struct expression where;
	struct expression by[QUERY_KEYS_MAX];
	size_t by_count;
	size_t hidden_count; /* of by, the last ones: see query_hide() */
	struct statistic statistics[QUERY_STATISTICS_MAX];
	size_t statistic_count;
	struct expression columns[QUERY_COLUMNS_MAX];
	size_t column_count;
	struct error error; /* after a failure */
};

void query_deinit(struct query *query);

/*
 * Each parses the text of its option and returns 0, -ENOMEM, or -EINVAL with error set. A second
 * probes, where, by or columns replaces the first; statistics are added.
 *	probes      globs of the names of probes, separated by commas
 *	where       an expression that is true or false
 *	by          expressions, separated by commas
 *	statistic   the same; of STATISTIC_LINEAR: EXPRESSION,LOW,HIGH,STEP
 *	columns     expressions, separated by commas
 */
int query_probes(struct query *query, const char *option, const char *text);
int query_where(struct query *query, const char *option, const char *text);
int query_by(struct query *query, const char *option, const char *text);
int query_statistic(struct query *query, const char *option, enum statistic_function function,
		    const char *text);
int query_columns(struct query *query, const char *option, const char *text);

/* After query_by(): one more expression, which splits groups further and is not shown. */
int query_hide(struct query *query, const char *text);

/* Does where, by or a statistic use a field that only sampled allocations have? */
bool query_needs_samples(const struct query *query);

/* The same of a field of the current task, which has another value in an interrupt. */
bool query_needs_contexts(const struct query *query);

/*
 * Has an allocation event all fields of where and by? Then they select and group objects. 0, or
 * -EINVAL with error set.
 */
int query_check_allocation(struct query *query);

/* Before the first event: see expression_bind(). 0, -ENOMEM, or -EINVAL with error set. */
int query_bind(struct query *query, struct value_source *source, const struct gfp_table *gfp);

/*
 * After the analysis: the text of the first comparison of a cache's name in where for which no
 * cache has the name; NULL: there is none. 0 or -ENOMEM.
 */
int query_find_unknown_cache(const struct query *query, const struct analysis *analysis,
			     const char **text);

/* Is the event that the source took one of those that probes and where select? Null is no. */
static inline bool query_takes(const struct query *query, struct value_source *source,
			       const struct transition *transition)
{
	if (query->probes && !probe_filter_takes(query->probes, source, transition))
		return false;
	return !query->has_where || expression_value(&query->where, source, transition).number;
}

#endif
