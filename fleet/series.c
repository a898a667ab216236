// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Reads the figures of each host and function in order of time, and tests each series for growth.
 * An interval without events of a function is growth of 0: the time that a host was traced in each
 * slice is known from its intervals.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "fleet/series.h"

#define SLICES_MAX 96 /* of the time of an answer, unless they are of six hours */
#define SLICES_MIN 24
#define HOURS_OF_DAY 24

/* Columns of both queries. */
enum series_column {
	SERIES_HOST,
	SERIES_KERNEL,
	SERIES_ROLE,
	SERIES_REST,
};

/*
 * Chooses a slice that divides an hour, or a day. Slices of more than six hours would show too few
 * times of a day: a daily pattern would look like growth.
 */
static uint64_t choose_slice(uint64_t span)
{
	static const uint64_t minutes[] = { 1, 2, 5, 10, 15, 30, 60, 120, 180, 240, 360 };
	const size_t count = sizeof(minutes) / sizeof(*minutes);
	uint64_t slice = 0;

	/* slices of an hour for four days; shorter ones for less than a day */
	for (size_t i = 0; i < count; i++) {
		slice = minutes[i] * 60 * NSEC_PER_SEC;
		if (span <= slice * (minutes[i] < 60 ? SLICES_MIN : SLICES_MAX))
			break;
	}
	return slice;
}

/* Is the row of this unit, or before (-1) or behind it (1)? */
static int compare_unit(const struct store_row *row, const struct series_unit *unit)
{
	int order = strcmp(store_text(row, SERIES_HOST), unit->host);

	if (!order)
		order = strcmp(store_text(row, SERIES_KERNEL), unit->kernel);
	if (!order)
		order = strcmp(store_text(row, SERIES_ROLE), unit->role);
	return order;
}

static struct series_unit *add_unit(struct series_set *set, const struct store_row *row)
{
	struct series_unit *units = array_grow(set->units, set->unit_count, sizeof(*units));
	struct series_unit *unit;

	if (!units)
		return NULL;
	set->units = units;
	unit = &units[set->unit_count++];
	*unit = (struct series_unit){ .host = strdup(store_text(row, SERIES_HOST)),
				      .kernel = strdup(store_text(row, SERIES_KERNEL)),
				      .role = strdup(store_text(row, SERIES_ROLE)),
				      .first_slot = set->slot_count };
	return unit->host && unit->kernel && unit->role ? unit : NULL;
}

