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
#include "cli/command_line.h"
#include "cli/memory_limit.h"
#include "cli/message.h"
#include "report/options.h"
#include "report/views/row_names.h"

#define VIEW_ADDRESS(name) &view_##name,

static const struct view *const views[] = { VIEWS(VIEW_ADDRESS) };

#define FORMAT_NAME(name) #name,

#define FORMAT_PAGE "html"
#define FORMAT_TRACE "perfetto"

static const char *const formats[] = { RENDERERS(FORMAT_NAME) FLAME_RENDERERS(FORMAT_NAME)
					       FORMAT_PAGE,
				       FORMAT_TRACE };

static const char *const measures[] = { FLAME_MEASURES(FORMAT_NAME) };

static const char *const colors[] = {
	[COLOR_AUTO] = "auto",
	[COLOR_ALWAYS] = "always",
	[COLOR_NEVER] = "never",
};

static const char *const list_formats[] = { "text", "mdoc" };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define BY_LAST GROUP_BY_GFP /* of the groups with a name */
#define THREADS_MAX 64

#define PAGE_DEFAULT "kmemtrace.html"

enum option_key {
	OPTION_FORMAT = 0x100,
	OPTION_COLOR,
	OPTION_MAX_LOSS,
	OPTION_THREADS,
	OPTION_BY,
	OPTION_WHERE,
	OPTION_PROBES,
	OPTION_LIST_FIELDS,
	OPTION_FUNCTIONS,
	OPTION_COUNT, /* to OPTION_LINEAR: in the order of enum statistic_function */
	OPTION_SUM,
	OPTION_AVG,
	OPTION_MIN,
	OPTION_MAX,
	OPTION_HIST,
	OPTION_LINEAR,
	OPTION_TIME,
	OPTION_AT,
	OPTION_COMM,
	OPTION_SITE,
	OPTION_CACHE,
	OPTION_CPU,
	OPTION_NODE,
	OPTION_MIN_SIZE,
	OPTION_MAX_SIZE,
	OPTION_OLDER,
	OPTION_POSSIBLE,
	OPTION_BYTES,
	OPTION_BOTTOM_UP,
	OPTION_LEGEND,
	OPTION_NO_PAGER,
	OPTION_NORMALISE,
	OPTION_FAIL_IF,
	OPTION_HTML,
};

