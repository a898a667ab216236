// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Parses /proc/slabinfo, and the snapshots of it in a capture. The second line of /proc/slabinfo
 * names the columns. The parser uses two of them, <active_objs> and <num_objs>. It ignores the
 * columns behind the first colon, which differ by allocator.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "base/array.h"
#include "base/number.h"
#include "base/text.h"
#include "kernel/slabinfo.h"

#define VERSION_LINE "slabinfo - version: 2."
#define COLUMNS_MAX 16

/* The counters of one cache at one time. */
struct reading {
	uint64_t time;
	struct slabinfo_cache cache;
};

struct readings {
	struct reading *list;
	size_t count;
};

static int add_reading(struct readings *readings, const struct reading *reading)
{
	struct reading *list = array_grow(readings->list, readings->count, sizeof(*list));

	if (!list)
		return -ENOMEM;
	readings->list = list;
	list[readings->count++] = *reading;
	return 0;
}

static int compare_readings(const void *left, const void *right)
{
	const struct reading *a = left, *b = right;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return strcmp(a->cache.name, b->cache.name);
}

static uint64_t add_limited(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* Fills a snapshot from readings of one time, sorted by name. Caches of one name are added up. */
static int fill_snapshot(struct slabinfo_snapshot *snapshot, const struct reading *list,
			 size_t count)
{
	snapshot->time = snapshot->until = list->time;
	snapshot->count = 0;
	snapshot->list = malloc(count * sizeof(*snapshot->list));
	if (!snapshot->list)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		const struct slabinfo_cache *cache = &list[i].cache;
		struct slabinfo_cache *last = snapshot->list + snapshot->count;

		if (!i || strcmp(last[-1].name, cache->name)) {
			*last = *cache;
			snapshot->count++;
			continue;
		}
		last[-1].active = add_limited(last[-1].active, cache->active);
		last[-1].total = add_limited(last[-1].total, cache->total);
		last[-1].held = add_limited(last[-1].held, cache->held);
	}
	return 0;
}

static void sort_readings(struct readings *readings)
{
	if (readings->count)
		qsort(readings->list, readings->count, sizeof(*readings->list), compare_readings);
}

/* A word of a line of /proc/slabinfo. */
struct slabinfo_column {
	const char *at;
	size_t size;
};

/* Splits up to the word ":" or the end. A name with spaces is several words. 0: max is too low. */
static size_t split_columns(struct line *line, struct slabinfo_column *columns, size_t max)
{
	size_t count = 0;

	while (count < max) {
		while (line->at < line->end && *line->at == ' ')
			line->at++;
		columns[count].at = line->at;
		while (line->at < line->end && *line->at != ' ')
			line->at++;
		columns[count].size = (size_t)(line->at - columns[count].at);
		if (!columns[count].size || (columns[count].size == 1 && *columns[count].at == ':'))
			break;
		count++;
	}
	return count < max ? count : 0;
}

/* The columns of the two counters: the first column behind the name is 1. */
struct slabinfo_header {
	size_t active, total, count;
};

/* "# name            <active_objs> <num_objs> … : tunables …" */
static bool parse_slabinfo_header(struct slabinfo_header *header, struct line *line)
{
	struct slabinfo_column columns[COLUMNS_MAX];
	size_t count = split_columns(line, columns, COLUMNS_MAX);

	*header = (struct slabinfo_header){ 0 };
	if (count < 3 || columns[0].size != 1 || *columns[0].at != '#')
		return false;
	header->count = count - 2;
	for (size_t i = 2; i < count; i++) {
		if (columns[i].size == 13 && !memcmp(columns[i].at, "<active_objs>", 13))
			header->active = i - 1;
		else if (columns[i].size == 10 && !memcmp(columns[i].at, "<num_objs>", 10))
			header->total = i - 1;
	}
	return header->active && header->total;
}

static bool parse_column(const struct slabinfo_column *column, uint64_t *number)
{
	const char *at = column->at;

	return number_parse(&at, 10, number) && at == column->at + column->size;
}

static bool read_cache(struct slabinfo_cache *cache, const struct slabinfo_header *header,
		       struct line *line)
{
	struct slabinfo_column columns[2 * COLUMNS_MAX];
	size_t count = split_columns(line, columns, 2 * COLUMNS_MAX), size;
	const struct slabinfo_column *last;

	if (count <= header->count)
		return false;
	last = &columns[count - header->count - 1];
	if (!parse_column(last + header->active, &cache->active) ||
	    !parse_column(last + header->total, &cache->total))
		return false;
	/* cut to the size of struct cache.name */
	size = (size_t)(last->at + last->size - columns->at);
	if (size >= sizeof(cache->name))
		size = sizeof(cache->name) - 1;
	memcpy(cache->name, columns->at, size);
	cache->name[size] = '\0';
	return true;
}

