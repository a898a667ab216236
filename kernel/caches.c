// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Parses and searches slab caches and their aliases. */
#include "config.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "kernel/caches.h"
#include "base/array.h"
#include "base/hash.h"
#include "base/hash_map.h"
#include "base/text.h"

#define ALIASES_MAX 4096 /* bytes, of one cache; a busy machine has 2,000 */
/* Each allocation is compared with all. Kernels have at most 22 sizes of 19 types. */
#define KMALLOC_MAX 1024

/* A line "cache", or a line "gone" with its time in since. */
struct sighting {
	struct cache cache;
	size_t order;
	bool gone;
};

/* The parsed lines of a text. */
struct cache_lines {
	struct sighting *sightings;
	size_t sighting_count;
	struct cache_alias *aliases;
	size_t alias_count;
	char *others; /* the storage of the aliases; large enough for all */
	size_t others_used;
};

static void cache_lines_deinit(struct cache_lines *lines)
{
	free(lines->sightings);
	free(lines->aliases);
	free(lines->others);
}

static int add_sighting(struct cache_lines *lines, struct sighting *sighting)
{
	struct sighting *list = array_grow(lines->sightings, lines->sighting_count, sizeof(*list));

	if (!list)
		return -ENOMEM;
	lines->sightings = list;
	sighting->order = lines->sighting_count;
	list[lines->sighting_count++] = *sighting;
	return 0;
}

static int add_alias(struct cache_lines *lines, struct line *line, size_t text_size)
{
	struct cache_alias *list = array_grow(lines->aliases, lines->alias_count, sizeof(*list));
	struct cache_alias *alias;
	char *others;

	if (!list)
		return -ENOMEM;
	lines->aliases = list;
	if (!lines->others)
		lines->others = malloc(text_size + 1);
	if (!lines->others)
		return -ENOMEM;
	/* Unescaping never makes a text longer, so the whole text has room for all of its words. */
	others = lines->others + lines->others_used;
	alias = &list[lines->alias_count];
	alias->others = others;
	alias->order = lines->alias_count++;
	line_word(line, alias->name, sizeof(alias->name));
	line_word(line, others, text_size + 1 - lines->others_used);
	lines->others_used += strlen(others) + 1;
	return 0;
}

static int add_kmalloc(struct caches *caches, struct line *line)
{
	struct kmalloc_name *list =
		array_grow(caches->kmalloc, caches->kmalloc_count, sizeof(*list));

	if (!list)
		return -ENOMEM;
	caches->kmalloc = list;
	list += caches->kmalloc_count++;
	line_word(line, list->text, sizeof(list->text));
	if (!line_u32(line, &list->object_size) || !line_u32(line, &list->size) ||
	    list->object_size > list->size)
		list->object_size = list->size = 0;
	return 0;
}

static int add_debug(struct caches *caches, struct line *line)
{
	struct cache_debug *list =
		array_grow(caches->debugged, caches->debugged_count, sizeof(*list));

	if (!list)
		return -ENOMEM;
	caches->debugged = list;
	list += caches->debugged_count;
	*list = (struct cache_debug){ 0 };
	line_word(line, list->name, sizeof(list->name));
	if (!*list->name)
		return 0;
	caches->debugged_count++;
	if (!line_u32(line, &list->bytes))
		list->bytes = 0;
	line_word(line, list->flags, sizeof(list->flags));
	return 0;
}

static int add_reclaim(struct caches *caches, struct line *line)
{
	struct cache_reclaim_account *list =
		array_grow(caches->reclaims, caches->reclaim_count, sizeof(*list));
	uint32_t value;

	if (!list)
		return -ENOMEM;
	caches->reclaims = list;
	list += caches->reclaim_count;
	line_word(line, list->name, sizeof(list->name));
	if (!*list->name || !line_u32(line, &value) || value > 1)
		return 0;
	list->reclaim = value ? CACHE_RECLAIMABLE : CACHE_UNRECLAIMABLE;
	caches->reclaim_count++;
	return 0;
}

