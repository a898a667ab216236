// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hosts that are there and the intervals that are missing. A run of kmemtraced numbers its
 * summaries from 0 on, so a missing number is a missing interval. After the last one of a host only
 * the time shows that others are missing: the host is silent.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/number.h"
#include "base/text.h"
#include "fleet/agreement.h"
#include "fleet/coverage.h"
#include "fleet/expected.h"
#include "fleet/scope.h"
#include "fleet/statistics.h"
#include "fleet/summary/summary_storable.h"

/*
 * The first and the last interval of a run may be shorter: only a run of so many shows a whole one.
 */
#define WHOLE_RUN 3

/* The last of them are sums. */
enum run_column {
	RUN_HOST,
	RUN_BOOT,
	RUN_RUN,
	RUN_FIRST,
	RUN_LAST,
	RUN_INTERVALS,
	RUN_BEGIN,
	RUN_END,
	RUN_LONGEST,
	RUN_KERNEL,
	RUN_ROLE,
	RUN_UNOBSERVED,
	RUN_SAMPLING,
	RUN_NAMES_LOST,
	RUN_RESIDENT,
	RUN_COVERED,
	RUN_RECORDED,
	RUN_LOST,
	RUN_SKIPPED,
	RUN_UNCOUNTED,
	RUN_CPU,
};

#define RUN_SQL                                                                         \
	"SELECT host, boot, run, MIN(number), MAX(number), COUNT(number), MIN(begin), " \
	"MAX(until), MAX(until - begin), MAX(kernel), MAX(role), MAX(unobserved), "     \
	"MAX(sampling), MAX(names_lost), MAX(resident), "
#define RUN_SUMS "until - begin, recorded, lost, skipped, uncounted, cpu_ns"

static struct coverage_host *add_covered_host(struct coverage *coverage, const char *name)
{
	struct coverage_host *hosts = array_grow_zeroed(coverage->hosts, &coverage->space,
							coverage->count + 1, sizeof(*hosts));
	struct coverage_host *host;

	if (!hosts)
		return NULL;
	coverage->hosts = hosts;
	host = &hosts[coverage->count];
	host->name = strdup(name);
	if (!host->name)
		return NULL;
	coverage->count++;
	return host;
}

static int set_text(char **text, const char *value)
{
	free(*text);
	*text = strdup(value);
	return *text ? 0 : -ENOMEM;
}

uint64_t coverage_missing_before(const struct scope *scope, uint64_t run, uint64_t number,
				 uint64_t begin, uint64_t longest)
{
	uint64_t before;

	if (scope->since < run)
		return number;
	/* the run began before the time that the answer is about */
	before = begin > scope->since && longest ? (begin - scope->since) / longest : 0;
	return before < number ? before : number;
}

struct runs_reader {
	struct coverage *coverage;
	const struct scope *scope;
};

