// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Reads both captures one after the other. Of the first, only its figures are kept while the second
 * is read: the memory of a comparison is that of one report.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "report/columns.h"
#include "report/diff_header.h"
#include "report/diff_report.h"
#include "report/report.h"

struct comparison {
	const struct options *options;
	struct diff diff;
	struct diff_capture a, b;
	struct header header;
	struct report report; /* of the tables */
	struct column *columns[VIEW_TABLES_MAX];
	size_t column_sets;
	int status; /* of both captures, and of the conditions */
};

/* The expressions of the options, for one capture. by: also those that group. */
static int set_query(struct query *query, const struct options *options, bool by)
{
	int err = 0;

	if (options->query->has_where)
		err = query_where(query, "--where", options->query->where.text);
	if (!err && by && options->has_by && options->by == GROUP_BY_CALLER)
		err = query_by(query, "--by", options->by_text);
	return err;
}

static size_t count_names(const struct options *options)
{
	size_t count = options->diff.normalise == DIFF_BY_WORK;

	for (size_t i = 0; i < options->diff.condition_count; i++)
		count += options->diff.conditions[i].name.scope != DIFF_OF_ALL;
	return count;
}

/* The names of the conditions, in their order; then that of --normalise. */
static int set_names(struct diff_side *side, const struct options *options)
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

static int fail(const struct report *report, const char *path, int err)
{
	if (*report->errmsg)
		return error_msg("%s", report->errmsg);
	return error_msg("%s: %s", path, strerror(-err));
}

/* Fills the side, and the header of the capture unless it is NULL. Returns the exit status. */
static int read_side(const struct options *options, struct diff_capture *capture,
		     struct diff_side *side, struct capture_header *header)
{
	struct report report;
	int err = set_names(side, options), status = EXIT_OK;

	if (err)
		return error_msg("%s: %s", capture->path, strerror(-err));
	err = report_init(&report, options);
	report.diff = side;
	if (!err)
		err = report_make(&report, &capture->capture);
	if (!err && header)
		err = capture_header_init(header, &report);
	if (err)
		status = fail(&report, capture->path, err);
	else if (header)
		status = report_check_loss(options, header, &report);
	report_deinit(&report);
	return status;
}

/* Names of code need groups by call site: reads the capture again if it has others. */
static int read_names(const struct options *options, struct diff_capture *capture,
		      struct diff_side *side)
{
	struct diff_side names = { 0 };
	struct options by_site = *options;
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
static int open_capture(const struct options *options, const char *path,
			struct diff_capture *capture)
{
	int status;

	capture->has_file = true;
	if (capture_file_open(&capture->file, path, true))
		return error_msg("%s", capture->file.errmsg);
	if (capture->file.is_archive)
		message_show_path_as(capture->file.path, path);
	status = report_open_capture(&capture->capture, options, capture->file.path);
	capture->is_open = status == EXIT_OK;
	return status;
}

static int read_capture(const struct options *options, const char *path,
			struct diff_capture *capture, struct diff_side *side)
{
	struct options own = *options;
	int status;

	capture->path = side->path = own.input = path;
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
		    const struct options *options, const struct diff_figures *named)
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
		return error_msg("%s: no allocation or free is selected: there is nothing to "
				 "compare",
				 side->path);
	case DIFF_BY_WORK:
		break;
	}
	return error_msg("%s: --normalise: no %s of the name %s allocated", side->path,
			 scope_text(options->diff.work.scope), options->diff.work.text);
}

