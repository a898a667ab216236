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
#include "report/views/view.h"
#include "tracer/live_counts_capture.h"
#include "tracer/pieces.h"

/* It must not be moved. */
struct counts_header {
	struct header header;
	struct table pids, unobserved;
	char start[40];
	double seconds;
};

/* The counters in the control block are those of a ring whose records were all taken out. */
static int put(struct session *session, uint32_t cpu, struct kmt_record *record)
{
	struct kmt_control *control = &session->streams.rings.controls[cpu];
	int err = 0;

	if (!session->streams.draining[cpu])
		err = pieces_open_stream(&session->pieces, cpu);
	if (err)
		return err;
	record->sequence = (uint32_t)control->sequence++;
	control->slots = control->tail = control->sequence;
	err = writer_put(&session->streams.drains[cpu].writer, record);
	return err ? error_set(&session->error, err, session->streams.drains[cpu].writer.errmsg)
		   : 0;
}

int session_count_store(struct session *session)
{
	struct live_counts *counts = &session->counts;
	int err;

	counts->parts = session->options->count.parts;
	err = live_counts_read(counts, &session->streams.rings,
			       bpf_variant_map_fd(&session->programs.variant, "counts"),
			       session->pieces.begin);
	if (err)
		return error_set_at(&session->error, err, "the counts");
	for (size_t i = 0; i < counts->count && !err; i++) {
		struct kmt_record record;

		live_counts_record(counts, i, &record);
		err = put(session, counts->list[i].cpu, &record);
	}
	for (unsigned int i = 0; i < session->streams.rings.possible_cpus; i++) {
		session->count_ungrouped += session->streams.rings.controls[i].count_ungrouped;
		session->count_own += session->streams.rings.controls[i].count_own;
	}
	return err;
}

int session_count_write_tasks(struct session *session)
{
	FILE *file = directory_open(&session->pieces.present.directory, "kernel/tasks", false);
	int err = 0, failed;

	if (!file)
		return error_set(&session->error, -EIO, session->pieces.present.directory.errmsg);
	users_clear_written(&session->names.messages.users);
	for (size_t i = 0; i < session->counts.count && !err; i++) {
		struct task task;

		live_counts_describe_task(&session->counts, i, &task);
		err = name_messages_write_task(&session->names.messages, file, &task);
	}
	failed = directory_close(&session->pieces.present.directory, file, "kernel/tasks");
	if (err)
		return error_set_at(&session->error, err, "kernel/tasks");
	return failed ? error_set(&session->error, failed, session->pieces.present.directory.errmsg)
		      : 0;
}

static uint64_t weigh(const void *data, const struct transition *transition)
{
	return live_counts_weight(data, transition->event->time);
}

static void add_sections(const struct session *session, const struct report *report,
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
	header_add_number(fields, "keys", session->counts.count);
	header_add_number(fields, "ungrouped", session->count_ungrouped);
	header_add_number(fields, "skipped", loss->skipped);
	header_add_bool(fields, "skipped_partial", loss->skipped_partial);
	header_add_number(fields, "own", session->count_own);
	header_add_field(fields, "filtered_pids", FIELD_LIST)->table = &header->pids;
	header_add_field(fields, "unobserved", FIELD_LIST)->table = &header->unobserved;
}

static int add_lines(const struct session *session, const struct report *report,
		     struct counts_header *header)
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
	if (!err && session->count_ungrouped)
		err = header_add_line(
			lines, "ungrouped", true,
			"%" PRIu64
			" events found no room for their key: each count may be so much too low; use --count-groups=N above %" PRIu32,
			session->count_ungrouped, session->options->count.groups);
	if (!err && (loss->skipped || loss->skipped_partial))
		err = header_add_line(lines, "skipped", true,
				      "%s%" PRIu64 " event%s, which the kernel did not deliver",
				      loss->skipped_partial ? "at least " : "", loss->skipped,
				      loss->skipped == 1 ? "" : "s");
	if (!err && header->unobserved.rows)
		err = header_add_list_line(lines, "missing", true,
					   "not observed on this kernel: ", &header->unobserved,
					   "");
	if (!err && session->count_own)
		err = header_add_line(lines, "left out", false, "%" PRIu64 " events of kmemtraced",
				      session->count_own);
	if (!err && session->options->count.parts & COUNTED_NO_FREES)
		err = header_add_line(
			lines, "of frees", false,
			"the fields of the object, such as its sizes, are null; so is its type, if the event does not name it");
	return err;
}

