// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Copies what the headers of both captures say about losses, and adds how they are compared. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "report/diff_header.h"
#include "report/summaries/bounds.h"
#include "report/views/row_names.h"

/* Labels of the lines of a capture's own header that a comparison has, too. */
static const char *const labels[] = {
	"capture", "imported", "time",	    "pieces",	 "stopped", "filters", "events",  "lost",
	"probes",  "stacks",   "estimates", "summaries", "host",    "missing", "damaged", "sampled",
};

static bool is_copied(const char *label)
{
	for (size_t i = 0; i < sizeof(labels) / sizeof(*labels); i++)
		if (!strcmp(labels[i], label))
			return true;
	return false;
}

static const struct header *header_of(const struct diff_capture *capture)
{
	return capture->has_summaries ? &capture->summaries_header.header : &capture->header.header;
}

/* A line without a label belongs to the line above. */
static int copy_lines(struct header *header, const char *name, const struct diff_capture *capture)
{
	const struct header *from = header_of(capture);
	bool copied = false;
	int err = header_add_line(header, name, false, "%s", capture->path);

	for (size_t i = 0; i < from->line_count && !err; i++) {
		const struct header_line *line = &from->lines[i];

		if (*line->label)
			copied = is_copied(line->label);
		if (copied)
			err = header_add_line(header, line->label, line->warning, "%s", line->text);
	}
	return err;
}

static void copy_section(struct header *header, const struct header *from, const char *key)
{
	for (size_t i = 0; i < from->section_count; i++) {
		const struct section *section = &from->sections[i];

		if (strcmp(section->key, key))
			continue;
		for (size_t field = 0; field < section->count; field++)
			*header_add_field(header, "", FIELD_UNKNOWN) = section->fields[field];
	}
}

static void add_compared_capture(struct header *header, const char *name,
				 const struct diff_capture *capture)
{
	header_add_section(header, name);
	header_add_text(header, "path", capture->path);
	copy_section(header, header_of(capture), "capture");
	copy_section(header, header_of(capture), "loss");
	copy_section(header, header_of(capture), "summaries");
}

static const char *normalise_text(const struct report_options *options)
{
	return options->diff.normalise_text ? options->diff.normalise_text : "time";
}

static const char *const certain_keys[DIFF_FIGURES] = {
	[DIFF_ALLOCATIONS] = "certain_allocations",   [DIFF_ALLOCATED] = "certain_bytes_allocated",
	[DIFF_WASTE] = "certain_bytes_wasted",	      [DIFF_GROWTH] = "certain_growth_bytes",
	[DIFF_LIVE_OBJECTS] = "certain_live_objects", [DIFF_LIVE] = "certain_live_bytes",
	[DIFF_PEAK] = "certain_peak_bytes",
};

static void add_fields(struct header *header, const struct report_options *options,
		       const struct diff *diff)
{
	header_add_section(header, "comparison");
	header_add_text(header, "view", options->view->name);
	header_add_text(header, "by",
			options->by_text ? options->by_text : group_by_text(options->view->by));
	header_add_text(header, "normalise", normalise_text(options));
	header_add_field(header, "error", FIELD_DECIMAL)->decimal = DIFF_ERROR;
	header_add_number(header, "figures", diff->figures);
	header_add_number(header, "rows", diff->pairs.count);
	header_add_number(header, "matched_by_offset", diff->by_offset);
	header_add_number(header, "only_a", diff->only_a);
	header_add_number(header, "only_b", diff->only_b);
	for (enum diff_figure i = 0; i < DIFF_FIGURES; i++)
		header_add_nullable(header, certain_keys[i],
				    diff_knows(diff, i) ? diff->certain[i] : CELL_UNKNOWN);
}

