// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The question versions: what came with a version of the kernel. For each function, the hosts since
 * a version are compared with those before it: on how many it grows, and how much they allocate.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fleet/series.h"
#include "fleet/version_split.h"

enum version_column {
	VERSION_NAME,
	VERSION_SINCE,
	VERSION_CHANGE,
	VERSION_WITH,
	VERSION_OF_WITH,
	VERSION_WITHOUT,
	VERSION_OF_WITHOUT,
	VERSION_AFTER,
	VERSION_BEFORE,
	VERSION_CERTAIN,
	VERSION_CONFIDENCE,
};

static const struct column columns[] = {
	{ .key = "function", .header = "function", .unit = "", .type = COLUMN_TEXT },
	{ .key = "since",
	  .header = "since",
	  .unit = "",
	  .type = COLUMN_TEXT,
	  .legend = "the version of the kernel that it came with" },
	{ .key = "change",
	  .header = "change",
	  .unit = "",
	  .type = COLUMN_TEXT,
	  .legend =
		  "grows: certain growth on some hosts; more, less: the hosts allocate more or less" },
	{ .key = "hosts_with",
	  .header = "with",
	  .unit = "",
	  .type = COLUMN_NUMBER,
	  .legend = "hosts since that version on which it grows; or all of them" },
	{ .key = "of_hosts_with",
	  .header = "of",
	  .unit = "",
	  .type = COLUMN_NUMBER,
	  .legend = "hosts that were tested since that version" },
	{ .key = "hosts_without",
	  .header = "without",
	  .unit = "",
	  .type = COLUMN_NUMBER,
	  .legend = "hosts before that version on which it grows; or all of them" },
	{ .key = "of_hosts_without",
	  .header = "of",
	  .unit = "",
	  .type = COLUMN_NUMBER,
	  .legend = "hosts that were tested before that version" },
	{ .key = "after",
	  .header = "after",
	  .unit = "bytes/h",
	  .type = COLUMN_DECIMAL,
	  .where = COLUMN_BELOW,
	  .legend = "mean growth of the hosts with; or the medians that they allocate, by role" },
	{ .key = "before",
	  .header = "before",
	  .unit = "bytes/h",
	  .type = COLUMN_DECIMAL,
	  .where = COLUMN_BELOW,
	  .legend = "the same of the hosts without" },
	{ .key = "certain",
	  .header = "certain",
	  .unit = "",
	  .type = COLUMN_TEXT,
	  .where = COLUMN_BELOW,
	  .legend = "no: chance alone may explain the row, see --error-rate" },
	{ .key = "confidence_percent",
	  .header = "confidence",
	  .unit = "%",
	  .type = COLUMN_DECIMAL,
	  .decimals = 4,
	  .legend =
		  "probability that the change came with the version, as far as the number of hosts shows; the rest of 100 % is chance" },
};

struct versions {
	struct question *question;
	struct series_set set;
	struct version_hosts hosts;
	struct series **list; /* in order of name */
	char **kernels;	      /* in order; the set's own */
	size_t kernel_count;
	size_t names, growing; /* that are compared */
	size_t untested;       /* hosts whose growth is not tested */
	size_t without_days;   /* hosts whose allocations are not compared */
};