/* The machine, and which events are not in the groups. */
static int make_header(const struct session *session, const struct report *report,
		       struct counts_header *header)
{
	int err = status_lists_init(&header->unobserved, &header->pids, &report->capture->status);

	utc_text(report->capture->metadata.wall_offset + session->pieces.begin, header->start,
		 sizeof(header->start));
	header->seconds = (double)(session->pieces.end - session->pieces.begin) / 1e9;
	add_sections(session, report, header);
	if (!err)
		err = add_lines(session, report, header);
	return err ? err : report->view->add_header(report, &header->header);
}

static int print(struct session *session, struct report *report)
{
	const struct options *options = session->options;
	const struct output output = { .file = stdout };
	struct counts_header header = { 0 };
	int err = 0;

	for (size_t i = 0; i < report->table_count && !err; i++) {
		struct table *table = &report->tables[i];

		err = table_sort(table, table->sort);
		if (options->count.renderer->for_people)
			table_cut(table, report->view->rows);
	}
	if (!err)
		err = make_header(session, report, &header);
	if (!err)
		err = options->count.renderer->print(&output, &header.header, report->tables,
						     report->table_count);
	header_deinit(&header.header);
	table_deinit(&header.pids);
	table_deinit(&header.unobserved);
	errno = 0;
	if (!err && (fflush(stdout) || ferror(stdout)))
		err = errno ? -errno : -EIO;
	return err ? error_set_at(&session->error, err, "standard output") : 0;
}

/* Did the analysis see each count once? */
static bool is_whole(const struct session *session, const struct report *report)
{
	uint64_t events = 0;

	for (size_t i = 0; i < session->counts.count; i++)
		events += session->counts.list[i].events;
	return events == report->counted + report->excluded;
}

static int run_view(struct session *session, struct report *report, struct capture *capture)
{
	const struct view *view = report->view;
	int err = view->set_columns(report);

	if (!err)
		err = view->begin(report);
	if (!err) {
		err = analysis_run(&report->analysis, capture, &report->settings);
		if (err)
			snprintf(report->errmsg, sizeof(report->errmsg), "%s", capture->errmsg);
		report->analysis.loss.skipped_partial |=
			status_probes_lack_skips(&capture->status.probes);
	}
	if (!err)
		err = view->make(report);
	view->end(report);
	if (!err && !is_whole(session, report)) {
		snprintf(report->errmsg, sizeof(report->errmsg),
			 "some counts could not be read back from the temporary capture");
		err = -EIO;
	}
	return err ? error_set(&session->error, err,
			       *report->errmsg ? report->errmsg : strerror(-err))
		   : print(session, report);
}

int session_count_print(struct session *session)
{
	struct report report = {
		.view = &view_count,
		.settings = { .threads = 1 },
		.query = session->options->count.query,
		.probes = session->options->probes_text,
		.renderer = session->options->count.renderer,
		.weigh = weigh,
		.weigh_data = &session->counts,
		.ungrouped = session->count_ungrouped,
	};
	struct capture capture;
	int err = capture_open(&capture, session->pieces.present.directory.path);

	if (err)
		return error_set(&session->error, err, capture.errmsg);
	report.capture = &capture;
	err = run_view(session, &report, &capture);
	for (size_t i = 0; i < report.table_count; i++)
		table_deinit(&report.tables[i]);
	free(report.columns);
	free(report.second_columns);
	analysis_deinit(&report.analysis);
	capture_close(&capture);
	return err;
}