static int add_normalise(struct header *header, const struct report_options *options,
			 const struct diff *diff, bool of_hosts)
{
	const char *flows = diff_knows(diff, DIFF_GROWTH) ? "allocations and growth"
							  : "allocations";
	const char *states =
		diff_knows(diff, DIFF_PEAK)
			? "live bytes, live objects and peaks as they are"
			: "live bytes and live objects as they are, with all that lived before";

	switch (options->diff.normalise) {
	case DIFF_BY_TIME:
		return header_add_line(header, "compared", false, "%s for a second%s; %s", flows,
				       of_hosts ? " of one host" : "", states);
	case DIFF_BY_EVENTS:
		return header_add_line(header, "compared", false,
				       "%s for a million allocations and frees; %s", flows, states);
	case DIFF_BY_WORK:
		break;
	}
	return header_add_line(header, "compared", false, "%s for one of %s; %s", flows,
			       options->diff.normalise_text, states);
}

/* "of 3 rows, allocations changed in 0, bytes allocated in 1, …" */
static int add_certain(struct header *header, const struct diff *diff)
{
	static const char *const texts[DIFF_FIGURES] = {
		[DIFF_ALLOCATIONS] = "allocations changed in",
		[DIFF_ALLOCATED] = "bytes allocated in",
		[DIFF_WASTE] = "wasted in",
		[DIFF_GROWTH] = "growth in",
		[DIFF_LIVE_OBJECTS] = "live objects in",
		[DIFF_LIVE] = "live bytes in",
		[DIFF_PEAK] = "peaks in",
	};
	struct header_line *line = header_new_line(header, "certain", false);
	size_t size;
	FILE *text = line ? text_open(&line->text, &size) : NULL;

	if (!text)
		return -ENOMEM;
	fprintf(text, "of %zu rows", diff->pairs.count);
	for (enum diff_figure i = 0; i < DIFF_FIGURES; i++)
		if (diff_knows(diff, i))
			fprintf(text, ", %s %zu", texts[i], diff->certain[i]);
	fprintf(text, "; 95 %% for all %zu figures together", diff->figures);
	return text_close(text, &line->text);
}

/* by_name_only: rows of functions have no offsets. */
static int add_matched(struct header *header, const struct diff *diff, bool by_name_only)
{
	size_t by_name = diff->pairs.count - diff->by_offset - diff->only_a - diff->only_b;
	char by_offset[60] = "";

	if (!by_name_only)
		snprintf(by_offset, sizeof(by_offset), ", %zu by the nearest offset",
			 diff->by_offset);
	return header_add_line(header, "matched", false,
			       "%zu row%s by name%s; only in A %zu, only in B %zu", by_name,
			       by_name == 1 ? "" : "s", by_offset, diff->only_a, diff->only_b);
}

static bool observes_path(const struct status *status, const char *name)
{
	for (size_t i = 0; i < status->path_count; i++)
		if (!strcmp(status->paths[i].name, name))
			return status->paths[i].observed;
	return false;
}

/* Paths that one capture observes and the other does not make a difference of their own. */
static int warn_of_paths(struct header *header, const struct status *one, const char *name,
			 const struct status *other, const char *other_name)
{
	struct header_line *line = NULL;
	const char *separator = "";
	FILE *text = NULL;
	size_t size;

	for (size_t i = 0; i < one->path_count && other->path_count; i++) {
		if (!one->paths[i].observed || observes_path(other, one->paths[i].name))
			continue;
		if (!text) {
			line = header_new_line(header, "", true);
			text = line ? text_open(&line->text, &size) : NULL;
			if (!text)
				return -ENOMEM;
			fprintf(text, "only %s observes ", name);
		}
		fprintf(text, "%s%s", separator, one->paths[i].name);
		separator = ", ";
	}
	if (!text)
		return 0;
	fprintf(text, ": their allocations and frees are missing in %s", other_name);
	return text_close(text, &line->text);
}

#define DURATION_RATIO 1.1

/* ns */
static double duration_of(const struct diff_capture *capture)
{
	const struct summary *sum = &capture->summaries.summaries.sum;

	return (double)(capture->has_summaries ? sum->end - sum->begin : capture->header.duration);
}