static const struct argp_option option_table[] = {
	{ "input", 'i', "DIR|FILE", 0,
	  "Read the capture DIR, or the FILE of kmemtrace-pack -o FILE.kmt (default: " CAPTURE_DEFAULT
	  "). -: such a file from standard input; or from kmemtraced -o -, while it is recorded: the views events and count",
	  1 },
	{ "by", OPTION_BY, "GROUP", 0,
	  "Views with groups: by site, function, module, cache, size, task, cpu, node or gfp, or by fields of the allocation, separated by commas; the view count: by expressions",
	  1 },
	{ "fields", 'F', "EXPRESSION[,...]", 0,
	  "The view events: print these fields or expressions; other views: these columns", 1 },
	{ "list-fields", OPTION_LIST_FIELDS, "FORMAT", OPTION_ARG_OPTIONAL,
	  "List the fields of events, as text or mdoc, and exit", 1 },
	{ "functions", OPTION_FUNCTIONS, "FORMAT", OPTION_ARG_OPTIONAL,
	  "List the functions of expressions, as text or mdoc, and exit", 1 },
	{ "sort", 's', "KEY[,KEY...]", 0,
	  "Sort by these columns; -KEY is descending, +KEY ascending", 1 },
	{ "lines", 'l', "N", 0,
	  "Print the first N rows of each table, 0 for all (default: in text a limit of the view, else all)",
	  1 },
	{ "format", OPTION_FORMAT, "FORMAT", 0, NULL, 1 },
	{ "html", OPTION_HTML, "FILE", OPTION_ARG_OPTIONAL,
	  "Write one page with all views, or with the view diff, to FILE (default: " PAGE_DEFAULT
	  "), for a web browser, which needs no network; --format=html prints it",
	  1 },
	{ "color", OPTION_COLOR, "WHEN", 0, "Color the text: auto, always or never", 1 },
	{ "legend", OPTION_LEGEND, NULL, 0, "End a text with what its columns mean", 1 },
	{ "no-pager", OPTION_NO_PAGER, NULL, 0,
	  "Print a long text to the terminal as it is, without $PAGER", 1 },
	{ "max-loss", OPTION_MAX_LOSS, "PCT", 0,
	  "Exit with 1 if more than PCT percent of the events were lost, skipped or unknown", 1 },
	{ "possible", OPTION_POSSIBLE, NULL, 0,
	  "The view findings: list possible and legal findings too, not only their number", 1 },
	{ "bytes", OPTION_BYTES, "WHICH", 0,
	  "The view flame: live bytes at the end (the default), at their peak, allocated, temporary, or leaked: of old live objects",
	  1 },
	{ "bottom-up", OPTION_BOTTOM_UP, NULL, 0,
	  "The view flame: the functions that allocated first, with their callers", 1 },
	{ "normalise", OPTION_NORMALISE, "UNIT", 0,
	  "The view diff: figures for a second of time (the default), a million events, or an allocation of a NAME",
	  1 },
	{ "fail-if", OPTION_FAIL_IF, "CONDITION", 0,
	  "The view diff: exit with 1 if the second capture certainly has so much more, as in 'live > +10%' or 'allocated(dentry) > +1M'",
	  1 },
	{ "threads", OPTION_THREADS, "N", 0,
	  "Read with at most N threads (default: one for each CPU, up to 8)", 1 },
	MEMORY_LIMIT_OPTION(1),
	{ NULL, 0, NULL, 0,
	  "The views probes, count and events; where also selects objects in the other views, by their allocation:",
	  2 },
	{ "where", OPTION_WHERE, "EXPRESSION", 0,
	  "Only events or objects for which it is true, as in 'bytes_req > 4k && comm == \"sh\"'",
	  2 },
	{ "probes", OPTION_PROBES, "GLOB[,GLOB...]", 0,
	  "Only events of these probes, as in 'vm.page*' or dtmalloc:::malloc", 2 },
	{ NULL, 0, NULL, 0, "Statistics of the view count, for each group of --by:", 3 },
	{ "sum", OPTION_SUM, "EXPRESSION[,...]", 0, "Sum of its values", 3 },
	{ "avg", OPTION_AVG, "EXPRESSION[,...]", 0, "Average of its values", 3 },
	{ "min", OPTION_MIN, "EXPRESSION[,...]", 0, "The least of its values", 3 },
	{ "max", OPTION_MAX, "EXPRESSION[,...]", 0, "The largest of its values", 3 },
	{ "count", OPTION_COUNT, "EXPRESSION[,...]", 0, "Events for which it is known", 3 },
	{ "hist", OPTION_HIST, "EXPRESSION[,...]", 0, "Histogram by powers of two", 3 },
	{ "linear", OPTION_LINEAR, "EXPRESSION,LOW,HIGH,STEP", 0,
	  "Histogram from LOW to HIGH by STEP", 3 },
	{ NULL, 0, NULL, 0,
	  "Filters select objects by their allocation; their frees are selected with them:", 4 },
	{ "time", OPTION_TIME, "A,B", 0,
	  "Allocated since A; live objects as of B: seconds since the begin of the capture, or dates in UTC, such as " DATE_EXAMPLE,
	  4 },
	{ "at", OPTION_AT, "T", 0,
	  "Live objects as of T: as --time=,T, but of a set only the piece with T is read", 4 },
	{ "pid", 'p', "PID[,PID...]", 0, "Allocated by these processes", 4 },
	{ "comm", OPTION_COMM, "NAME", 0, "Allocated by tasks of this name", 4 },
	{ "site", OPTION_SITE, "REGEX", 0, "Allocated at call sites whose name matches", 4 },
	{ "cache", OPTION_CACHE, "REGEX", 0, "From slab caches whose name matches", 4 },
	{ "cpu", OPTION_CPU, "LIST", 0, "Allocated on these CPUs, as in 0-3,8", 4 },
	{ "node", OPTION_NODE, "LIST", 0, "Allocated on CPUs of these nodes", 4 },
	{ "min-size", OPTION_MIN_SIZE, "BYTES", 0, "At least BYTES bytes requested", 4 },
	{ "max-size", OPTION_MAX_SIZE, "BYTES", 0, "At most BYTES bytes requested", 4 },
	{ "older", OPTION_OLDER, "AGE", 0,
	  "Lived, or are live at the end, for at least AGE, as in 10ms", 4 },
	{ 0 },
};

