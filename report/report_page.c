// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The HTML page: runs each view as --format=json does, one after the other, and hands its tables to
 * the page. A view that refuses the capture is replaced by the reason.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/message.h"
#include "report/html/page.h"
#include "report/html/page_rows.h"
#include "report/page_file.h"
#include "report/render/json.h"
#include "report/report.h"
#include "report/report_page.h"
#include "analysis/heap_findings.h"

#define ROWS 300	 /* of a table */
#define VIEW_BYTES 70000 /* of the tables of a view; with the others below the page has < 2 MB */
#define SPANS_BYTES SIZE_MAX /* views/spans.c limits its rows: the page needs all of them */
#define TREE_BYTES 60000
#define NO_HOST_NAME "(none)" /* the kernel's default */
#define BY_STACKS "comm,stack"
#define BY_NO_STACKS "comm,module,caller_function,site,cache"

static const struct view *const views[] = {
	&view_summary,	 &view_sites,	  &view_caches, &view_slabinfo, &view_census,
	&view_tracks,	 &view_allocinfo, &view_where,	&view_sizes,	&view_leaks,
	&view_lifetimes, &view_cpus,	  &view_nodes,	&view_cgroups,	&view_timeline,
	&view_probes,	 &view_findings,  &view_spans,
};

struct report_page {
	const struct report_options *options;
	struct capture *capture;
	FILE *file;
	bool begun;
	int status; /* of the first view: what was lost */
};

static json_t *make_tables(const struct report *report, size_t bytes)
{
	json_t *tables = json_array();

	for (size_t i = 0; i < report->table_count; i++) {
		const struct table *table = &report->tables[i];
		size_t share = bytes / (report->table_count - i), size;
		json_t *made = report->flame ? page_tree(table, share) : page_table(table, share);

		size = made ? page_size(made) : 0;
		bytes -= size < bytes ? size : bytes;
		if (json_array_append_new(tables, made)) {
			json_decref(tables);
			return NULL;
		}
	}
	return tables;
}

/* The kinds of findings, with a sentence for each. */
static json_t *make_kinds(void)
{
	json_t *kinds = json_object();

	for (unsigned int kind = 0; kind < FINDING_KIND_COUNT; kind++)
		if (json_object_set_new(kinds, finding_kind_text(kind),
					json_string(finding_kind_about(kind)))) {
			json_decref(kinds);
			return NULL;
		}
	return kinds;
}

/* The summary repeats tables of other views; its header is that of all. */
json_t *report_page_data(const struct report *report, const struct header *header, size_t bytes)
{
	const bool is_first = report->view == &view_summary;
	json_t *document = json_document(header, NULL, 0);
	json_t *data = json_object();
	int failed = !document;

	failed |= json_object_set_new(data, "view", json_string(report->view->name));
	failed |= json_object_set_new(data, "tables", make_tables(report, bytes));
	for (size_t i = 0; i < header->section_count && !failed; i++) {
		const char *key = header->sections[i].key;

		if (is_first || !strcmp(key, "flame_totals"))
			failed |= json_object_set(data, key, json_object_get(document, key));
	}
	json_decref(document);
	if (!failed)
		return data;
	json_decref(data);
	return NULL;
}

/* NULL: no memory. */
static json_t *make_data(const struct report *report, const struct capture_header *header,
			 size_t bytes)
{
	json_t *data = report_page_data(report, &header->header, bytes);
	char text[MISSING_TEXT];
	int failed = !data;

	if (report->view == &view_summary)
		failed |=
			json_object_set_new(data, "lines", page_lines(&header->header)) ||
			(missing_events(&header->missing) &&
			 json_object_set_new(data, "missing",
					     json_string(missing_message(&header->missing, text))));
	if (report->view == &view_findings)
		failed |= json_object_set_new(data, "kinds", make_kinds());
	if (!failed)
		return data;
	json_decref(data);
	return NULL;
}

