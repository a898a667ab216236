// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Options of kmemtrace-report in one argp table: the capture, the view, filters and the format. */
#include "config.h"

#include <errno.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/fields/field_table.h"
#include "base/suggest.h"
#include "base/text.h"
#include "base/utc.h"
#include "capture/capture.h"
#include "cli/memory_limit.h"
#include "cli/message.h"
#include "cli/option_table.h"
#include "kernel/probes.h"
#include "report/options.h"
#include "report/views/row_names.h"

#define VIEW_ADDRESS(name) &view_##name,

static const struct view *const views[] = { VIEWS(VIEW_ADDRESS) };

#define FORMAT_NAME(name) #name,

#define FORMAT_PAGE "html"
#define FORMAT_TRACE "perfetto"

static const char *const formats[] = { RENDERERS(FORMAT_NAME) FLAME_RENDERERS(FORMAT_NAME)
					       FORMAT_PAGE,
				       FORMAT_TRACE, NULL };

static const char *const measures[] = { FLAME_MEASURES(FORMAT_NAME) NULL };

static const char *const colors[] = {
	[COLOR_AUTO] = "auto",
	[COLOR_ALWAYS] = "always",
	[COLOR_NEVER] = "never",
	NULL,
};

static const char *const list_formats[] = { "text", "mdoc", NULL };
static const char *const column_list_formats[] = { "text", "mdoc", "json-schema", NULL };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define BY_LAST GROUP_BY_GFP /* of the groups with a name */
#define THREADS_MAX 64

#define PAGE_DEFAULT "kmemtrace.html"

#define KEY_FORMAT 0x100

static void parse_percent(struct argp_state *state, const char *text)
{
	struct report_options *options = state->input;
	char *end;

	options->max_loss = strtod(text, &end);
	if (end == text || *end || !isfinite(options->max_loss) || options->max_loss < 0 ||
	    options->max_loss > 100)
		argp_error(state, "--max-loss: \"%s\" is not a percentage from 0 to 100", text);
}

/* The texts of a query are parsed at once; --by, when the view is known. */
static void check_query(const struct report_options *options, int err, struct argp_state *state)
{
	if (err == -EINVAL)
		argp_error(state, "%s", options->query->error.text);
	if (err)
		argp_failure(state, 2, -err, "%s", options->query->error.text);
}

static void finish_by(struct report_options *options, struct argp_state *state)
{
	if (!options->by_text)
		return;
	if (options->view->has_query || options->view->has_flame) {
		check_query(options, query_by(options->query, "--by", options->by_text), state);
		return;
	}
	if (!options->view->has_by)
		argp_error(
			state,
			"--by: the view %s has no groups: use the view sites, leaks, lifetimes, flame or count",
			options->view->name);
	options->has_by = true;
	for (enum group_by by = 0; by <= BY_LAST; by++) {
		if (!strcmp(options->by_text, group_by_text(by))) {
			options->by = by;
			return;
		}
	}
	options->by = GROUP_BY_CALLER;
	check_query(options, query_by(options->query, "--by", options->by_text), state);
}

static void finish_columns(struct report_options *options, struct argp_state *state)
{
	if (options->columns && options->view->has_fields)
		check_query(options, query_columns(options->query, "-F", options->columns), state);
}

static const struct view *find_view(const char *name)
{
	for (size_t i = 0; i < COUNT(views); i++) {
		if (strcmp(views[i]->name, name) == 0)
			return views[i];
	}
	return NULL;
}

/* An argument that is not the name of a view: a path, which exists or holds a slash. */
static bool is_path(const char *text)
{
	struct stat status;

	return strchr(text, '/') || stat(text, &status) == 0;
}

/* The arguments are a view, a capture or two of them, or both in either order. */
static void parse_argument(struct report_options *options, const char *text,
			   struct argp_state *state)
{
	const struct view *view = find_view(text);
	const char *names[COUNT(views)];
	char suggestion[80];