/* Each kind of element begins with its name. */
static int compare_names(const void *left, const void *right)
{
	return strcmp(left, right);
}

/* list: sorted by name. NULL: none has the name, cut as theirs. */
static const void *find_named_element(const void *list, size_t count, size_t size, const char *name)
{
	char cut[64];

	snprintf(cut, sizeof(cut), "%s", name);
	return count ? bsearch(cut, list, count, size, compare_names) : NULL;
}

static int read_lines(struct caches *caches, struct cache_lines *lines, const char *text)
{
	size_t text_size = strlen(text);
	struct line line;
	int err = 0;

	while (!err && line_next(&line, &text)) {
		struct sighting sighting = { .cache.until = CACHE_FOREVER };
		struct cache *cache = &sighting.cache;

		if (line_key(&line, "alias")) {
			err = add_alias(lines, &line, text_size);
			continue;
		}
		if (line_key(&line, "kmalloc")) {
			err = add_kmalloc(caches, &line);
			continue;
		}
		if (line_key(&line, "debug")) {
			err = add_debug(caches, &line);
			continue;
		}
		if (line_key(&line, "reclaim_account")) {
			err = add_reclaim(caches, &line);
			continue;
		}
		sighting.gone = line_key(&line, "gone");
		if ((!sighting.gone && !line_key(&line, "cache")) ||
		    !line_u64(&line, 16, &cache->address) || !line_u64(&line, 10, &cache->since))
			continue;
		if (!sighting.gone &&
		    (!line_u32(&line, &cache->object_size) || !line_u32(&line, &cache->size)))
			continue;
		line_word(&line, cache->name, sizeof(cache->name));
		if (!sighting.gone && !cache->name[0])
			continue;
		if (line_key(&line, "accounted"))
			cache->accounting = CACHE_ACCOUNTED;
		else if (line_key(&line, "unaccounted"))
			cache->accounting = CACHE_UNACCOUNTED;
		err = add_sighting(lines, &sighting);
	}
	return err;
}

static int compare_sightings(const void *left, const void *right)
{
	const struct sighting *a = left, *b = right;

	if (a->cache.address != b->cache.address)
		return a->cache.address < b->cache.address ? -1 : 1;
	if (a->cache.since != b->cache.since)
		return a->cache.since < b->cache.since ? -1 : 1;
	return a->order < b->order ? -1 : 1;
}

static bool same_cache(const struct cache *a, const struct cache *b)
{
	return a->object_size == b->object_size && a->size == b->size && !strcmp(a->name, b->name);
}

/* Makes the list of caches from the lines, sorted by address and time, and sets the end of each. */
static int resolve_sightings(struct caches *caches, struct cache_lines *lines)
{
	struct sighting *end;

	if (!lines->sighting_count)
		return 0;
	end = lines->sightings + lines->sighting_count;
	qsort(lines->sightings, lines->sighting_count, sizeof(*lines->sightings),
	      compare_sightings);
	caches->list = malloc(lines->sighting_count * sizeof(*caches->list));
	if (!caches->list)
		return -ENOMEM;
	for (struct sighting *at = lines->sightings; at < end; at++) {
		struct cache *last = caches->count ? &caches->list[caches->count - 1] : NULL;
		bool open = last && last->address == at->cache.address &&
			    last->until == CACHE_FOREVER;

		if (open && !at->gone && same_cache(last, &at->cache))
			continue;
		if (open)
			last->until = at->cache.since;
		if (!at->gone)
			caches->list[caches->count++] = at->cache;
	}
	return 0;
}

static int compare_aliases(const void *left, const void *right)
{
	const struct cache_alias *a = left, *b = right;
	int differs = strcmp(a->name, b->name);

	return differs ? differs : a->order < b->order ? -1 : 1;
}

/* Is the alias new for this group of lines? Adds it. 1, 0 or -ENOMEM. */
static int add_new_alias(struct hash_map *seen, size_t group, const char *name, size_t size)
{
	uint64_t key = hash_keyed(seen->seed + group, name, size);

	if (hash_map_find(seen, key) != HASH_MAP_NONE)
		return 0;
	return hash_map_add(seen, key, 0) ? -ENOMEM : 1;
}

