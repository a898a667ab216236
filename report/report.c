// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A report: runs the analysis for a view, sorts and cuts the tables, and calls the renderer. */
#include "config.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/fields/allocations.h"
#include "base/text.h"
#include "cli/message.h"
#include "cli/pager.h"
#include "cli/progress.h"
#include "report/columns.h"
#include "report/empty_output.h"
#include "report/render/render.h"
#include "report/report.h"
#include "report/summaries_search.h"
#include "report/views/capture_header.h"
#include "report/views/estimate_columns.h"
#include "report/views/event_clock.h"
#include "report/views/row_names.h"
#include "report/views/unknown_cache.h"

#define ROWS_TEXT 20 /* of a table in a text, by default */

static const char *advise_on_error(int err)
{
	switch (err) {
	case -ENOENT:
		return ": capture first with kmemtraced, or name a capture";
	case -EACCES:
		return ": only its owner can read a capture";
	default:
		return "";
	}
}

int report_open_capture(struct capture *capture, const struct report_options *options,
			const char *path)
{
	const struct capture_range range = {
		.after = options->select.after,
		.before = options->select.before,
		.after_is_date = options->select.after_is_date,
		.before_is_date = options->select.before_is_date,
		.live = options->select.is_at,
	};
	int err = capture_open_range(capture, path, &range);

	if (err == -ENOENT && summaries_search(path))
		return error_msg(
			"%s has files of summaries: add them up first: kmemtrace-merge -o SUM %s, and report on SUM",
			path, path);
	if (err)
		return error_msg("%s%s", capture->error.text, advise_on_error(err));
	if ((!range.after_is_date && !range.before_is_date) || capture->metadata.wall_offset)
		return EXIT_OK;
	capture_close(capture);
	return error_msg(
		"%s: the date of the capture is not known: give times in seconds since its begin",
		options->input);
}

int report_init(struct report *report, const struct report_options *options)
{
	const struct view *view = options->view;

	*report = (struct report){
		.view = view,
		.settings = { .by = options->has_by ? options->by : view->by,
			      .lifetimes = view->lifetimes,
			      .findings = view->findings,
			      .peak_heap = view->peak_heap,
			      .merge_bookkeeping = view->merges_bookkeeping &&
						   !options->select.has_site,
			      .threads = options->threads,
			      .select = options->filter_count ? &options->select : NULL },
		.all_findings = options->possible,
		.filters = (const char *const *)options->filters,
		.filter_count = options->filter_count,
		.query = options->query,
		.probes = options->probes,
		.by_text = (options->has_by && options->by == GROUP_BY_CALLER) || view->has_flame
				   ? options->by_text
				   : NULL,
		.measure_text = options->measure_text,
		.bottom_up = options->bottom_up,
		.is_glance = view == &view_summary && options->renderer->for_people &&
			     !options->lines_given && !options->sort && !options->columns,
		.is_brief = options->renderer->for_people && !options->verbose && !view->compares,
		.lines_given = options->lines_given,
		.renderer = options->renderer,
		.lines = options->lines,
		.nodes = options->nodes,
		.out = stdout,
	};
	report->settings.live_curve = report->is_glance;
	return view->set_columns ? view->set_columns(report) : 0;
}

void report_deinit(struct report *report)
{
	for (size_t i = 0; i < report->table_count; i++) {
		table_deinit(&report->tables[i]);
		free(report->converted[i]);
	}
	live_bounds_deinit(&report->bounds);
	heap_wastes_deinit(&report->wastes);
	slab_growth_deinit(&report->growth);
	census_deinit(&report->census);
	analysis_deinit(&report->analysis);
	if (report->flame)
		flame_deinit(report->flame);
	free(report->flame);
	if (report->allocations)
		allocations_deinit(report->allocations);
	free(report->allocations);
	free(report->columns);
	free(report->second_columns);
}

/* Does the view show objects that expressions select or group? */
static bool has_allocations(const struct report *report)
{
	return report->settings.by == GROUP_BY_CALLER ||
	       (report->query->has_where && !report->view->shows_events);
}

static int sort_first(struct report *report, struct table *table, const char *sort, size_t rows)
{
	char *keys = columns_sort_keys(table, sort);
	int err = keys ? table_sort_and_cut(table, keys, rows) : -ENOMEM;

	if (err == -EINVAL)
		error_format(&report->error, err, "--sort: %s", table->error.text);
	free(keys);
	return err;
}

int report_check_columns(const struct report_options *options)
{
	struct report report;
	int err;

	if (options->view->streams || options->view->compares)
		return 0;
	err = report_init(&report, options);
	if (!err) {
		if (report.columns)
			report_add_table_of(&report, report.columns, report.column_count);
		else
			report_add_table(&report, report.view->columns);
		err = columns_of_groups(&report);
	}
	if (!err && options->sort)
		err = sort_first(&report, &report.tables[0], options->sort, 0);
	if (!err && options->columns)
		err = columns_choose(&report, options->columns);
	if (err)
		error_msg("%s", *report.error.text ? report.error.text : strerror(-err));
	report_deinit(&report);
	return err;
}

