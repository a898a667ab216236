// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The values of the header of every report, by name: from the capture's metadata, its status and
 * the pass over it.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/views/event_clock.h"
#include "report/render/header.h"
#include "report/views/view.h"

#define NSEC_PER_SEC 1000000000ULL

static const struct column cpu_columns[] = {
	{ .key = "cpu", .type = COLUMN_NUMBER },
	{ .key = "recorded", .type = COLUMN_NUMBER },
	{ .key = "lost", .type = COLUMN_NUMBER },
	{ .key = "own", .type = COLUMN_NUMBER },
};
static const struct column name_column = { .key = "name", .type = COLUMN_TEXT };
static const struct column pid_column = { .key = "pid", .type = COLUMN_NUMBER };

/*
 * Not with gmtime(): where time_t has 32 bits it ends in 2038. The day is counted from
 * 1 March of year 0, so that a leap day is the last of its year.
 */
void header_utc_text(uint64_t ns, char *text, size_t size)
{
	uint64_t seconds = ns / NSEC_PER_SEC;
	uint64_t day = seconds / 86400 + 719468;
	uint64_t era = day / 146097, day_of_era = day % 146097;
	uint64_t year_of_era =
		(day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
	uint64_t day_of_year =
		day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
	uint64_t month = (5 * day_of_year + 2) / 153;
	uint64_t day_of_month = day_of_year - (153 * month + 2) / 5 + 1;
	uint64_t year = era * 400 + year_of_era + (month >= 10);

	month = month < 10 ? month + 3 : month - 9;
	snprintf(text, size,
		 "%04" PRIu64 "-%02" PRIu64 "-%02" PRIu64 "T%02" PRIu64 ":%02" PRIu64 ":%02" PRIu64
		 ".%09" PRIu64 "Z",
		 year, month, day_of_month, seconds / 3600 % 24, seconds / 60 % 60, seconds % 60,
		 (uint64_t)(ns % NSEC_PER_SEC));
}

/* The named values. */

static void header_section(struct header *header, const char *key)
{
	struct section *section = &header->sections[header->section_count++];

	section->key = key;
	section->fields = header->fields + header->field_count;
}

static struct field *header_field(struct header *header, const char *key, enum field_type type)
{
	struct field *field = &header->fields[header->field_count++];

	header->sections[header->section_count - 1].count++;
	field->key = key;
	field->type = type;
	return field;
}

static void header_number(struct header *header, const char *key, uint64_t number)
{
	header_field(header, key, FIELD_NUMBER)->number = number;
}

static void header_text(struct header *header, const char *key, const char *text)
{
	header_field(header, key, FIELD_TEXT)->text = text;
}

static const char *capture_state(const struct capture *capture)
{
	if (capture->has_status && capture->status.complete == STATUS_COMPLETE)
		return "complete";
	if (capture->has_status && capture->status.complete == STATUS_REPAIRED)
		return "repaired";
	for (size_t i = 0; i < capture->missing_count; i++)
		if (capture->missing[i].err == -EPROTONOSUPPORT)
			return "unknown";
	return capture->being_written ? "running" : "cut-off";
}

static void header_capture(struct header *header, const struct report *report)
{
	const struct capture *capture = report->capture;
	const struct metadata *metadata = &capture->metadata;

	header_section(header, "capture");
	header_text(header, "host", metadata->hostname);
	header_text(header, "kernel", metadata->release);
	header_text(header, "arch", metadata->machine);
	if (metadata_order(metadata))
		header_text(header, "endian",
			    metadata_order(metadata) == METADATA_ORDER_BIG ? "big" : "little");
	else
		header_field(header, "endian", FIELD_UNKNOWN);
	if (metadata->word_bits)
		header_number(header, "word_bits", metadata->word_bits);
	else
		header_field(header, "word_bits", FIELD_UNKNOWN);
	header_number(header, "cpus", capture->stream_count);
	if (metadata->wall_offset)
		header_text(header, "start", header->start);
	else
		header_field(header, "start", FIELD_UNKNOWN);
	header_text(header, "clock", metadata_clock_text(metadata));
	if (event_clock_is(capture))
		header_number(header, "duration_events", header->duration);
	else
		header_field(header, "duration_s", FIELD_DECIMAL)->decimal =
			(double)header->duration / NSEC_PER_SEC;
	if (*metadata->source)
		header_text(header, "imported", metadata->source);
	else
		header_field(header, "imported", FIELD_UNKNOWN);
	header_field(header, "complete", FIELD_BOOL)->truth = strcmp(header->state, "complete") ==
							      0;
	header_text(header, "state", header->state);
	header_text(header, "stopped", capture->status.stopped);
	header_number(header, "damaged_bytes", report->analysis.damaged_bytes);
	header_number(header, "unnamed_allocations", report->analysis.cache_not_traced);
}

/* Which report it is, and of which part of the capture. */
static void header_report(struct header *header, const struct report *report)
{
	const struct analysis *analysis = &report->analysis;
	bool events = event_clock_is(report->capture);

	header_section(header, "report");
	header_text(header, "view", report->view->name);
	if (report->view->has_by)
		header_text(header, "by", group_by_text(report->settings.by));
	else
		header_field(header, "by", FIELD_UNKNOWN);
	header_field(header, "filters", FIELD_LIST)->table = &header->filters;
	header_number(header, events ? "window_begin_events" : "window_begin_ns",
		      analysis->window_begin - analysis->begin);
	header_number(header, events ? "window_end_events" : "window_end_ns",
		      analysis->window_end - analysis->begin);
	header_number(header, "left_out", analysis->totals.left_out);
}

static void header_loss(struct header *header, const struct analysis_loss *loss)
{
	header_section(header, "loss");
	header_number(header, "seen", loss->seen);
	header_number(header, "recorded", loss->recorded);
	header_number(header, "lost", loss->lost);
	header_number(header, "skipped", loss->skipped);
	header_number(header, "own", loss->own);
	header_field(header, "own_known", FIELD_BOOL)->truth = loss->own_known;
	header_field(header, "skipped_partial", FIELD_BOOL)->truth = loss->skipped_partial;
	header_field(header, "per_cpu", FIELD_TABLE)->table = &header->cpus;
	header_field(header, "unobserved", FIELD_LIST)->table = &header->unobserved;
	header_field(header, "filtered_pids", FIELD_LIST)->table = &header->wanted;
}

static void header_totals(struct header *header, const struct report *report)
{
	const struct analysis_totals *totals = &report->analysis.totals;
	const struct select *select = report->settings.select;
	bool knows_peak = !select || !select->older;
	struct field *field;

	header_section(header, "totals");
	header_number(header, "allocations", totals->allocations);
	header_number(header, "frees", totals->frees);
	header_number(header, "failed", totals->failed);
	header_number(header, "bytes_requested", totals->bytes_requested);
	header_number(header, "bytes_allocated", totals->bytes_allocated);
	header_field(header, "fragmentation_percent", FIELD_DECIMAL)->decimal =
		analysis_fragmentation(totals->bytes_requested, totals->bytes_allocated);
	header_number(header, "cross_cpu_frees", totals->cross_cpu_frees);
	header_number(header, "live_objects", totals->live_objects);
	header_number(header, "live_bytes", totals->live_bytes);
	field = header_field(header, "peak_bytes", knows_peak ? FIELD_NUMBER : FIELD_UNKNOWN);
	field->number = totals->peak_bytes;
	field = header_field(header,
			     event_clock_is(report->capture) ? "peak_time_events" : "peak_time_ns",
			     totals->peak_bytes ? FIELD_TIME : FIELD_UNKNOWN);
	field->time = report_time(report, totals->peak_time);
	header_number(header, "temporary", totals->temporary);
	header_number(header, "frees_unmatched", totals->frees_unmatched);
	header_number(header, "null_frees", totals->null_frees);
	header_number(header, "missed_frees", totals->missed_frees);
	header_number(header, "resizes", totals->resizes);
	header_number(header, "repeated", totals->repeated);
	header_number(header, "rescued", totals->rescued);
	header_number(header, "own_allocations", totals->own_allocations);
	header_number(header, "own_frees", totals->own_frees);
	header_number(header, "unknown", totals->unknown);
}

static int header_add_name(struct table *list, const char *name)
{
	struct cell *row = table_add(list);

	if (!row)
		return -ENOMEM;
	row[0].text = strdup(name);
	return row[0].text ? 0 : -ENOMEM;
}

static int header_lists(struct header *header, const struct report *report)
{
	const struct analysis *analysis = &report->analysis;
	const struct status *status = &report->capture->status;
	struct cell *row;
	int err = 0;

	table_init(&header->cpus, cpu_columns, 4);
	table_init(&header->unobserved, &name_column, 1);
	table_init(&header->wanted, &pid_column, 1);
	table_init(&header->filters, &name_column, 1);
	for (size_t i = 0; i < analysis->cpu_count; i++) {
		row = table_add(&header->cpus);
		if (!row)
			return -ENOMEM;
		row[0].number = analysis->cpus[i].cpu;
		row[1].number = analysis->cpus[i].recorded;
		row[2].number = analysis->cpus[i].lost;
		row[3].number = analysis->cpus[i].own;
	}
	for (size_t i = 0; i < status->path_count && !err; i++)
		if (!status->paths[i].observed)
			err = header_add_name(&header->unobserved, status->paths[i].name);
	for (size_t i = 0; i < report->filter_count && !err; i++)
		err = header_add_name(&header->filters, report->filters[i]);
	for (size_t i = 0; i < status->wanted_count; i++) {
		row = table_add(&header->wanted);
		if (!row)
			return -ENOMEM;
		row[0].number = status->wanted[i];
	}
	return err;
}

int header_init(struct header *header, const struct report *report)
{
	const struct analysis *analysis = &report->analysis;
	const struct analysis_loss *loss = &analysis->loss;
	int err;

	memset(header, 0, sizeof(*header));
	header_utc_text(report->capture->metadata.wall_offset + analysis->begin, header->start,
			sizeof(header->start));
	header->state = capture_state(report->capture);
	if (analysis->end > analysis->begin)
		header->duration = analysis->end - analysis->begin;
	if (loss->seen)
		header->loss_percent = 100.0 *
				       ((double)loss->lost + (double)loss->skipped +
					(double)analysis->totals.unknown) /
				       (double)loss->seen;
	err = header_lists(header, report);
	header_report(header, report);
	header_capture(header, report);
	header_loss(header, loss);
	header_totals(header, report);
	if (!err)
		err = header_add_lines(header, report);
	if (err)
		header_deinit(header);
	return err;
}

void header_deinit(struct header *header)
{
	table_deinit(&header->cpus);
	table_deinit(&header->unobserved);
	table_deinit(&header->wanted);
	table_deinit(&header->filters);
	for (size_t i = 0; i < header->line_count; i++)
		free(header->lines[i].text);
	free(header->lines);
	header->lines = NULL;
	header->line_count = 0;
}
