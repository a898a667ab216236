// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Reads both captures one after the other. Of the first, only its figures are kept while the second
 * is read: the memory of a comparison is that of one report.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "report/columns.h"
#include "report/diff_header.h"
#include "report/diff_page.h"
#include "report/diff_report.h"
#include "report/diff_read.h"
#include "report/report.h"
#include "report/report_summaries.h"
#include "report/views/row_names.h"

struct comparison {
	const struct report_options *options;
	struct diff diff;
	struct diff_capture a, b;
	struct header header;
	struct report report; /* of the tables */
	struct column *columns[VIEW_TABLES_MAX];
	size_t column_sets;
	int status; /* of both captures, and of the conditions */
};

static bool has_objects(const struct diff_figures *figures, size_t slices)
{
	return diff_figures_value(figures, DIFF_ALLOCATIONS, slices) > 0 ||
	       diff_figures_value(figures, DIFF_LIVE_OBJECTS, slices) > 0;
}

/* The figures of a name in both captures. False: none of them has it. */
static bool find_name(const struct diff *diff, size_t number, const struct diff_figures **a,
		      const struct diff_figures **b)
{
	const struct diff_named *in_a = &diff->a.named[number], *in_b = &diff->b.named[number];

	*a = &in_a->cache;
	*b = &in_b->cache;
	if (has_objects(*a, diff->a.slices) || has_objects(*b, diff->b.slices))
		return true;
	*a = &in_a->code;
	*b = &in_b->code;
	return has_objects(*a, diff->a.slices) || has_objects(*b, diff->b.slices);
}

static const char *scope_text(enum diff_scope scope)
{
	switch (scope) {
	case DIFF_OF_CACHE:
		return "slab cache";
	case DIFF_OF_FUNCTION:
		return "function or call site";
	default:
		return "slab cache, function or call site";
	}
}

static int set_work(struct diff_work *work, const struct diff_side *side,
		    const struct report_options *options, const struct diff_figures *named)
{
	if (options->diff.normalise == DIFF_BY_TIME && !side->has_time)
		return error_msg("%s: the recording has no times: use --normalise=events",
				 side->path);
	if (options->diff.normalise == DIFF_BY_EVENTS)
		diff_work_init(work, side, side->events, 1e6);
	else if (options->diff.normalise == DIFF_BY_WORK)
		diff_work_init(work, side, named->histories[DIFF_ALLOCATIONS].changes, 1);
	else
		diff_work_init(work, side, side->seconds, 1);
	if (work->sum > 0)
		return EXIT_OK;
	switch (options->diff.normalise) {
	case DIFF_BY_TIME:
		return error_msg("%s: the capture has no duration: use --normalise=events",
				 side->path);
	case DIFF_BY_EVENTS:
		return error_msg(
			"%s: no allocation or free is selected: there is nothing to compare",
			side->path);
	case DIFF_BY_WORK:
		break;
	}
	return error_msg("%s: --normalise: no %s of the name %s allocated", side->path,
			 scope_text(options->diff.work.scope), options->diff.work.text);
}

static int normalise_sides(struct comparison *comparison)
{
	const struct report_options *options = comparison->options;
	struct diff *diff = &comparison->diff;
	const struct diff_figures *a = NULL, *b = NULL;
	int status;

	if (options->diff.normalise == DIFF_BY_WORK)
		find_name(diff, diff->a.named_count - 1, &a, &b);
	status = set_work(&diff->a_work, &diff->a, options, a);
	if (!status)
		status = set_work(&diff->b_work, &diff->b, options, b);
	diff->unit = "/s";
	diff->byte_unit = "bytes/s";
	if (options->diff.normalise == DIFF_BY_EVENTS) {
		diff->unit = "/M events";
		diff->byte_unit = "bytes/M";
	} else if (options->diff.normalise == DIFF_BY_WORK) {
		diff->unit = " for one";
		diff->byte_unit = "bytes/1";
	}
	return status;
}

static void set_keys(struct comparison *comparison)
{
	const struct query *query = comparison->options->query;
	struct diff *diff = &comparison->diff;

	diff->key_count = 1;
	diff->keys[0] = diff_columns[DIFF_NAME].key;
	if (comparison->options->has_by)
		diff->keys[0] = comparison->options->by_text;
	if (!query->by_count)
		return;
	diff->key_count = query->by_count;
	for (size_t i = 0; i < query->by_count; i++)
		diff->keys[i] = query->by[i].text;
}

