// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A report on summaries has tables and a header of its own: summaries have no events, and an
 * analysis of them would have zeros where figures are not known.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "cli/message.h"
#include "fleet/summary/summary_file.h"
#include "report/empty_output.h"
#include "report/report.h"
#include "report/report_summaries.h"
#include "report/summaries/flame.h"
#include "report/summaries/summaries_header.h"
#include "report/summaries/tables.h"
#include "report/summaries_search.h"

#define MERGED "summaries/merged" SUMMARY_FILE_SUFFIX
#define FIRST_WORD "kmemtrace-summaries "
#define GLANCE_ROWS 5

static bool begins_as_summaries(const char *path)
{
	char text[sizeof(FIRST_WORD)] = "";
	int fd = open_regular_file(AT_FDCWD, path);

	if (fd < 0)
		return false;
	if (read(fd, text, sizeof(text) - 1) != (ssize_t)sizeof(text) - 1)
		*text = '\0';
	close(fd);
	return !strcmp(text, FIRST_WORD);
}

bool report_summaries_find(const char *path, char **file)
{
	struct stat status;

	*file = NULL;
	if (stat(path, &status))
		return false;
	if (S_ISDIR(status.st_mode)) {
		if (asprintf(file, "%s/" MERGED, path) < 0) {
			*file = NULL;
			return true;
		}
		if (!stat(*file, &status) && S_ISREG(status.st_mode))
			return true;
		free(*file);
		*file = NULL;
		return false;
	}
	if (!S_ISREG(status.st_mode) ||
	    (!summaries_search_name(path) && !begins_as_summaries(path)))
		return false;
	*file = strdup(path);
	return true;
}

/* A text begins with the growth; -s, -l and -F are of the table sites. */
static int add_glance(struct report *report, const struct summaries_view *view)
{
	int err = summaries_add_sites(report, view);

	if (!err)
		err = summaries_add_caches(report, view);
	if (!err)
		err = summaries_add_leaks(report, view);
	for (size_t i = 0; i < report->table_count; i++)
		report->tables[i].text_rows = GLANCE_ROWS;
	report->tables[report->table_count - 1].leads = true;
	return err;
}

/* The views that summaries have, and how each adds its tables. */
static const struct summaries_table {
	const struct view *view; /* NULL: the end */
	int (*add)(struct report *report, const struct summaries_view *view);
} tables[] = {
	{ &view_summary, add_glance },
	{ &view_sites, summaries_add_sites },
	{ &view_caches, summaries_add_caches },
	{ &view_leaks, summaries_add_leaks },
	{ &view_timeline, summaries_add_timeline },
	{ &view_flame, summaries_add_flame },
	{ 0 },
};

static const struct summaries_table *find_table(const struct view *view)
{
	const struct summaries_table *table = tables;

	while (table->view && table->view != view)
		table++;
	return table;
}

/* Each returns EXIT_OK or, after a message, EXIT_TROUBLE. */
static int check_view(const struct report_options *options)
{
	if (find_table(options->view)->view)
		return EXIT_OK;
	return error_msg(
		"%s: the view %s needs events, and summaries have none: use summary, sites, caches, leaks, timeline or flame",
		options->input, options->view->name);
}

static int check_groups(const struct report_options *options)
{
	if (options->view->has_flame && options->by_text)
		return error_msg("%s: --by: the flame of summaries is by " SUMMARIES_FLAME_BY
				 ": leave out --by",
				 options->input);
	if (!options->has_by || options->by == GROUP_BY_FUNCTION ||
	    options->by == GROUP_BY_MODULE || options->by == GROUP_BY_CACHE)
		return EXIT_OK;
	return error_msg(
		"%s: --by: summaries have figures by function, module and cache only: use one of them",
		options->input);
}

