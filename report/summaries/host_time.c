// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Sources are in order of their hosts. */
#include "config.h"

#include <string.h>
#include <sys/param.h>

#include "report/summaries/host_time.h"

/* Summary 0 begins when tracing began. A run that is not in this time says nothing. */
static uint64_t begin_of(const struct summary *summary, const struct summary_source *source)
{
	if (source->first || source->run <= summary->begin || source->run >= summary->end)
		return summary->begin;
	return source->run;
}

double summary_host_time(const struct summary *summary)
{
	double time = 0;

	for (size_t i = 0; i < summary->source_count;) {
		const char *host = summary->sources[i].host;
		uint64_t begin = summary->end;

		for (; i < summary->source_count && !strcmp(summary->sources[i].host, host); i++)
			begin = MIN(begin, begin_of(summary, &summary->sources[i]));
		time += (double)(summary->end - begin);
	}
	return time;
}
