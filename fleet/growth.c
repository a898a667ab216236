// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The question growth: which functions hold more and more memory, and on which hosts. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "fleet/series.h"

#define NAMES_IN_TEXT 20 /* of hosts */

enum growth_column {
	GROWTH_NAME,
	GROWTH_HOSTS,
	GROWTH_RATE,
	GROWTH_SUM,
	GROWTH_TOTAL,
	GROWTH_ERROR,
	GROWTH_KERNELS,
	GROWTH_NAMES,
};

static const struct column columns[] = {
	{ .key = "function", .header = "function", .unit = "", .type = COLUMN_TEXT },
	{ .key = "hosts",
	  .header = "hosts",
	  .unit = "",
	  .type = COLUMN_NUMBER,
	  .legend = "hosts on which it certainly grows" },
	{ .key = "bytes_per_host_hour",
	  .header = "grows",
	  .unit = "bytes/h",
	  .type = COLUMN_NUMBER,
	  .legend = "growth of one of these hosts in an hour, the mean" },
	{ .key = "bytes_per_hour",
	  .header = "all hosts",
	  .unit = "bytes/h",
	  .type = COLUMN_NUMBER,
	  .legend = "growth of these hosts together in an hour" },
	{ .key = "bytes",
	  .header = "total",
	  .unit = "bytes",
	  .type = COLUMN_SIGNED,
	  .legend = "allocated - freed of these hosts, in all intervals that are there" },
	{ .key = "error",
	  .header = "error",
	  .unit = "",
	  .type = COLUMN_DECIMAL,
	  .where = COLUMN_NOT_IN_TEXT,
	  .legend =
		  "at most: the probability that one of the tested series seems so certain and does not grow" },
	{ .key = "kernels",
	  .header = "kernels",
	  .unit = "",
	  .type = COLUMN_TEXT,
	  .where = COLUMN_BELOW,
	  .legend = "the kernels of these hosts" },
	{ .key = "names",
	  .header = "on",
	  .unit = "",
	  .type = COLUMN_TEXT,
	  .where = COLUMN_BELOW,
	  .legend = "the hosts, those with the most growth first" },
};

static int compare_series(const void *a, const void *b)
{
	const struct series *x = *(const struct series *const *)a;
	const struct series *y = *(const struct series *const *)b;

	if (x->name != y->name)
		return (x->name > y->name) - (x->name < y->name);
	/* units are in order of their hosts */
	return (x->unit > y->unit) - (x->unit < y->unit);
}