static int normalise(struct comparison *comparison)
{
	const struct options *options = comparison->options;
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
static struct table *add_table(struct comparison *comparison, enum diff_figure figure,
			       const char *key, const char *title)
{
	size_t count;
	struct column *columns = diff_make_columns(&comparison->diff, figure, &count);
	struct table *table;

	if (!columns)
		return NULL;
	comparison->columns[comparison->column_sets++] = columns;
	table = report_add_table(&comparison->report, columns, count);
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
	struct table *table = add_table(comparison, marks ? DIFF_ALLOCATED : DIFF_FIGURES, "diff",
					"Bytes allocated");
	int err = table ? diff_add_rows(&comparison->diff, table,
					marks ? DIFF_ALLOCATED : DIFF_FIGURES, marks)
			: -ENOMEM;

	if (!err && marks) {
		table = add_table(comparison, DIFF_LIVE, "live", "Live bytes");
		err = table ? diff_add_rows(&comparison->diff, table, DIFF_LIVE, marks) : -ENOMEM;
	}
	if (err)
		return err;
	columns = diff_make_total_columns();
	if (!columns)
		return -ENOMEM;
	comparison->columns[comparison->column_sets++] = columns;
	table = report_add_table(report, columns, DIFF_COLUMNS);
	table->key = "totals";
	table->title = "Totals";
	table->leads = true;
	return diff_add_totals(&comparison->diff, table, marks);
}

static int sort_and_cut(struct comparison *comparison)
{
	const struct options *options = comparison->options;
	struct report *report = &comparison->report;

	for (size_t i = 0; i < report->table_count; i++) {
		struct table *table = &report->tables[i];
		bool is_first = i == 0;
		char *keys = is_first && options->sort ? columns_sort_keys(table, options->sort)
						       : strdup("+rank");
		int err = keys ? table_sort(table, keys) : -ENOMEM;

		free(keys);
		if (err == -EINVAL)
			snprintf(report->errmsg, sizeof(report->errmsg), "--sort: %s",
				 table->errmsg);
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

/* Does the condition hold? EXIT_FINDINGS, after a message. */
static int check_condition(const struct comparison *comparison, size_t number, size_t *name,
			   const struct diff_level *level)
{
	const struct diff *diff = &comparison->diff;
	const struct diff_condition *condition = &comparison->options->diff.conditions[number];
	const struct diff_figures *a = &diff->a.total, *b = &diff->b.total;
	struct diff_estimate in_a, in_b, in_b_scaled;

	if (condition->name.scope != DIFF_OF_ALL && !find_name(diff, (*name)++, &a, &b))
		return error_msg("--fail-if: \"%s\": no %s of the name %s has objects in %s or %s",
				 condition->text, scope_text(condition->name.scope),
				 condition->name.text, diff->a.path, diff->b.path);
	in_a = diff_estimate(&diff->a, &diff->a_work, condition->figure, a, b);
	in_b = diff_estimate(&diff->b, &diff->b_work, condition->figure, b, a);
	in_b_scaled = in_b;
	if (diff_is_state(condition->figure))
		in_b_scaled = diff_scale(in_b, diff->a_work.sum / diff->b_work.sum);
	if (!diff_exceeds(&in_a, &in_b, condition->factor, condition->more, level) ||
	    !diff_exceeds(&in_a, &in_b_scaled, condition->factor, condition->more, level))
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
	int err = add_table(comparison, DIFF_FIGURES, "diff", NULL) ? 0 : -ENOMEM;

	if (!err)
		err = sort_and_cut(comparison);
	table_deinit(&report->tables[0]);
	report->table_count = 0;
	return err;
}

static void set_up(struct comparison *comparison, const struct options *options)
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
		return fail(report, comparison->options->input, err);
	return report_render(comparison->options, &comparison->header, report);
}

static int worse(int one, int other)
{
	return one > other ? one : other;
}

static int run(struct comparison *comparison)
{
	const struct options *options = comparison->options;
	struct diff *diff = &comparison->diff;
	int loss, other, status;

	set_keys(comparison);
	if (check_columns(comparison))
		return fail(&comparison->report, options->input, -ENOMEM);
	loss = read_capture(options, options->input, &comparison->a, &diff->a);
	if (loss == EXIT_TROUBLE)
		return loss;
	other = read_capture(options, options->second, &comparison->b, &diff->b);
	if (other == EXIT_TROUBLE)
		return other;
	status = normalise(comparison);
	if (status)
		return status;
	status = compare_and_print(comparison);
	if (status == EXIT_TROUBLE)
		return status;
	return worse(worse(loss, other), check_conditions(comparison));
}

int diff_print(const struct options *options)
{
	struct comparison *comparison = malloc(sizeof(*comparison));
	int status;

	if (!comparison)
		return error_msg("%s", strerror(ENOMEM));
	set_up(comparison, options);
	status = run(comparison);
	tear_down(comparison);
	free(comparison);
	return status;
}