/* The table of one figure, or of all. */
static struct table *add_change_table(struct comparison *comparison, enum diff_figure figure,
				      const char *key, const char *title)
{
	size_t count;
	struct column *columns = diff_make_columns(&comparison->diff, figure, &count);
	struct table *table;

	if (!columns)
		return NULL;
	comparison->columns[comparison->column_sets++] = columns;
	table = report_add_table_of(&comparison->report, columns, count);
	table->key = key;
	table->title = title;
	table->empty = "No allocation was recorded or selected in A and B.";
	return table;
}

static int make_tables(struct comparison *comparison)
{
	struct report *report = &comparison->report;
	bool marks = comparison->options->renderer->for_people;
	struct column *columns;
	struct table *table = add_change_table(comparison, marks ? DIFF_ALLOCATED : DIFF_FIGURES,
					       "diff", "Bytes allocated");
	int err = table ? diff_add_rows(&comparison->diff, table,
					marks ? DIFF_ALLOCATED : DIFF_FIGURES, marks)
			: -ENOMEM;

	if (!err && marks && diff_knows(&comparison->diff, DIFF_GROWTH)) {
		table = add_change_table(comparison, DIFF_GROWTH, "growth",
					 "Growth: allocated - freed");
		err = table ? diff_add_rows(&comparison->diff, table, DIFF_GROWTH, marks) : -ENOMEM;
	}
	if (!err && marks) {
		table = add_change_table(comparison, DIFF_LIVE, "live", "Live bytes");
		err = table ? diff_add_rows(&comparison->diff, table, DIFF_LIVE, marks) : -ENOMEM;
	}
	if (err)
		return err;
	columns = diff_make_total_columns();
	if (!columns)
		return -ENOMEM;
	comparison->columns[comparison->column_sets++] = columns;
	table = report_add_table_of(report, columns, DIFF_COLUMNS);
	table->key = "totals";
	table->title = "Totals";
	table->leads = true;
	return diff_add_totals(&comparison->diff, table, marks);
}

static int sort_and_cut(struct comparison *comparison)
{
	const struct report_options *options = comparison->options;
	struct report *report = &comparison->report;

	for (size_t i = 0; i < report->table_count; i++) {
		struct table *table = &report->tables[i];
		bool is_first = i == 0;
		char *keys = is_first && options->sort ? columns_sort_keys(table, options->sort)
						       : strdup("+rank");
		int err = keys ? table_sort(table, keys) : -ENOMEM;

		free(keys);
		if (err == -EINVAL)
			error_format(&report->error, err, "--sort: %s", table->error.text);
		if (err)
			return err;
		if (!table->leads)
			table_cut(table, report_rows(report, options));
		if (is_first && options->columns)
			err = columns_choose(report, options->columns);
		if (err)
			return err;
	}
	return 0;
}

static int fail_no_figure(const struct diff_condition *condition, const struct diff_side *side)
{
	return error_msg("--fail-if: \"%s\": %s has no such figure", condition->text, side->path);
}

/* Does the condition hold? EXIT_FINDINGS, after a message. */
static int check_condition(const struct comparison *comparison, size_t number, size_t *name,
			   const struct diff_level *level)
{
	const struct diff *diff = &comparison->diff;
	const struct diff_condition *condition = &comparison->options->diff.conditions[number];
	const struct diff_figures *a = &diff->a.total, *b = &diff->b.total;
	struct diff_estimate in_a, in_b, in_b_scaled;
	enum diff_figure figure = condition->figure;
	double factor = condition->factor;

	if (condition->name.scope != DIFF_OF_ALL && !find_name(diff, (*name)++, &a, &b))
		return error_msg("--fail-if: \"%s\": no %s of the name %s has objects in %s or %s",
				 condition->text, scope_text(condition->name.scope),
				 condition->name.text, diff->a.path, diff->b.path);
	in_a = diff_estimate(&diff->a, &diff->a_work, figure, a, b);
	in_b = diff_estimate(&diff->b, &diff->b_work, figure, b, a);
	if (diff->a.lacks[figure] || isnan(in_a.value))
		return fail_no_figure(condition, &diff->a);
	if (diff->b.lacks[figure] || isnan(in_b.value))
		return fail_no_figure(condition, &diff->b);
	in_b_scaled = in_b;
	if (diff_is_state(figure))
		in_b_scaled = diff_scale(in_b, diff->a_work.sum / diff->b_work.sum);
	if (in_a.value < 0)
		factor = 2 - factor; /* so many percent of its size are more, too */
	if (!diff_exceeds(&in_a, &in_b, factor, condition->more, level) ||
	    !diff_exceeds(&in_a, &in_b_scaled, factor, condition->more, level))
		return EXIT_OK;
	error_msg("--fail-if: \"%s\" holds: %.6g in %s, %.6g in %s", condition->text, in_a.value,
		  diff->a.path, in_b.value, diff->b.path);
	return EXIT_FINDINGS;
}

