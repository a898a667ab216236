// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The question outliers: hosts whose figure is far from those of the same kernel and role. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "fleet/series.h"

#define PEERS_MIN 5   /* hosts in a group */
#define TIME_MIN 0.75 /* of the time of the answer: figures follow the time of day */

enum outlier_column {
	OUTLIER_HOST,
	OUTLIER_NAME,
	OUTLIER_VALUE,
	OUTLIER_MEDIAN,
	OUTLIER_DISTANCE,
	OUTLIER_ERROR,
	OUTLIER_PEERS,
	OUTLIER_KERNEL,
	OUTLIER_ROLE,
};

static const struct column columns[] = {
	{ .key = "host", .header = "host", .unit = "", .type = COLUMN_TEXT, .legend = "its name" },
	{ .key = "name",
	  .header = "by",
	  .unit = "",
	  .type = COLUMN_TEXT,
	  .legend = "the function, or as --by says" },
	{ .key = "value",
	  .header = "value",
	  .unit = "an hour",
	  .type = COLUMN_DECIMAL,
	  .legend = "the figure of the host in an hour" },
	{ .key = "median",
	  .header = "median",
	  .unit = "an hour",
	  .type = COLUMN_DECIMAL,
	  .legend = "that of the hosts with the same kernel and role" },
	{ .key = "deviations",
	  .header = "distance",
	  .unit = "",
	  .type = COLUMN_DECIMAL,
	  .decimals = 1,
	  .legend = "from the median, in standard deviations (1.4826 MAD)" },
	{ .key = "error",
	  .header = "error",
	  .unit = "",
	  .type = COLUMN_DECIMAL,
	  .where = COLUMN_NOT_IN_TEXT },
	{ .key = "peers",
	  .header = "peers",
	  .unit = "",
	  .type = COLUMN_NUMBER,
	  .legend = "hosts with the same kernel and role, and this one" },
	{ .key = "kernel",
	  .header = "kernel",
	  .unit = "",
	  .type = COLUMN_TEXT,
	  .where = COLUMN_BELOW,
	  .legend = "of the host" },
	{ .key = "role",
	  .header = "role",
	  .unit = "",
	  .type = COLUMN_TEXT,
	  .where = COLUMN_BELOW,
	  .legend = "of the host" },
};

/* Hosts of one kernel and role, and a name. */
struct peers {
	struct question *question;
	const struct series_set *set;
	struct series **list; /* in order of kernel, role and name */
	double *values, *space;
	size_t group_size; /* units of the kernel and role */
	bool only_counts;
	size_t tests;	   /* figures that are compared */
	size_t with_peers; /* units in groups that are large enough */
};

static int compare_units(const struct series_unit *x, const struct series_unit *y)
{
	int order = strcmp(x->kernel, y->kernel);

	return order ? order : strcmp(x->role, y->role);
}

static int compare_series(const void *a, const void *b, void *data)
{
	const struct series_set *set = data;
	const struct series *x = *(const struct series *const *)a;
	const struct series *y = *(const struct series *const *)b;
	int order = compare_units(&set->units[x->unit], &set->units[y->unit]);

	if (order)
		return order;
	return (x->name > y->name) - (x->name < y->name);
}

static double value_of_series(const struct peers *peers, const struct series *series)
{
	enum fleet_figure figure = peers->question->scope.options->figure;

	/* the growth after memory has filled: a host that booted again has filled twice */
	if (figure == FIGURE_GROWTH)
		return series->fit.rate;
	return series->figures[figure] / peers->set->units[series->unit].hours;
}

static int add_outlier_row(const struct peers *peers, const struct series *series,
			   const struct spread *spread, double error)
{
	const struct series_unit *unit = &peers->set->units[series->unit];
	struct cell *row = table_add(&peers->question->table);
	double value = value_of_series(peers, series);

	if (!row)
		return -ENOMEM;
	row[OUTLIER_HOST].text = strdup(unit->host);
	row[OUTLIER_NAME].text = strdup(texts_get(&peers->set->names, series->name));
	row[OUTLIER_VALUE].decimal = value;
	row[OUTLIER_MEDIAN].decimal = spread->median;
	row[OUTLIER_DISTANCE].decimal = (value - spread->median) / spread->deviation;
	row[OUTLIER_ERROR].decimal = error;
	row[OUTLIER_PEERS].number = peers->group_size;
	row[OUTLIER_KERNEL].text = strdup(unit->kernel);
	row[OUTLIER_ROLE].text = strdup(unit->role);
	return row[OUTLIER_HOST].text && row[OUTLIER_NAME].text && row[OUTLIER_KERNEL].text &&
			       row[OUTLIER_ROLE].text
		       ? 0
		       : -ENOMEM;
}