static int add_slot(void *data, const struct store_row *row)
{
	struct series_set *set = data;
	struct series_unit *unit = set->unit_count ? &set->units[set->unit_count - 1] : NULL;
	struct series_slot *slots = array_grow(set->slots, set->slot_count, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	set->slots = slots;
	if (!unit || compare_unit(row, unit))
		unit = add_unit(set, row);
	if (!unit)
		return -ENOMEM;
	slots[set->slot_count] =
		(struct series_slot){ .covered = store_sum(row, SERIES_REST),
				      .run = store_number(row, SERIES_REST + 1),
				      .begin = set->slice ? store_number(row, SERIES_REST + 2)
							  : 0 };
	unit->hours += (double)slots[set->slot_count].covered / NSEC_PER_HOUR;
	set->slot_count++;
	unit->slot_count++;
	return 0;
}

static int read_slots(struct series_set *set)
{
	const struct store_reader reader = { .row = add_slot,
					     .data = set,
					     .texts = SERIES_REST,
					     .rest = set->slice ? "snn" : "sn" };
	char *text;
	size_t size;
	FILE *sql = text_open(&text, &size);

	if (!sql)
		return -ENOMEM;
	fputs("SELECT host, kernel, role, ", sql);
	scope_sums(&set->question->scope, sql, "until - begin");
	fputs(", MAX(run)", sql);
	if (set->slice) {
		fputs(", ", sql);
		scope_slice(sql, set->slice);
		fputs(" AS slice", sql);
	}
	scope_from(&set->question->scope, sql, "intervals");
	scope_where(&set->question->scope, sql, NULL);
	fprintf(sql, " GROUP BY host, kernel, role%s ORDER BY host, kernel, role%s",
		set->slice ? ", slice" : "", set->slice ? ", slice" : "");
	return scope_ask(&set->question->scope, sql, &text, &reader);
}

/* The slots of a unit that are tested, with the growth of these sums; NULL: without growth. */
static size_t make_points(struct series_set *set, const struct series_unit *unit,
			  const struct series_sums *sums)
{
	size_t count = 0;

	for (size_t i = 0; i < unit->slot_count; i++) {
		const struct series_slot *slot = &set->slots[unit->first_slot + i];

		/* half of the slice at least: less shows noise */
		if (slot->covered < set->slice / 2 || slot->begin < slot->run + set->fill)
			continue;
		set->points[count++] = (struct growth_point){
			.hour = (double)(slot->begin - set->slots[unit->first_slot].begin +
					 set->slice / 2) /
				NSEC_PER_HOUR,
			.rate = sums ? sums[i].growth / ((double)slot->covered / NSEC_PER_HOUR) : 0,
		};
	}
	return count;
}

/*
 * Bytes allocated an hour: the mean over the times of the day, so that a unit that was traced at
 * noon more often than at night allocates no more. NAN: it was not traced at each time.
 */
static double day_rate(const struct series_set *set, const struct series_unit *unit,
		       const struct series_sums *sums)
{
	double hours[HOURS_OF_DAY] = { 0 }, bytes[HOURS_OF_DAY] = { 0 }, rate = 0;
	size_t times = (size_t)(HOURS_OF_DAY * NSEC_PER_HOUR / set->slice);

	/* slices are shorter than an hour if the answer is about less than twelve */
	if (times > HOURS_OF_DAY)
		return NAN;
	for (size_t i = 0; i < unit->slot_count; i++) {
		const struct series_slot *slot = &set->slots[unit->first_slot + i];
		size_t time = (size_t)(slot->begin / set->slice) % times;

		hours[time] += (double)slot->covered / NSEC_PER_HOUR;
		bytes[time] += sums ? sums[i].allocated : 0;
	}
	for (size_t i = 0; i < times; i++) {
		if (hours[i] < (double)set->slice / 2 / NSEC_PER_HOUR)
			return NAN;
		rate += bytes[i] / hours[i] / (double)times;
	}
	return rate;
}

static int test_units(struct series_set *set)
{
	for (size_t i = 0; i < set->unit_count && set->slice; i++) {
		struct series_unit *unit = &set->units[i];
		struct growth_fit fit;
		void *points = array_grow_zeroed(set->points, &set->points_space,
						 unit->slot_count + 1, sizeof(*set->points));

		if (!points)
			return -ENOMEM;
		set->points = points;
		unit->is_tested =
			statistics_growth(set->points, make_points(set, unit, NULL), &fit);
		unit->has_days = !isnan(day_rate(set, unit, NULL));
	}
	return 0;
}

/* Tests the series that was read last. */
static void finish_series(struct series_set *set)
{
	struct series *series = set->count ? &set->list[set->count - 1] : NULL;
	const struct series_unit *unit = series ? &set->units[series->unit] : NULL;

	if (!series || !set->slice)
		return;
	series->has_fit =
		unit->is_tested &&
		statistics_growth(set->points, make_points(set, unit, set->sums), &series->fit);
	set->tested += series->has_fit;
	set->short_of_day += series->has_fit && !series->fit.is_daily;
	if (unit->has_days)
		series->day_rate = day_rate(set, unit, set->sums);
}

static int begin_series(struct series_set *set, uint32_t name)
{
	struct series_unit *unit = &set->units[set->current];
	struct series *list = array_grow(set->list, set->count, sizeof(*list));
	struct series_sums *sums;

	if (!list)
		return -ENOMEM;
	set->list = list;
	sums = array_grow_zeroed(set->sums, &set->sums_space, unit->slot_count + 1, sizeof(*sums));
	if (!sums)
		return -ENOMEM;
	set->sums = sums;
	memset(sums, 0, set->sums_space * sizeof(*sums));
	if (!unit->count++)
		unit->first = set->count;
	list[set->count++] = (struct series){ .unit = set->current, .name = name };
	return 0;
}

/* The slot of the current unit that begins then; slot_count: it has no interval there. */
static size_t find_slot(const struct series_set *set, uint64_t begin)
{
	const struct series_unit *unit = &set->units[set->current];
	size_t low = 0, high = unit->slot_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (set->slots[unit->first_slot + middle].begin < begin)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < unit->slot_count && set->slots[unit->first_slot + low].begin != begin)
		return unit->slot_count;
	return low;
}