static int add_run(void *data, const struct store_row *row)
{
	struct runs_reader *runs = data;
	struct coverage *coverage = runs->coverage;
	struct coverage_host *host = coverage->count ? &coverage->hosts[coverage->count - 1] : NULL;
	uint64_t first = store_number(row, RUN_FIRST), last = store_number(row, RUN_LAST);
	uint64_t begin = store_number(row, RUN_BEGIN), end = store_number(row, RUN_END);
	uint64_t intervals = store_number(row, RUN_INTERVALS);
	uint64_t longest = store_number(row, RUN_LONGEST);
	const struct missing missing = {
		.recorded = store_sum(row, RUN_RECORDED),
		.lost = store_sum(row, RUN_LOST),
		.skipped = store_sum(row, RUN_SKIPPED),
		.uncounted = store_sum(row, RUN_UNCOUNTED),
		.unobserved = store_number(row, RUN_UNOBSERVED),
		.sampling = store_number(row, RUN_SAMPLING),
		.names_lost = store_number(row, RUN_NAMES_LOST),
		.counted_unknown = store_number(row, RUN_SAMPLING),
	};

	if (!host || strcmp(host->name, store_text(row, RUN_HOST)) != 0)
		host = add_covered_host(coverage, store_text(row, RUN_HOST));
	if (!host || set_text(&host->kernel, store_text(row, RUN_KERNEL)) ||
	    set_text(&host->role, store_text(row, RUN_ROLE)))
		return -ENOMEM;
	if (!host->seen || begin < host->begin)
		host->begin = begin;
	if (end > host->end)
		host->end = end;
	if (longest > host->longest || intervals >= WHOLE_RUN)
		host->longest = longest;
	host->impossible |= longest > SUMMARY_INTERVAL_MAX;
	if ((double)(end - begin) >
	    (double)(last - first + 2) * (double)longest + AGREEMENT_CLOCK_ERROR)
		host->jumped = true;
	if (store_number(row, RUN_RESIDENT) > host->resident)
		host->resident = store_number(row, RUN_RESIDENT);
	host->seen = true;
	host->runs++;
	host->intervals += intervals;
	if (last - first + 1 > intervals)
		host->gaps += last - first + 1 - intervals;
	host->gaps += coverage_missing_before(runs->scope, store_number(row, RUN_RUN), first, begin,
					      longest);
	number_add(&host->covered, store_sum(row, RUN_COVERED));
	missing_add(&host->missing, &missing);
	number_add(&host->cpu_ns, store_sum(row, RUN_CPU));
	return 0;
}

static int read_runs(struct coverage *coverage, const struct scope *scope)
{
	struct runs_reader runs = { coverage, scope };
	const struct store_reader reader = {
		.row = add_run, .data = &runs, .texts = 2, .rest = "nnnnnnnttnnnnssssss"
	};
	char *text;
	size_t size;
	FILE *sql = text_open(&text, &size);

	if (!sql)
		return -ENOMEM;
	fputs(RUN_SQL, sql);
	scope_sums(scope, sql, RUN_SUMS);
	scope_from(scope, sql, "intervals");
	scope_where(scope, sql, NULL);
	fputs(" GROUP BY host, boot, run ORDER BY host, run, boot", sql);
	return scope_ask(scope, sql, &text, &reader);
}

static int compare_hosts(const void *a, const void *b)
{
	const struct coverage_host *x = a, *y = b;

	return strcmp(x->name, y->name);
}

const struct coverage_host *coverage_find(const struct coverage *coverage, const char *name)
{
	const struct coverage_host key = { .name = (char *)name };

	if (!coverage->count)
		return NULL;
	return bsearch(&key, coverage->hosts, coverage->count, sizeof(key), compare_hosts);
}

/* Adds the expected hosts that are not seen, and marks the others. */
static int add_expected(struct coverage *coverage, const struct scope *scope)
{
	struct expected expected = { 0 };
	size_t seen = coverage->count;
	int err = expected_init(&expected, scope);

	for (size_t i = 0; !err && i < expected.count; i++) {
		const struct coverage found = { .hosts = coverage->hosts, .count = seen };
		struct coverage_host *host =
			(struct coverage_host *)coverage_find(&found, expected.names[i]);

		if (!host)
			host = add_covered_host(coverage, expected.names[i]);
		if (host)
			host->expected = true;
		else
			err = -ENOMEM;
	}
	expected_deinit(&expected);
	if (!err && coverage->count)
		qsort(coverage->hosts, coverage->count, sizeof(*coverage->hosts), compare_hosts);
	return err;
}

