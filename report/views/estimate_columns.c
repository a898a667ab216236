// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The intervals of estimates, in tables and in the header. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "kernel/sampling.h"
#include "report/render/header.h"
#include "report/views/estimate_columns.h"

static const struct column_choice columns[] = {
	{ .name = COLUMN_samples, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_error_percent },
	{ .name = COLUMN_allocations_low, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_allocations_high, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_bytes_allocated_low, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_bytes_allocated_high, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_live_objects_low, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_live_objects_high, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_live_bytes_low, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_live_bytes_high, .where = COLUMN_NOT_IN_TEXT },
	{ 0 },
};

void estimate_add_columns(const struct report *report, struct table *table)
{
	if (report->settings.estimate)
		table_choose(table, columns);
}

void estimate_of_live(struct table *table)
{
	table->chosen[table_column(table, COLUMN_error_percent)].legend =
		"the true number of live bytes is this near to the estimate, in 95 of 100 cases";
}

static void set_range(struct table *table, enum column_name low, enum column_name high,
		      struct estimate_range range)
{
	table_cell(table, low)->number = range.low;
	table_cell(table, high)->number = range.high;
}

void estimate_set_cells(const struct report *report, struct table *table,
			const struct estimate_figures *figures, const struct variance *variance)
{
	const struct estimates *estimates = report->analysis.estimates;
	struct estimate_range allocated, live;

	if (!report->settings.estimate)
		return;
	allocated = estimate_range_bytes(estimates, figures->allocated, variance->allocated,
					 ESTIMATE_ALLOCATED);
	live = estimate_range_bytes(estimates, figures->live, variance->live, ESTIMATE_LIVE);
	set_range(table, COLUMN_allocations_low, COLUMN_allocations_high,
		  estimate_range_objects(estimates, figures->allocations, figures->allocated,
					 variance->allocations, ESTIMATE_ALLOCATED));
	set_range(table, COLUMN_bytes_allocated_low, COLUMN_bytes_allocated_high, allocated);
	set_range(table, COLUMN_live_objects_low, COLUMN_live_objects_high,
		  estimate_range_objects(estimates, figures->live_objects, figures->live,
					 variance->live_objects, ESTIMATE_LIVE));
	set_range(table, COLUMN_live_bytes_low, COLUMN_live_bytes_high, live);
	table_cell(table, COLUMN_samples)->number = figures->orders_by_live ? variance->live_samples
									    : variance->samples;
	table_cell(table, COLUMN_error_percent)->decimal =
		figures->orders_by_live ? estimate_error(live, figures->live)
					: estimate_error(allocated, figures->allocated);
}

void estimate_set_group(const struct report *report, struct table *table, const struct group *group,
			bool orders_by_live)
{
	const struct estimate_figures figures = { group->allocations, group->bytes_allocated,
						  group->live_objects, group->live_bytes,
						  orders_by_live };
	struct variance variance;

	if (!report->analysis.estimates)
		return;
	variance = estimates_of_group(report->analysis.estimates,
				      (size_t)(group - report->analysis.groups));
	estimate_set_cells(report, table, &figures, &variance);
}

static void add_range(struct header *header, const char *low, const char *high,
		      struct estimate_range range)
{
	header_add_number(header, low, range.low);
	header_add_number(header, high, range.high);
}

#define SAMPLES_ENOUGH 100 /* their sum is known to about a fifth */

/* Names the option that would have taken enough samples of the same allocations. */
static int add_advice(struct header *header, const struct status_sampling *sampling,
		      uint64_t samples)
{
	uint64_t interval = sampling->interval;
	bool in_kib;

	if (samples >= SAMPLES_ENOUGH)
		return 0;
	if (sampling->interval_most > interval)
		return header_add_line(
			header, "", true,
			"few samples make wide intervals: a larger kmemtraced --max-samples takes more");
	while (interval / 2 >= SAMPLING_LEAST &&
	       interval * SAMPLES_ENOUGH > sampling->interval * (samples ? samples : 1))
		interval /= 2;
	if (interval == sampling->interval)
		return 0;
	in_kib = interval >= 1024;
	return header_add_line(header, "", true,
			       "few samples make wide intervals: kmemtraced --%s=%" PRIu64
			       "%s takes more",
			       sampling->is_profile ? "profile" : "stacks",
			       in_kib ? interval / 1024 : interval, in_kib ? "k" : "");
}

