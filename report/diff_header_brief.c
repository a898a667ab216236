// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* One line for each capture, one for the quality of both, and one for the comparison. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "report/diff_header.h"

#define LONGER 1.1 /* one capture than the other: live bytes of them differ by that alone */

static const struct header *own_header(const struct diff_capture *capture)
{
	return capture->has_summaries ? &capture->summaries_header.header : &capture->header.header;
}

/* The line of the label in the capture's own header; NULL: there is none. */
static const struct header_line *find_own_line(const struct diff_capture *capture,
					       const char *label)
{
	const struct header *header = own_header(capture);

	for (size_t i = 0; i < header->line_count; i++)
		if (!strcmp(header->lines[i].label, label))
			return &header->lines[i];
	return NULL;
}

/* The hosts and the time of summaries; the kernel, CPUs and time of a capture. */
static int add_side(struct header *header, const char *name, const struct diff_capture *capture)
{
	const struct header_line *what =
		find_own_line(capture, capture->has_summaries ? "summaries" : "capture");
	const struct header_line *time = capture->has_summaries ? find_own_line(capture, "time")
								: NULL;

	return header_add_line(header, name, what && what->warning, "%s%s%s%s%s", capture->path,
			       what ? ": " : "", what ? what->text : "", time ? ", " : "",
			       time ? time->text : "");
}

static bool lacks_paths(const struct status *one, const struct status *other)
{
	bool lacks = false;

	for (size_t i = 0; i < one->path_count && other->path_count && !lacks; i++) {
		bool observed = false;

		for (size_t j = 0; j < other->path_count; j++)
			observed |= other->paths[j].observed &&
				    !strcmp(one->paths[i].name, other->paths[j].name);
		lacks = one->paths[i].observed && !observed;
	}
	return lacks;
}

static bool has_longer_side(const struct diff_capture *a, const struct diff_capture *b)
{
	double a_time = (double)a->header.duration, b_time = (double)b->header.duration;

	return !a->has_summaries && !b->has_summaries &&
	       (a_time > LONGER * b_time || b_time > LONGER * a_time);
}

/* The live objects of summaries are those of so many hosts. */
static uint64_t count_live_hosts(const struct diff_capture *capture)
{
	return capture->has_summaries ? capture->summaries.summaries.sum.live_hosts : 1;
}

/* Reasons that one capture alone does not have. */
static bool put_differences(FILE *text, const struct report_options *options,
			    const struct diff *diff, const struct diff_capture *a,
			    const struct diff_capture *b)
{
	const struct status *a_status = &a->capture.status, *b_status = &b->capture.status;
	bool unbound = isinf(diff->a.missing) || isinf(diff->b.missing);
	bool paths = lacks_paths(a_status, b_status) || lacks_paths(b_status, a_status);
	uint64_t hosts_a = count_live_hosts(a), hosts_b = count_live_hosts(b);
	bool longer = options->diff.normalise == DIFF_BY_TIME && has_longer_side(a, b);

	if (unbound)
		fputs("; figures without an upper bound", text);
	if (hosts_a != hosts_b)
		fprintf(text, "; live is of %" PRIu64 " host%s in A, of %" PRIu64 " in B", hosts_a,
			hosts_a == 1 ? "" : "s", hosts_b);
	if (paths)
		fputs("; other paths are observed in A than in B", text);
	if (longer)
		fputs("; lengths differ, so only large changes of live bytes are certain", text);
	return unbound || paths || longer || hosts_a != hosts_b;
}

static int add_quality(struct header *header, const struct report_options *options,
		       const struct diff *diff, const struct diff_capture *a,
		       const struct diff_capture *b)
{
	const struct header_line *of_a = find_own_line(a, "quality");
	const struct header_line *of_b = find_own_line(b, "quality");
	struct header_line *line = header_new_line(header, "quality", false);
	size_t size;
	FILE *text = line ? text_open(&line->text, &size) : NULL;

	if (!text)
		return -ENOMEM;
	fprintf(text, "A %s; B %s", of_a ? of_a->text : "unknown", of_b ? of_b->text : "unknown");
	line->warning = put_differences(text, options, diff, a, b) || (of_a && of_a->warning) ||
			(of_b && of_b->warning);
	return text_close(text, &line->text);
}

static int add_comparison(struct header *header, const struct report_options *options,
			  const struct diff *diff)
{
	const char *unit = options->diff.normalise == DIFF_BY_TIME     ? "a second"
			   : options->diff.normalise == DIFF_BY_EVENTS ? "a million events"
								       : "one of ";
	const char *work = options->diff.normalise == DIFF_BY_WORK ? options->diff.normalise_text
								   : "";
	size_t certain = 0;

	for (enum diff_figure i = 0; i < DIFF_FIGURES; i++)
		certain += diff_knows(diff, i) ? diff->certain[i] : 0;
	return header_add_line(
		header, "compared", false,
		"flows for %s%s, live as it is; %zu rows, of which %zu only in A, %zu only in B; certain: %zu of %zu figures",
		unit, work, diff->pairs.count, diff->only_a, diff->only_b, certain, diff->figures);
}

int diff_header_add_brief(struct header *header, const struct report_options *options,
			  const struct diff *diff, const struct diff_capture *a,
			  const struct diff_capture *b)
{
	const struct header_line *filters = find_own_line(a, "filters");
	int err = add_side(header, "A", a);

	if (!err)
		err = add_side(header, "B", b);
	if (!err && filters)
		err = header_add_line(header, "filters", false, "%s", filters->text);
	if (!err)
		err = add_quality(header, options, diff, a, b);
	return err ? err : add_comparison(header, options, diff);
}