static int check_filters(const struct report_options *options)
{
	for (size_t i = 0; i < options->filter_count; i++) {
		const char *filter = options->filters[i];
		bool is_site = !strncmp(filter, "site ", strlen("site "));

		if (is_site && strstr(filter, "+0x"))
			return error_msg(
				"%s: --site: summaries have no offsets in functions: leave out +0x",
				options->input);
		if (!strncmp(filter, "time ", strlen("time ")) ||
		    !strncmp(filter, "at ", strlen("at ")))
			continue;
		if (!is_site && strncmp(filter, "cache ", strlen("cache ")) != 0)
			return error_msg(
				"%s: the filter \"%s\" needs events, and summaries have none: use --site, --cache or --time",
				options->input, filter);
	}
	return EXIT_OK;
}

static int check_format(const struct report_options *options)
{
	if (options->is_trace || options->renderer == &renderer_lkml)
		return error_msg(
			"%s: --format=%s: needs events, and summaries have none: use --format=text, json or csv",
			options->input, options->is_trace ? "perfetto" : "lkml");
	if (options->measure_text && strcmp(options->measure_text, "live") != 0 &&
	    strcmp(options->measure_text, "allocated") != 0)
		return error_msg(
			"%s: --bytes=%s: needs events, and summaries have none: use --bytes=live or allocated",
			options->input, options->measure_text);
	return EXIT_OK;
}

static int check_options(const struct report_options *options)
{
	int status = check_format(options);

	if (!status)
		status = check_view(options);
	if (!status)
		status = check_groups(options);
	return status ? status : check_filters(options);
}

int report_summaries_check_diff(const struct report_options *options)
{
	int status = check_groups(options);

	return status ? status : check_filters(options);
}

enum summaries_by report_summaries_by(const struct report_options *options)
{
	if (options->has_by && options->by == GROUP_BY_MODULE)
		return SUMMARIES_BY_MODULE;
	if (options->has_by && options->by == GROUP_BY_CACHE)
		return SUMMARIES_BY_CACHE;
	return SUMMARIES_BY_FUNCTION;
}

static const char *by_text(const struct report_options *options)
{
	if (options->view->has_flame)
		return SUMMARIES_FLAME_BY;
	if (!options->view->has_by)
		return NULL;
	return options->has_by ? options->by_text : "function";
}

/* Losses that no header shows, --max-loss, and parts of the file that were skipped. */
int report_summaries_check_loss(const struct report_options *options,
				const struct summaries *summaries)
{
	const struct missing *missing = &summaries->sum.missing;
	char text[MISSING_TEXT];

	if (!options->renderer->has_header && (missing_events(missing) || summaries->missing))
		info_msg("%s: %s; summaries that are missing: %llu", options->input,
			 missing_message(missing, text), (unsigned long long)summaries->missing);
	if (report_check_max_loss(options, missing))
		return EXIT_FINDINGS;
	return summaries->damaged || summaries->overlapping ? EXIT_FINDINGS : EXIT_OK;
}

int report_summaries_run(struct report *report, struct summaries_header *header,
			 const struct report_options *options, const struct summaries_view *view)
{
	int err = report_init(report, options);

	memset(header, 0, sizeof(*header));
	if (!err)
		err = find_table(options->view)->add(report, view);
	if (!err)
		err = report_sort_and_cut(report, options);
	return err ? err : summaries_header_init(header, report, view, by_text(options));
}

int report_summaries_open(struct summaries_view *view, const struct report_options *options,
			  const char *file)
{
	bool wants_growth = options->view == &view_leaks || options->view == &view_summary;
	int status = check_options(options);

	if (status)
		return status;
	if (summaries_read(&view->summaries, file, options->filter_count ? &options->select : NULL,
			   wants_growth))
		return EXIT_TROUBLE;
	if (summaries_view_group(view, options->is_page ? SUMMARIES_BY_FUNCTION
							: report_summaries_by(options)))
		return error_msg("%s: %s", options->input, strerror(ENOMEM));
	return EXIT_OK;
}

int report_summaries_print(const struct report_options *options, const struct summaries_view *view)
{
	struct summaries_header header;
	struct report report;
	int err = report_summaries_run(&report, &header, options, view);
	int status = err ? report_failed(options, &report, err)
			 : report_render(options, &header.header, &report);

	if (status == EXIT_OK)
		say_empty_output(options, &report);
	summaries_header_deinit(&header);
	report_deinit(&report);
	return status;
}
