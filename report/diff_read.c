// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Reads one of the two captures, or summaries, into a side of the comparison. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "report/diff_read.h"
#include "report/report.h"
#include "report/report_summaries.h"
#include "report/summaries/diff_side.h"

/* The expressions of the options, for one capture. by: also those that group. */
static int set_query(struct query *query, const struct report_options *options, bool by)
{
	int err = 0;

	if (options->query->has_where)
		err = query_where(query, "--where", options->query->where.text);
	if (!err && by && options->has_by && options->by == GROUP_BY_CALLER)
		err = query_by(query, "--by", options->by_text);
	return err;
}

static size_t count_names(const struct report_options *options)
{
	size_t count = options->diff.normalise == DIFF_BY_WORK;

	for (size_t i = 0; i < options->diff.condition_count; i++)
		count += options->diff.conditions[i].name.scope != DIFF_OF_ALL;
	return count;
}

/* The names of the conditions, in their order; then that of --normalise. */
static int set_names(struct diff_side *side, const struct report_options *options)
{
	const struct diff_options *diff = &options->diff;

	side->named = calloc(count_names(options) + 1, sizeof(*side->named));
	if (!side->named)
		return -ENOMEM;
	for (size_t i = 0; i < diff->condition_count; i++)
		if (diff->conditions[i].name.scope != DIFF_OF_ALL)
			side->named[side->named_count++].name = diff->conditions[i].name;
	if (diff->normalise == DIFF_BY_WORK)
		side->named[side->named_count++].name = diff->work;
	return 0;
}

int diff_print_error(const struct report *report, const char *path, int err)
{
	if (*report->error.text)
		return error_msg("%s", report->error.text);
	return error_msg("%s: %s", path, strerror(-err));
}

/* Fills the side, and the header of the capture unless it is NULL. Returns the exit status. */
static int read_side(const struct report_options *options, struct diff_capture *capture,
		     struct diff_side *side, struct capture_header *header)
{
	struct report report;
	int err = set_names(side, options), status = EXIT_OK;

	if (err)
		return error_msg("%s: %s", capture->path, strerror(-err));
	err = report_init(&report, options);
	report.diff = side;
	report.is_brief = options->renderer->for_people && !options->verbose;
	if (!err)
		err = report_make(&report, &capture->capture);
	if (!err && header)
		err = capture_header_init(header, &report);
	if (err)
		status = diff_print_error(&report, capture->path, err);
	else if (header)
		status = report_check_loss(options, header, &report);
	report_deinit(&report);
	return status;
}

/* Names of code need groups by call site: reads the capture again if it has others. */
static int read_names(const struct report_options *options, struct diff_capture *capture,
		      struct diff_side *side)
{
	struct diff_side names = { 0 };
	struct report_options by_site = *options;
	int status;

	if (!side->named_count || !options->has_by || options->by == GROUP_BY_SITE)
		return EXIT_OK;
	by_site.has_by = false;
	by_site.by_text = NULL;
	query_deinit(&capture->query);
	memset(&capture->query, 0, sizeof(capture->query));
	if (set_query(&capture->query, options, false))
		return error_msg("%s", strerror(ENOMEM));
	status = read_side(&by_site, capture, &names, NULL);
	for (size_t i = 0; i < names.named_count; i++)
		side->named[i].code = names.named[i].code;
	diff_side_deinit(&names);
	return status;
}

/* Opens a directory, or one file, whose name the messages show. */
static int open_capture(const struct report_options *options, const char *path,
			struct diff_capture *capture)
{
	int status;

	capture->has_file = true;
	if (capture_file_open(&capture->file, path, true))
		return error_msg("%s", capture->file.error.text);
	if (capture->file.is_archive)
		message_show_path_as(capture->file.path, path);
	status = report_open_capture(&capture->capture, options, capture->file.path);
	capture->is_open = status == EXIT_OK;
	return status;
}

/* file: the one that the path, options->input, stands for. */
static int read_summaries(const struct report_options *options, const char *file,
			  struct diff_capture *capture, struct diff_side *side)
{
	struct summaries_view *view = &capture->summaries;
	struct report report = {
		.view = options->view,
		.filters = (const char *const *)options->filters,
		.filter_count = options->filter_count,
		.renderer = options->renderer,
		.is_brief = options->renderer->for_people && !options->verbose,
	};
	int status = report_summaries_check_diff(options), err;

	if (status)
		return status;
	if (set_names(side, options))
		return error_msg("%s: %s", capture->path, strerror(ENOMEM));
	if (summaries_read(&view->summaries, file, options->filter_count ? &options->select : NULL,
			   true))
		return EXIT_TROUBLE;
	capture->has_summaries = true;
	err = summaries_view_group(view, report_summaries_by(options));
	if (!err)
		err = summaries_fill_side(side, view);
	if (!err)
		err = summaries_header_init(&capture->summaries_header, &report, view,
					    options->by_text);
	if (err)
		return error_msg("%s: %s", capture->path, strerror(-err));
	return report_summaries_check_loss(options, &view->summaries);
}

int diff_read(const struct report_options *options, const char *path, struct diff_capture *capture,
	      struct diff_side *side)
{
	struct report_options own = *options;
	char *file;
	int status;

	capture->path = side->path = own.input = path;
	if (report_summaries_find(path, &file)) {
		status = file ? read_summaries(&own, file, capture, side)
			      : error_msg("%s: %s", path, strerror(ENOMEM));
		free(file);
		return status;
	}
	own.query = &capture->query;
	if (set_query(&capture->query, options, true))
		return error_msg("%s", strerror(ENOMEM));
	status = open_capture(&own, path, capture);
	if (status)
		return status;
	status = read_side(&own, capture, side, &capture->header);
	if (status == EXIT_TROUBLE)
		return status;
	return read_names(&own, capture, side) == EXIT_TROUBLE ? EXIT_TROUBLE : status;
}
