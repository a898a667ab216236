// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Looks for a slab cache whose name is near the text of --cache. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "cli/message.h"
#include "report/unknown_cache.h"

#define FILTER "cache ~ " /* before the text of --cache, in the list of filters */

static const char *cache_filter(const struct report_options *options)
{
	for (size_t i = 0; i < options->filter_count; i++)
		if (!strncmp(options->filters[i], FILTER, strlen(FILTER)))
			return options->filters[i] + strlen(FILTER);
	return NULL;
}

void say_unknown_cache(const struct report_options *options, const struct report *report)
{
	const struct analysis *analysis = &report->analysis;
	const char *text = cache_filter(options), **names;
	size_t count = 0;
	char hint[120];

	for (size_t i = 0; text && i < analysis->cache_count; i++)
		if (analysis->caches[i].selected)
			return;
	names = text ? calloc(analysis->cache_count + 1, sizeof(*names)) : NULL;
	if (!names)
		return;
	for (size_t i = 0; i < analysis->cache_count; i++)
		names[count++] = analysis->caches[i].name;
	info_msg("%s: no object is of a slab cache that matches \"%s\"%s", options->input, text,
		 suggest_text(text, names, count, hint, sizeof(hint)));
	free(names);
}
