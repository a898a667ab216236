// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Stores the counts as a capture, and prints the view count of it. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/fields/counted.h"
#include "base/utc.h"
#include "report/render/render.h"
#include "report/views/capture_header.h"
#include "report/views/unknown_cache.h"
#include "report/views/view.h"
#include "tracer/live_counts.h"
#include "tracer/pieces.h"

/* It must not be moved. */
struct counts_header {
	struct header header;
	struct table pids, unobserved;
	char start[40];
	double seconds;
};

/* The counters in the control block are those of a ring whose records were all taken out. */
static int put_count_record(struct pieces *pieces, uint32_t cpu, struct kmt_record *record)
{
	struct kmt_control *control = &pieces->streams->rings.controls[cpu];
	int err = 0;

	if (!pieces->streams->draining[cpu])
		err = pieces_open_stream(pieces, cpu, pieces->begin);
	if (err)
		return err;
	record->sequence = (uint32_t)control->sequence++;
	control->slots = control->tail = control->sequence;
	err = writer_put(&pieces->streams->drains[cpu].writer, record);
	return err ? error_set(pieces->error, err, pieces->streams->drains[cpu].writer.errmsg) : 0;
}

int live_counts_store(struct live_counts *counts, struct pieces *pieces)
{
	int err;

	counts->parts = pieces->options->count.parts;
	err = live_counts_read(counts, &pieces->streams->rings,
			       bpf_variant_map_fd(&pieces->programs->variant, "counts"),
			       pieces->begin);
	if (err)
		return error_set_at(pieces->error, err, "the counts");
	for (size_t i = 0; i < counts->count && !err; i++) {
		struct kmt_record record;

		live_counts_record(counts, i, &record);
		err = put_count_record(pieces, counts->list[i].cpu, &record);
	}
	for (unsigned int i = 0; i < pieces->streams->rings.possible_cpus; i++) {
		counts->ungrouped += pieces->streams->rings.controls[i].count_ungrouped;
		counts->own += pieces->streams->rings.controls[i].count_own;
	}
	return err;
}

int live_counts_write_tasks(struct live_counts *counts, struct pieces *pieces)
{
	FILE *file = directory_open(&pieces->present.directory, "kernel/tasks", false);
	int err = 0, failed;

	if (!file)
		return error_set(pieces->error, -EIO, pieces->present.directory.errmsg);
	users_clear_written(&pieces->names->messages.users);
	for (size_t i = 0; i < counts->count && !err; i++) {
		struct task task;

		live_counts_describe_task(counts, i, &task);
		err = name_messages_write_task(&pieces->names->messages, file, &task);
	}
	failed = directory_close(&pieces->present.directory, file, "kernel/tasks");
	if (err)
		return error_set_at(pieces->error, err, "kernel/tasks");
	return failed ? error_set(pieces->error, failed, pieces->present.directory.errmsg) : 0;
}

static uint64_t weigh_transition(const void *data, const struct transition *transition)
{
	return live_counts_weight(data, transition->event->time);
}

static void add_sections(const struct live_counts *counts, const struct report *report,
			 struct counts_header *header)
{
	const struct metadata *metadata = &report->capture->metadata;
	const struct analysis_loss *loss = &report->analysis.loss;
	struct header *fields = &header->header;

	header_add_section(fields, "capture");
	header_add_text(fields, "host", metadata->hostname);
	header_add_text(fields, "kernel", metadata->release);
	header_add_text(fields, "arch", metadata->machine);
	header_add_text(fields, "start", header->start);
	header_add_field(fields, "duration_s", FIELD_DECIMAL)->decimal = header->seconds;
	header_add_section(fields, "loss");
	header_add_number(fields, "keys", counts->count);
	header_add_number(fields, "ungrouped", counts->ungrouped);
	header_add_number(fields, "skipped", loss->skipped);
	header_add_bool(fields, "skipped_partial", loss->skipped_partial);
	header_add_number(fields, "own", counts->own);
	header_add_field(fields, "filtered_pids", FIELD_LIST)->table = &header->pids;
	header_add_field(fields, "unobserved", FIELD_LIST)->table = &header->unobserved;
}

