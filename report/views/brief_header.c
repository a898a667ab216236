// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The short header: one line for what was captured, one for its quality, and the totals. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "analysis/estimate.h"
#include "report/render/column_layout.h"
#include "report/views/brief_header.h"
#include "report/views/capture_header_totals.h"
#include "report/views/estimate_columns.h"
#include "report/views/kmalloc_classes.h"
#include "report/views/quality_line.h"

/* How many pieces of the set the figures are of. */
static void pieces_text(const struct capture_parts *parts, char *text, size_t size)
{
	size_t read = parts->list[parts->count - 1].piece -
		      parts->list[parts->list[0].is_checkpoint].piece + 1;

	if (read < parts->pieces)
		snprintf(text, size, ", %zu of %zu pieces", read, parts->pieces);
	else
		snprintf(text, size, ", %zu piece%s", read, read == 1 ? "" : "s");
}

static int add_capture(struct capture_header *header, const struct report *report)
{
	const struct capture *capture = report->capture;
	const struct metadata *metadata = &capture->metadata;
	const struct capture_parts *parts = &capture->parts;
	bool is_complete = strcmp(header->state, "complete") == 0;
	char time[HEADER_TIME], pieces[60] = "", kernel[2 * METADATA_TEXT + 20] = "", only[60] = "";

	if (header->traced_pids.rows == 1)
		snprintf(only, sizeof(only), ", only process %" PRIu64,
			 table_row(&header->traced_pids, 0)->number);
	else if (header->traced_pids.rows)
		snprintf(only, sizeof(only), ", only %zu processes", header->traced_pids.rows);
	if (parts->is_set)
		pieces_text(parts, pieces, sizeof(pieces));
	if (strcmp(metadata->release, "unknown") != 0)
		snprintf(kernel, sizeof(kernel), "Linux %s %s, ", metadata->release,
			 metadata->machine);
	return header_add_line(&header->header, "capture", !is_complete,
			       "%s: %s%zu CPU%s, %s%s%s%s%s%s%s", metadata->hostname, kernel,
			       capture->stream_count, capture->stream_count == 1 ? "" : "s",
			       header_time(capture, header->duration, time), only, pieces,
			       *metadata->source ? ", from " : "", metadata->source,
			       is_complete ? "" : ", ", is_complete ? "" : header->state);
}

static void add_live_error(struct quality *quality, const struct report *report)
{
	uint64_t error = live_bounds_error(&report->bounds, &report->analysis);
	uint64_t missed = report->analysis.totals.missed_frees;

	if (!error && missed)
		quality_add(quality, "%" PRIu64 " free%s missed", missed,
			    missed == 1 ? " was" : "s were");
	if (error && error == report->bounds.maybe_freed)
		quality_add(quality, "live may be %" PRIu64 " object%s too high", error,
			    error == 1 ? "" : "s");
	else if (error)
		quality_add(quality, "live may be off by %" PRIu64 " object%s", error,
			    error == 1 ? "" : "s");
}

static void add_samples(struct quality *quality, const struct report *report)
{
	const struct estimates *estimates = report->analysis.estimates;
	const struct analysis_totals *totals = &report->analysis.totals;
	char low[TEXT_CELL], high[TEXT_CELL];
	struct estimate_range live;

	if (!estimates || report->capture->status.sampling.interval == 1)
		return;
	live = estimate_range_bytes(estimates, totals->live_bytes, estimates->total.live,
				    ESTIMATE_LIVE);
	quality_add(quality, "%" PRIu64 " samples: live %s to %s", estimates->total.samples,
		    column_layout_bytes_text(live.low, low),
		    column_layout_bytes_text(live.high, high));
}

static void add_reasons(struct quality *quality, const struct capture_header *header,
			const struct report *report)
{
	const struct capture *capture = report->capture;
	enum kmalloc_guess guess = kmalloc_classes_guess(&report->analysis);

	if (report->analysis.damaged_bytes || capture->unread_count)
		quality_add(quality, "parts are missing or damaged");
	quality_add_missing_events(quality, &header->missing);
	add_samples(quality, report);
	if (!header->missing.no_slab)
		add_live_error(quality, report);
	if (capture->checkpoint.begin && (capture->checkpoint.lost || capture->checkpoint.skipped ||
					  report->analysis.initial_missing))
		quality_add(quality, "events are missing before the begin, too");
	quality_add_missing_names(quality, &header->missing);
	if (report->analysis.caches_unknown)
		quality_add(quality, "events without a known size");
	if (guess > KMALLOC_GUESSED)
		quality_add(quality, "size classes unknown");
	quality_add_missing_paths(quality, &header->missing);
	if (guess == KMALLOC_GUESSED)
		quality_add(quality, "size classes guessed");
}

static int add_quality(struct capture_header *header, const struct report *report)
{
	struct quality quality = { 0 };

	add_reasons(&quality, header, report);
	return quality_add_line(&quality, &header->header, report->analysis.loss.seen);
}

static int add_live_objects(struct capture_header *header, const struct report *report)
{
	const struct analysis_totals *totals = &report->analysis.totals;
	const char *bound = report->bounds.any ? "<= " : "";
	char live[TEXT_CELL], peak[TEXT_CELL], most[TEXT_CELL + 20] = "";

	if (report->capture->status.no_slab)
		return 0;
	if (totals->peak_bytes)
		snprintf(most, sizeof(most), "; peak %s",
			 column_layout_bytes_text(totals->peak_bytes, peak));
	return header_add_line(&header->header, "live", false,
			       "%s%" PRIu64 " object%s, %s%s%s; of %" PRIu64 " allocated", bound,
			       totals->live_objects, totals->live_objects == 1 ? "" : "s", bound,
			       column_layout_bytes_text(totals->live_bytes, live), most,
			       totals->allocations);
}

int brief_header_add(struct capture_header *header, const struct report *report)
{
	int err = add_capture(header, report);

	if (!err)
		err = capture_header_add_filters(header, report);
	if (!err)
		err = add_quality(header, report);
	/* without estimates: the view needs samples, and there are none */
	if (!err && !report->analysis.estimates)
		err = estimate_add_lines(report, &header->header);
	return err ? err : add_live_objects(header, report);
}
