// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Values by key, and lines for people. It warns of everything that makes the figures uncertain. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/estimate.h"
#include "base/number.h"
#include "base/text.h"
#include "base/utc.h"
#include "report/render/column_layout.h"
#include "report/render/render.h"
#include "report/summaries/summaries_header.h"
#include "report/views/flame_table.h"
#include "report/views/quality_line.h"

#define HOSTS_IN_TEXT 8
#define HOSTS_IN_LINE 3 /* of a short header */
#define NSEC_PER_SEC 1000000000
#define DATE "%.19s" /* without a fraction of a second */

static const struct column name_column = { .key = "name", .type = COLUMN_TEXT };

static int make_lists(struct summaries_header *header, const struct report *report,
		      const struct summary *sum)
{
	int err = 0;

	table_init(&header->hosts, &name_column, 1);
	table_init(&header->filters, &name_column, 1);
	for (size_t i = 0; i < sum->source_count && !err; i++)
		if (!i || strcmp(sum->sources[i].host, sum->sources[i - 1].host) != 0)
			err = table_add_text(&header->hosts, sum->sources[i].host);
	for (size_t i = 0; i < report->filter_count && !err; i++)
		err = table_add_text(&header->filters, report->filters[i]);
	return err;
}

/* Names that are not known are empty. */
static void add_optional(struct header *fields, const char *key, const char *text)
{
	header_add_text(fields, key, text && *text ? text : NULL);
}

static void add_report(struct summaries_header *header, const struct report *report, const char *by)
{
	header_add_section(&header->header, "report");
	header_add_text(&header->header, "view", report->view->name);
	header_add_text(&header->header, "by", by);
	header_add_field(&header->header, "filters", FIELD_LIST)->table = &header->filters;
}

static void add_summaries(struct summaries_header *header, const struct summaries *summaries)
{
	const struct summary *sum = &summaries->sum;
	const struct missing *missing = &sum->missing;
	struct header *fields = &header->header;

	header_add_section(fields, "summaries");
	header_add_field(fields, "hosts", FIELD_LIST)->table = &header->hosts;
	add_optional(fields, "kernel", sum->host.kernel);
	add_optional(fields, "arch", sum->host.arch);
	add_optional(fields, "role", sum->host.role);
	header_add_text(fields, "begin", header->begin);
	header_add_text(fields, "end", header->end);
	header_add_number(fields, "intervals", summaries->interval_count);
	header_add_number(fields, "summaries", summaries->summaries);
	header_add_number(fields, "missing", summaries->missing);
	header_add_number(fields, "missing_before", summaries->missing_before);
	header_add_number(fields, "damaged", summaries->damaged);
	header_add_number(fields, "overlapping", summaries->overlapping);
	header_add_number(fields, "recorded", missing->recorded);
	header_add_number(fields, "lost", missing->lost);
	header_add_number(fields, "skipped", missing->skipped);
	header_add_number(fields, "uncounted", missing->uncounted);
	header_add_number(fields, "unobserved", missing->unobserved);
	header_add_nullable(fields, "sampling",
			    missing->sampling ? missing->sampling : CELL_UNKNOWN);
	header_add_bool(fields, "names_lost", missing->names_lost);
	header_add_text(fields, "live_at", header->live_at);
	header_add_number(fields, "live_hosts", summaries->sum.live_hosts);
	header_add_number(fields, "later_hosts", header->later.count);
	add_optional(fields, "later_until", header->later_until);
}

static void add_totals(struct summaries_header *header)
{
	const struct summary_counts *total = &header->total;
	struct header *fields = &header->header;

	header_add_section(fields, "totals");
	header_add_number(fields, "allocations", total->allocations);
	header_add_number(fields, "frees", summaries_frees(total));
	header_add_number(fields, "failed", total->failed);
	header_add_number(fields, "bytes_allocated", total->allocated);
	header_add_number(fields, "bytes_freed", total->freed);
	header_add_number(fields, "cross_cpu_frees", total->cross_cpu);
	header_add_number(fields, "live_objects", total->live_objects);
	header_add_number(fields, "live_bytes", total->live_bytes);
	header_add_number(fields, "missed_frees", total->missed);
	header_add_bool(fields, "live_upper_bound", header->is_bound);
}

/* Names so many hosts. host: of one host; NULL: without it */
static int add_hosts(struct header *header, const struct table *hosts, size_t named,
		     const struct summary_host *host)
{
	struct table first = *hosts;
	char before[40], after[60] = "";
	int err;

	if (first.rows > named)
		first.rows = named;
	snprintf(before, sizeof(before), "%zu host%s: ", hosts->rows, plural_ending(hosts->rows));
	if (first.rows < hosts->rows)
		snprintf(after, sizeof(after), " and %zu more", hosts->rows - first.rows);
	err = header_add_list_line(header, "summaries", false, before, &first, after);
	if (!err && host && host->kernel)
		err = header_add_line(header, "host", false, "Linux %s %s, %" PRIu32 " CPU%s%s%s",
				      host->kernel, host->arch, host->cpus,
				      plural_ending(host->cpus), *host->role ? ", role " : "",
				      host->role);
	return err;
}

