// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Sources are in order of their hosts, in the sum as in each interval. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/summaries/later_hosts.h"

/* From here on, no interval has live figures of the sum. */
static size_t first_later(const struct summaries *summaries)
{
	size_t i = summaries->interval_count;

	while (i && summaries->intervals[i - 1].sum.live_at > summaries->sum.live_at)
		i--;
	return i;
}

/* The index of the first source of this host, which the summary has. */
static size_t find_host(const struct summary *summary, const char *host)
{
	size_t low = 0, high = summary->source_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(summary->sources[middle].host, host) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

int later_hosts_find(const struct summaries *summaries, struct later_hosts *later)
{
	const struct summary *sum = &summaries->sum;
	bool *is_later = calloc(sum->source_count + 1, sizeof(*is_later));
	size_t first = first_later(summaries);

	*later = (struct later_hosts){ 0 };
	if (!is_later)
		return -ENOMEM;
	for (size_t i = first; i < summaries->interval_count; i++) {
		const struct summary *interval = &summaries->intervals[i].sum;

		for (size_t j = 0; j < interval->source_count; j++) {
			size_t host = find_host(sum, interval->sources[j].host);

			later->count += !is_later[host];
			is_later[host] = true;
		}
		later->host = interval->sources[0].host;
		later->until = interval->end;
	}
	free(is_later);
	return 0;
}