int estimate_add_lines(const struct report *report, struct header *header)
{
	const struct analysis_totals *totals = &report->analysis.totals;
	const struct status_sampling *sampling = &report->capture->status.sampling;
	const struct estimates *estimates = report->analysis.estimates;
	const struct variance *variance;
	struct estimate_range allocated, live;
	struct estimate_margin margin;
	struct status_counted counted;
	char most[40] = "";
	int err;

	if (!sampling->interval && !report->view->has_flame && query_needs_samples(report->query))
		return header_add_line(header, "stacks", true, NO_STACKS);
	if (!estimates)
		return 0;
	if (sampling->interval == 1)
		return header_add_line(header, "stacks", false,
				       "each allocation has a stack: the figures are exact");
	variance = &estimates->total;
	allocated = estimate_range_bytes(estimates, totals->bytes_allocated, variance->allocated,
					 ESTIMATE_ALLOCATED);
	live = estimate_range_bytes(estimates, totals->live_bytes, variance->live, ESTIMATE_LIVE);
	if (estimates->interval_most > estimates->interval)
		snprintf(most, sizeof(most), " to %" PRIu64, estimates->interval_most);
	err = header_add_line(header, "estimates", false,
			      "from %" PRIu64 " sampled allocations, one in %" PRIu64
			      "%s bytes: all figures below",
			      variance->samples, sampling->interval, most);
	if (!err)
		err = header_add_line(header, "", false,
				      "95 %% intervals: allocated %" PRIu64 " to %" PRIu64
				      " bytes, live %" PRIu64 " to %" PRIu64 " bytes",
				      allocated.low, allocated.high, live.low, live.high);
	margin = estimate_margin_bytes(estimates, ESTIMATE_LIVE);
	if (!err && (margin.above > 0 || margin.below > 0))
		err = header_add_line(
			header, "", true,
			"lost records may be samples or their frees: the intervals include up to %" PRIu64
			" bytes of allocations and %" PRIu64 " of frees for them",
			(uint64_t)fmin(margin.above, 0x1p63), (uint64_t)fmin(margin.below, 0x1p63));
	if (!err)
		err = add_advice(header, sampling, variance->samples);
	counted = status_sum_counted(&report->capture->status);
	if (!err && sampling->is_profile)
		err = header_add_line(header, "", false,
				      "counted exactly: %" PRIu64 " allocations of %" PRIu64
				      " bytes, %" PRIu64
				      " frees, in the whole capture, kmemtraced's own included",
				      counted.allocations, counted.bytes, counted.frees);
	if (!err && sampling->unsized)
		err = header_add_line(
			header, "", true,
			"%" PRIu64
			" allocations were not sampled: the size of their slab cache was not known yet",
			sampling->unsized);
	return err;
}

void estimate_add_header(const struct report *report, struct header *header)
{
	const struct analysis_totals *totals = &report->analysis.totals;
	const struct estimates *estimates = report->analysis.estimates;
	const struct variance *variance;

	if (!estimates)
		return;
	variance = &estimates->total;
	header_add_section(header, "estimates");
	header_add_number(header, "interval_bytes", estimates->interval);
	header_add_number(header, "interval_bytes_most", estimates->interval_most);
	header_add_number(header, "samples", variance->samples);
	header_add_number(header, "live_samples", variance->live_samples);
	add_range(header, "allocations_low", "allocations_high",
		  estimate_range_objects(estimates, totals->allocations, totals->bytes_allocated,
					 variance->allocations, ESTIMATE_ALLOCATED));
	add_range(header, "bytes_allocated_low", "bytes_allocated_high",
		  estimate_range_bytes(estimates, totals->bytes_allocated, variance->allocated,
				       ESTIMATE_ALLOCATED));
	add_range(header, "live_objects_low", "live_objects_high",
		  estimate_range_objects(estimates, totals->live_objects, totals->live_bytes,
					 variance->live_objects, ESTIMATE_LIVE));
	add_range(header, "live_bytes_low", "live_bytes_high",
		  estimate_range_bytes(estimates, totals->live_bytes, variance->live,
				       ESTIMATE_LIVE));
	if (report->capture->status.sampling.is_profile) {
		struct status_counted counted = status_sum_counted(&report->capture->status);

		header_add_number(header, "counted_allocations", counted.allocations);
		header_add_number(header, "counted_frees", counted.frees);
		header_add_number(header, "counted_bytes", counted.bytes);
	}
}