static int make_bounds(struct report *report)
{
	const struct heap_readings *heap = &report->capture->heap;
	int err = slab_growth_init(&report->growth, &report->analysis);

	if (!err && heap->count)
		err = census_init(&report->census, &heap->list[heap->count - 1]);

	if (!err && report->settings.peak_heap)
		err = heap_wastes_init(&report->wastes, &report->analysis);
	return err ? err : live_bounds_init(&report->bounds, &report->analysis, &report->growth);
}

static int request_allocations(struct report *report)
{
	int err;

	if (!has_allocations(report))
		return 0;
	report->allocations = calloc(1, sizeof(*report->allocations));
	if (!report->allocations)
		return -ENOMEM;
	err = allocations_init(report->allocations, report->query);
	if (!err)
		err = allocations_request(report->allocations, &report->settings, report->capture);
	if (err == -EINVAL)
		error_set(&report->error, err, report->query->error.text);
	return err;
}

static uint64_t weigh_object(const void *data, const struct transition *transition)
{
	const struct report *report = data;

	return transition->object
		       ? estimate_object(report->analysis.estimates, transition->object).objects
		       : 1;
}

/* A profile has sampled allocations only, and only they have a stack. */
static int request_estimates(struct report *report)
{
	const struct status_sampling *sampling = &report->capture->status.sampling;
	const struct view *view = report->view;

	if (!sampling->interval || view->streams ||
	    !(sampling->is_profile || query_needs_samples(report->query)))
		return 0;
	if (view->needs_all)
		return error_format(&report->error, -EINVAL, "%s: the view %s %s: %s",
				    report->capture->path, view->name, view->needs_all,
				    sampling->is_profile ? "record a capture without --profile"
							 : "use it without the fields of stacks");
	report->settings.estimate = true;
	report->settings.findings = false;
	report->weigh = weigh_object;
	report->weigh_data = report;
	return 0;
}

/* Runs the analysis and makes the tables. -ENOMEM has no errmsg. */
int report_make(struct report *report, struct capture *capture)
{
	const struct view *view = report->view;
	struct progress_line line;
	int err = 0;

	report->capture = capture;
	/* a stream prints to the terminal meanwhile: show no progress there */
	progress_line_init(&line, view->streams && isatty(STDOUT_FILENO), PROGRESS_DELAY);
	line.file = capture->path;
	err = view->set_by ? view->set_by(report) : 0;
	if (!err)
		err = request_estimates(report);
	if (err)
		return err;
	if (!view->streams)
		slab_growth_request(&report->settings, capture);
	err = request_allocations(report);
	if (err)
		return err;
	if (view->begin)
		err = view->begin(report);
	if (!err) {
		report->settings.progress = progress_line_bytes;
		report->settings.progress_data = &line;
		err = analysis_run(&report->analysis, capture, &report->settings);
		report->settings.progress_data = NULL;
		progress_line_clear();
		if (err)
			error_set(&report->error, err, capture->error.text);
		else if (report->allocations && report->allocations->source.err)
			err = -ENOMEM;
		else if (!view->streams)
			err = make_bounds(report);
		if (!err)
			err = view->make(report);
		if (!err && !view->streams && !view->compares)
			err = columns_of_groups(report);
	}
	if (view->end)
		view->end(report);
	return err;
}

size_t report_rows(const struct report *report, const struct report_options *options)
{
	const size_t own = report->view->rows ? report->view->rows : ROWS_TEXT;

	if (options->lines_given)
		return options->lines;
	if (report->renderer->rows_max)
		return report->renderer->rows_max;
	return report->renderer->for_people && own != VIEW_ALL_ROWS ? own : 0;
}

/* How many rows of the table are printed; 0: all. */
static size_t rows_of(const struct report *report, const struct report_options *options,
		      const struct table *table)
{
	if (!options->lines_given && report->renderer->for_people && table->text_rows)
		return table->text_rows;
	return report_rows(report, options);
}

int report_sort_and_cut(struct report *report, const struct report_options *options)
{
	for (size_t i = 0; i < report->table_count; i++) {
		struct table *table = &report->tables[i];
		size_t rows = rows_of(report, options, table);
		int err = i == 0 && options->sort ? sort_first(report, table, options->sort, rows)
						  : table_sort_and_cut(table, table->sort, rows);

		if (err)
			return err;
		if (i == 0 && options->columns)
			err = columns_choose(report, options->columns);
		else if (i == 0 && options->sort)
			err = columns_show(table, options->sort);
		if (err)
			return err;
		if (!report->capture || !event_clock_is(report->capture))
			continue;
		report->converted[i] = event_clock_convert(table);
		if (!report->converted[i])
			return -ENOMEM;
	}
	return 0;
}