/* Appends the names in others that joined does not have, as far as they fit. Returns its length. */
static ssize_t join_aliases(struct hash_map *seen, size_t group, char *joined, size_t length,
			    const char *others)
{
	joined[length] = '\0';
	for (;;) {
		size_t size = strcspn(others, ",");
		int is_new = 0;

		if (size && length + size + 1 < ALIASES_MAX)
			is_new = add_new_alias(seen, group, others, size);
		if (is_new < 0)
			return is_new;
		if (is_new) {
			if (length)
				joined[length++] = ',';
			memcpy(joined + length, others, size);
			length += size;
			joined[length] = '\0';
		}
		if (!others[size])
			return (ssize_t)length;
		others += size + 1;
	}
}

/* Joins the alias lines of each name. All caches of the name share the text. */
static int join_lines(struct caches *caches, size_t lines, struct hash_map *seen)
{
	char *joined = caches->alias_text;

	for (size_t i = 0; i < lines;) {
		struct cache_alias *alias = &caches->aliases[caches->alias_count];
		ssize_t length = 0;

		*alias = caches->aliases[i];
		do {
			length = join_aliases(seen, caches->alias_count, joined, (size_t)length,
					      caches->aliases[i++].others);
			if (length < 0)
				return (int)length;
		} while (i < lines && !strcmp(caches->aliases[i].name, alias->name));
		alias->others = joined;
		joined += length + 1;
		caches->alias_count++;
	}
	return 0;
}

static int resolve_aliases(struct caches *caches, struct cache_lines *lines)
{
	struct hash_map seen;
	int err;

	if (!lines->alias_count)
		return 0;
	qsort(lines->aliases, lines->alias_count, sizeof(*lines->aliases), compare_aliases);
	caches->alias_text = malloc(lines->others_used);
	if (!caches->alias_text || hash_map_init(&seen))
		return -ENOMEM;
	caches->aliases = lines->aliases;
	lines->aliases = NULL;
	err = join_lines(caches, lines->alias_count, &seen);
	hash_map_deinit(&seen);
	for (size_t i = 0; !err && i < caches->count; i++)
		caches->list[i].aliases = caches_find_aliases(caches, caches->list[i].name);
	return err;
}

const char *caches_find_aliases(const struct caches *caches, const char *name)
{
	const struct cache_alias *alias =
		find_named_element(caches->aliases, caches->alias_count, sizeof(*alias), name);

	return alias && *alias->others ? alias->others : NULL;
}

/* Each piece, and the end, may have written a line again: of elements of one name, one stays. */
static size_t sort_unique(void *list, size_t count, size_t size)
{
	char *kept = list;

	if (!count)
		return 0;
	qsort(list, count, size, compare_names);
	for (char *at = kept + size; at < (char *)list + count * size; at += size) {
		if (!compare_names(kept, at))
			continue;
		kept += size;
		memmove(kept, at, size);
	}
	return (size_t)(kept - (char *)list) / size + 1;
}

/* One element a name. Lines of a name that differ are of several caches. */
static void join_reclaims(struct caches *caches)
{
	struct cache_reclaim_account *kept = caches->reclaims;

	if (!caches->reclaim_count)
		return;
	qsort(kept, caches->reclaim_count, sizeof(*kept), compare_names);
	for (size_t i = 1; i < caches->reclaim_count; i++) {
		const struct cache_reclaim_account *next = &caches->reclaims[i];

		if (compare_names(kept, next))
			*++kept = *next;
		else if (kept->reclaim != next->reclaim)
			kept->reclaim = CACHE_RECLAIM_UNKNOWN;
	}
	caches->reclaim_count = (size_t)(kept - caches->reclaims) + 1;
}