static int compare_kernels(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

static int compare_version_names(const void *a, const void *b)
{
	const struct series *x = *(const struct series *const *)a;
	const struct series *y = *(const struct series *const *)b;

	return (x->name > y->name) - (x->name < y->name);
}

/* Can the unit show anything? */
static bool is_compared(const struct versions *versions, const struct series_unit *unit)
{
	return (unit->is_tested || unit->has_days) && version_hosts_has(&versions->hosts, unit);
}

/* The hosts with a unit that is left out. */
static void count_left_out(struct versions *versions)
{
	const struct series_set *set = &versions->set;

	for (size_t i = 0, end; i < set->unit_count; i = end) {
		bool untested = false, without_days = false;

		for (end = i;
		     end < set->unit_count && strcmp(set->units[end].host, set->units[i].host) == 0;
		     end++) {
			const struct series_unit *unit = &set->units[end];

			if (!version_hosts_has(&versions->hosts, unit))
				continue;
			untested |= !unit->is_tested;
			without_days |= !unit->has_days;
		}
		versions->untested += untested;
		versions->without_days += without_days;
	}
}

static int find_kernels(struct versions *versions)
{
	struct series_set *set = &versions->set;
	size_t kept = 0;

	versions->kernels = calloc(set->unit_count + 1, sizeof(*versions->kernels));
	if (!versions->kernels)
		return -ENOMEM;
	for (size_t i = 0; i < set->unit_count; i++)
		if (is_compared(versions, &set->units[i]))
			versions->kernels[versions->kernel_count++] = set->units[i].kernel;
	qsort(versions->kernels, versions->kernel_count, sizeof(*versions->kernels),
	      compare_kernels);
	for (size_t i = 0; i < versions->kernel_count; i++)
		if (!kept || strcmp(versions->kernels[kept - 1], versions->kernels[i]) != 0)
			versions->kernels[kept++] = versions->kernels[i];
	versions->kernel_count = kept;
	return 0;
}

static int add_version_row(struct versions *versions, const char *name, const char *change,
			   const struct version_split *split, double tests)
{
	struct cell *row = table_add(&versions->question->table);
	double wrong = split->probability * tests;

	if (!row)
		return -ENOMEM;
	row[VERSION_NAME].text = strdup(name);
	row[VERSION_SINCE].text = strdup(split->since);
	row[VERSION_CHANGE].text = strdup(change);
	row[VERSION_WITH].number = split->with;
	row[VERSION_OF_WITH].number = split->of_with;
	row[VERSION_WITHOUT].number = split->without;
	row[VERSION_OF_WITHOUT].number = split->of_without;
	row[VERSION_AFTER].decimal = split->after;
	row[VERSION_BEFORE].decimal = split->before;
	row[VERSION_CERTAIN].text =
		strdup(wrong <= versions->question->scope.options->error_rate ? "yes" : "no");
	row[VERSION_CONFIDENCE].decimal = 100 * (wrong < 1 ? 1 - wrong : 0);
	return row[VERSION_NAME].text && row[VERSION_SINCE].text && row[VERSION_CHANGE].text &&
			       row[VERSION_CERTAIN].text
		       ? 0
		       : -ENOMEM;
}

static void keep_best(struct version_split *best, const struct version_split *split)
{
	if (split->is_possible && (!best->since || split->probability < best->probability))
		*best = *split;
}

/* The rows of one name, with its series by unit. */
static int compare_name(struct versions *versions, const char *name, bool grows)
{
	double splits = (double)(versions->kernel_count - 1);
	struct version_split growth = { 0 }, level = { 0 };
	int err = 0;

	for (size_t i = 1; i < versions->kernel_count; i++) {
		struct version_split split =
			version_split_level(&versions->hosts, versions->kernels[i]);

		keep_best(&level, &split);
		if (!grows)
			continue;
		split = version_split_growth(&versions->hosts, versions->kernels[i]);
		keep_best(&growth, &split);
	}
	if (growth.since)
		err = add_version_row(versions, name, "grows", &growth,
				      splits * (double)versions->growing);
	if (!err && level.since &&
	    level.probability * splits * (double)versions->names <=
		    versions->question->scope.options->error_rate)
		err = add_version_row(versions, name, level.more ? "more" : "less", &level,
				      splits * (double)versions->names);
	return err;
}

static int for_each_name(struct versions *versions,
			 int (*visit)(struct versions *versions, const char *name, bool grows))
{
	const struct series_set *set = &versions->set;
	int err = 0;

	for (size_t i = 0, end; i < set->count && !err; i = end) {
		bool grows = false;

		memset(versions->hosts.of_unit, 0,
		       set->unit_count * sizeof(*versions->hosts.of_unit));
		for (end = i;
		     end < set->count && versions->list[end]->name == versions->list[i]->name;
		     end++) {
			const struct series *series = versions->list[end];

			versions->hosts.of_unit[series->unit] = series;
			grows |= series->is_certain &&
				 is_compared(versions, &set->units[series->unit]);
		}
		err = visit(versions, texts_get(&set->names, versions->list[i]->name), grows);
	}
	return err;
}

static int count_name(struct versions *versions, const char *name, bool grows)
{
	(void)name;
	versions->names++;
	versions->growing += grows;
	return 0;
}

/* Without two versions there is no answer: neither good news nor bad. */
static void say_nothing_compared(const struct versions *versions)
{
	struct question *question = versions->question;
	char needs[SERIES_TEXT_SIZE];
	const char *first = NULL;
	bool has_two = false;

	for (size_t i = 0; i < versions->set.unit_count; i++) {
		const struct series_unit *unit = &versions->set.units[i];

		if (!version_hosts_has(&versions->hosts, unit))
			continue;
		first = first ? first : unit->kernel;
		has_two |= strcmp(unit->kernel, first) != 0;
	}
	if (!has_two)
		snprintf(question->note, sizeof(question->note),
			 "there are no two versions of the kernel to compare");
	else
		snprintf(question->note, sizeof(question->note),
			 "no two versions of the kernel could be compared: %s",
			 series_needs(&versions->set, needs));
	question->table.empty = "Nothing could be compared.";
}

static void make_note(const struct versions *versions)
{
	struct question *question = versions->question;
	char untested[120] = "", days[160] = "", rest[SERIES_TEXT_SIZE];

	if (versions->untested)
		snprintf(untested, sizeof(untested),
			 "; the time of %zu hosts, or a part of it, was too short to test growth",
			 versions->untested);
	if (versions->without_days)
		snprintf(
			days, sizeof(days),
			"; the time of %zu hosts lacks some hours of the day, so that their allocations are not compared",
			versions->without_days);
	snprintf(
		question->note, sizeof(question->note),
		"%zu versions of the kernel, and %zu names, were compared; a change of the bytes allocated is a row only if chance makes one with a probability of at most %g%s%s%s",
		versions->kernel_count, versions->names, question->scope.options->error_rate,
		untested, days, series_left_out(&versions->set, rest));
}

/* Does each of both sides have a host, for growth or else for allocations? */
static bool is_possible(const struct versions *versions, bool growth)
{
	for (size_t i = 1; i < versions->kernel_count; i++) {
		const struct version_hosts *hosts = &versions->hosts;
		struct version_split split =
			growth ? version_split_growth(hosts, versions->kernels[i])
			       : version_split_level(hosts, versions->kernels[i]);

		if (split.is_possible)
			return true;
	}
	return false;
}

/* Says in place of good news which of both comparisons was not possible. */
static void choose_empty(const struct versions *versions)
{
	bool growth = is_possible(versions, true), level = is_possible(versions, false);
	struct question *question = versions->question;

	if (!growth && !level)
		question->table.empty = "Nothing could be compared.";
	else if (!growth)
		question->table.empty =
			"The hosts allocate neither more nor less for certain; growth could not be compared.";
	else if (!level)
		question->table.empty =
			"No growth came with a version for certain; allocations could not be compared.";
}

static int make_version_rows(struct versions *versions)
{
	const struct series_set *set = &versions->set;
	char **arguments = versions->question->scope.options->arguments;
	int err = version_hosts_init(&versions->hosts, set,
				     arguments[0] ? (const char *const *)arguments : NULL);

	if (!err)
		err = find_kernels(versions);
	versions->list = calloc(set->count + 1, sizeof(*versions->list));
	if (err || !versions->list)
		return -ENOMEM;
	for (size_t i = 0; i < set->count; i++)
		versions->list[i] = &versions->set.list[i];
	qsort(versions->list, set->count, sizeof(*versions->list), compare_version_names);
	if (versions->kernel_count < 2) {
		say_nothing_compared(versions);
		return 0;
	}
	count_left_out(versions);
	for_each_name(versions, count_name);
	make_note(versions);
	choose_empty(versions);
	return for_each_name(versions, compare_name);
}

int question_versions(struct question *question)
{
	struct versions versions = { .question = question };
	int err = question_set_table(question, "versions", columns,
				     sizeof(columns) / sizeof(*columns), true);

	if (err)
		return err;
	question->table.sort = "change,-confidence_percent,-after";
	question->table.empty = "Nothing came with a version for certain.";
	err = series_init(&versions.set, question, true);
	if (!err)
		err = make_version_rows(&versions);
	free(versions.list);
	free(versions.kernels);
	version_hosts_deinit(&versions.hosts);
	version_hosts_deinit(&versions.hosts);
	series_deinit(&versions.set);
	return err;
}
