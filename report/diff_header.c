// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Copies what the headers of both captures say about losses, and adds how they are compared. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "report/diff_header.h"
#include "report/views/row_names.h"

/* Labels of the lines of a capture's own header that a comparison has, too. */
static const char *const labels[] = {
	"capture", "imported", "time",	 "pieces", "stopped",	"filters",
	"events",  "lost",     "probes", "stacks", "estimates",
};

static bool is_copied(const char *label)
{
	for (size_t i = 0; i < sizeof(labels) / sizeof(*labels); i++)
		if (!strcmp(labels[i], label))
			return true;
	return false;
}

/* A line without a label belongs to the line above. */
static int copy_lines(struct header *header, const char *name, const struct diff_capture *capture)
{
	const struct header *from = &capture->header.header;
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

static void add_capture(struct header *header, const char *name, const struct diff_capture *capture)
{
	header_add_section(header, name);
	header_add_text(header, "path", capture->path);
	copy_section(header, &capture->header.header, "capture");
	copy_section(header, &capture->header.header, "loss");
}

static const char *normalise_text(const struct options *options)
{
	return options->diff.normalise_text ? options->diff.normalise_text : "time";
}

static const char *const certain_keys[DIFF_FIGURES] = {
	[DIFF_ALLOCATIONS] = "certain_allocations", [DIFF_ALLOCATED] = "certain_bytes_allocated",
	[DIFF_WASTE] = "certain_bytes_wasted",	    [DIFF_LIVE_OBJECTS] = "certain_live_objects",
	[DIFF_LIVE] = "certain_live_bytes",	    [DIFF_PEAK] = "certain_peak_bytes",
};

static void add_fields(struct header *header, const struct options *options,
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
		header_add_number(header, certain_keys[i], diff->certain[i]);
}

#define STATES "; live bytes, live objects and peaks as they are"

static int add_normalise(struct header *header, const struct options *options)
{
	switch (options->diff.normalise) {
	case DIFF_BY_TIME:
		return header_add_line(header, "compared", false,
				       "allocations for a second" STATES);
	case DIFF_BY_EVENTS:
		return header_add_line(header, "compared", false,
				       "allocations for a million allocations and frees" STATES);
	case DIFF_BY_WORK:
		break;
	}
	return header_add_line(header, "compared", false, "allocations for one of %s" STATES,
			       options->diff.normalise_text);
}

static int add_matched(struct header *header, const struct diff *diff)
{
	size_t by_name = diff->pairs.count - diff->by_offset - diff->only_a - diff->only_b;
	int err = header_add_line(header, "matched", false,
				  "%zu row%s by name, %zu by the nearest offset; only in A %zu, "
				  "only in B %zu",
				  by_name, by_name == 1 ? "" : "s", diff->by_offset, diff->only_a,
				  diff->only_b);

	if (err)
		return err;
	return header_add_line(header, "certain", false,
			       "of %zu rows, allocations changed in %zu, bytes allocated in %zu, "
			       "wasted in %zu, live objects in %zu, live bytes in %zu, peaks in "
			       "%zu; 95 %% for all %zu figures together",
			       diff->pairs.count, diff->certain[DIFF_ALLOCATIONS],
			       diff->certain[DIFF_ALLOCATED], diff->certain[DIFF_WASTE],
			       diff->certain[DIFF_LIVE_OBJECTS], diff->certain[DIFF_LIVE],
			       diff->certain[DIFF_PEAK], diff->figures);
}

static bool observes(const struct status *status, const char *name)
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
		if (!one->paths[i].observed || observes(other, one->paths[i].name))
			continue;
		if (!text) {
			line = header_new_line(header, "", true);
			text = line ? open_memstream(&line->text, &size) : NULL;
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

static int warn(struct header *header, const struct options *options, const struct diff *diff,
		const struct diff_capture *a, const struct diff_capture *b)
{
	double a_time = (double)a->header.duration, b_time = (double)b->header.duration;
	const struct status *a_status = &a->capture.status, *b_status = &b->capture.status;
	int err = warn_of_paths(header, a_status, "A", b_status, "B");

	if (!err)
		err = warn_of_paths(header, b_status, "B", a_status, "A");
	if (!err && options->diff.normalise == DIFF_BY_TIME &&
	    (a_time > DURATION_RATIO * b_time || b_time > DURATION_RATIO * a_time))
		err = header_add_line(header, "", true,
				      "the captures have different lengths: only large changes of "
				      "live bytes are certain");
	if (!err && (isinf(diff->a.missing) || isinf(diff->b.missing)))
		err = header_add_line(
			header, "", true,
			"it is not known how many events of %s were skipped: no figure of it has "
			"an upper bound",
			!isinf(diff->b.missing)	  ? "A"
			: !isinf(diff->a.missing) ? "B"
						  : "A and B");
	return err;
}

int diff_header_add(struct header *header, const struct options *options, const struct diff *diff,
		    const struct diff_capture *a, const struct diff_capture *b)
{
	int err;

	add_fields(header, options, diff);
	add_capture(header, "a", a);
	add_capture(header, "b", b);
	err = copy_lines(header, "A", a);
	if (!err)
		err = copy_lines(header, "B", b);
	if (!err)
		err = add_normalise(header, options);
	if (!err)
		err = add_matched(header, diff);
	return err ? err : warn(header, options, diff, a, b);
}