static bool is_listed(char *const *names, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

static int compare_versions(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

/* Names, each once, as "a, b, c". */
static char *join_names(char **names, size_t count, size_t most)
{
	char *text;
	size_t size;
	FILE *file = text_open(&text, &size);

	if (!file)
		return NULL;
	for (size_t i = 0; i < count && (!most || i < most); i++)
		fprintf(file, "%s%s", i ? ", " : "", names[i]);
	if (most && count > most)
		fprintf(file, " and %zu more", count - most);
	text_close(file, &text);
	return text;
}

/*
 * The growth of a host: the mean over its kernels and roles, weighted by their hours; and the sum
 * of these hours.
 */
struct host_growth {
	char *name;
	double rate, hours;
};

static int compare_growth(const void *a, const void *b)
{
	const struct host_growth *x = a, *y = b;

	if (x->rate > y->rate || x->rate < y->rate)
		return x->rate > y->rate ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* list is in order of the hosts. */
static size_t add_up_hosts(const struct series_set *set, struct series **list, size_t count,
			   struct host_growth *hosts)
{
	size_t host_count = 0;

	for (size_t i = 0; i < count; i++) {
		const struct series_unit *unit = &set->units[list[i]->unit];
		struct host_growth *host = &hosts[host_count ? host_count - 1 : 0];

		if (!host_count || strcmp(host->name, unit->host) != 0) {
			host = &hosts[host_count++];
			*host = (struct host_growth){ .name = unit->host };
		}
		host->rate += list[i]->fit.rate * unit->hours;
		host->hours += unit->hours;
	}
	for (size_t i = 0; i < host_count; i++)
		hosts[i].rate /= hosts[i].hours;
	qsort(hosts, host_count, sizeof(*hosts), compare_growth);
	return host_count;
}

/* A row of the series of one name, all of them certain. */
static int add_growing_row(struct question *question, const struct series_set *set,
			   struct series **list, size_t count)
{
	size_t most = question->scope.options->renderer->for_people ? NAMES_IN_TEXT : 0;
	struct host_growth *hosts = calloc(count, sizeof(*hosts));
	char **names = calloc(count, sizeof(*names)), **kernels = calloc(count, sizeof(*kernels));
	struct cell *row = hosts && names && kernels ? table_add(&question->table) : NULL;
	size_t host_count = row ? add_up_hosts(set, list, count, hosts) : 0, kernel_count = 0;
	double rate = 0, total = 0, error = 0;

	for (size_t i = 0; row && i < count; i++) {
		const struct series_unit *unit = &set->units[list[i]->unit];
		double wrong = list[i]->fit.probability * (double)set->tested;

		if (!is_listed(kernels, kernel_count, unit->kernel))
			kernels[kernel_count++] = unit->kernel;
		total += list[i]->figures[FIGURE_GROWTH];
		error = wrong > error ? wrong : error;
	}
	for (size_t i = 0; i < host_count; i++) {
		names[i] = hosts[i].name;
		rate += hosts[i].rate;
	}
	if (row) {
		qsort(kernels, kernel_count, sizeof(*kernels), compare_versions);
		row[GROWTH_NAME].text = strdup(texts_get(&set->names, list[0]->name));
		row[GROWTH_HOSTS].number = host_count;
		row[GROWTH_RATE].number = (uint64_t)(rate / (double)host_count);
		row[GROWTH_SUM].number = (uint64_t)rate;
		row[GROWTH_TOTAL].change = (int64_t)total;
		row[GROWTH_ERROR].decimal = error;
		row[GROWTH_KERNELS].text = join_names(kernels, kernel_count, 0);
		row[GROWTH_NAMES].text = join_names(names, host_count, most);
	}
	free(hosts);
	free(names);
	free(kernels);
	return row && row[GROWTH_NAME].text && row[GROWTH_KERNELS].text && row[GROWTH_NAMES].text
		       ? 0
		       : -ENOMEM;
}

static int make_growth_rows(struct question *question, struct series_set *set)
{
	struct series **certain = calloc(set->count + 1, sizeof(*certain));
	size_t count = 0;
	int err = 0;

	if (!certain)
		return -ENOMEM;
	for (size_t i = 0; i < set->count; i++)
		if (set->list[i].is_certain)
			certain[count++] = &set->list[i];
	qsort(certain, count, sizeof(*certain), compare_series);
	for (size_t i = 0, end; !err && i < count; i = end) {
		for (end = i + 1; end < count && certain[end]->name == certain[i]->name;)
			end++;
		err = add_growing_row(question, set, certain + i, end - i);
	}
	free(certain);
	return err;
}

static void make_note(struct question *question, const struct series_set *set)
{
	char needs[SERIES_TEXT_SIZE], rest[SERIES_TEXT_SIZE], untested[80] = "", day[160] = "";

	series_left_out(set, rest);
	if (!set->tested) {
		snprintf(question->empty, sizeof(question->empty), "No series could be tested: %s.",
			 series_needs(set, needs));
		question->table.empty = question->empty;
		snprintf(question->note, sizeof(question->note), "no series could be tested: %s%s",
			 needs, rest);
		return;
	}
	if (set->count > set->tested)
		snprintf(untested, sizeof(untested), ", and %zu had too little time",
			 set->count - set->tested);
	if (set->short_of_day)
		snprintf(
			day, sizeof(day),
			"; %zu were shorter than 20 hours: their growth may be a part of a daily pattern",
			set->short_of_day);
	snprintf(
		question->note, sizeof(question->note),
		"%zu series of a host were tested%s; the probability that a row is there by chance is at most %g%s%s",
		set->tested, untested, question->scope.options->error_rate, day, rest);
}

int question_growth(struct question *question)
{
	struct series_set set;
	int err = question_set_table(question, "growth", columns,
				     sizeof(columns) / sizeof(*columns), true);

	question->table.sort = "bytes_per_hour";
	question->table.empty = "Nothing grows for certain.";
	if (err)
		return err;
	err = series_init(&set, question, true);
	if (!err)
		err = make_growth_rows(question, &set);
	make_note(question, &set);
	series_deinit(&set);
	return err;
}