static bool use_color(enum color_when when)
{
	const char *no_color = getenv("NO_COLOR");

	if (when == COLOR_AUTO)
		return isatty(STDOUT_FILENO) && !(no_color && *no_color);
	return when == COLOR_ALWAYS;
}

/* Does the user's locale show UTF-8? The program itself stays in the C locale. */
static bool is_utf8(void)
{
	locale_t locale = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
	bool is_utf8 = locale && !strcmp(nl_langinfo_l(CODESET, locale), "UTF-8");

	if (locale)
		freelocale(locale);
	return is_utf8;
}

int report_render(const struct report_options *options, const struct header *header,
		  const struct report *report)
{
	bool pages = report->renderer->for_people && !report->view->streams && !options->no_pager &&
		     pager_is_possible();
	struct output output = { .file = stdout,
				 .color = use_color(options->color),
				 .legend = options->legend,
				 .utf8 = isatty(STDOUT_FILENO) && is_utf8(),
				 .width = render_width() };
	char *text = NULL;
	size_t length;
	int err = 0;

	errno = 0;
	if (pages)
		output.file = text_open(&text, &length);
	if (!output.file)
		err = -ENOMEM;
	else if (report->renderer->print_flame)
		err = report->renderer->print_flame(&output, report->flame);
	else if (!report->view->streams)
		err = report->renderer->print(&output, header, report->tables, report->table_count);
	if (pages && output.file && text_close(output.file, &text) && !err)
		err = -ENOMEM;
	if (pages && !err)
		err = pager_print(text, length);
	free(text);
	if (err)
		return error_msg("standard output: %s", strerror(-err));
	if (fflush(stdout) || ferror(stdout))
		return error_msg("standard output: %s", strerror(errno ? errno : EIO));
	return EXIT_OK;
}

int report_check_max_loss(const struct report_options *options, const struct missing *missing)
{
	double percent = missing_percent(missing);

	if (options->max_loss < 0)
		return EXIT_OK;
	if (percent > options->max_loss)
		error_msg("%s: %s%.6g%% of the events were %s: more than %.6g%%", options->input,
			  missing_percent_is_bound(missing) ? "at most " : "", percent,
			  missing_words(missing), options->max_loss);
	else if (missing->skipped_partial)
		error_msg(
			"%s: the number of skipped events is not known: it may be more than %.6g%%",
			options->input, options->max_loss);
	else
		return EXIT_OK;
	return EXIT_FINDINGS;
}

int report_check_loss(const struct report_options *options, const struct capture_header *header,
		      const struct report *report)
{
	const struct missing *missing = &header->missing;
	bool has_header = report->renderer->has_header && !report->view->streams;
	const struct analysis_totals *totals = &report->analysis.totals;
	char newer[METADATA_TEXT], text[MISSING_TEXT];

	if (report->view->streams && (totals->own_allocations || totals->own_frees))
		info_msg(
			"%s: left out kmemtraced's own allocations (%llu) and their frees (%llu): to include them, capture with kmemtraced --include-self",
			options->input, (unsigned long long)totals->own_allocations,
			(unsigned long long)totals->own_frees);
	if (!has_header && missing_events(missing))
		info_msg("%s: %s", options->input, missing_message(missing, text));
	if (!has_header && totals->unknown)
		info_msg("%s: records of kinds that this version does not know: %llu; %s",
			 options->input, (unsigned long long)totals->unknown,
			 metadata_newer_text(report->capture->metadata.tracer_version, newer,
					     sizeof(newer)));
	return report_check_max_loss(options, missing);
}

int report_run(struct report *report, struct capture_header *header,
	       const struct report_options *options, struct capture *capture)
{
	int err;

	memset(header, 0, sizeof(*header));
	err = report_init(report, options);
	if (!err)
		err = report_make(report, capture);
	if (!err)
		err = report_sort_and_cut(report, options);
	if (!err)
		err = capture_header_init(header, report);
	return err;
}

int report_failed(const struct report_options *options, const struct report *report, int err)
{
	if (*report->error.text)
		return error_msg("%s", report->error.text);
	return error_msg("%s: %s", options->input, strerror(-err));
}

int report_print(const struct report_options *options, struct capture *capture)
{
	struct capture_header header;
	struct report report;
	int err = report_run(&report, &header, options, capture);
	int status = err ? report_failed(options, &report, err)
			 : report_render(options, &header.header, &report);

	if (status == EXIT_OK && !say_unknown_cache(&report, options->query, options->input))
		say_empty_output(options, &report);
	if (status == EXIT_OK)
		status = report_check_loss(options, &header, &report);
	capture_header_deinit(&header);
	report_deinit(&report);
	return status;
}
