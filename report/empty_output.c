// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Why an output is empty: no events, a filter that matches nothing, or nothing that is live. */
#include "config.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "cli/message.h"
#include "report/empty_output.h"

/* A profile of pprof has the allocated bytes, whatever else it shows. */
static bool is_empty_flame(const struct flame *flame, bool is_profile)
{
	for (size_t i = 0; i < flame->path_count; i++)
		if ((is_profile ? &flame->paths[i].allocated : &flame->paths[i].shown)->objects)
			return false;
	return true;
}

static bool is_empty_output(const struct report *report)
{
	if (report->view->streams)
		return !report->counted;
	if (report->renderer->print_flame)
		return is_empty_flame(report->flame, report->renderer->has_labels);
	return !report->renderer->for_people && report->table_count && !report->tables[0].rows_made;
}

/* Do the filters leave out all events of objects? */
static bool selects_nothing(const struct report *report)
{
	const struct analysis_totals *totals = &report->analysis.totals;

	return report->filter_count && !totals->allocations && !totals->failed && !totals->frees &&
	       !totals->initial_objects;
}

/* The sentence of a table without its first capital and its full stop. */
static void put_sentence(const char *sentence, char *text, size_t size)
{
	size_t length = strlen(sentence);

	snprintf(text, size, "%.*s", (int)(length - (length && sentence[length - 1] == '.')),
		 sentence);
	*text = (char)tolower((unsigned char)*text);
}

/* False: the empty output is an answer. */
static bool say_why(const struct report *report, char *text, size_t size)
{
	bool is_answer = report->view == &view_findings || report->view == &view_slabinfo;

	*text = '\0';
	if (report->capture && !report->analysis.loss.seen)
		snprintf(text, size, "the capture has no events");
	else if (report->view->streams)
		snprintf(text, size, "no event was selected");
	else if (report->capture && selects_nothing(report))
		snprintf(text, size, "no allocation was selected");
	else if (!is_answer && !report->renderer->print_flame)
		put_sentence(report->tables[0].empty, text, size);
	else if (!is_answer && report->flame->measure == FLAME_live)
		snprintf(
			text, size,
			"no selected object is live at the end: --bytes=allocated shows all paths");
	else if (!is_answer)
		snprintf(text, size, "no path has such bytes%s",
			 report->flame->measure == FLAME_allocated
				 ? ""
				 : ": --bytes=allocated shows all paths");
	return *text;
}

void say_empty_output(const struct report_options *options, const struct report *report)
{
	char text[200];

	if (is_empty_output(report) && say_why(report, text, sizeof(text)))
		info_msg("%s: the output is empty: %s", options->input, text);
}