/* The difference is in the largest unit of which it has two. */
static int add_later_hosts(struct summaries_header *header, uint64_t live_at)
{
	static const struct {
		const char *name;
		uint64_t seconds;
	} units[] = { { "days", 86400 }, { "hours", 3600 }, { "minutes", 60 }, { "seconds", 1 } };
	const struct later_hosts *later = &header->later;
	uint64_t seconds = later->until > live_at ? (later->until - live_at) / NSEC_PER_SEC : 0;
	char more[60] = " has";
	size_t unit = 0;

	if (!later->count)
		return 0;
	while (units[unit].seconds > 1 && seconds < 2 * units[unit].seconds)
		unit++;
	if (later->count > 1)
		snprintf(more, sizeof(more), " and %zu more host%s have", later->count - 1,
			 plural_ending(later->count - 1));
	return header_add_line(
		&header->header, "", true,
		"live figures are those of " DATE
		" UTC, the last end that most hosts reach: %s%s summaries until " DATE
		" UTC, %" PRIu64 " %s later: %s clock%s ahead, or the others ended before",
		header->live_at, later->host, more, header->later_until,
		seconds / units[unit].seconds, units[unit].name, later->count > 1 ? "their" : "its",
		later->count > 1 ? "s are" : " is");
}

static int add_time(struct summaries_header *header, const struct summaries *summaries)
{
	struct header *lines = &header->header;
	uint64_t missing = summaries->missing, before = summaries->missing_before;
	int err = header_add_line(lines, "time", false,
				  DATE " to " DATE " UTC, %zu interval%s, %" PRIu64 " summar%s",
				  header->begin, header->end, summaries->interval_count,
				  plural_ending(summaries->interval_count), summaries->summaries,
				  summaries->summaries == 1 ? "y" : "ies");

	if (!err)
		err = add_later_hosts(header, summaries->sum.live_at);
	if (!err && missing)
		err = header_add_line(
			lines, "missing", true,
			"%" PRIu64 " summar%s between the others %s missing: no figure includes %s",
			missing, missing == 1 ? "y" : "ies", missing == 1 ? "is" : "are",
			missing == 1 ? "it" : "them");
	else if (!err)
		err = header_add_line(lines, "missing", false,
				      "no summary between the others is missing");
	if (!err && before)
		err = header_add_line(
			lines, "", true,
			"%" PRIu64
			" summar%s before the first of a run %s not in the file: the frees that were lost there are not known",
			before, before == 1 ? "y" : "ies", before == 1 ? "is" : "are");
	if (!err && summaries->damaged)
		err = header_add_line(lines, "damaged", true, "%" PRIu64 " summar%s cannot be read",
				      summaries->damaged, summaries->damaged == 1 ? "y" : "ies");
	if (!err && summaries->overlapping)
		err = header_add_line(lines, "", true,
				      "%" PRIu64 " summar%s a part of others: not added",
				      summaries->overlapping,
				      summaries->overlapping == 1 ? "y has" : "ies have");
	return err;
}

static int add_events(struct header *lines, const struct missing *missing)
{
	char text[MISSING_TEXT];
	int err = header_add_line(lines, "events", false, "%s", missing_counts_text(missing, text));

	for (enum missing_kind kind = 0; kind < MISSING_KINDS && !err; kind++)
		if (missing_text(missing, kind, text))
			err = header_add_line(lines,
					      kind == MISSING_ALL_BUT_SAMPLES ? "sampled" : "",
					      true, "%s", text);
	if (!err && !missing->sampling)
		err = header_add_line(lines, "sampled", false, "no: each allocation counts");
	return err;
}

static int add_sums(struct summaries_header *header, const struct summaries *summaries)
{
	const struct summary_counts *total = &header->total;
	const char *bound = header->is_bound ? "<= " : "";
	struct header *lines = &header->header;
	int err = header_add_line(lines, "allocated", false,
				  "%" PRIu64 " objects, %" PRIu64 " bytes; %" PRIu64 " failed",
				  total->allocations, total->allocated, total->failed);

	if (!err)
		err = header_add_line(lines, "freed", false,
				      "%" PRIu64 " objects, %" PRIu64 " cross-CPU; %" PRIu64
				      " frees were missed",
				      summaries_frees(total), total->cross_cpu, total->missed);
	if (!err)
		err = header_add_line(lines, "live", false,
				      "%s%" PRIu64 " objects, %s%" PRIu64 " bytes at " DATE " UTC",
				      bound, total->live_objects, bound, total->live_bytes,
				      header->live_at);
	if (!err && summaries->sum.live_hosts < summaries->hosts)
		err = header_add_line(lines, "", true,
				      "live objects are of %" PRIu64
				      " of %zu hosts: the others have no summary with this end",
				      summaries->sum.live_hosts, summaries->hosts);
	return err;
}

