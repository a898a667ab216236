// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The question history: one host over time. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "base/array.h"
#include "base/number.h"
#include "base/text.h"
#include "fleet/question.h"

#define ROWS_MAX 48	/* of time */
#define DATE_MINUTES 16 /* characters of a date, without seconds */

/* The first columns of both queries. */
enum moment_column {
	MOMENT_HOST,
	MOMENT_RUN,
	MOMENT_BOOT,
	MOMENT_NUMBER,
	MOMENT_REST,
};

enum history_column {
	HISTORY_TIME,
	HISTORY_INTERVALS,
	HISTORY_MISSING,
	HISTORY_ALLOCATED,
	HISTORY_GROWTH,
	HISTORY_LIVE,
	HISTORY_BOUND,
	HISTORY_SLAB,
	HISTORY_LOST,
	HISTORY_NOTE,
	HISTORY_BEGIN,
	HISTORY_END,
};

static const struct column columns[] = {
	{ .key = "time",
	  .header = "until",
	  .unit = "",
	  .type = COLUMN_TEXT,
	  .legend = "the end of the last interval of the row, in UTC, by the clock of the host" },
	{ .key = "intervals",
	  .header = "intervals",
	  .unit = "",
	  .type = COLUMN_NUMBER,
	  .where = COLUMN_NOT_IN_TEXT,
	  .legend = "intervals that are there" },
	{ .key = "missing",
	  .header = "missing",
	  .unit = "",
	  .type = COLUMN_NUMBER,
	  .legend = "intervals that are missing in a run, before one of them" },
	{ .key = "allocated_bytes",
	  .header = "allocated",
	  .unit = "bytes",
	  .type = COLUMN_NUMBER,
	  .legend = "bytes that were allocated" },
	{ .key = "growth_bytes",
	  .header = "growth",
	  .unit = "bytes",
	  .type = COLUMN_SIGNED,
	  .legend = "bytes allocated - bytes freed" },
	{ .key = "live_bytes",
	  .header = "live",
	  .unit = "bytes",
	  .type = COLUMN_LIVE,
	  .legend = "live at the end, allocated since tracing began; <=: at most, since events of "
		    "the run are lost, skipped or uncounted" },
	{ .key = "live_upper_bound",
	  .header = "bound",
	  .unit = "",
	  .type = COLUMN_BOUND,
	  .where = COLUMN_NOT_IN_TEXT },
	{ .key = "slab_bytes",
	  .header = "slab",
	  .unit = "bytes",
	  .type = COLUMN_NUMBER,
	  .legend = "slab memory at the end, by /proc/meminfo" },
	{ .key = "absent",
	  .header = "lost",
	  .unit = "events",
	  .type = COLUMN_NUMBER,
	  .legend = "events lost, skipped or uncounted" },
	{ .key = "note",
	  .header = "note",
	  .unit = "",
	  .type = COLUMN_TEXT,
	  .where = COLUMN_BELOW,
	  .legend = "a boot, or a run of kmemtraced, that begins in the row" },
	{ .key = "begin",
	  .header = "begin",
	  .unit = "ns",
	  .type = COLUMN_NUMBER,
	  .where = COLUMN_NOT_IN_TEXT },
	{ .key = "end",
	  .header = "end",
	  .unit = "ns",
	  .type = COLUMN_NUMBER,
	  .where = COLUMN_NOT_IN_TEXT },
};

/* One interval, with its figures. */
struct moment {
	char *boot;
	char kernel[80];
	uint64_t run, number, begin, until, slab, absent;
	uint64_t allocated, freed, live;
	uint64_t missing;   /* before it, in its run */
	bool live_is_bound; /* events of its run are absent, here or before */
};

struct host_history {
	struct question *question;
	struct moment *list; /* in order of run and number */
	size_t count, at;
	size_t orphans; /* figures whose interval is not stored */
};

