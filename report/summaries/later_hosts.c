// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Sources are in order of their hosts, in the sum as in each interval. */
#include "config.h"

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

static bool has_host(const struct summary *summary, const char *host)
{
	size_t low = 0, high = summary->source_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = strcmp(summary->sources[middle].host, host);

		if (!order)
			return true;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

struct later_hosts later_hosts_find(const struct summaries *summaries)
{
	const struct summary *sum = &summaries->sum;
	size_t first = first_later(summaries);
	struct later_hosts later = { 0 };

	for (size_t i = 0; i < sum->source_count; i++) {
		const char *host = sum->sources[i].host;
		size_t last = summaries->interval_count;

		if (i && !strcmp(host, sum->sources[i - 1].host))
			continue;
		while (last > first && !has_host(&summaries->intervals[last - 1].sum, host))
			last--;
		if (last == first)
			continue;
		later.count++;
		if (summaries->intervals[last - 1].sum.end <= later.until)
			continue;
		later.host = host;
		later.until = summaries->intervals[last - 1].sum.end;
	}
	return later;
}
