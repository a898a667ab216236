// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The values of the header of every report by key: from the metadata and the status of the
 * capture, and from the analysis.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/utc.h"
#include "analysis/audit.h"
#include "report/views/capture_header.h"
#include "report/views/estimate_columns.h"
#include "report/views/event_clock.h"
#include "report/views/row_names.h"

#define NSEC_PER_SEC 1000000000ULL

static const struct column cpu_columns[] = {
	{ .key = "cpu", .type = COLUMN_NUMBER },
	{ .key = "recorded", .type = COLUMN_NUMBER },
	{ .key = "lost", .type = COLUMN_NUMBER },
	{ .key = "own", .type = COLUMN_NUMBER },
};
static const struct column probe_columns[] = {
	{ .key = "probe", .type = COLUMN_TEXT },
	{ .key = "recorded", .type = COLUMN_BOOL },
	{ .key = "counted", .type = COLUMN_NULLABLE },
	{ .key = "skipped", .type = COLUMN_NULLABLE },
	{ .key = "text", .type = COLUMN_TEXT },
};
static const struct column name_column = { .key = "name", .type = COLUMN_TEXT };
static const struct column pid_column = { .key = "pid", .type = COLUMN_NUMBER };

static const char *capture_state(const struct capture *capture)
{
	if (capture->has_status && capture->status.complete == STATUS_COMPLETE)
		return "complete";
	if (capture->has_status && capture->status.complete == STATUS_REPAIRED)
		return "repaired";
	for (size_t i = 0; i < capture->unread_count; i++)
		if (capture->unread[i].err == -EPROTONOSUPPORT)
			return "unknown";
	return capture->being_written ? "running" : "cut-off";
}

/* Which pieces of a set the figures are of. */
static void add_pieces(struct header *fields, const struct capture_parts *parts)
{
	header_add_number(fields, "piece_first", parts->list[parts->list[0].is_checkpoint].piece);
	header_add_number(fields, "piece_last", parts->list[parts->count - 1].piece);
	header_add_number(fields, "pieces", parts->pieces);
}

static void add_capture_section(struct capture_header *header, const struct report *report)
{
	static const char *const orders[] = { NULL, "little", "big" }; /* enum metadata_order */
	struct header *fields = &header->header;
	const struct capture *capture = report->capture;
	const struct metadata *metadata = &capture->metadata;

	header_add_section(fields, "capture");
	header_add_text(fields, "host", metadata->hostname);
	header_add_text(fields, "kernel", metadata->release);
	header_add_text(fields, "arch", metadata->machine);
	header_add_text(fields, "endian", orders[metadata_order(metadata)]);
	header_add_nullable(fields, "word_bits",
			    metadata->word_bits ? metadata->word_bits : CELL_UNKNOWN);
	header_add_number(fields, "cpus", capture->stream_count);
	if (capture->parts.is_set)
		add_pieces(fields, &capture->parts);
	header_add_text(fields, "start", metadata->wall_offset ? header->start : NULL);
	header_add_text(fields, "clock", metadata_clock_text(metadata));
	if (event_clock_is(capture))
		header_add_number(fields, "duration_events", header->duration);
	else
		header_add_field(fields, "duration_s", FIELD_DECIMAL)->decimal =
			(double)header->duration / NSEC_PER_SEC;
	header_add_text(fields, "imported", *metadata->source ? metadata->source : NULL);
	header_add_bool(fields, "complete", strcmp(header->state, "complete") == 0);
	header_add_text(fields, "state", header->state);
	header_add_text(fields, "stopped", capture->status.stopped);
	header_add_number(fields, "damaged_bytes", report->analysis.damaged_bytes);
	header_add_number(fields, "unnamed_allocations", report->analysis.anonymous_allocations);
}

/* The view, its groups and filters, and the window. */
static void add_report(struct capture_header *header, const struct report *report)
{
	struct header *fields = &header->header;
	const struct analysis *analysis = &report->analysis;
	bool events = event_clock_is(report->capture);

	header_add_section(fields, "report");
	header_add_text(fields, "view", report->view->name);
	header_add_text(fields, "by",
			!report->view->has_by && !report->view->has_flame ? NULL
			: report->by_text				  ? report->by_text
					  : group_by_text(report->settings.by));
	header_add_field(fields, "filters", FIELD_LIST)->table = &header->filters;
	header_add_number(fields, events ? "window_begin_events" : "window_begin_ns",
			  analysis->window_begin - analysis->begin);
	header_add_number(fields, events ? "window_end_events" : "window_end_ns",
			  analysis->window_end - analysis->begin);
	header_add_number(fields, "left_out", analysis->totals.left_out);
}