static int add_moment(void *data, const struct store_row *row)
{
	struct host_history *history = data;
	struct moment *list = array_grow(history->list, history->count, sizeof(*list));
	struct moment *moment;

	if (!list)
		return -ENOMEM;
	history->list = list;
	moment = &list[history->count];
	*moment = (struct moment){
		.boot = strdup(store_text(row, MOMENT_BOOT)),
		.run = store_number(row, MOMENT_RUN),
		.number = store_number(row, MOMENT_NUMBER),
		.begin = store_number(row, MOMENT_REST),
		.until = store_number(row, MOMENT_REST + 1),
		.slab = store_number(row, MOMENT_REST + 3) + store_number(row, MOMENT_REST + 4),
		.absent = store_number(row, MOMENT_REST + 5) + store_number(row, MOMENT_REST + 6) +
			  store_number(row, MOMENT_REST + 7)
	};
	snprintf(moment->kernel, sizeof(moment->kernel), "%s", store_text(row, MOMENT_REST + 2));
	history->count++;
	return moment->boot ? 0 : -ENOMEM;
}

/* Is the row of this moment, or before (-1) or behind it (1)? Both are in this order. */
static int compare_moment(const struct store_row *row, const struct moment *moment)
{
	uint64_t run = store_number(row, MOMENT_RUN), number = store_number(row, MOMENT_NUMBER);
	int order = (run > moment->run) - (run < moment->run);

	if (!order)
		order = strcmp(store_text(row, MOMENT_BOOT), moment->boot);
	return order ? order : (number > moment->number) - (number < moment->number);
}

static int add_moment_figures(void *data, const struct store_row *row)
{
	struct host_history *history = data;
	struct moment *moment;
	int order = -1;

	while (history->at < history->count &&
	       (order = compare_moment(row, &history->list[history->at])) > 0)
		history->at++;
	/* a load was killed, or goes on now */
	if (history->at == history->count || order) {
		history->orphans++;
		return 0;
	}
	moment = &history->list[history->at];
	moment->allocated = store_sum(row, MOMENT_REST);
	moment->freed = store_sum(row, MOMENT_REST + 1);
	moment->live = store_sum(row, MOMENT_REST + 2);
	return 0;
}

static bool same_run(const struct moment *a, const struct moment *b)
{
	return a->run == b->run && strcmp(a->boot, b->boot) == 0;
}

/* Finds the intervals that are missing in each run, and the live figures that are bounds. */
static void check_runs(struct host_history *history)
{
	for (size_t i = 0, end; i < history->count; i = end) {
		struct moment *list = history->list, *first = &list[i];
		uint64_t longest = 0;

		for (end = i; end < history->count && same_run(&list[end], first); end++) {
			struct moment *moment = &list[end], *before = moment - 1;

			if (moment->until - moment->begin > longest)
				longest = moment->until - moment->begin;
			moment->live_is_bound = moment->absent ||
						(end > i && before->live_is_bound);
			moment->missing = end > i ? moment->number - before->number - 1 : 0;
		}
		first->missing = coverage_missing_before(&history->question->scope, first->run,
							 first->number, first->begin, longest);
	}
}

static int read_moments(struct host_history *history)
{
	const struct store_reader intervals = {
		.row = add_moment, .data = history, .texts = 1, .rest = "ntnnntnnnnn"
	};
	const struct store_reader figures = {
		.row = add_moment_figures, .data = history, .texts = 1, .rest = "ntnsss"
	};
	struct question *question = history->question;
	char *text;
	size_t size;
	int err;
	FILE *sql = text_open(&text, &size);

	if (!sql)
		return -ENOMEM;
	fputs("SELECT host, run, boot, number, begin, until, kernel, slab_reclaimable, "
	      "slab_unreclaimable, lost, skipped, uncounted",
	      sql);
	scope_from(&question->scope, sql, "intervals");
	scope_where(&question->scope, sql, NULL);
	fputs(" ORDER BY host, run, boot, number", sql);
	err = scope_ask(&question->scope, sql, &text, &intervals);
	if (err)
		return err;
	sql = text_open(&text, &size);
	if (!sql)
		return -ENOMEM;
	fputs("SELECT host, run, boot, number, ", sql);
	scope_sums(&question->scope, sql, "allocated, freed, live_bytes");
	scope_from(&question->scope, sql, "figures");
	scope_where(&question->scope, sql, "code");
	fputs(" GROUP BY host, run, boot, number ORDER BY host, run, boot, number", sql);
	return scope_ask(&question->scope, sql, &text, &figures);
}

