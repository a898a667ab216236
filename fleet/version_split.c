// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Compares the hosts since a version of the kernel with those before it. A host that ran both is
 * compared with itself: its two sides are not independent.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fleet/version_split.h"

enum side {
	BEFORE,
	SINCE,
	SIDES,
};

/* Values of hosts of one role: those that ran one side only, and pairs. */
struct split_space {
	struct ranked *ranked;
	double *values[SIDES], *pairs[SIDES];
	size_t counts[SIDES], pair_count;
};

/* A host on one side: the mean over its units, weighted by their hours. */
struct side_sum {
	bool is_there, grows;
	double hours, sum;
};

static int compare_units(const void *a, const void *b)
{
	const struct series_unit *x = *(const struct series_unit *const *)a;
	const struct series_unit *y = *(const struct series_unit *const *)b;
	int order = strcmp(x->role, y->role);

	/* units are in order of their hosts */
	return order ? order : (x > y) - (x < y);
}

static double *new_values(size_t count)
{
	return calloc(count, sizeof(double));
}

int version_hosts_init(struct version_hosts *hosts, const struct series_set *set,
		       const char *const *only)
{
	size_t count = set->unit_count + 1;
	struct split_space *space = calloc(1, sizeof(*space));

	*hosts = (struct version_hosts){ .set = set, .only = only, .space = space };
	hosts->by_role = calloc(count, sizeof(*hosts->by_role));
	hosts->of_unit = calloc(count, sizeof(*hosts->of_unit));
	if (!space || !hosts->by_role || !hosts->of_unit)
		return -ENOMEM;
	space->ranked = calloc(count, sizeof(*space->ranked));
	for (size_t i = 0; i < SIDES; i++) {
		space->values[i] = new_values(count);
		space->pairs[i] = new_values(count);
		if (!space->ranked || !space->values[i] || !space->pairs[i])
			return -ENOMEM;
	}
	for (size_t i = 0; i < set->unit_count; i++)
		hosts->by_role[i] = &set->units[i];
	qsort(hosts->by_role, set->unit_count, sizeof(*hosts->by_role), compare_units);
	return 0;
}

void version_hosts_deinit(struct version_hosts *hosts)
{
	if (hosts->space) {
		free(hosts->space->ranked);
		for (size_t i = 0; i < SIDES; i++) {
			free(hosts->space->values[i]);
			free(hosts->space->pairs[i]);
		}
	}
	free(hosts->space);
	free(hosts->by_role);
	free(hosts->of_unit);
	*hosts = (struct version_hosts){ 0 };
}

bool version_hosts_has(const struct version_hosts *hosts, const struct series_unit *unit)
{
	return !hosts->only || strcmp(unit->kernel, hosts->only[0]) == 0 ||
	       strcmp(unit->kernel, hosts->only[1]) == 0;
}

static enum side side_of(const struct series_unit *unit, const char *since)
{
	return strverscmp(unit->kernel, since) >= 0 ? SINCE : BEFORE;
}

static void add_unit(struct side_sum *sum, const struct series_unit *unit, double value)
{
	sum->is_there = true;
	sum->hours += unit->hours;
	sum->sum += value * unit->hours;
}

static const struct series *series_of(const struct version_hosts *hosts,
				      const struct series_unit *unit)
{
	return hosts->of_unit[unit - hosts->set->units];
}

/* Sums up the units of one host. Returns the first of the next host. */
static size_t add_host_growth(const struct version_hosts *hosts, const char *since, size_t begin,
			      struct side_sum sums[SIDES])
{
	const struct series_unit *units = hosts->set->units;
	size_t end = begin;

	memset(sums, 0, SIDES * sizeof(*sums));
	for (; end < hosts->set->unit_count && strcmp(units[end].host, units[begin].host) == 0;
	     end++) {
		const struct series *series = hosts->of_unit[end];
		struct side_sum *sum = &sums[side_of(&units[end], since)];

		if (!units[end].is_tested || !version_hosts_has(hosts, &units[end]))
			continue;
		sum->is_there = true;
		if (!series || !series->is_certain)
			continue;
		sum->grows = true;
		add_unit(sum, &units[end], series->fit.rate);
	}
	return end;
}

struct version_split version_split_growth(const struct version_hosts *hosts, const char *since)
{
	struct version_split split = { .since = since };
	struct side_sum sums[SIDES];
	struct hits hits = { 0 };

