// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Prints the Trace Event Format, which Google documents: counters of the view timeline, a slice for
 * each time without events, and an instant for each finding and for the peak. Times are in
 * microseconds since the begin of the capture; the names of keys are those of the format. All
 * losses are in otherData, since the time of some is not known.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/message.h"
#include "report/render/json.h"
#include "report/report.h"
#include "report/report_trace.h"

#define PROCESS 1 /* all events have it; a thread for each CPU begins at 1 */
#define PEAK_SITES 10
#define NSEC_PER_USEC 1000.0

struct trace {
	const struct report_options *options;
	struct capture *capture;
	json_t *events;
	json_t *loss; /* of the header; NULL: not known yet */
	int status;   /* of the first view: what was lost */
	bool failed;
};

static double read_us(const json_t *row, const char *key)
{
	return (double)json_integer_value(json_object_get(row, key)) / NSEC_PER_USEC;
}

/* Takes the event over. */
static void add_trace_event(struct trace *trace, json_t *event)
{
	trace->failed |= json_array_append_new(trace->events, event);
}

static void add_counter(struct trace *trace, const char *name, double time, const json_t *row,
			const char *key)
{
	json_t *value = json_object_get(row, key);

	if (!json_is_null(value))
		add_trace_event(trace,
				json_pack("{s:s, s:s, s:i, s:f, s:{s:O}}", "ph", "C", "name", name,
					  "pid", PROCESS, "ts", time, "args", "value", value));
}

/* Rates are those of the time slice, live figures those at its end. */
static void add_slice(struct trace *trace, const json_t *row)
{
	double begin = read_us(row, "time_ns"), end = begin + read_us(row, "duration_ns");

	add_counter(trace, "allocations/s", begin, row, "allocations_per_s");
	add_counter(trace, "frees/s", begin, row, "frees_per_s");
	add_counter(trace, "failed", begin, row, "failed");
	add_counter(trace, "live bytes", end, row, "live_bytes");
	add_counter(trace, "live objects", end, row, "live_objects");
}

static void add_timeline(struct trace *trace, const json_t *document)
{
	const json_t *peak = json_object_get(document, "peak");
	json_t *sites = json_object(), *row;
	double time = 0;
	size_t i;

	trace->loss = json_incref(json_object_get(document, "loss"));
	json_array_foreach (json_object_get(document, "timeline"), i, row)
		add_slice(trace, row);
	for (i = 0; i < json_array_size(peak) && i < PEAK_SITES; i++) {
		row = json_array_get(peak, i);
		time = read_us(row, "time_ns");
		trace->failed |= json_object_set(sites,
						 json_string_value(json_object_get(row, "site")),
						 json_object_get(row, "live_bytes"));
	}
	if (i)
		add_trace_event(trace, json_pack("{s:s, s:s, s:s, s:i, s:i, s:f, s:O}", "ph", "i",
						 "s", "p", "name", "peak of the live bytes", "pid",
						 PROCESS, "tid", 0, "ts", time, "args", sites));
	json_decref(sites);
}

/* The times in which a CPU lost events, or all of them skipped some. */
static void add_gaps(struct trace *trace, const json_t *document)
{
	json_t *row;
	size_t i;

	json_array_foreach (json_object_get(document, "gaps"), i, row) {
		const json_t *cpu = json_object_get(row, "cpu");
		double from = read_us(row, "from_ns");
		char name[40];

		snprintf(name, sizeof(name), "%s events",
			 json_string_value(json_object_get(row, "kind")));
		add_trace_event(trace, json_pack("{s:s, s:s, s:i, s:I, s:f, s:f, s:{s:O}}", "ph",
						 "X", "name", name, "pid", PROCESS, "tid",
						 json_is_null(cpu) ? (json_int_t)0
								   : json_integer_value(cpu) + 1,
						 "ts", from, "dur", read_us(row, "to_ns") - from,
						 "args", "events", json_object_get(row, "events")));
	}
}