static int add_filters(struct summaries_header *header)
{
	if (!header->filters.rows)
		return 0;
	return header_add_list_line(&header->header, "filter", false, "", &header->filters,
				    ": events, lost and skipped are of all code");
}

static int add_lines(struct summaries_header *header, const struct summaries *summaries)
{
	int err = add_hosts(&header->header, &header->hosts, HOSTS_IN_TEXT, &summaries->sum.host);

	if (!err)
		err = add_time(header, summaries);
	if (!err)
		err = add_filters(header);
	if (!err)
		err = add_events(&header->header, &summaries->sum.missing);
	return err ? err : add_sums(header, summaries);
}

static int add_quality(struct summaries_header *header, const struct summaries *summaries)
{
	const struct later_hosts *later = &header->later;
	const struct missing *missing = &summaries->sum.missing;
	uint64_t lacking = summaries->missing;
	struct quality quality = { 0 };

	quality_add_missing_events(&quality, missing);
	if (missing->sampling)
		quality_add(&quality, "estimated from samples");
	if (later->count)
		quality_add(&quality, "%.64s ends later: is its clock ahead?", later->host);
	number_add(&lacking, summaries->missing_before);
	number_add(&lacking, summaries->damaged);
	if (lacking)
		quality_add(&quality, "%" PRIu64 " summar%s missing", lacking,
			    lacking == 1 ? "y is" : "ies are");
	if (summaries->sum.live_hosts < summaries->hosts)
		quality_add(&quality, "live is of %" PRIu64 " of %zu hosts",
			    summaries->sum.live_hosts, summaries->hosts);
	quality_add_missing_names(&quality, missing);
	quality_add_missing_paths(&quality, missing);
	if (header->is_bound)
		quality_add(&quality, "some frees were not recorded");
	return quality_add_line(&quality, &header->header, missing->recorded);
}

/* Lines for hosts, time, filters, quality and live objects: one each. */
static int add_brief_lines(struct summaries_header *header, const struct summaries *summaries)
{
	const struct summary_counts *total = &header->total;
	const char *bound = header->is_bound ? "<= " : "";
	struct header *lines = &header->header;
	char live[TEXT_CELL];
	int err = add_hosts(lines, &header->hosts, HOSTS_IN_LINE, NULL);

	if (!err)
		err = header_add_line(lines, "time", false, DATE " to " DATE " UTC, %zu interval%s",
				      header->begin, header->end, summaries->interval_count,
				      plural_ending(summaries->interval_count));
	if (!err)
		err = add_filters(header);
	if (!err)
		err = add_quality(header, summaries);
	if (err)
		return err;
	return header_add_line(lines, "live", false,
			       "%s%" PRIu64 " objects, %s%s; of %" PRIu64 " allocated", bound,
			       total->live_objects, bound,
			       column_layout_bytes_text(total->live_bytes, live),
			       total->allocations);
}

static int add_advice(struct header *header)
{
	int err = header_add_line(
		header, "more", false,
		"kmemtrace-report VIEW, as sites, caches, leaks, timeline or flame; kmemtrace-fleet growth says what grows for certain, and on which hosts");

	if (!err)
		header->lines[header->line_count - 1].is_last = true;
	return err;
}

static bool find_bound(const struct summaries_groups *groups)
{
	for (size_t i = 0; i < groups->list.row_count; i++)
		if (groups->facts[i].is_bound)
			return true;
	return false;
}

int summaries_header_init(struct summaries_header *header, const struct report *report,
			  const struct summaries_view *view, const char *by)
{
	const struct summaries *summaries = &view->summaries;
	int err;

	memset(header, 0, sizeof(*header));
	utc_text(summaries->sum.begin, header->begin, sizeof(header->begin));
	utc_text(summaries->sum.end, header->end, sizeof(header->end));
	utc_text(summaries->sum.live_at, header->live_at, sizeof(header->live_at));
	err = later_hosts_find(summaries, &header->later);
	if (header->later.count)
		utc_text(header->later.until, header->later_until, sizeof(header->later_until));
	header->total = summaries_total(summaries);
	header->is_bound = find_bound(&view->by_cache);
	if (!err)
		err = make_lists(header, report, &summaries->sum);
	add_report(header, report, by);
	add_summaries(header, summaries);
	add_totals(header);
	if (!err)
		err = report->is_brief ? add_brief_lines(header, summaries)
				       : add_lines(header, summaries);
	if (!err && report->flame)
		err = flame_add_header(report, &header->header, by, false);
	if (!err && report->view == &view_summary && report->renderer->for_people)
		err = add_advice(&header->header);
	return err;
}

void summaries_header_deinit(struct summaries_header *header)
{
	table_deinit(&header->hosts);
	table_deinit(&header->filters);
	header_deinit(&header->header);
}