	for (size_t i = 0; i < hosts->set->unit_count;) {
		const struct side_sum *with = &sums[SINCE], *without = &sums[BEFORE];

		i = add_host_growth(hosts, since, i, sums);
		split.of_with += with->is_there;
		split.of_without += without->is_there;
		split.with += with->grows;
		split.without += without->grows;
		split.after += with->grows ? with->sum / with->hours : 0;
		split.before += without->grows ? without->sum / without->hours : 0;
		if (with->is_there && without->is_there) {
			hits.pairs_with += with->grows && !without->grows;
			hits.pairs_without += without->grows && !with->grows;
		} else if (with->is_there || without->is_there) {
			hits.with_hits += with->grows;
			hits.with_count += with->is_there;
			hits.hits += with->grows || without->grows;
			hits.count++;
		}
	}
	split.after /= split.with ? (double)split.with : 1;
	split.before /= split.without ? (double)split.without : 1;
	split.is_possible = split.of_with && split.of_without;
	split.probability = statistics_fisher_pairs(&hits);
	return split;
}

/* The same of the bytes that a host allocates in one role. */
static size_t add_host_level(const struct version_hosts *hosts, const char *since, size_t begin,
			     struct side_sum sums[SIDES])
{
	const struct series_unit *first = hosts->by_role[begin];
	size_t end = begin;

	memset(sums, 0, SIDES * sizeof(*sums));
	for (; end < hosts->set->unit_count; end++) {
		const struct series_unit *unit = hosts->by_role[end];
		const struct series *series = series_of(hosts, unit);

		if (strcmp(unit->role, first->role) != 0 || strcmp(unit->host, first->host) != 0)
			break;
		if (unit->has_days && version_hosts_has(hosts, unit))
			add_unit(&sums[side_of(unit, since)], unit, series ? series->day_rate : 0);
	}
	return end;
}

static void add_split_host(struct split_space *space, const struct side_sum sums[SIDES])
{
	double values[SIDES];

	for (size_t side = 0; side < SIDES; side++)
		values[side] = sums[side].is_there ? sums[side].sum / sums[side].hours : 0;
	if (sums[SINCE].is_there && sums[BEFORE].is_there) {
		for (size_t side = 0; side < SIDES; side++)
			space->pairs[side][space->pair_count] = values[side];
		space->pair_count++;
		return;
	}
	for (size_t side = 0; side < SIDES; side++)
		if (sums[side].is_there)
			space->values[side][space->counts[side]++] = values[side];
}

struct level_sums {
	struct rank_sum ranks;
	double weight, after, before;
};

static void add_medians(struct level_sums *sums, double weight, double after, double before)
{
	sums->weight += weight;
	sums->after += weight * after;
	sums->before += weight * before;
}

/* Ranks the hosts of one role, and each pair. */
static void rank_role(struct split_space *space, struct level_sums *sums)
{
	size_t with = space->counts[SINCE], without = space->counts[BEFORE], count = 0;
	double **values = space->values, **pairs = space->pairs;

	for (size_t side = 0; side < SIDES; side++)
		for (size_t i = 0; i < space->counts[side]; i++)
			space->ranked[count++] = (struct ranked){ values[side][i], side == SINCE };
	statistics_rank(&sums->ranks, space->ranked, count);
	for (size_t i = 0; i < space->pair_count; i++) {
		struct ranked pair[] = { { pairs[SINCE][i], true }, { pairs[BEFORE][i], false } };

		statistics_rank(&sums->ranks, pair, 2);
	}
	if (with && without)
		add_medians(sums, (double)with * (double)without / (double)count,
			    statistics_median(values[SINCE], with),
			    statistics_median(values[BEFORE], without));
	if (space->pair_count)
		add_medians(sums, (double)space->pair_count / 2,
			    statistics_median(pairs[SINCE], space->pair_count),
			    statistics_median(pairs[BEFORE], space->pair_count));
}

/* Hosts of one role are ranked together: a version may run on hosts of one role only. */
struct version_split version_split_level(const struct version_hosts *hosts, const char *since)
{
	struct version_split split = { .since = since, .after = NAN, .before = NAN };
	const struct series_set *set = hosts->set;
	struct split_space *space = hosts->space;
	struct level_sums sums = { 0 };

	for (size_t i = 0, next; i < set->unit_count;) {
		const char *role = hosts->by_role[i]->role;

		space->counts[SINCE] = space->counts[BEFORE] = space->pair_count = 0;
		for (next = i;
		     next < set->unit_count && strcmp(hosts->by_role[next]->role, role) == 0;) {
			struct side_sum sides[SIDES];

			next = add_host_level(hosts, since, next, sides);
			add_split_host(space, sides);
			split.of_with += sides[SINCE].is_there;
			split.of_without += sides[BEFORE].is_there;
		}
		rank_role(space, &sums);
		i = next;
	}
	split.with = split.of_with;
	split.without = split.of_without;
	split.is_possible = sums.weight > 0;
	split.probability = statistics_rank_probability(&sums.ranks);
	split.more = sums.ranks.difference > 0;
	/* medians need not agree with the ranks: then they would mislead */
	if (sums.weight > 0 && (split.more ? sums.after > sums.before : sums.after < sums.before)) {
		split.after = sums.after / sums.weight;
		split.before = sums.before / sums.weight;
	}
	return split;
}