static int check_conditions(const struct comparison *comparison)
{
	size_t count = comparison->options->diff.condition_count, name = 0;
	struct diff_level level;
	int status = EXIT_OK;

	if (!count)
		return EXIT_OK;
	/* an increase only: one side of the distribution */
	diff_level_init(&level, 2 * DIFF_ERROR / (double)count);
	for (size_t i = 0; i < count; i++) {
		int one = check_condition(comparison, i, &name, &level);

		if (one > status)
			status = one;
	}
	return status;
}

/* The keys of --sort and -F, before both captures are read. */
static int check_columns(struct comparison *comparison)
{
	struct report *report = &comparison->report;
	int err = add_change_table(comparison, DIFF_FIGURES, "diff", NULL) ? 0 : -ENOMEM;

	if (!err)
		err = sort_and_cut(comparison);
	table_deinit(&report->tables[0]);
	report->table_count = 0;
	return err;
}

static void set_up(struct comparison *comparison, const struct report_options *options)
{
	*comparison = (struct comparison){
		.options = options,
		.report = { .view = options->view, .renderer = options->renderer },
	};
}

static void tear_down(struct comparison *comparison)
{
	struct diff_capture *const captures[] = { &comparison->a, &comparison->b };

	for (size_t i = 0; i < comparison->report.table_count; i++)
		table_deinit(&comparison->report.tables[i]);
	for (size_t i = 0; i < comparison->column_sets; i++)
		free(comparison->columns[i]);
	header_deinit(&comparison->header);
	diff_pairs_deinit(&comparison->diff.pairs);
	diff_side_deinit(&comparison->diff.a);
	diff_side_deinit(&comparison->diff.b);
	for (size_t i = 0; i < 2; i++) {
		capture_header_deinit(&captures[i]->header);
		summaries_header_deinit(&captures[i]->summaries_header);
		summaries_view_deinit(&captures[i]->summaries);
		query_deinit(&captures[i]->query);
		if (captures[i]->is_open)
			capture_close(&captures[i]->capture);
		if (captures[i]->has_file)
			capture_file_close(&captures[i]->file);
	}
}

static int compare_and_print(struct comparison *comparison)
{
	struct report *report = &comparison->report;
	int err = diff_compare(&comparison->diff);

	if (!err)
		err = make_tables(comparison);
	if (!err)
		err = sort_and_cut(comparison);
	if (!err)
		err = diff_header_add(&comparison->header, comparison->options, &comparison->diff,
				      &comparison->a, &comparison->b);
	if (err)
		return diff_print_error(report, comparison->options->input, err);
	if (comparison->options->is_page)
		return diff_page_print(comparison->options,
				       &(struct diff_page){ &comparison->header, report->tables,
							    report->table_count,
							    comparison->diff.unit });
	return report_render(comparison->options, &comparison->header, report);
}

static int find_worse_status(int one, int other)
{
	return one > other ? one : other;
}

static int compare_inputs(struct comparison *comparison)
{
	const struct report_options *options = comparison->options;
	struct diff *diff = &comparison->diff;
	int loss, other, status;

	set_keys(comparison);
	if (check_columns(comparison))
		return diff_print_error(&comparison->report, options->input, -ENOMEM);
	loss = diff_read(options, options->input, &comparison->a, &diff->a);
	if (loss == EXIT_TROUBLE)
		return loss;
	other = diff_read(options, options->second, &comparison->b, &diff->b);
	if (other == EXIT_TROUBLE)
		return other;
	status = normalise_sides(comparison);
	if (status)
		return status;
	status = compare_and_print(comparison);
	if (status == EXIT_TROUBLE)
		return status;
	return find_worse_status(find_worse_status(loss, other), check_conditions(comparison));
}

/* Summaries know functions, not call sites. */
static void use_functions(struct report_options *options)
{
	const char *const paths[] = { options->input, options->second };
	char *file;

	for (size_t i = 0; i < 2 && !options->has_by; i++) {
		if (!report_summaries_find(paths[i], &file))
			continue;
		free(file);
		options->has_by = true;
		options->by = GROUP_BY_FUNCTION;
		options->by_text = group_by_text(GROUP_BY_FUNCTION);
	}
}

int diff_print(const struct report_options *options)
{
	struct comparison *comparison = malloc(sizeof(*comparison));
	struct report_options own = *options;
	int status;

	if (!comparison)
		return error_msg("%s", strerror(ENOMEM));
	if (own.is_page)
		own.renderer = &renderer_json;
	use_functions(&own);
	set_up(comparison, &own);
	status = compare_inputs(comparison);
	tear_down(comparison);
	free(comparison);
	return status;
}