	if (view) {
		if (options->view)
			argp_error(state, "two views are named: %s and %s: name one of them",
				   options->view->name, text);
		options->view = view;
		return;
	}
	for (size_t i = 0; i < COUNT(views); i++)
		names[i] = views[i]->name;
	if (!is_path(text))
		argp_error(state, "no view %sis named \"%s\"%s",
			   suggest_word(text, names, COUNT(names)) ? "" : "and no capture ", text,
			   suggest_text(text, names, COUNT(names), suggestion, sizeof(suggestion)));
	if (options->second)
		argp_error(state, "three captures are named: %s, %s and %s", options->capture,
			   options->second, text);
	if (options->capture)
		options->second = text;
	else
		options->capture = text;
}

static int select_pids(struct select *select, const char *text)
{
	return select_list(select, &select->pids, "--pid", text);
}

static int select_cpus(struct select *select, const char *text)
{
	return select_list(select, &select->cpus, "--cpu", text);
}

static int select_nodes(struct select *select, const char *text)
{
	return select_list(select, &select->nodes, "--node", text);
}

/* Each filter, and its name in the header of a report. */
static const struct filter {
	const char *option, *words;
	int (*select)(struct select *select, const char *text); /* NULL: finish_where() */
} filters[] = {
	{ "time", "time", select_time },
	{ "at", "at", select_at },
	{ "pid", "pid", select_pids },
	{ "comm", "comm", select_comm },
	{ "site", "site ~", select_site },
	{ "cache", "cache ~", select_cache },
	{ "cpu", "cpu", select_cpus },
	{ "node", "node", select_nodes },
	{ "min-size", "size >=", select_min_size },
	{ "max-size", "size <=", select_max_size },
	{ "older", "age >=", select_older },
	{ "where", "where", NULL },
};

static size_t find_filter(const char *option)
{
	size_t filter = 0;

	while (strcmp(filters[filter].option, option) != 0)
		filter++;
	return filter;
}

/* If a filter is given twice, the last one counts, as for all options. */
static void parse_filter(struct argp_state *state, const char *text)
{
	struct report_options *options = state->input;
	size_t filter = find_filter(option_row_current(state)->name);
	int err = filters[filter].select(&options->select, text);

	if (err == -EINVAL)
		argp_error(state, "%s", options->select.error.text);
	free(options->filters[filter]);
	if (err || asprintf(&options->filters[filter], "%s %s", filters[filter].words, text) < 0)
		argp_failure(state, 2, ENOMEM, "%s", text);
}

/* Where a view shows objects, the expression of --where is a filter. */
static void finish_where(struct report_options *options, struct argp_state *state)
{
	if (!options->query->has_where || options->view->shows_events)
		return;
	if (asprintf(&options->filters[find_filter("where")], "where %s",
		     options->query->where.text) < 0)
		argp_failure(state, 2, ENOMEM, "--where");
}

/* Moves the filters that were given to the front. */
static void finish_filters(struct report_options *options)
{
	for (size_t i = 0; i < COUNT(filters); i++)
		if (options->filters[i])
			options->filters[options->filter_count++] = options->filters[i];
	for (size_t i = options->filter_count; i < COUNT(filters); i++)
		options->filters[i] = NULL;
}

/* A page has all views or a comparison, and a trace has some views, with tables of their own. */
static void check_page(const struct report_options *options, struct argp_state *state)
{
	const char *option = options->is_trace	  ? "format=perfetto"
			     : options->page_file ? "html"
						  : "format=html";

	bool compares = options->view && options->view->compares;

	if (!options->is_page && !options->is_trace)
		return;
	if (options->is_trace && options->view && options->view != &view_timeline)
		argp_error(state, "--%s: has the view timeline: leave out %s", option,
			   options->view->name);
	if (options->is_page && options->view && !compares)
		argp_error(state, "--%s: the page shows all views: leave out %s", option,
			   options->view->name);
	if ((options->by_text && !compares) || options->sort || options->lines_given ||
	    options->columns || options->measure_text || options->bottom_up || options->possible ||
	    options->query->probes || options->query->statistic_count)
		argp_error(
			state,
			"--%s: takes filters only: leave out %s-s, -l, -F, --bytes, --bottom-up, --possible, --probes and the statistics",
			option, compares ? "" : "--by, ");
}