int slabinfo_parse_proc(struct slabinfo_snapshot *snapshot, const char *text, uint64_t time)
{
	struct readings readings = { 0 };
	struct line line;
	struct slabinfo_header header;
	int err = 0;

	*snapshot = (struct slabinfo_snapshot){ .time = time, .until = time };
	if (strncmp(text, VERSION_LINE, strlen(VERSION_LINE)) || !line_next(&line, &text) ||
	    !line_next(&line, &text) || !parse_slabinfo_header(&header, &line))
		return -EINVAL;
	while (!err && line_next(&line, &text)) {
		struct reading reading = { .time = time, .cache.held = SLABINFO_UNKNOWN };

		if (read_cache(&reading.cache, &header, &line))
			err = add_reading(&readings, &reading);
	}
	sort_readings(&readings);
	if (!err && readings.count)
		err = fill_snapshot(snapshot, readings.list, readings.count);
	free(readings.list);
	return err;
}

#define SHEAVES_OF_A_CPU 3	  /* struct slub_percpu_sheaves: main, spare, rcu_free */
#define FULL_SHEAVES_OF_A_NODE 10 /* MAX_FULL_SHEAVES in mm/slub.c */

uint64_t slabinfo_held_max(const struct slabinfo_layout *layout, uint64_t cpus, uint64_t nodes)
{
	uint64_t partial = 0;

	/* The kernel makes a number of slabs of it, as if each were half full (since 5.16). */
	if (layout->per_slab)
		partial = (2 * layout->cpu_partial + layout->per_slab - 1) / layout->per_slab *
			  layout->per_slab;
	return cpus * (layout->per_slab + partial + SHEAVES_OF_A_CPU * layout->sheaf_capacity) +
	       nodes * FULL_SHEAVES_OF_A_NODE * layout->sheaf_capacity;
}

void slabinfo_snapshot_deinit(struct slabinfo_snapshot *snapshot)
{
	free(snapshot->list);
	*snapshot = (struct slabinfo_snapshot){ 0 };
}

static int compare_name(const void *key, const void *element)
{
	return strcmp(key, ((const struct slabinfo_cache *)element)->name);
}

static struct slabinfo_cache *find_named_cache(const struct slabinfo_snapshot *snapshot,
					       const char *name)
{
	if (!snapshot->count)
		return NULL;
	return bsearch(name, snapshot->list, snapshot->count, sizeof(*snapshot->list),
		       compare_name);
}

const struct slabinfo_cache *slabinfo_find(const struct slabinfo_snapshot *snapshot,
					   const char *name)
{
	return find_named_cache(snapshot, name);
}

int slabinfo_write(FILE *file, const struct slabinfo_snapshot *snapshot)
{
	if (snapshot->until != snapshot->time)
		fprintf(file, "read %" PRIu64 " %" PRIu64 "\n", snapshot->time, snapshot->until);
	for (size_t i = 0; i < snapshot->count; i++) {
		const struct slabinfo_cache *cache = &snapshot->list[i];

		fprintf(file, "slab %" PRIu64 " ", snapshot->time);
		text_write_word(file, cache->name);
		fprintf(file, " %" PRIu64 " %" PRIu64, cache->active, cache->total);
		if (cache->held != SLABINFO_UNKNOWN)
			fprintf(file, " %" PRIu64, cache->held);
		fputc('\n', file);
	}
	return text_write_result(file);
}

int slabinfo_write_sizes(FILE *file, const struct slabinfo_snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->count; i++) {
		const struct slabinfo_cache *cache = &snapshot->list[i];

		if (!cache->object_size || !cache->size)
			continue;
		fputs("sizes ", file);
		text_write_word(file, cache->name);
		fprintf(file, " %" PRIu32 " %" PRIu32 "\n", cache->object_size, cache->size);
	}
	return text_write_result(file);
}

static int read_lines(struct readings *readings, const char *text)
{
	struct line line;
	int err = 0;

	while (!err && line_next(&line, &text)) {
		struct reading reading = { 0 };
		struct slabinfo_cache *cache = &reading.cache;

		if (!line_key(&line, "slab") || !line_u64(&line, 10, &reading.time))
			continue;
		line_word(&line, cache->name, sizeof(cache->name));
		if (!line_u64(&line, 10, &cache->active) || !line_u64(&line, 10, &cache->total))
			continue;
		if (!line_u64(&line, 10, &cache->held))
			cache->held = SLABINFO_UNKNOWN;
		err = add_reading(readings, &reading);
	}
	return err;
}

static int compare_time(const void *key, const void *element)
{
	uint64_t time = *(const uint64_t *)key;
	const struct slabinfo_snapshot *snapshot = element;

	return (time > snapshot->time) - (time < snapshot->time);
}