/* A host that does not have the name has 0 of it. If most do not, no value is usual. */
static int compare_peers(struct peers *peers, struct series **list, size_t count)
{
	struct spread spread;
	int err = 0;

	if (count * 2 < peers->group_size)
		return 0;
	if (peers->only_counts) {
		peers->tests += count;
		return 0;
	}
	for (size_t i = 0; i < peers->group_size; i++)
		peers->values[i] = i < count ? value_of_series(peers, list[i]) : 0;
	spread = statistics_spread(peers->values, peers->space, peers->group_size);
	for (size_t i = 0; i < count && !err; i++) {
		double error =
			(double)peers->tests *
			statistics_far(&spread, value_of_series(peers, list[i]), peers->group_size);

		if (error <= peers->question->scope.options->error_rate)
			err = add_outlier_row(peers, list[i], &spread, error);
	}
	return err;
}

/* Was it traced long enough to be compared? */
static bool is_long(const struct series_set *set, const struct series_unit *unit)
{
	bool is_growth = set->question->scope.options->figure == FIGURE_GROWTH;
	const struct coverage *coverage = &set->question->coverage;
	double hours = (double)(coverage->end - coverage->begin) / NSEC_PER_HOUR;

	/* growth that was not tested has the time in which memory fills */
	return unit->hours >= TIME_MIN * hours && (!is_growth || unit->is_tested);
}

static size_t group_size(const struct series_set *set, const struct series_unit *like)
{
	size_t size = 0;

	for (size_t i = 0; i < set->unit_count; i++)
		size += is_long(set, &set->units[i]) && compare_units(&set->units[i], like) == 0;
	return size;
}

static size_t same_group(const struct series_set *set, struct series **list, size_t begin,
			 size_t count)
{
	size_t end = begin;

	while (end < count &&
	       compare_units(&set->units[list[end]->unit], &set->units[list[begin]->unit]) == 0)
		end++;
	return end;
}

/* group: from begin to end, in order of name. */
static int compare_group(struct peers *peers, size_t begin, size_t end)
{
	int err = 0;

	for (size_t i = begin, next; i < end && !err; i = next) {
		for (next = i + 1; next < end && peers->list[next]->name == peers->list[i]->name;)
			next++;
		err = compare_peers(peers, peers->list + i, next - i);
	}
	return err;
}

/* All groups, in order of kernel, role and name. */
static int compare_all(struct peers *peers, size_t count, bool only_counts)
{
	const struct series_set *set = peers->set;
	int err = 0;

	peers->only_counts = only_counts;
	for (size_t i = 0, end; i < count && !err; i = end) {
		end = same_group(set, peers->list, i, count);
		peers->group_size = group_size(set, &set->units[peers->list[i]->unit]);
		if (peers->group_size < PEERS_MIN)
			continue;
		peers->with_peers += only_counts ? peers->group_size : 0;
		err = compare_group(peers, i, end);
	}
	return err;
}

static void make_note(const struct peers *peers)
{
	const struct series_set *set = peers->set;
	struct question *question = peers->question;
	char rest[SERIES_TEXT_SIZE];
	size_t few = set->unit_count - peers->with_peers;

	series_left_out(set, rest);
	if (!peers->tests) {
		const char *why =
			few == set->unit_count
				? "no five hosts have the same kernel and role, and were traced for three quarters of the time"
				: "no name exists on half of the hosts with the same kernel and role";

		snprintf(question->empty, sizeof(question->empty), "No host could be compared: %s.",
			 why);
		question->table.empty = question->empty;
		snprintf(question->note, sizeof(question->note), "no host could be compared: %s%s",
			 why, rest);
		return;
	}
	snprintf(
		question->note, sizeof(question->note),
		"%zu figures of a host were compared, of %s in an hour; the probability that a row is there by chance is at most %g; %zu hosts have too few peers, or were traced for less than three quarters of the time%s",
		peers->tests, fleet_figure_names[question->scope.options->figure],
		question->scope.options->error_rate, few, rest);
}

static int make_outlier_rows(struct peers *peers)
{
	const struct series_set *set = peers->set;
	size_t count = 0;
	int err;

	for (size_t i = 0; i < set->count; i++)
		if (is_long(set, &set->units[set->list[i].unit]))
			peers->list[count++] = &set->list[i];
	qsort_r(peers->list, count, sizeof(*peers->list), compare_series, (void *)set);
	err = compare_all(peers, count, true);
	if (!err)
		err = compare_all(peers, count, false);
	make_note(peers);
	return err;
}

int question_outliers(struct question *question)
{
	struct series_set set;
	struct peers peers = { .question = question, .set = &set };
	int err = question_set_table(question, "outliers", columns,
				     sizeof(columns) / sizeof(*columns), false);

	if (err)
		return err;
	question->table.sort = "error,-deviations";
	question->table.empty = "No host is far from its peers for certain.";
	err = series_init(&set, question, question->scope.options->figure == FIGURE_GROWTH);
	peers.list = calloc(set.count + 1, sizeof(*peers.list));
	peers.values = calloc(set.unit_count + 1, sizeof(*peers.values));
	peers.space = calloc(set.unit_count + 1, sizeof(*peers.space));
	if (!err && (!peers.list || !peers.values || !peers.space))
		err = -ENOMEM;
	if (!err)
		err = make_outlier_rows(&peers);
	free(peers.list);
	free(peers.values);
	free(peers.space);
	series_deinit(&set);
	return err;
}