static void check_together(const struct report_options *options, struct argp_state *state)
{
	const struct view *view = options->view;

	if (options->filters[0] && options->filters[1])
		argp_error(state, "--time and --at: give one of them");
	if (view->streams && options->sort)
		argp_error(state,
			   "--sort: the view %s is printed in order of time and cannot be sorted",
			   view->name);
	if (options->possible && view != &view_findings)
		argp_error(
			state,
			"--possible: the view %s lists no possible findings: use the view findings",
			view->name);
	if ((options->measure_text || options->bottom_up) && !view->has_flame)
		argp_error(state, "--%s: the view %s shows no flame: use the view flame",
			   options->measure_text ? "bytes" : "bottom-up", view->name);
	if (options->renderer->print_flame && !view->has_flame)
		argp_error(state, "--format=%s: the view %s shows no flame: use the view flame",
			   options->renderer->name, view->name);
	if (!options->renderer->rows.add && !options->renderer->print_flame && view->streams)
		argp_error(state, "--format=%s: the view %s has no table: use another view",
			   options->renderer->name, view->name);
	if (options->renderer->print_flame && (options->columns || options->lines_given))
		argp_error(state, "--format=%s: %s is for tables: use text, json or csv",
			   options->renderer->name, options->columns ? "-F" : "-l");
	if (options->bottom_up && options->renderer->turns)
		argp_error(state,
			   "--bottom-up: a program that reads --format=%s turns the paths itself",
			   options->renderer->name);
	if (view->has_flame && options->sort)
		argp_error(state, "--sort: the view %s is a tree, in the order of bytes",
			   view->name);
	if (options->query->probes && !view->shows_events)
		argp_error(
			state,
			"--probes: the view %s shows no events: use the view count, events or probes",
			view->name);
	if (options->query->statistic_count && !view->has_query)
		argp_error(
			state,
			"--sum, --avg, --min, --max, --count, --hist, --linear: the view %s has no statistics: use the view count",
			view->name);
	if (!view->shows_events)
		check_query(options, query_check_allocation(options->query), state);
}

static void parse_statistic(struct argp_state *state, const char *text)
{
	struct report_options *options = state->input;
	const struct option_row *row = option_row_current(state);
	char name[OPTION_NAME];

	check_query(options,
		    query_statistic(options->query, option_row_name(row, name),
				    (enum statistic_function)row->value, text),
		    state);
}

static void parse_where(struct argp_state *state, const char *text)
{
	struct report_options *options = state->input;

	check_query(options, query_where(options->query, "--where", text), state);
}

static void parse_probes(struct argp_state *state, const char *text)
{
	struct report_options *options = state->input;

	check_query(options, query_probes(options->query, "--probes", text), state);
}

static void parse_format(struct argp_state *state, const char *format)
{
	struct report_options *options = state->input;

	options->is_page = !strcmp(format, FORMAT_PAGE);
	options->is_trace = !strcmp(format, FORMAT_TRACE);
	options->page_file = NULL;
	if (!options->is_page && !options->is_trace)
		options->renderer = renderer_find(format, true);
}

static void parse_html(struct argp_state *state, const char *text)
{
	struct report_options *options = state->input;

	(void)text;
	options->is_page = true;
	options->is_trace = false;
}

static void parse_measure(struct argp_state *state, const char *text)
{
	struct report_options *options = state->input;

	options->measure_text = text;
}

static void list_fields(struct argp_state *state, const char *format)
{
	(void)state;
	if (!strcmp(format, "mdoc"))
		event_field_list_mdoc(stdout);
	else
		event_field_list(stdout);
	exit(close_stdout(EXIT_OK));
}

static void list_functions(struct argp_state *state, const char *format)
{
	(void)state;
	if (!strcmp(format, "mdoc"))
		event_function_list_mdoc(stdout);
	else
		event_function_list(stdout);
	exit(close_stdout(EXIT_OK));
}