static int add_lines(const struct live_counts *counts, const struct pieces *pieces,
		     const struct report *report, struct counts_header *header)
{
	const struct metadata *metadata = &report->capture->metadata;
	const struct analysis_loss *loss = &report->analysis.loss;
	struct header *lines = &header->header;
	int err = header_add_line(lines, "kernel", false, "%s: Linux %s %s", metadata->hostname,
				  metadata->release, metadata->machine);

	if (!err)
		err = header_add_line(lines, "time", false, "%s, for %.3f s", header->start,
				      header->seconds);
	if (!err && header->pids.rows)
		err = header_add_list_line(lines, "processes", false, "only ", &header->pids, "");
	if (!err && counts->ungrouped)
		err = header_add_line(
			lines, "ungrouped", true,
			"%" PRIu64
			" events found no room for their key: each count may be too low by this number; use --count-groups=N above %" PRIu32,
			counts->ungrouped, pieces->options->count.groups);
	if (!err && (loss->skipped || loss->skipped_partial))
		err = header_add_line(lines, "skipped", true,
				      "%s%" PRIu64 " event%s, which the kernel did not deliver",
				      loss->skipped_partial ? "at least " : "", loss->skipped,
				      loss->skipped == 1 ? "" : "s");
	if (!err && header->unobserved.rows)
		err = header_add_list_line(lines, "missing", true,
					   "not observed on this kernel: ", &header->unobserved,
					   "");
	if (!err && counts->own)
		err = header_add_line(lines, "left out", false, "%" PRIu64 " events of kmemtraced",
				      counts->own);
	if (!err && pieces->options->count.parts & COUNTED_NO_FREES)
		err = header_add_line(
			lines, "of frees", false,
			"the fields of the object, such as its sizes, are null; so is its type, if the event does not name it");
	return err;
}

/* The machine, and which events are not in the groups. */
static int make_header(const struct live_counts *counts, const struct pieces *pieces,
		       const struct report *report, struct counts_header *header)
{
	int err = status_lists_init(&header->unobserved, &header->pids, &report->capture->status);

	utc_text(report->capture->metadata.wall_offset + pieces->begin, header->start,
		 sizeof(header->start));
	header->seconds = (double)(pieces->end - pieces->begin) / 1e9;
	add_sections(counts, report, header);
	if (!err)
		err = add_lines(counts, pieces, report, header);
	return err ? err : report->view->add_header(report, &header->header);
}

/* --sort is of the groups, not of the histograms; -l is of both. */
static int sort_and_cut(struct report *report, const struct count_options *count)
{
	size_t rows = count->lines_given	     ? count->lines
		      : report->renderer->for_people ? report->view->rows
						     : 0;
	int err = 0;

	for (size_t i = 0; i < report->table_count && !err; i++) {
		struct table *table = &report->tables[i];

		err = table_sort_and_cut(table, i || !count->sort ? table->sort : count->sort,
					 rows);
	}
	return err;
}

static int print_counts(struct live_counts *counts, struct pieces *pieces, struct report *report)
{
	const struct options *options = pieces->options;
	const struct output output = { .file = stdout };
	struct counts_header header = { 0 };
	int err = sort_and_cut(report, &options->count);

	if (!err)
		say_unknown_cache(report, report->query, NULL);
	if (!err)
		err = make_header(counts, pieces, report, &header);
	if (!err)
		err = options->count.renderer->print(&output, &header.header, report->tables,
						     report->table_count);
	header_deinit(&header.header);
	table_deinit(&header.pids);
	table_deinit(&header.unobserved);
	errno = 0;
	if (!err && (fflush(stdout) || ferror(stdout)))
		err = errno ? -errno : -EIO;
	return err ? error_set_at(pieces->error, err, "standard output") : 0;
}

/* Did the analysis see each count once? */
static bool is_whole(const struct live_counts *counts, const struct report *report)
{
	uint64_t events = 0;

	for (size_t i = 0; i < counts->count; i++)
		events += counts->list[i].events;
	return events == report->counted + report->excluded;
}

static int run_view(struct live_counts *counts, struct pieces *pieces, struct report *report,
		    struct capture *capture)
{
	const struct view *view = report->view;
	int err = view->set_columns(report);

	if (!err)
		err = view->begin(report);
	if (!err) {
		err = analysis_run(&report->analysis, capture, &report->settings);
		if (err)
			snprintf(report->error.text, sizeof(report->error.text), "%s",
				 capture->error.text);
		report->analysis.loss.skipped_partial |=
			status_probes_lack_skips(&capture->status.probes);
	}
	if (!err)
		err = view->make(report);
	view->end(report);
	if (!err && !is_whole(counts, report)) {
		snprintf(report->error.text, sizeof(report->error.text),
			 "some counts could not be read back from the temporary capture");
		err = -EIO;
	}
	return err ? error_set(pieces->error, err,
			       *report->error.text ? report->error.text : strerror(-err))
		   : print_counts(counts, pieces, report);
}

int live_counts_print(struct live_counts *counts, struct pieces *pieces)
{
	struct report report = {
		.view = &view_count,
		.settings = { .threads = 1 },
		.query = pieces->options->count.query,
		.probes = pieces->options->probes_text,
		.renderer = pieces->options->count.renderer,
		.weigh = weigh_transition,
		.weigh_data = counts,
		.ungrouped = counts->ungrouped,
	};
	struct capture capture;
	int err = capture_open(&capture, pieces->present.directory.path);

	if (err)
		return error_set(pieces->error, err, capture.error.text);
	report.capture = &capture;
	err = run_view(counts, pieces, &report, &capture);
	for (size_t i = 0; i < report.table_count; i++)
		table_deinit(&report.tables[i]);
	free(report.columns);
	free(report.second_columns);
	analysis_deinit(&report.analysis);
	capture_close(&capture);
	return err;
}