static int add_series_figures(void *data, const struct store_row *row)
{
	struct series_set *set = data;
	size_t sums = SERIES_REST + scope_key_count(&set->question->scope);
	struct series *series;
	double growth;
	uint32_t name;
	size_t slot;
	int order = 1;

	while (set->current < set->unit_count &&
	       (order = compare_unit(row, &set->units[set->current])) > 0)
		set->current++;
	/* a row whose interval is not stored: a load was killed, or goes on now */
	if (set->current == set->unit_count || order < 0) {
		set->orphans++;
		return 0;
	}
	slot = set->slice ? find_slot(set, store_number(row, sums + 5)) : 0;
	if (slot == set->units[set->current].slot_count) {
		set->orphans++;
		return 0;
	}
	name = texts_take(&set->names, scope_row_name(&set->question->scope, row, SERIES_REST));
	if (!name)
		return -ENOMEM;
	series = set->count ? &set->list[set->count - 1] : NULL;
	if (!series || series->unit != set->current || series->name != name) {
		int err;

		finish_series(set);
		err = begin_series(set, name);
		if (err)
			return err;
		series = &set->list[set->count - 1];
	}
	growth = (double)store_sum(row, sums) - (double)store_sum(row, sums + 2);
	series->figures[FIGURE_ALLOCATED] += (double)store_sum(row, sums);
	series->figures[FIGURE_ALLOCATIONS] += (double)store_sum(row, sums + 1);
	series->figures[FIGURE_GROWTH] += growth;
	series->figures[FIGURE_FAILED] += (double)store_sum(row, sums + 3);
	series->figures[FIGURE_CROSS_CPU] += (double)store_sum(row, sums + 4);
	set->sums[slot].growth += growth;
	set->sums[slot].allocated += (double)store_sum(row, sums);
	return 0;
}

/* The hosts of these units, which are in order of their names. */
static void write_hosts(const struct series_set *set, FILE *sql, size_t begin, size_t end)
{
	fputs(" AND host IN (", sql);
	for (size_t i = begin; i < end; i++) {
		fputs(i > begin ? ", " : "", sql);
		store_quote(set->question->scope.store, sql, set->units[i].host);
	}
	putc(')', sql);
}