static uint64_t row_length(const struct host_history *history)
{
	const struct coverage *coverage = &history->question->coverage;
	uint64_t span = coverage->end - coverage->begin, hours = 1;

	while (span / (hours * NSEC_PER_HOUR) >= ROWS_MAX)
		hours = hours < 6 ? hours + 1 : hours + 6;
	return hours * NSEC_PER_HOUR;
}

/* The moments from begin to end. */
static int add_moments_row(struct host_history *history, size_t begin, size_t end)
{
	const struct moment *last = &history->list[end - 1];
	struct cell *row = table_add(&history->question->table);
	char date[DATE_SIZE], note[200] = "";
	uint64_t allocated = 0, freed = 0;

	if (!row)
		return -ENOMEM;
	for (size_t i = begin; i < end; i++) {
		const struct moment *moment = &history->list[i], *before = moment - 1;
		bool same_boot = i && strcmp(before->boot, moment->boot) == 0;

		row[HISTORY_MISSING].number += moment->missing;
		if (i && !same_boot)
			snprintf(note, sizeof(note), "boot of %s", moment->kernel);
		else if (i && before->run != moment->run)
			snprintf(note, sizeof(note), "kmemtraced was started again");
		else if (!i)
			snprintf(note, sizeof(note), "first: %s", moment->kernel);
		number_add(&allocated, moment->allocated);
		number_add(&freed, moment->freed);
		row[HISTORY_LOST].number += moment->absent;
	}
	row[HISTORY_ALLOCATED].number = MIN(allocated, STORE_SUM_MAX);
	row[HISTORY_GROWTH].change = question_growth_of(history->question, allocated, freed);
	row[HISTORY_TIME].text = strndup(date_text(last->until, date), DATE_MINUTES);
	row[HISTORY_INTERVALS].number = end - begin;
	row[HISTORY_LIVE].number = last->live;
	row[HISTORY_BOUND].truth = last->live_is_bound;
	row[HISTORY_SLAB].number = last->slab;
	row[HISTORY_NOTE].text = strdup(note);
	row[HISTORY_BEGIN].number = history->list[begin].begin;
	row[HISTORY_END].number = last->until;
	return row[HISTORY_TIME].text && row[HISTORY_NOTE].text ? 0 : -ENOMEM;
}

static int make_history_rows(struct host_history *history)
{
	uint64_t length = row_length(history);
	int err = 0;

	for (size_t i = 0, end; i < history->count && !err; i = end) {
		uint64_t slice = (history->list[i].until - 1) / length;

		for (end = i + 1;
		     end < history->count && (history->list[end].until - 1) / length == slice;)
			end++;
		err = add_moments_row(history, i, end);
	}
	return err;
}

/* The host is the only one that the answer is about. */
int question_history(struct question *question)
{
	struct host_history history = { .question = question };
	int err = question_set_table(question, "history", columns,
				     sizeof(columns) / sizeof(*columns), false);

	if (err)
		return err;
	question->table.text_rows = ROWS_MAX;
	question->table.empty = "No interval of this host is stored.";
	err = read_moments(&history);
	check_runs(&history);
	if (!err)
		err = make_history_rows(&history);
	if (history.orphans)
		snprintf(question->note, sizeof(question->note),
			 "figures of intervals that are not stored are left out: of %zu",
			 history.orphans);
	for (size_t i = 0; i < history.count; i++)
		free(history.list[i].boot);
	free(history.list);
	return err;
}