/* How long each snapshot was read. */
static void read_durations(struct slabinfo *slabinfo, const char *text)
{
	struct slabinfo_snapshot *snapshot;
	uint64_t time, until;
	struct line line;

	while (slabinfo->count && line_next(&line, &text)) {
		if (!line_key(&line, "read") || !line_u64(&line, 10, &time) ||
		    !line_u64(&line, 10, &until))
			continue;
		snapshot = bsearch(&time, slabinfo->snapshots, slabinfo->count,
				   sizeof(*slabinfo->snapshots), compare_time);
		if (snapshot && until > time)
			snapshot->until = until;
	}
}

struct sizes {
	char name[sizeof(((struct slabinfo_cache *)NULL)->name)];
	uint32_t object_size, size;
	size_t order; /* of its line: the last line of a name counts */
};

static int compare_sizes(const void *left, const void *right)
{
	const struct sizes *a = left, *b = right;
	int differs = strcmp(a->name, b->name);

	return differs ? differs : (a->order > b->order) - (a->order < b->order);
}

static int compare_sizes_name(const void *key, const void *element)
{
	return strcmp(key, ((const struct sizes *)element)->name);
}

/* Reads the lines "sizes" into *list, one for each name, by name. Their number, or -ENOMEM. */
static ssize_t list_sizes(struct sizes **list, const char *text)
{
	size_t count = 0, kept = 0;
	struct line line;

	while (line_next(&line, &text)) {
		struct sizes sizes = { .order = count }, *grown;
		uint64_t object_size, size;

		if (!line_key(&line, "sizes"))
			continue;
		line_word(&line, sizes.name, sizeof(sizes.name));
		if (!line_u64(&line, 10, &object_size) || !line_u64(&line, 10, &size) ||
		    object_size > size || size > UINT32_MAX)
			continue;
		sizes.object_size = (uint32_t)object_size;
		sizes.size = (uint32_t)size;
		grown = array_grow(*list, count, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		*list = grown;
		grown[count++] = sizes;
	}
	if (!count)
		return 0;
	qsort(*list, count, sizeof(**list), compare_sizes);
	for (size_t i = 1; i < count; i++) {
		kept += strcmp((*list)[kept].name, (*list)[i].name) != 0;
		(*list)[kept] = (*list)[i];
	}
	return (ssize_t)kept + 1;
}

static void set_sizes(struct slabinfo_snapshot *snapshot, const struct sizes *list, size_t count)
{
	for (size_t i = 0; i < snapshot->count; i++) {
		struct slabinfo_cache *cache = &snapshot->list[i];
		const struct sizes *sizes =
			bsearch(cache->name, list, count, sizeof(*list), compare_sizes_name);

		if (!sizes)
			continue;
		cache->object_size = sizes->object_size;
		cache->size = sizes->size;
	}
}

static int read_sizes(struct slabinfo *slabinfo, const char *text)
{
	struct sizes *list = NULL;
	ssize_t count = list_sizes(&list, text);

	for (size_t i = 0; count > 0 && i < slabinfo->count; i++)
		set_sizes(&slabinfo->snapshots[i], list, (size_t)count);
	free(list);
	return count < 0 ? (int)count : 0;
}

static int add_snapshot(struct slabinfo *slabinfo, const struct reading *list, size_t count)
{
	struct slabinfo_snapshot *snapshots =
		array_grow(slabinfo->snapshots, slabinfo->count, sizeof(*snapshots));
	int err;

	if (!snapshots)
		return -ENOMEM;
	slabinfo->snapshots = snapshots;
	err = fill_snapshot(&snapshots[slabinfo->count], list, count);
	slabinfo->count += !err;
	return err;
}

int slabinfo_parse(struct slabinfo *slabinfo, const char *text)
{
	struct readings readings = { 0 };
	size_t end;
	int err;

	*slabinfo = (struct slabinfo){ 0 };
	err = read_lines(&readings, text);
	sort_readings(&readings);
	for (size_t first = 0; first < readings.count && !err; first = end) {
		const struct reading *list = &readings.list[first];

		for (end = first + 1; end < readings.count && list[end - first].time == list->time;)
			end++;
		err = add_snapshot(slabinfo, list, end - first);
	}
	free(readings.list);
	if (!err) {
		read_durations(slabinfo, text);
		err = read_sizes(slabinfo, text);
	}
	if (err)
		slabinfo_deinit(slabinfo);
	return err;
}

void slabinfo_deinit(struct slabinfo *slabinfo)
{
	for (size_t i = 0; i < slabinfo->count; i++)
		slabinfo_snapshot_deinit(&slabinfo->snapshots[i]);
	free(slabinfo->snapshots);
	*slabinfo = (struct slabinfo){ 0 };
}

const struct slabinfo_snapshot *slabinfo_at(const struct slabinfo *slabinfo, uint64_t time)
{
	size_t i = slabinfo->count;

	while (i > 0 && slabinfo->snapshots[i - 1].time > time)
		i--;
	return i ? &slabinfo->snapshots[i - 1] : NULL;
}
