// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The HTML page of summaries. The file is read once: each table is made from the same sums, as
 * --format=json makes it.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/estimate.h"
#include "base/text.h"
#include "cli/message.h"
#include "report/html/page.h"
#include "report/html/page_rows.h"
#include "report/page_file.h"
#include "report/render/json.h"
#include "report/report.h"
#include "report/report_page.h"
#include "report/report_summaries.h"
#include "report/summaries_page.h"
#include "report/summaries_points.h"

/* With the points of the picture, at most 2,500 of them, and the scripts the page has < 2 MB. */
#define TREE_BYTES 60000
#define HOSTS_BYTES 60000
#define DATE "%.19s" /* without a fraction of a second */

/* measure: of --bytes; or NULL. rows: of the table, at most; 0: all. */
static const struct part {
	const char *name;
	const struct view *view;
	const char *measure;
	size_t rows, bytes;
} parts[] = {
	{ "leaks", &view_leaks, NULL, 1000, 300000 },
	{ "sites", &view_sites, NULL, 1000, 350000 },
	{ "caches", &view_caches, NULL, 1000, 200000 },
	{ "timeline", &view_timeline, NULL, 1500, 350000 },
	{ "flame-live", &view_flame, "live", 0, TREE_BYTES },
	{ "flame-allocated", &view_flame, "allocated", 0, TREE_BYTES },
};

struct summaries_page {
	const struct report_options *options; /* of a report in JSON */
	const struct summaries_view *view;
	FILE *file;
};

/* Takes the data. 0 or -ENOMEM. */
static int add_data(const struct summaries_page *page, const char *name, json_t *data)
{
	int err = data ? page_add(page->file, name, data) : -ENOMEM;

	json_decref(data);
	return err;
}

static int add_part(const struct summaries_page *page, const struct part *part)
{
	struct report_options options = *page->options;
	struct summaries_header header;
	struct report report;
	int err;

	options.view = part->view;
	options.measure_text = part->measure;
	options.lines = part->rows;
	err = report_summaries_run(&report, &header, &options, page->view);
	if (!err)
		err = add_data(page, part->name,
			       report_page_data(&report, &header.header, part->bytes));
	if (!err && part->view == &view_timeline)
		err = add_data(page, "time", summaries_points(&page->view->summaries));
	summaries_header_deinit(&header);
	report_deinit(&report);
	return err;
}

/* The names of the first hosts, as many as there is room for. */
static int cut_hosts(json_t *summaries)
{
	const json_t *hosts = json_object_get(summaries, "hosts");
	json_t *first = json_array();
	size_t used = 0;

	for (size_t i = 0; i < json_array_size(hosts); i++) {
		json_t *host = json_array_get(hosts, i);

		used += page_size(host) + 1;
		if (used > HOSTS_BYTES || json_array_append(first, host))
			break;
	}
	return json_object_set_new(summaries, "hosts", first);
}

/* The intervals of the total, if all figures are estimates. */
static json_t *make_estimates(const struct summaries_view *view, const struct summary_counts *total)
{
	struct estimate_range allocated, live;

	if (!view->summaries.sum.missing.sampling)
		return json_null();
	allocated = summaries_range(view, total->allocated, total->allocated_variance, false);
	live = summaries_range(view, total->live_bytes, total->live_variance, true);
	return json_pack("{s:o, s:o, s:o, s:o}", "bytes_allocated_low",
			 json_from_number(allocated.low), "bytes_allocated_high",
			 json_from_number(allocated.high), "live_bytes_low",
			 json_from_number(live.low), "live_bytes_high",
			 json_from_number(live.high));
}

/* The sections of the JSON, and what only the page has. NULL: no memory. */
static json_t *make_head(const struct summaries_page *page, const struct summaries_header *header)
{
	json_t *data = json_document(&header->header, NULL, 0);
	int failed = !data;

	failed = failed || cut_hosts(json_object_get(data, "summaries"));
	failed |= json_object_set_new(data, "host_count",
				      json_integer((json_int_t)page->view->summaries.hosts));
	failed |=
		json_object_set_new(data, "estimates", make_estimates(page->view, &header->total));
	failed |= json_object_set_new(data, "lines", page_lines(&header->header));
	if (!failed)
		return data;
	json_decref(data);
	return NULL;
}

static json_t *make_title(const struct summaries_page *page, const struct summaries_header *header)
{
	const struct summaries *summaries = &page->view->summaries;
	json_t *host = json_from_text(summaries->sum.sources[0].host), *title = NULL;

	if (host && summaries->hosts == 1)
		title = json_sprintf("kmemtrace: %s, " DATE " to " DATE " UTC",
				     json_string_value(host), header->begin, header->end);
	else if (host)
		title = json_sprintf("kmemtrace: %zu hosts, " DATE " to " DATE " UTC",
				     summaries->hosts, header->begin, header->end);
	json_decref(host);
	return title;
}

static int begin_page(const struct summaries_page *page)
{
	struct summaries_header header;
	struct report report;
	json_t *title = NULL;
	int err = report_init(&report, page->options);

	memset(&header, 0, sizeof(header));
	if (!err)
		err = summaries_header_init(&header, &report, page->view, NULL);
	if (!err)
		title = make_title(page, &header);
	if (title)
		page_begin(page->file, &page_of_summaries, json_string_value(title));
	err = title ? add_data(page, "summaries", make_head(page, &header)) : -ENOMEM;
	json_decref(title);
	summaries_header_deinit(&header);
	return err;
}

static int put_page(const struct summaries_page *page)
{
	int err = begin_page(page);

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts) && !err; i++)
		err = add_part(page, &parts[i]);
	if (!err)
		page_end(page->file, &page_of_summaries);
	return err;
}

int summaries_page_print(const struct report_options *options, const struct summaries_view *view)
{
	struct report_options in_json = *options;
	struct summaries_page page = { .options = &in_json, .view = view };
	char *text = NULL;
	size_t size;
	int err, status;

	in_json.renderer = &renderer_json;
	in_json.lines_given = true;
	page.file = text_open(&text, &size);
	err = page.file ? put_page(&page) : -ENOMEM;
	if (page.file && text_close(page.file, &text))
		err = -ENOMEM;
	status = err ? error_msg("%s: %s", options->input, strerror(-err))
		     : page_file_write(options->page_file, text, size);
	free(text);
	return status;
}
