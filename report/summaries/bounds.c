// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A part of a run that does not begin with summary 0 has summaries before it that are not in the
 * file. These may have lost events; and it is not known whether they did.
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "report/summaries/bounds.h"

bool summaries_lack_frees(const struct summaries *summaries)
{
	return missing_events(&summaries->known.missing) || summaries->missing ||
	       summaries->missing_before || summaries->damaged || summaries->overlapping;
}

/* Is a summary before one of these not in the file? */
static bool lacks_earlier(const struct summaries *summaries, const struct summary *interval)
{
	for (size_t i = 0; i < interval->source_count; i++) {
		struct summary_source begin = interval->sources[i];
		const struct summary from_begin = { .sources = &begin, .source_count = 1 };

		begin.first = 0;
		if (summary_compare_sources(&summaries->known, &from_begin) != -EALREADY)
			return true;
	}
	return false;
}

/* An event that is missing once is missing in all later intervals. */
void summaries_set_bounds(struct summaries *summaries)
{
	bool is_bound = summaries->damaged || summaries->overlapping || summaries->lost_before;

	for (size_t i = 0; i < summaries->interval_count; i++) {
		const struct summary *interval = &summaries->intervals[i].sum;

		is_bound = is_bound || missing_events(&interval->missing) ||
			   interval->rows[0].counts.missed || lacks_earlier(summaries, interval);
		summaries->intervals[i].is_bound = is_bound;
	}
}

/* Sources are in order of their hosts and runs. */
struct summaries_gaps summaries_find_gaps(const struct summaries *summaries)
{
	const struct summary_source *sources = summaries->sum.sources, *last = NULL;
	struct summaries_gaps gaps = { 0 };

	for (size_t i = 1; i < summaries->sum.source_count; i++) {
		const struct summary_source *source = &sources[i], *before = source - 1;

		if (source->run != before->run || strcmp(source->host, before->host) != 0 ||
		    strcmp(source->boot, before->boot) != 0)
			continue;
		if (!last || strcmp(last->host, source->host) != 0)
			gaps.hosts++;
		last = source;
		if (!gaps.host)
			gaps.host = source->host;
	}
	return gaps;
}