static void list_columns(struct argp_state *state, const char *format)
{
	(void)state;
	column_list(stdout, format);
	exit(close_stdout(EXIT_OK));
}

static const char *group_or_field_name(size_t index)
{
	return index <= BY_LAST ? group_by_text((enum group_by)index)
				: event_field_name(index - BY_LAST - 1);
}

static const char *sites_column(size_t index)
{
	return sites_columns[index].name ? column_choose(&sites_columns[index]).key : NULL;
}

static const char *view_name(size_t index)
{
	return index < COUNT(views) ? views[index]->name : NULL;
}

#define AT(member) OPTION_AT(struct report_options, member)

static const struct option_row option_rows[] = {
	{ "input", 'i', "DIR|FILE",
	  "Read the capture DIR, or the FILE of kmemtrace-pack -o FILE.kmt (default: " CAPTURE_DEFAULT
	  "). -: such a file from standard input; or from kmemtraced -o -, while it is recorded: the views events and count",
	  AT(input), .kind = ARGUMENT_PATH },
	{ "by", 0, "GROUP",
	  "Views with groups: by site, function, module, cache, size, task, cpu, node or gfp, or by fields of the allocation, separated by commas; the view count: by expressions",
	  AT(by_text), .word = group_or_field_name },
	{ "fields", 'F', "EXPRESSION[,...]",
	  "The view events: print these fields or expressions; other views: these columns",
	  AT(columns), .word = event_field_name },
	{ "list-fields", 0, "FORMAT", "List the fields of events, as text or mdoc, and exit",
	  .kind = ARGUMENT_CHOICE, .choices = list_formats, .optional = "text",
	  .parse = list_fields },
	{ "functions", 0, "FORMAT", "List the functions of expressions, as text or mdoc, and exit",
	  .kind = ARGUMENT_CHOICE, .choices = list_formats, .optional = "text",
	  .parse = list_functions },
	{ "list-columns", 0, "FORMAT",
	  "List the columns of tables, as text, mdoc or json-schema, and exit",
	  .kind = ARGUMENT_CHOICE, .choices = column_list_formats, .optional = "text",
	  .parse = list_columns },
	{ "sort", 's', "KEY[,KEY...]", "Sort by these columns; -KEY is descending, +KEY ascending",
	  AT(sort), .word = sites_column },
	{ "lines", 'l', "N",
	  "Print the first N rows of each table, 0 for all (default: in text a limit of the view, else all)",
	  AT(lines), OPTION_GIVEN(struct report_options, lines_given), .kind = ARGUMENT_NUMBER,
	  .unit = "rows", .words = "0|10|20|50" },
	{ "format", 0, "FORMAT", NULL, .kind = ARGUMENT_CHOICE, .choices = formats,
	  .key = KEY_FORMAT, .parse = parse_format },
	{ "html", 0, "FILE",
	  "Write one page with all views, or with the view diff, to FILE (default: " PAGE_DEFAULT
	  "), for a web browser, which needs no network; --format=html prints it",
	  AT(page_file), .kind = ARGUMENT_PATH, .optional = PAGE_DEFAULT, .parse = parse_html },
	{ "color", 0, "WHEN", "Color the text: auto, always or never", AT(color),
	  .kind = ARGUMENT_CHOICE, .choices = colors },
	{ "legend", 0, NULL, "End a text with a legend of its columns", AT(legend) },
	{ "verbose", 'v', NULL,
	  "Print all lines of the header: what was captured, all losses and all totals",
	  AT(verbose) },
	{ "no-pager", 0, NULL, "Print a long text to the terminal as it is, without $PAGER",
	  AT(no_pager) },
	{ "max-loss", 0, "PCT",
	  "Exit with 1 if more than PCT percent of the events were lost, skipped or unknown",
	  .parse = parse_percent, .words = "0|1|5" },
	{ "possible", 0, NULL,
	  "The view findings: list possible and legal findings too, not only their number",
	  AT(possible) },
	{ "bytes", 0, "WHICH",
	  "The view flame: live bytes at the end (the default), at their peak, allocated, temporary, or leaked: of old live objects",
	  .kind = ARGUMENT_CHOICE, .choices = measures, .parse = parse_measure },
	{ "bottom-up", 0, NULL,
	  "The view flame: the functions that allocated first, with their callers", AT(bottom_up) },
	{ "normalise", 0, "UNIT",
	  "The view diff: figures for a second of time (the default), a million events, or an allocation of a NAME",
	  .parse = options_parse_normalise, .words = "time|events" },
	{ "fail-if", 0, "CONDITION",
	  "The view diff: exit with 1 if the condition certainly holds, as in 'live > +10%' or 'allocated(dentry) > +1M'",
	  .parse = options_parse_condition,
	  .words = "live > +10%|live(dentry) > +10%|allocated > +10%|peak > +10%" },
	{ "threads", 0, "N", "Read with at most N threads (default: one for each CPU, up to 8)",
	  AT(threads), .kind = ARGUMENT_NUMBER, .least = 1, .most = THREADS_MAX, .unit = "threads",
	  .words = "1|2|4|8" },
	MEMORY_LIMIT_ROW(AT(max_memory)),
	{ .help = "The views probes, count and events; where also selects objects in the other views, by their allocation:" },
	{ "where", 0, "EXPRESSION",
	  "Only events or objects for which EXPRESSION is true, as in 'bytes_req > 4k && comm == \"sh\"'",
	  .parse = parse_where, .word = event_field_name },
	{ "probes", 0, "GLOB[,GLOB...]",
	  "Only events of these probes, as in 'vm.page*' or dtmalloc:::malloc", AT(probes),
	  .parse = parse_probes, .word = probe_name },
	{ .help = "Statistics of the view count, for each group of --by:" },
	{ "sum", 0, "EXPRESSION[,...]", "Sum of its values", .value = STATISTIC_SUM,
	  .parse = parse_statistic, .word = event_field_name },
	{ "avg", 0, "EXPRESSION[,...]", "Average of its values", .value = STATISTIC_AVG,
	  .parse = parse_statistic, .word = event_field_name },
	{ "min", 0, "EXPRESSION[,...]", "The least of its values", .value = STATISTIC_MIN,
	  .parse = parse_statistic, .word = event_field_name },
	{ "max", 0, "EXPRESSION[,...]", "The largest of its values", .value = STATISTIC_MAX,
	  .parse = parse_statistic, .word = event_field_name },
	{ "count", 0, "EXPRESSION[,...]", "Events for which EXPRESSION is known",
	  .value = STATISTIC_COUNT, .parse = parse_statistic, .word = event_field_name },
	{ "hist", 0, "EXPRESSION[,...]", "Histogram by powers of two", .value = STATISTIC_HIST,
	  .parse = parse_statistic, .word = event_field_name },
	{ "linear", 0, "EXPRESSION,LOW,HIGH,STEP", "Histogram from LOW to HIGH by STEP",
	  .value = STATISTIC_LINEAR, .parse = parse_statistic, .word = event_field_name },
	{ .help = "Filters select objects by their allocation; their frees are selected with them:" },
	{ "time", 0, "A,B",
	  "Allocated since A; live objects as of B: seconds since the begin of the capture, or dates in UTC, such as " DATE_EXAMPLE,
	  .parse = parse_filter },
	{ "at", 0, "T",
	  "Live objects as of T: as --time=,T, but of a set only the piece with T is read",
	  .parse = parse_filter },
	{ "pid", 'p', "PID[,PID...]", "Allocated by these processes", .parse = parse_filter,
	  .words = "" },
	{ "comm", 0, "NAME", "Allocated by tasks of this name", .parse = parse_filter },
	{ "site", 0, "REGEX", "Allocated at call sites whose name matches", .parse = parse_filter },
	{ "cache", 0, "REGEX", "From slab caches whose name matches", .parse = parse_filter },
	{ "cpu", 0, "LIST", "Allocated on these CPUs, as in 0-3,8", .parse = parse_filter },
	{ "node", 0, "LIST", "Allocated on CPUs of these nodes", .parse = parse_filter },
	{ "min-size", 0, "BYTES", "At least BYTES bytes requested", .parse = parse_filter,
	  .words = "64|256|1k|4k|8k" },
	{ "max-size", 0, "BYTES", "At most BYTES bytes requested", .parse = parse_filter,
	  .words = "64|256|1k|4k|8k" },
	{ "older", 0, "AGE", "Lived, or are live at the end, for at least AGE, as in 10ms",
	  .parse = parse_filter, .words = "1ms|1s|1m" },
	{ .argument = "VIEW|FILE", .word = view_name },
	{ 0 },
};