/* The live bytes of all hosts together say little of the change on each. */
static int warn_of_hosts(struct header *header, const struct diff_capture *a,
			 const struct diff_capture *b)
{
	uint64_t in_a = a->has_summaries ? a->summaries.summaries.sum.live_hosts : 1;
	uint64_t in_b = b->has_summaries ? b->summaries.summaries.sum.live_hosts : 1;

	if (in_a == in_b)
		return 0;
	return header_add_line(header, "", true,
			       "live objects are those of %" PRIu64 " host%s in A, and of %" PRIu64
			       " in B",
			       in_a, in_a == 1 ? "" : "s", in_b);
}

/* Figures of the side have no upper bound then. */
static int warn_of_missing(struct header *header, const struct diff_side *side, const char *name,
			   const struct diff_capture *capture)
{
	const struct summaries *summaries = &capture->summaries.summaries;
	struct summaries_gaps gaps;
	char more[60] = "";

	if (!isinf(side->missing))
		return 0;
	if (!capture->has_summaries)
		return header_add_line(
			header, "", true,
			"it is not known how many events of %s were skipped: no figure of it has an upper bound",
			name);
	gaps = summaries_find_gaps(summaries);
	if (!gaps.host)
		return header_add_line(
			header, "", true,
			"%s has summaries that are damaged or overlap: no figure of it has an upper bound: merge the files again",
			name);
	if (gaps.hosts > 1)
		snprintf(more, sizeof(more), " and %zu more host%s", gaps.hosts - 1,
			 gaps.hosts > 2 ? "s" : "");
	return header_add_line(
		header, "", true,
		"%" PRIu64
		" summar%s of %s%s %s missing in %s: no figure of it has an upper bound: add the files up without %s (kmemtrace-merge)",
		summaries->missing, summaries->missing == 1 ? "y" : "ies", gaps.host, more,
		summaries->missing == 1 ? "is" : "are", name,
		gaps.hosts > 1 ? "these hosts" : "that host");
}

static int warn_of_differences(struct header *header, const struct report_options *options,
			       const struct diff *diff, const struct diff_capture *a,
			       const struct diff_capture *b)
{
	double a_time = duration_of(a), b_time = duration_of(b);
	const struct status *a_status = &a->capture.status, *b_status = &b->capture.status;
	int err = warn_of_paths(header, a_status, "A", b_status, "B");

	if (!err)
		err = warn_of_paths(header, b_status, "B", a_status, "A");
	if (!err)
		err = warn_of_hosts(header, a, b);
	if (!err && options->diff.normalise == DIFF_BY_TIME &&
	    (a_time > DURATION_RATIO * b_time || b_time > DURATION_RATIO * a_time))
		err = header_add_line(
			header, "", true,
			"A and B have different lengths: only large changes of live bytes are certain");
	if (!err)
		err = warn_of_missing(header, &diff->a, "A", a);
	return err ? err : warn_of_missing(header, &diff->b, "B", b);
}

int diff_header_add(struct header *header, const struct report_options *options,
		    const struct diff *diff, const struct diff_capture *a,
		    const struct diff_capture *b)
{
	bool has_summaries = a->has_summaries || b->has_summaries;
	int err;

	add_fields(header, options, diff);
	add_compared_capture(header, "a", a);
	add_compared_capture(header, "b", b);
	if (options->renderer->for_people && !options->verbose)
		return diff_header_add_brief(header, options, diff, a, b);
	err = copy_lines(header, "A", a);
	if (!err)
		err = copy_lines(header, "B", b);
	if (!err)
		err = add_normalise(header, options, diff, has_summaries);
	if (!err)
		err = add_matched(header, diff, has_summaries);
	if (!err)
		err = add_certain(header, diff);
	return err ? err : warn_of_differences(header, options, diff, a, b);
}