static void add_findings(struct trace *trace, const json_t *document)
{
	json_t *row;
	size_t i;

	json_array_foreach (json_object_get(document, "findings"), i, row)
		add_trace_event(
			trace,
			json_pack("{s:s, s:s, s:o, s:i, s:i, s:f, s:O}", "ph", "i", "s", "p",
				  "name",
				  json_sprintf("%s %s",
					       json_string_value(json_object_get(row, "certainty")),
					       json_string_value(json_object_get(row, "kind"))),
				  "pid", PROCESS, "tid", 0, "ts", read_us(row, "first_time"),
				  "args", row));
}

static const struct {
	const struct view *view;
	void (*add)(struct trace *trace, const json_t *document);
	bool is_needed; /* for the others a capture may not have what the view needs */
} parts[] = {
	{ &view_timeline, add_timeline, true },
	{ &view_spans, add_gaps, false },
	{ &view_findings, add_findings, false },
};

static int add_part(struct trace *trace, size_t number)
{
	struct report_options options = *trace->options;
	struct capture_header header;
	struct report report;
	json_t *document;
	int err;

	options.view = parts[number].view;
	options.renderer = &renderer_json;
	options.lines_given = true;
	options.lines = 0;
	err = report_run(&report, &header, &options, trace->capture);
	if (!err) {
		document = json_document(&header.header, report.tables, report.table_count);
		if (document)
			parts[number].add(trace, document);
		if (!document || trace->failed)
			err = -ENOMEM;
		if (!err && !number)
			trace->status = report_check_loss(&options, &header, &report);
		json_decref(document);
	}
	if (err == -EINVAL && !parts[number].is_needed)
		err = 0;
	if (err)
		report_failed(&options, &report, err);
	capture_header_deinit(&header);
	report_deinit(&report);
	return err;
}

static void add_names(struct trace *trace)
{
	const struct metadata *metadata = &trace->capture->metadata;
	json_t *host = json_from_text(metadata->hostname);
	json_t *release = json_from_text(metadata->release);

	add_trace_event(trace, json_pack("{s:s, s:s, s:i, s:{s:o}}", "ph", "M", "name",
					 "process_name", "pid", PROCESS, "args", "name",
					 json_sprintf("slab memory of %s, Linux %s",
						      json_string_value(host),
						      json_string_value(release))));
	add_trace_event(trace,
			json_pack("{s:s, s:s, s:i, s:i, s:{s:s}}", "ph", "M", "name", "thread_name",
				  "pid", PROCESS, "tid", 0, "args", "name", "findings"));
	for (size_t i = 0; i < trace->capture->stream_count; i++) {
		unsigned int cpu = trace->capture->streams[i].cpu;

		add_trace_event(trace, json_pack("{s:s, s:s, s:i, s:i, s:{s:o}}", "ph", "M", "name",
						 "thread_name", "pid", PROCESS, "tid", (int)cpu + 1,
						 "args", "name", json_sprintf("CPU %u", cpu)));
	}
	json_decref(host);
	json_decref(release);
}

int report_trace(const struct report_options *options, struct capture *capture)
{
	struct trace trace = { .options = options, .capture = capture, .events = json_array() };
	json_t *document;
	int err = 0;

	add_names(&trace);
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts) && !err; i++)
		err = add_part(&trace, i);
	document = json_pack("{s:s, s:{s:o*}, s:o}", "displayTimeUnit", "ns", "otherData", "loss",
			     trace.loss, "traceEvents", trace.events);
	errno = 0;
	if (!err && (!document || json_dumpf(document, stdout, JSON_FLAGS | JSON_INDENT(1)) ||
		     putchar('\n') == EOF || fflush(stdout)))
		err = error_msg("standard output: %s", strerror(errno ? errno : ENOMEM));
	json_decref(document);
	return err ? EXIT_TROUBLE : trace.status;
}
