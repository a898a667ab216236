// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * SUM() that stays at STORE_SUM_MAX. SQLite's own one fails there, so that one host with such
 * figures, or a large fleet, would have no answer to any question.
 */
#include "config.h"

#include <math.h>

#include "fleet/store_sqlite.h"

struct sqlite_sum {
	uint64_t low; /* of whole numbers, in 128 bits */
	int64_t high;
	double decimal;
	int64_t count, decimals; /* how many */
};

/* sign: 1 to add the value, -1 to take it back. */
static void count_value(sqlite3_context *context, sqlite3_value *value, int sign)
{
	int type = sqlite3_value_numeric_type(value);
	struct sqlite_sum *sum = sqlite3_aggregate_context(context, sizeof(*sum));
	int64_t whole;

	if (!sum || type == SQLITE_NULL)
		return;
	sum->count += sign;
	if (type != SQLITE_INTEGER) {
		sum->decimals += sign;
		sum->decimal += sign * sqlite3_value_double(value);
		return;
	}
	whole = sqlite3_value_int64(value);
	sum->high -= sign * (whole < 0);
	if (sign > 0)
		sum->high += __builtin_add_overflow(sum->low, (uint64_t)whole, &sum->low);
	else
		sum->high -= __builtin_sub_overflow(sum->low, (uint64_t)whole, &sum->low);
}

static void step_sum(sqlite3_context *context, int count, sqlite3_value **values)
{
	(void)count;
	count_value(context, *values, 1);
}

/* For a window of a user's query: takes back the step. */
static void unstep_sum(sqlite3_context *context, int count, sqlite3_value **values)
{
	(void)count;
	count_value(context, *values, -1);
}

static void give_sum(sqlite3_context *context)
{
	const struct sqlite_sum *sum = sqlite3_aggregate_context(context, 0);

	if (!sum || !sum->count)
		return; /* null */
	if (sum->decimals)
		sqlite3_result_double(context, sum->decimal + ldexp((double)sum->high, 64) +
						       (double)sum->low);
	else if (sum->high == ((int64_t)sum->low < 0 ? -1 : 0))
		sqlite3_result_int64(context, (int64_t)sum->low);
	else
		sqlite3_result_int64(context, sum->high < 0 ? INT64_MIN : STORE_SUM_MAX);
}

int sqlite_store_add_sum(struct sqlite_store *sqlite)
{
	return sqlite3_create_window_function(sqlite->database, "SUM", 1,
					      SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL, step_sum,
					      give_sum, give_sum, unstep_sum, NULL);
}