static void add_loss(struct capture_header *header, const struct report *report)
{
	const struct analysis_loss *loss = &report->analysis.loss;
	struct header *fields = &header->header;

	header_add_section(fields, "loss");
	header_add_number(fields, "seen", loss->seen);
	header_add_number(fields, "recorded", loss->recorded);
	header_add_number(fields, "lost", loss->lost);
	header_add_number(fields, "skipped", loss->skipped);
	header_add_number(fields, "own", loss->own);
	header_add_bool(fields, "own_known", loss->own_known);
	header_add_bool(fields, "skipped_partial", loss->skipped_partial);
	header_add_number(fields, "names_lost", report->capture->status.names_lost);
	header_add_number(fields, "unsized_events", report->analysis.caches_unknown);
	header_add_field(fields, "per_cpu", FIELD_TABLE)->table = &header->cpus;
	header_add_field(fields, "unobserved", FIELD_LIST)->table = &header->unobserved;
	header_add_field(fields, "filtered_pids", FIELD_LIST)->table = &header->traced_pids;
	header_add_bool(fields, "slab_recorded", !header->no_slab);
	header_add_field(fields, "probes", FIELD_TABLE)->table = &header->probes;
}

static void add_totals(struct capture_header *header, const struct report *report)
{
	struct header *fields = &header->header;
	const struct analysis_totals *totals = &report->analysis.totals;
	const struct audit *audit = &report->analysis.audit;
	const struct select *select = report->settings.select;
	bool knows_peak = !select || !select->older;
	struct field *field;

	header_add_section(fields, "totals");
	header_add_number(fields, "allocations", totals->allocations);
	header_add_number(fields, "frees", totals->frees);
	header_add_number(fields, "failed", totals->failed);
	header_add_number(fields, "bytes_requested", totals->bytes_requested);
	header_add_number(fields, "bytes_allocated", totals->bytes_allocated);
	if (report->capture->caches.debugged_count)
		header_add_number(fields, "bytes_debug", totals->bytes_debug);
	header_add_field(fields, "fragmentation_percent", FIELD_DECIMAL)->decimal =
		analysis_total_fragmentation(totals);
	header_add_number(fields, "cross_cpu_frees", totals->cross_cpu_frees);
	header_add_number(fields, "initial_objects", totals->initial_objects);
	header_add_number(fields, "initial_bytes", totals->initial_bytes);
	header_add_nullable(fields, "older_objects",
			    audit->has_unseen ? audit->older : CELL_UNKNOWN);
	header_add_nullable(fields, "older_bytes",
			    audit->has_unseen ? audit->older_bytes : CELL_UNKNOWN);
	header_add_number(fields, "live_objects", totals->live_objects);
	header_add_number(fields, "live_bytes", totals->live_bytes);
	header_add_nullable(fields, "peak_bytes", knows_peak ? totals->peak_bytes : CELL_UNKNOWN);
	field = header_add_field(
		fields, event_clock_is(report->capture) ? "peak_time_events" : "peak_time_ns",
		totals->peak_bytes ? FIELD_TIME : FIELD_UNKNOWN);
	field->time = report_time(report, totals->peak_time);
	header_add_nullable(fields, "temporary",
			    report->capture->status.sampling.is_profile ? CELL_UNKNOWN
									: totals->temporary);
	if (report->settings.peak_heap) {
		header_add_number(fields, "bytes_wasted", report->wastes.total.flow);
		header_add_number(fields, "live_waste", report->wastes.total.live);
		header_add_nullable(fields, "peak_waste",
				    knows_peak ? report->wastes.total.peak : CELL_UNKNOWN);
	}
	header_add_number(fields, "frees_unmatched", totals->frees_unmatched);
	header_add_number(fields, "null_frees", totals->null_frees);
	header_add_number(fields, "missed_frees", totals->missed_frees);
	header_add_nullable(fields, "unseen_allocations",
			    audit_knows_unseen(&report->analysis)
				    ? audit->unseen + audit->unseen_freed
				    : CELL_UNKNOWN);
	header_add_number(fields, "resizes", totals->resizes);
	header_add_number(fields, "repeated", totals->repeated);
	header_add_number(fields, "from_backup", totals->from_backup);
	header_add_number(fields, "own_allocations", totals->own_allocations);
	header_add_number(fields, "own_frees", totals->own_frees);
	header_add_number(fields, "own_frees_by_others", totals->own_frees_by_others);
	header_add_number(fields, "process_events", totals->process_events);
	header_add_number(fields, "own_process_events", totals->own_process_events);
	header_add_number(fields, "unknown", totals->unknown);
	header_add_bool(fields, "live_upper_bound", report->bounds.any);
	header_add_number(fields, "live_error_objects",
			  live_bounds_error(&report->bounds, &report->analysis));
	header_add_number(fields, "live_maybe_freed_objects", report->bounds.maybe_freed);
	header_add_number(fields, "live_maybe_freed_bytes", report->bounds.maybe_freed_bytes);
}