/* When the hosts begin and end, and for those that are not seen, the length of an interval. */
static int find_time(struct coverage *coverage, const struct scope *scope)
{
	uint64_t *times = calloc(coverage->count + 1, sizeof(*times)), length;
	double *lengths = calloc(coverage->count + 1, sizeof(*lengths));
	size_t count = 0;

	for (size_t i = 0; times && lengths && i < coverage->count; i++) {
		if (!coverage->hosts[i].seen)
			continue;
		lengths[count] = (double)coverage->hosts[i].longest;
		times[count++] = coverage->hosts[i].end;
	}
	if (count) {
		coverage->end = agreement_end(times, count);
		length = (uint64_t)statistics_median(lengths, count);
		count = 0;
		for (size_t i = 0; i < coverage->count; i++) {
			if (coverage->hosts[i].seen)
				times[count++] = coverage->hosts[i].begin;
			if (!coverage->hosts[i].longest)
				coverage->hosts[i].longest = length;
		}
		coverage->begin = agreement_begin(times, count);
	}
	if (scope->until != UINT64_MAX && coverage->end > scope->until)
		coverage->end = scope->until;
	free(times);
	free(lengths);
	return times && lengths ? 0 : -ENOMEM;
}

/*
 * A host is silent if its last interval is older than those of the others by an hour and two
 * intervals: a clock may be wrong by an hour. A host whose last interval is newer by as much has a
 * wrong clock.
 */
static void check_end(const struct coverage *coverage, const struct scope *scope,
		      struct coverage_host *host)
{
	uint64_t from = host->seen ? host->end : coverage->begin;
	uint64_t most = AGREEMENT_CLOCK_ERROR + 2 * host->longest;

	if (host->seen && host->end > coverage->end && host->end - coverage->end > most)
		host->ahead = host->end - coverage->end;
	/* an early begin alone is that of a host which was traced before the others */
	if (host->seen && (host->jumped || host->end < coverage->begin) &&
	    host->begin < coverage->begin && coverage->begin - host->begin > most)
		host->behind = coverage->begin - host->begin;
	if (coverage->end <= from || (host->seen && coverage->end - from <= most) || !host->longest)
		return;
	/* of the time of the answer */
	if (from < coverage->begin)
		from = coverage->begin;
	if (!host->seen && scope->since > from)
		from = scope->since;
	if (coverage->end > from)
		host->silent = (coverage->end - from + host->longest / 2) / host->longest;
	if (host->seen && !host->silent)
		host->silent = 1;
}

static void add_up_hosts(struct coverage *coverage, const struct scope *scope)
{
	for (size_t i = 0; i < coverage->count; i++) {
		struct coverage_host *host = &coverage->hosts[i];

		check_end(coverage, scope, host);
		coverage->seen += host->seen;
		coverage->expected += host->expected;
		coverage->seen_expected += host->seen && host->expected;
		coverage->silent_hosts += host->silent != 0 || !host->seen;
		coverage->gap_hosts += host->gaps != 0;
		coverage->ahead_hosts += host->ahead != 0;
		coverage->intervals += host->intervals;
		coverage->gaps += host->gaps;
		coverage->silent += host->silent;
		missing_add(&coverage->missing, &host->missing);
	}
}

int coverage_init(struct coverage *coverage, const struct scope *scope)
{
	int err;

	memset(coverage, 0, sizeof(*coverage));
	coverage->servers = scope->store->servers;
	coverage->servers_missing = scope->store->left_out;
	coverage->servers_missing_names = scope->store->left_out_names;
	err = read_runs(coverage, scope);
	if (!err)
		err = add_expected(coverage, scope);
	if (!err)
		err = find_time(coverage, scope);
	if (!err)
		add_up_hosts(coverage, scope);
	return err;
}

void coverage_deinit(struct coverage *coverage)
{
	for (size_t i = 0; i < coverage->count; i++) {
		free(coverage->hosts[i].name);
		free(coverage->hosts[i].kernel);
		free(coverage->hosts[i].role);
	}
	free(coverage->hosts);
	memset(coverage, 0, sizeof(*coverage));
}

bool coverage_has_gaps(const struct coverage *coverage)
{
	return coverage->gaps || coverage->silent_hosts || coverage->ahead_hosts ||
	       coverage->servers_missing || coverage->seen_expected < coverage->expected;
}