int caches_parse(struct caches *caches, const char *text)
{
	struct cache_lines lines = { 0 };
	int err;

	*caches = (struct caches){ 0 };
	err = read_lines(caches, &lines, text);
	caches->kmalloc_count =
		sort_unique(caches->kmalloc, caches->kmalloc_count, sizeof(*caches->kmalloc));
	caches->debugged_count =
		sort_unique(caches->debugged, caches->debugged_count, sizeof(*caches->debugged));
	join_reclaims(caches);
	if (!err && caches->kmalloc_count > KMALLOC_MAX)
		err = -EFBIG;
	if (!err)
		err = resolve_sightings(caches, &lines);
	if (!err)
		err = resolve_aliases(caches, &lines);
	cache_lines_deinit(&lines);
	if (err)
		caches_deinit(caches);
	return err;
}

void caches_deinit(struct caches *caches)
{
	free(caches->list);
	free(caches->aliases);
	free(caches->alias_text);
	free(caches->kmalloc);
	free(caches->debugged);
	free(caches->reclaims);
	*caches = (struct caches){ 0 };
}

bool caches_is_kmalloc(const char *name)
{
	return !strncmp(name, "kmalloc-", 8) || !strncmp(name, "dma-kmalloc-", 12);
}

bool caches_is_kmalloc_size(uint32_t bytes)
{
	return bytes == 96 || bytes == 192 || (bytes >= 8 && !(bytes & (bytes - 1)));
}

bool caches_has_kmalloc(const struct caches *caches, const char *name)
{
	return !caches->kmalloc_count || find_named_element(caches->kmalloc, caches->kmalloc_count,
							    sizeof(*caches->kmalloc), name);
}

const struct kmalloc_name *caches_find_kmalloc(const struct caches *caches, const char *type,
					       uint32_t requested)
{
	const struct kmalloc_name *found = NULL;
	size_t length = strlen(type);

	for (size_t i = 0; i < caches->kmalloc_count; i++) {
		const struct kmalloc_name *kmalloc = &caches->kmalloc[i];

		if (!strncmp(kmalloc->text, type, length) && kmalloc->text[length] == '-' &&
		    !strchr(kmalloc->text + length + 1, '-') && kmalloc->object_size >= requested &&
		    kmalloc->size && (!found || kmalloc->object_size < found->object_size))
			found = kmalloc;
	}
	return found;
}

const struct cache_debug *caches_find_debug(const struct caches *caches, const char *name)
{
	return find_named_element(caches->debugged, caches->debugged_count,
				  sizeof(*caches->debugged), name);
}

enum cache_reclaim caches_find_reclaim(const struct caches *caches, const char *name)
{
	const struct cache_reclaim_account *found =
		find_named_element(caches->reclaims, caches->reclaim_count, sizeof(*found), name);

	if (found)
		return found->reclaim;
	if (!caches_is_kmalloc(name))
		return CACHE_RECLAIM_UNKNOWN;
	return strncmp(name, "kmalloc-rcl-", 12) ? CACHE_UNRECLAIMABLE : CACHE_RECLAIMABLE;
}

/* Does the cache at index precede the cache of the address at the time? */
static bool is_before(const struct caches *caches, size_t index, uint64_t address, uint64_t time)
{
	const struct cache *cache = &caches->list[index];

	if (cache->address != address)
		return cache->address < address;
	return cache->until < time ||
	       (index + 1 < caches->count && cache[1].address == address && cache[1].since <= time);
}

const struct cache *caches_find(const struct caches *caches, uint64_t address, uint64_t time)
{
	size_t low = 0, high = caches->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (is_before(caches, middle, address, time))
			low = middle + 1;
		else
			high = middle;
	}
	if (low == caches->count || caches->list[low].address != address)
		return NULL;
	return &caches->list[low];
}

bool caches_is_alone(const struct caches *caches, const struct cache *cache)
{
	const struct cache *end = caches->list + caches->count;

	return cache->until == CACHE_FOREVER &&
	       (cache == caches->list || cache[-1].address != cache->address) &&
	       (cache + 1 == end || cache[1].address != cache->address);
}