static int add_probe(struct table *list, const struct status_probe *probe)
{
	struct cell *row = table_add(list);

	if (!row)
		return -ENOMEM;
	row[0].text = strdup(probe->name);
	row[1].truth = probe->is_recorded;
	row[2].number = probe->is_recorded && probe->counted != STATUS_UNKNOWN ? probe->counted
									       : CELL_UNKNOWN;
	row[3].number = probe->is_recorded && probe->skipped != STATUS_UNKNOWN ? probe->skipped
									       : CELL_UNKNOWN;
	row[4].text = strdup(probe->text);
	return row[0].text && row[4].text ? 0 : -ENOMEM;
}

int status_lists_init(struct table *unobserved, struct table *traced_pids,
		      const struct status *status)
{
	int err = 0;

	table_init(unobserved, &name_column, 1);
	table_init(traced_pids, &pid_column, 1);
	for (size_t i = 0; i < status->path_count && !err; i++)
		if (!status->paths[i].observed)
			err = table_add_text(unobserved, status->paths[i].name);
	for (size_t i = 0; i < status->traced_pid_count && !err; i++) {
		struct cell *row = table_add(traced_pids);

		err = row ? 0 : -ENOMEM;
		if (row)
			row->number = status->traced_pids[i];
	}
	return err;
}

static int make_lists(struct capture_header *header, const struct report *report)
{
	const struct analysis *analysis = &report->analysis;
	const struct status *status = &report->capture->status;
	struct cell *row;
	int err = status_lists_init(&header->unobserved, &header->traced_pids, status);

	table_init(&header->cpus, cpu_columns, 4);
	table_init(&header->filters, &name_column, 1);
	table_init(&header->probes, probe_columns, 5);
	for (size_t i = 0; i < analysis->cpu_count; i++) {
		row = table_add(&header->cpus);
		if (!row)
			return -ENOMEM;
		row[0].number = analysis->cpus[i].cpu;
		row[1].number = analysis->cpus[i].recorded;
		row[2].number = analysis->cpus[i].lost;
		row[3].number = analysis->cpus[i].own;
	}
	for (size_t i = 0; i < report->filter_count && !err; i++)
		err = table_add_text(&header->filters, report->filters[i]);
	for (size_t i = 0; i < status->probes.count && !err; i++)
		err = add_probe(&header->probes, &status->probes.list[i]);
	header->no_slab = status->no_slab;
	return err;
}

int capture_header_init(struct capture_header *header, const struct report *report)
{
	const struct analysis *analysis = &report->analysis;
	int err;

	memset(header, 0, sizeof(*header));
	utc_text(report->capture->metadata.wall_offset + analysis->begin, header->start,
		 sizeof(header->start));
	header->state = capture_state(report->capture);
	if (analysis->end > analysis->begin)
		header->duration = analysis->end - analysis->begin;
	header->missing = missing_of_capture(analysis);
	err = make_lists(header, report);
	add_report(header, report);
	add_capture_section(header, report);
	add_loss(header, report);
	add_totals(header, report);
	if (!err)
		err = capture_header_add_lines(header, report);
	estimate_add_header(report, &header->header);
	if (!err && report->view->add_header)
		err = report->view->add_header(report, &header->header);
	if (err)
		capture_header_deinit(header);
	return err;
}

void capture_header_deinit(struct capture_header *header)
{
	table_deinit(&header->cpus);
	table_deinit(&header->unobserved);
	table_deinit(&header->traced_pids);
	table_deinit(&header->filters);
	table_deinit(&header->probes);
	header_deinit(&header->header);
}