static const struct option_table option_tables[] = { { .rows = option_rows, .group = 1 }, { 0 } };

static error_t parse_words(int key, char *argument, struct argp_state *state)
{
	struct report_options *options = state->input;

	switch (key) {
	case ARGP_KEY_ARG:
		parse_argument(options, argument, state);
		break;
	case ARGP_KEY_SUCCESS:
		check_page(options, state);
		if (!options->view)
			options->view = views[0];
		options_finish_captures(options, state);
		finish_by(options, state);
		finish_columns(options, state);
		finish_where(options, state);
		check_together(options, state);
		finish_filters(options);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

/* Lists the formats and the views in --help. argp frees the text. */
static char *help_views(int key, const char *text, void *input)
{
	char *help = NULL;
	size_t size;
	FILE *file;

	(void)input;
	if (key == KEY_FORMAT)
		return asprintf(&help,
				"Print %s (default: text); the view flame also %s; " FORMAT_PAGE
				": all views as one page; " FORMAT_TRACE
				": the timeline for viewers of traces",
				renderer_names(), renderer_flame_names()) < 0
			       ? NULL
			       : help;
	if (key != ARGP_KEY_HELP_POST_DOC)
		return (char *)text;
	file = text_open(&help, &size);
	if (!file)
		return NULL;
	fputs("Views:\n", file);
	for (size_t i = 0; i < COUNT(views); i++)
		fprintf(file, "  %-10s %s\n", views[i]->name, views[i]->summary);
	options_help_fields(file);
	fprintf(file, "\n\n%s", text);
	text_close(file, &help);
	return help;
}

void report_options_parse(struct report_options *options, int argc, char **argv)
{
	static const struct argp argp = {
		.parser = parse_words,
		.args_doc = "[VIEW] [CAPTURE]\ndiff A B",
		.doc = "Print a report of a capture of the kernel's slab allocations: what was captured and what was lost, the totals, and one view of them.\v"
		       "Times and ages are seconds, or have a unit: ns, us, ms, s, m, h, d. Sizes are bytes, or have k, M or G. REGEX is an extended regular expression that matches anywhere in a name.\n\n"
		       "CAPTURE is a directory (default: " CAPTURE_DEFAULT
		       "). An argument that is the name of a view is a view, even where a directory has that name: write ./NAME for the directory. "
		       "It can also be summaries: a file *.kms, or a directory of kmemtrace-merge.\n\n"
		       "Exit status: 0 if the report was made; 1 if more was lost than --max-loss allows, a condition of --fail-if holds, or a summary of a file was skipped; 2 if it could not be made.\n\n"
		       "kmemtrace-report(1) explains the columns and terms. Make a capture with kmemtraced(8), check and repair one with kmemtrace-check(1).",
		.help_filter = help_views,
	};

	_Static_assert(COUNT(filters) <= OPTIONS_FILTERS_MAX, "one entry for each filter");
	*options = (struct report_options){
		.max_loss = -1,
		.max_memory = MEMORY_LIMIT_DEFAULT,
		.renderer = &renderer_text,
	};
	options->query = calloc(1, sizeof(*options->query));
	if (!options->query)
		exit(error_msg("%s", strerror(ENOMEM)));
	option_tables_parse(&argp, option_tables, argc, argv, 0, options);
}

void report_options_deinit(struct report_options *options)
{
	for (size_t i = 0; i < options->filter_count; i++)
		free(options->filters[i]);
	select_deinit(&options->select);
	query_deinit(options->query);
	free(options->query);
}
