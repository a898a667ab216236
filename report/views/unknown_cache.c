// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Looks for a slab cache whose name is near the text of a filter. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/suggest.h"
#include "cli/message.h"
#include "kernel/cache_aliases.h"
#include "report/views/unknown_cache.h"

#define FILTER "cache ~ " /* before the text of --cache, in the list of filters */
#define HINT 120

/* Names of caches and their aliases. */
struct cache_names {
	char (*list)[CACHE_NAME];
	size_t count;
};

static int add_cache_name(struct cache_names *names, const char *name)
{
	char(*list)[CACHE_NAME] = array_grow(names->list, names->count, sizeof(*list));

	if (!list)
		return -1;
	names->list = list;
	snprintf(list[names->count++], CACHE_NAME, "%s", name);
	return 0;
}

static int list_cache_names(struct cache_names *names, const struct analysis *analysis)
{
	int err = 0;

	for (size_t i = 0; i < analysis->cache_count && !err; i++) {
		const char *name = analysis->caches[i].name, *aliases;
		char alias[CACHE_NAME];

		aliases = caches_find_aliases(&analysis->capture->caches, name);
		err = add_cache_name(names, name);
		while (!err && cache_aliases_next(&aliases, alias))
			err = add_cache_name(names, alias);
	}
	return err;
}

/* ": did you mean NAME?", or "". The text may be a regular expression of one name. */
static const char *near_cache(const struct analysis *analysis, const char *text, char hint[HINT])
{
	struct cache_names names = { 0 };
	const char **list = NULL;
	char word[CACHE_NAME];

	snprintf(word, sizeof(word), "%s", *text == '^' ? text + 1 : text);
	word[strcspn(word, "$")] = '\0';
	*hint = '\0';
	if (!list_cache_names(&names, analysis))
		list = calloc(names.count + 1, sizeof(*list));
	for (size_t i = 0; list && i < names.count; i++)
		list[i] = names.list[i];
	if (list)
		suggest_text(word, list, names.count, hint, HINT);
	free(list);
	free(names.list);
	return hint;
}

/* The text of --cache, if it selects no cache; or NULL. */
static const char *unknown_filter(const struct report *report)
{
	const char *text = NULL;

	for (size_t i = 0; i < report->filter_count; i++)
		if (!strncmp(report->filters[i], FILTER, strlen(FILTER)))
			text = report->filters[i] + strlen(FILTER);
	for (size_t i = 0; text && i < report->analysis.cache_count; i++)
		if (report->analysis.caches[i].selected)
			return NULL;
	return text;
}

bool say_unknown_cache(const struct report *report, const struct query *query, const char *input)
{
	const char *text;
	char hint[HINT];

	if (!report->capture)
		return false;
	text = unknown_filter(report);
	if (!text && query && query_find_unknown_cache(query, &report->analysis, &text))
		return false;
	if (text)
		info_msg("%s%sno object is of a slab cache that matches \"%s\"%s",
			 input ? input : "", input ? ": " : "", text,
			 near_cache(&report->analysis, text, hint));
	return text;
}