static double parse_percent(const char *text, struct argp_state *state)
{
	double percent;
	char *end;

	percent = strtod(text, &end);
	if (end == text || *end || !isfinite(percent) || percent < 0 || percent > 100)
		argp_error(state, "--max-loss: \"%s\" is not a percentage from 0 to 100", text);
	return percent;
}

/* The texts of a query are parsed at once; --by, when the view is known. */
static void check_query(const struct report_options *options, int err, struct argp_state *state)
{
	if (err == -EINVAL)
		argp_error(state, "%s", options->query->errmsg);
	if (err)
		argp_failure(state, 2, -err, "%s", options->query->errmsg);
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

/* Each filter, and its name in the header of a report. */
static const struct filter {
	int key;
	const char *words;
} filters[] = {
	{ OPTION_TIME, "time" },	{ OPTION_AT, "at" },	    { 'p', "pid" },
	{ OPTION_COMM, "comm" },	{ OPTION_SITE, "site ~" },  { OPTION_CACHE, "cache ~" },
	{ OPTION_CPU, "cpu" },		{ OPTION_NODE, "node" },    { OPTION_MIN_SIZE, "size >=" },
	{ OPTION_MAX_SIZE, "size <=" }, { OPTION_OLDER, "age >=" }, { OPTION_WHERE, "where" },
};

static int select_one(struct select *select, int key, const char *argument)
{
	switch (key) {
	case OPTION_TIME:
		return select_time(select, argument);
	case OPTION_AT:
		return select_at(select, argument);
	case 'p':
		return select_list(select, &select->pids, "--pid", argument);
	case OPTION_COMM:
		return select_comm(select, argument);
	case OPTION_SITE:
		return select_site(select, argument);
	case OPTION_CACHE:
		return select_cache(select, argument);
	case OPTION_CPU:
		return select_list(select, &select->cpus, "--cpu", argument);
	case OPTION_NODE:
		return select_list(select, &select->nodes, "--node", argument);
	case OPTION_MIN_SIZE:
		return select_min_size(select, argument);
	case OPTION_MAX_SIZE:
		return select_max_size(select, argument);
	default:
		return select_older(select, argument);
	}
}

/* If a filter is given twice, the last one counts, as for all options. */
static void parse_filter(struct report_options *options, int key, const char *argument,
			 struct argp_state *state)
{
	size_t filter = 0;
	int err;

	while (filters[filter].key != key)
		filter++;
	err = select_one(&options->select, key, argument);
	if (err == -EINVAL)
		argp_error(state, "%s", options->select.errmsg);
	free(options->filters[filter]);
	if (err ||
	    asprintf(&options->filters[filter], "%s %s", filters[filter].words, argument) < 0)
		argp_failure(state, 2, ENOMEM, "%s", argument);
}

/* Where a view shows objects, the expression of --where is a filter. */
static void finish_where(struct report_options *options, struct argp_state *state)
{
	size_t filter = 0;

	if (!options->query->has_where || options->view->shows_events)
		return;
	while (filters[filter].key != OPTION_WHERE)
		filter++;
	if (asprintf(&options->filters[filter], "where %s", options->query->where.text) < 0)
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

static void parse_statistic(struct report_options *options, int key, const char *argument,
			    struct argp_state *state)
{
	static const char *const names[] = { "--count", "--sum",  "--avg",   "--min",
					     "--max",	"--hist", "--linear" };
	size_t function = (size_t)(key - OPTION_COUNT);

	check_query(options,
		    query_statistic(options->query, names[function],
				    (enum statistic_function)function, argument),
		    state);
}

static void parse_format(struct report_options *options, const char *argument,
			 struct argp_state *state)
{
	const char *format =
		formats[parse_choice(state, "--format", argument, formats, COUNT(formats))];

	options->is_page = !strcmp(format, FORMAT_PAGE);
	options->is_trace = !strcmp(format, FORMAT_TRACE);
	options->page_file = NULL;
	if (!options->is_page && !options->is_trace)
		options->renderer = renderer_find(format, true);
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
	struct report_options *options = state->input;

	switch (key) {
	case 'i':
		options->input = parse_path(state, "-i", argument);
		break;
	case 's':
		options->sort = argument;
		break;
	case 'l':
		options->lines = parse_number(state, "--lines", argument, 0, SIZE_MAX, "rows");
		options->lines_given = true;
		break;
	case OPTION_BY:
		options->by_text = argument;
		break;
	case OPTION_WHERE:
		check_query(options, query_where(options->query, "--where", argument), state);
		break;
	case OPTION_PROBES:
		check_query(options, query_probes(options->query, "--probes", argument), state);
		options->probes = argument;
		break;
	case 'F':
		options->columns = argument;
		break;
	case OPTION_LIST_FIELDS:
		if (argument && parse_choice(state, "--list-fields", argument, list_formats,
					     COUNT(list_formats)))
			event_field_list_mdoc(stdout);
		else
			event_field_list(stdout);
		exit(close_stdout(EXIT_OK));
	case OPTION_FUNCTIONS:
		if (argument &&
		    parse_choice(state, "--functions", argument, list_formats, COUNT(list_formats)))
			event_function_list_mdoc(stdout);
		else
			event_function_list(stdout);
		exit(close_stdout(EXIT_OK));
	case OPTION_COUNT ... OPTION_LINEAR:
		parse_statistic(options, key, argument, state);
		break;
	case OPTION_FORMAT:
		parse_format(options, argument, state);
		break;
	case OPTION_HTML:
		options->is_page = true;
		options->is_trace = false;
		options->page_file = argument ? parse_path(state, "--html", argument)
					      : PAGE_DEFAULT;
		break;
	case OPTION_BYTES:
		options->measure_text = measures[parse_choice(state, "--bytes", argument, measures,
							      COUNT(measures))];
		break;
	case OPTION_BOTTOM_UP:
		options->bottom_up = true;
		break;
	case OPTION_NORMALISE:
		options_parse_normalise(options, argument, state);
		break;
	case OPTION_FAIL_IF:
		options_parse_condition(options, argument, state);
		break;
	case OPTION_COLOR:
		options->color = (enum color_when)parse_choice(state, "--color", argument, colors,
							       COUNT(colors));
		break;
	case OPTION_LEGEND:
		options->legend = true;
		break;
	case OPTION_NO_PAGER:
		options->no_pager = true;
		break;
	case OPTION_MAX_LOSS:
		options->max_loss = parse_percent(argument, state);
		break;
	case OPTION_POSSIBLE:
		options->possible = true;
		break;
	case OPTION_THREADS:
		options->threads = (unsigned int)parse_number(state, "--threads", argument, 1,
							      THREADS_MAX, "threads");
		break;
	case MEMORY_LIMIT_KEY:
		options->max_memory = memory_limit_parse(state, argument);
		break;
	case 'p':
	case OPTION_TIME ... OPTION_OLDER:
		parse_filter(options, key, argument, state);
		break;
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
	if (key == OPTION_FORMAT)
		return asprintf(&help,
				"Print %s (default: text); the view flame also %s; " FORMAT_PAGE
				": all views as one page; " FORMAT_TRACE
				": the timeline for viewers of traces",
				renderer_names(), renderer_flame_names()) < 0
			       ? NULL
			       : help;
	if (key != ARGP_KEY_HELP_POST_DOC)
		return (char *)text;
	file = open_memstream(&help, &size);
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
		.options = option_table,
		.parser = parse_option,
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
	parse_command_line(&argp, argc, argv, 0, options);
}

void report_options_deinit(struct report_options *options)
{
	for (size_t i = 0; i < options->filter_count; i++)
		free(options->filters[i]);
	select_deinit(&options->select);
	query_deinit(options->query);
	free(options->query);
}