/* The reason without the path of the capture: a page may be sent to others. */
static json_t *make_refusal(const struct report_page *page, const struct report *report)
{
	const char *reason = report->error.text;
	size_t length = strlen(page->capture->path);

	if (!strncmp(reason, page->capture->path, length) && !strncmp(reason + length, ": ", 2))
		reason += length + 2;
	return json_pack("{s:s, s:o}", "view", report->view->name, "refused",
			 json_from_text(reason));
}

static int begin_page(struct report_page *page, const struct report *report,
		      const struct capture_header *header)
{
	const struct metadata *metadata = &page->capture->metadata;
	json_t *host = json_from_text(metadata->hostname);
	json_t *release = json_from_text(metadata->release);
	bool is_named = *metadata->hostname && strcmp(metadata->hostname, NO_HOST_NAME) != 0;
	json_t *title = NULL;

	if (host && release)
		title = json_sprintf("kmemtrace: %s%sLinux %s",
				     is_named ? json_string_value(host) : "", is_named ? ", " : "",
				     json_string_value(release));
	if (title)
		page_begin(page->file, &page_of_capture, json_string_value(title));
	page->begun = title;
	page->status = report_check_loss(page->options, header, report);
	json_decref(host);
	json_decref(release);
	json_decref(title);
	return page->begun ? 0 : -ENOMEM;
}

/* Adds one view under the name. 0, or -errno after a message. */
static int add_view(struct report_page *page, const struct report_options *options,
		    const char *name, size_t bytes)
{
	struct capture_header header;
	struct report report;
	json_t *data = NULL;
	int err = report_run(&report, &header, options, page->capture), failed = err;

	if (!err && !page->begun)
		err = failed = begin_page(page, &report, &header);
	if (!err)
		data = make_data(&report, &header, bytes);
	else if (err == -EINVAL && page->begun && *report.error.text)
		data = make_refusal(page, &report);
	if (data)
		failed = page_add(page->file, name, data);
	else if (!failed)
		failed = -ENOMEM;
	if (failed)
		report_failed(options, &report, failed);
	json_decref(data);
	capture_header_deinit(&header);
	report_deinit(&report);
	return failed;
}

static int add_views(struct report_page *page)
{
	struct report_options options = *page->options;
	int err = 0;

	options.renderer = &renderer_json;
	options.lines_given = true;
	for (size_t i = 0; i < sizeof(views) / sizeof(views[0]) && !err; i++) {
		bool is_spans = views[i] == &view_spans;

		options.view = views[i];
		options.lines = is_spans ? 0 : ROWS;
		err = add_view(page, &options, views[i]->name, is_spans ? SPANS_BYTES : VIEW_BYTES);
	}
	options.view = &view_flame;
	options.lines = 0;
	options.nodes = PAGE_TREE_NODES;
	options.by_text = page->capture->status.sampling.interval ? BY_STACKS : BY_NO_STACKS;
	for (size_t i = 0; flame_measures[i] && !err; i++) {
		char name[40];

		snprintf(name, sizeof(name), "flame-%s", flame_measures[i]);
		options.measure_text = flame_measures[i];
		err = add_view(page, &options, name, TREE_BYTES);
	}
	return err;
}

int report_page(const struct report_options *options, struct capture *capture)
{
	struct report_page page = { .options = options, .capture = capture };
	int status = EXIT_TROUBLE;
	char *text = NULL;
	size_t size;

	page.file = text_open(&text, &size);
	if (!page.file)
		return error_msg("%s: %s", options->input, strerror(errno));
	if (!add_views(&page)) {
		page_end(page.file, &page_of_capture);
		status = EXIT_OK;
	}
	if (text_close(page.file, &text))
		return error_msg("%s: %s", options->input, strerror(ENOMEM));
	if (status == EXIT_OK)
		status = page_file_write(options->page_file, text, size);
	free(text);
	return status == EXIT_OK ? page.status : status;
}