static int read_figures(struct series_set *set, size_t begin, size_t end)
{
	const struct store_reader reader = { .row = add_series_figures,
					     .data = set,
					     .texts = SERIES_REST +
						      scope_key_count(&set->question->scope),
					     .rest = set->slice ? "sssssn" : "sssss" };
	const struct scope *scope = &set->question->scope;
	const char *keys = scope_keys(scope);
	char *text;
	size_t size;
	FILE *sql = text_open(&text, &size);

	if (!sql)
		return -ENOMEM;
	fprintf(sql, "SELECT host, kernel, role, %s, ", keys);
	scope_sums(scope, sql, "allocated, allocations, freed, failed, cross_cpu");
	if (set->slice) {
		fputs(", ", sql);
		scope_slice(sql, set->slice);
		fputs(" AS slice", sql);
	}
	scope_from(scope, sql, "figures");
	scope_where(scope, sql, scope_kind(scope));
	if (end - begin < set->unit_count)
		write_hosts(set, sql, begin, end);
	if (scope_begin_intervals(scope, sql)) {
		if (end - begin < set->unit_count)
			write_hosts(set, sql, begin, end);
		putc(')', sql);
	}
	fprintf(sql, " GROUP BY host, kernel, role, %s%s", keys, set->slice ? ", slice" : "");
	fprintf(sql, " ORDER BY host, kernel, role, %s%s", keys, set->slice ? ", slice" : "");
	return scope_ask(scope, sql, &text, &reader);
}

/* Asks for some hosts at a time; never for a host twice. */
static int read_all_figures(struct series_set *set)
{
	size_t most = set->question->scope.store->ops->hosts_per_query;
	int err = 0;

	for (size_t begin = 0, end; begin < set->unit_count && !err; begin = end) {
		end = most && begin + most < set->unit_count ? begin + most : set->unit_count;
		while (end < set->unit_count &&
		       strcmp(set->units[end].host, set->units[end - 1].host) == 0)
			end++;
		err = read_figures(set, begin, end);
	}
	if (!err)
		finish_series(set);
	return err;
}

/* As many series are tested, one of them grows by chance: so each must be so much more certain. */
static void mark_certain_series(struct series_set *set)
{
	for (size_t i = 0; i < set->count; i++) {
		struct series *series = &set->list[i];

		series->is_certain = series->has_fit && series->fit.lasts &&
				     series->fit.probability * (double)set->tested <=
					     set->question->scope.options->error_rate;
	}
}

int series_init(struct series_set *set, struct question *question, bool with_growth)
{
	const struct coverage *coverage = &question->coverage;
	int err;

	*set = (struct series_set){ .question = question };
	if (with_growth && coverage->end > coverage->begin)
		set->slice = choose_slice(coverage->end - coverage->begin);
	set->fill = set->slice < NSEC_PER_HOUR ? set->slice : NSEC_PER_HOUR;
	err = texts_init(&set->names);
	if (!err)
		err = read_slots(set);
	if (!err)
		err = test_units(set);
	if (!err)
		err = read_all_figures(set);
	if (!err)
		mark_certain_series(set);
	return err;
}

void series_deinit(struct series_set *set)
{
	for (size_t i = 0; i < set->unit_count; i++) {
		free(set->units[i].host);
		free(set->units[i].kernel);
		free(set->units[i].role);
	}
	free(set->units);
	free(set->slots);
	free(set->list);
	free(set->sums);
	free(set->points);
	texts_deinit(&set->names);
}

const char *series_needs(const struct series_set *set, char text[SERIES_TEXT_SIZE])
{
	unsigned int minutes = (unsigned int)(set->slice / NSEC_PER_SEC / 60);
	bool hours = minutes >= 60;

	if (!set->unit_count)
		snprintf(text, SERIES_TEXT_SIZE, "no interval is stored");
	else if (!set->slice)
		snprintf(text, SERIES_TEXT_SIZE, "the answer is about no time");
	else
		snprintf(text, SERIES_TEXT_SIZE,
			 "a host needs six slices of %u %s, each traced for half of its time, at "
			 "three times of the day if they span 20 hours, and without the first hour "
			 "of a run",
			 hours ? minutes / 60 : minutes, hours ? "h" : "min");
	return text;
}

const char *series_left_out(const struct series_set *set, char text[SERIES_TEXT_SIZE])
{
	*text = '\0';
	if (set->orphans)
		snprintf(text, SERIES_TEXT_SIZE,
			 "; rows of figures whose intervals are not stored are left out: %zu",
			 set->orphans);
	return text;
}
