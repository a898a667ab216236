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
#include "report/summaries/flame.h"
#include "report/summaries/summaries_header.h"
#include "report/summaries/tables.h"
#include "report/summaries_page.h"
#include "report/summaries_points.h"

/* With the points of the picture, at most 2,500 of them, and the scripts the page has < 2 MB. */
#define TREE_BYTES 60000
#define HOSTS_BYTES 60000
#define DATE "%.19s" /* without a fraction of a second */

static const struct part {
	const struct view *view;
	int (*add)(struct report *report, struct summaries_view *view);
	size_t rows, bytes;
} parts[] = {
	{ &view_leaks, summaries_add_leaks, 1000, 300000 },
	{ &view_sites, summaries_add_sites, 1000, 350000 },
	{ &view_caches, summaries_add_caches, 1000, 200000 },
	{ &view_timeline, summaries_add_timeline, 1500, 350000 },
};

struct summaries_page {
	const struct report_options *options; /* of a report in JSON */
	struct summaries_view *view;
	FILE *file;
};

static void init_report(struct report *report, const struct summaries_page *page,
			const struct view *view)
{
	*report = (struct report){
		.view = view,
		.filters = (const char *const *)page->options->filters,
		.filter_count = page->options->filter_count,
		.query = page->options->query,
		.renderer = page->options->renderer,
	};
}

/* Takes the data. 0 or -ENOMEM. */
static int add_data(const struct summaries_page *page, const char *name, json_t *data)
{
	int err = data ? page_add(page->file, name, data) : -ENOMEM;

	json_decref(data);
	return err;
}

/* The first table of the report, and the totals of a flame. NULL: no memory. */
static json_t *make_data(const struct report *report, const struct header *header, size_t bytes)
{
	const struct table *table = &report->tables[0];
	json_t *document = json_document(header, NULL, 0), *data = NULL, *made = NULL;

	if (document)
		made = report->flame ? page_tree(table, bytes) : page_table(table, bytes);
	if (made)
		data = json_pack("{s:s, s:[o]}", "view", report->view->name, "tables", made);
	if (data && report->flame &&
	    json_object_set(data, "flame_totals", json_object_get(document, "flame_totals"))) {
		json_decref(data);
		data = NULL;
	}
	json_decref(document);
	return data;
}

static int add_part(const struct summaries_page *page, const struct part *part)
{
	static const struct header no_header;
	struct report report;
	int err;

	init_report(&report, page, part->view);
	err = part->add(&report, page->view);
	if (!err)
		err = report_sort_and_cut(&report, page->options);
	if (!err) {
		table_cut(&report.tables[0], part->rows);
		err = add_data(page, part->view->name, make_data(&report, &no_header, part->bytes));
	}
	report_deinit(&report);
	return err;
}

static int add_flame(const struct summaries_page *page, const char *name,
		     enum flame_measure measure)
{
	struct summaries_header header = { 0 };
	struct report report;
	int err;

	init_report(&report, page, &view_flame);
	err = summaries_add_flame(&report, page->view, measure);
	if (!err)
		err = report_sort_and_cut(&report, page->options);
	if (!err)
		err = summaries_header_init(&header, &report, page->view, SUMMARIES_FLAME_BY);
	if (!err)
		err = add_data(page, name, make_data(&report, &header.header, TREE_BYTES));
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
	int err;

	init_report(&report, page, &view_summary);
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
		err = add_data(page, "time", summaries_points(&page->view->summaries));
	if (!err)
		err = add_flame(page, "flame-live", FLAME_live);
	if (!err)
		err = add_flame(page, "flame-allocated", FLAME_allocated);
	if (!err)
		page_end(page->file, &page_of_summaries);
	return err;
}

int summaries_page_print(const struct report_options *options, struct summaries_view *view)
{
	struct report_options in_json = *options;
	struct summaries_page page = { .options = &in_json, .view = view };
	char *text = NULL;
	size_t size;
	int err, status;

	in_json.renderer = &renderer_json;
	in_json.lines_given = true;
	in_json.lines = 0;
	page.file = text_open(&text, &size);
	err = page.file ? put_page(&page) : -ENOMEM;
	if (page.file && text_close(page.file, &text))
		err = -ENOMEM;
	status = err ? error_msg("%s: %s", options->input, strerror(-err))
		     : page_file_write(options->page_file, text, size);
	free(text);
	return status;
}
