// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Parses line by line; each kind of line has a row in a table. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "live/stats/details_file.h"
#include "live/stats/details_read.h"

struct details_parser {
	struct details_view *view;
	struct line line;
	char *names; /* where the next name goes */
	bool ended;
};

/* Makes room for the number. Returns its element, or NULL: *err is set. */
static void *make_element(void *list, size_t *count, uint32_t number, size_t size, int *err)
{
	void **array = list;

	if (number >= DETAILS_NUMBERS_MAX) {
		*err = -EBADMSG;
		return NULL;
	}
	if (number >= *count) {
		void *more = array_grow_zeroed(*array, count, number + 1, size);

		if (!more) {
			*err = -ENOMEM;
			return NULL;
		}
		*array = more;
	}
	return (char *)*array + number * size;
}

/* The next word: no name is longer than its line, so all names fit. */
static const char *take_name(struct details_parser *parser)
{
	const struct line *line = &parser->line;
	size_t size = (size_t)(line->end - line->at) + 1;
	char *name = parser->names;

	line_word(&parser->line, name, size);
	parser->names += strlen(name) + 1;
	return name;
}

static bool take_counts(struct line *line, struct details_counts *counts)
{
	return line_u64(line, 10, &counts->allocations) && line_u64(line, 10, &counts->frees) &&
	       line_u64(line, 10, &counts->allocated) && line_u64(line, 10, &counts->freed);
}

/* Each below returns 0, -EBADMSG or -ENOMEM. */

static int take_moment(struct details_parser *parser)
{
	struct details_moment *moment = &parser->view->moment;
	struct line *line = &parser->line;

	if (!line_u64(line, 10, &moment->time) || !line_u64(line, 10, &moment->begin))
		return -EBADMSG;
	if (line_key(line, "-"))
		moment->lost = UINT64_MAX;
	else if (!line_u64(line, 10, &moment->lost))
		return -EBADMSG;
	return line_u64(line, 10, &moment->drops) ? 0 : -EBADMSG;
}

static int take_named(struct details_parser *parser, struct details_view_name **list, size_t *count)
{
	struct details_view_name *named;
	uint32_t number;
	int err = 0;

	if (!line_u32(&parser->line, &number))
		return -EBADMSG;
	named = make_element(list, count, number, sizeof(*named), &err);
	if (named)
		named->text = take_name(parser);
	return err;
}

static int take_cache(struct details_parser *parser)
{
	return take_named(parser, &parser->view->caches, &parser->view->cache_count);
}

static int take_site(struct details_parser *parser)
{
	return take_named(parser, &parser->view->sites, &parser->view->site_count);
}

static int take_pair(struct details_parser *parser)
{
	struct details_view *view = parser->view;
	struct details_view_pair *pair, read = { .exists = true };
	uint32_t number;
	int err = 0;

	if (!line_u32(&parser->line, &number) || !line_u32(&parser->line, &read.site) ||
	    !line_u32(&parser->line, &read.cache) || !take_counts(&parser->line, &read.counts) ||
	    read.site >= view->site_count || !view->sites[read.site].text ||
	    read.cache >= view->cache_count || !view->caches[read.cache].text)
		return -EBADMSG;
	pair = make_element(&view->pairs, &view->pair_count, number, sizeof(*pair), &err);
	if (pair)
		*pair = read;
	return err;
}

/* The pair of a line, which is known by now; or NULL. */
static struct details_view_pair *find_pair(struct details_parser *parser)
{
	uint32_t number;

	if (!line_u32(&parser->line, &number) || number >= parser->view->pair_count ||
	    !parser->view->pairs[number].exists)
		return NULL;
	return &parser->view->pairs[number];
}

/* CLASS:OBJECTS; false: the line has no more. */
static bool take_class(struct line *line, unsigned int *class, uint64_t *objects)
{
	char word[32], *end;

	line_word(line, word, sizeof(word));
	*class = (unsigned int)strtoul(word, &end, 10);
	if (end == word || *end != ':' || *class >= TALLY_LIFETIMES)
		return false;
	*objects = strtoull(end + 1, NULL, 10);
	return true;
}

static int take_lifetimes(struct details_parser *parser)
{
	struct details_view_pair *pair = find_pair(parser);
	unsigned int class;
	uint64_t objects;

	if (!pair)
		return -EBADMSG;
	while (take_class(&parser->line, &class, &objects))
		pair->lifetimes[class] = objects;
	return 0;
}

static int take_ages(struct details_parser *parser)
{
	struct details_view_pair *pair = find_pair(parser);
	unsigned int class;
	uint64_t objects;

	if (!pair)
		return -EBADMSG;
	while (take_class(&parser->line, &class, &objects))
		pair->live.ages.counts[class] = (uint32_t)objects;
	return 0;
}

static int take_live(struct details_parser *parser)
{
	struct details_view_pair *pair = find_pair(parser);
	struct line *line = &parser->line;

	if (!pair || !line_u64(line, 10, &pair->live.objects) ||
	    !line_u64(line, 10, &pair->live.requested) || !line_u32(line, &pair->live.least) ||
	    !line_u32(line, &pair->live.most))
		return -EBADMSG;
	return 0;
}

static int take_owner(struct details_parser *parser, enum details_owner kind)
{
	struct details_view *view = parser->view;
	struct details_view_owner *owner, read = { 0 };
	uint32_t number;
	int err = 0;

	if (!line_u32(&parser->line, &number) ||
	    (kind == DETAILS_PROCESS && !line_u64(&parser->line, 10, &read.id)) ||
	    !take_counts(&parser->line, &read.counts))
		return -EBADMSG;
	owner = make_element(&view->owners[kind], &view->owner_counts[kind], number, sizeof(*owner),
			     &err);
	if (!owner)
		return err;
	*owner = read;
	owner->name = take_name(parser);
	if (kind == DETAILS_PROCESS && !line_u32(&parser->line, &owner->cgroup))
		return -EBADMSG;
	return 0;
}

static int take_process(struct details_parser *parser)
{
	return take_owner(parser, DETAILS_PROCESS);
}

static int take_comm(struct details_parser *parser)
{
	return take_owner(parser, DETAILS_COMM);
}

static int take_cgroup(struct details_parser *parser)
{
	return take_owner(parser, DETAILS_CGROUP);
}

static int take_scan(struct details_parser *parser)
{
	return line_u64(&parser->line, 10, &parser->view->scanned) ? 0 : -EBADMSG;
}

static int take_held(struct details_parser *parser)
{
	struct details_view *view = parser->view;
	struct details_held *list, read;
	const struct details_view_pair *pair = find_pair(parser);
	struct line *line = &parser->line;

	if (!pair || !line_u32(line, &read.process) || !line_u64(line, 10, &read.objects) ||
	    !line_u64(line, 10, &read.bytes) ||
	    read.process >= view->owner_counts[DETAILS_PROCESS] ||
	    !view->owners[DETAILS_PROCESS][read.process].name)
		return -EBADMSG;
	read.pair = (uint32_t)(pair - view->pairs);
	list = array_grow(view->held, view->held_count, sizeof(*list));
	if (!list)
		return -ENOMEM;
	view->held = list;
	list[view->held_count++] = read;
	return 0;
}

static int take_slabs(struct details_parser *parser)
{
	struct details_slabs *slabs = &parser->view->slabs;
	struct line *line = &parser->line;

	return line_u64(line, 10, &slabs->time) && line_u64(line, 10, &slabs->given) &&
			       line_u64(line, 10, &slabs->room) &&
			       line_u64(line, 10, &slabs->given_bytes) &&
			       line_u64(line, 10, &slabs->slab_bytes) &&
			       line_u64(line, 10, &slabs->spare_bytes)
		       ? 0
		       : -EBADMSG;
}

static int take_sampling(struct details_parser *parser)
{
	struct details_view *view = parser->view;

	if (!line_u64(&parser->line, 10, &view->interval) || !view->interval ||
	    !line_u64(&parser->line, 10, &view->interval_most))
		return -EBADMSG;
	view->is_profile = line_key(&parser->line, "profile");
	return 0;
}

static int take_estimate(struct details_parser *parser, enum details_sampled kind)
{
	struct details_view *view = parser->view;
	struct details_view_estimate *estimate, read = { 0 };
	struct line *line = &parser->line;
	uint32_t number;
	int err = 0;

	if (!line_u32(line, &number) || !take_counts(line, &read.counts) ||
	    !line_u64(line, 10, &read.allocated_error) || !line_u64(line, 10, &read.live_error) ||
	    !line_u64(line, 10, &read.samples) || !line_u64(line, 10, &read.live_samples))
		return -EBADMSG;
	estimate = make_element(&view->sampled[kind], &view->sampled_counts[kind], number,
				sizeof(*estimate), &err);
	if (!estimate)
		return err;
	*estimate = read;
	estimate->name = take_name(parser);
	return 0;
}

static int take_stack(struct details_parser *parser)
{
	return take_estimate(parser, DETAILS_STACK);
}

static int take_syscall(struct details_parser *parser)
{
	return take_estimate(parser, DETAILS_SYSCALL);
}

static int take_unlisted(struct details_parser *parser)
{
	for (size_t i = 0; i < DETAILS_SAMPLED; i++)
		if (!line_u64(&parser->line, 10, &parser->view->sampled_drops[i]))
			return -EBADMSG;
	return 0;
}

static int take_end(struct details_parser *parser)
{
	parser->ended = true;
	return 0;
}

static const struct {
	const char *key;
	int (*take)(struct details_parser *parser);
} kinds[] = {
	{ "pair", take_pair },	       { "site", take_site },	    { "lifetimes", take_lifetimes },
	{ "held", take_held },	       { "live", take_live },	    { "ages", take_ages },
	{ "process", take_process },   { "comm", take_comm },	    { "cgroup", take_cgroup },
	{ "cache", take_cache },       { "moment", take_moment },   { "scan", take_scan },
	{ "stack", take_stack },       { "syscall", take_syscall }, { "sampling", take_sampling },
	{ "unlisted", take_unlisted }, { "slabs", take_slabs },	    { "end", take_end },
};

static int take_line(struct details_parser *parser)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (line_key(&parser->line, kinds[i].key))
			return kinds[i].take(parser);
	return 0; /* of a later version */
}

static int parse_details(struct details_view *view, const char *text)
{
	struct details_parser parser = { .view = view };
	uint64_t version;
	int err = 0;

	if (!line_next(&parser.line, &text) || !line_key(&parser.line, "details") ||
	    !line_u64(&parser.line, 10, &version))
		return -EBADMSG;
	if (version != DETAILS_VERSION)
		return -EPROTONOSUPPORT;
	parser.names = view->names = malloc(strlen(text) + 1);
	if (!view->names)
		return -ENOMEM;
	while (!err && !parser.ended && line_next(&parser.line, &text))
		err = take_line(&parser);
	return err ? err : parser.ended ? 0 : -EBADMSG;
}

int details_view_parse(struct details_view *view, const char *text)
{
	int err;

	details_view_deinit(view);
	err = parse_details(view, text);
	if (err)
		details_view_deinit(view);
	return err;
}

int details_view_read(struct details_view *view, const char *path)
{
	char *name, *text;
	int err;

	if (asprintf(&name, "%s" DETAILS_FILE_SUFFIX, path) < 0)
		return -ENOMEM;
	err = details_file_read(name, &text);
	free(name);
	if (err) {
		details_view_deinit(view);
		return err;
	}
	err = details_view_parse(view, text);
	free(text);
	return err;
}

void details_view_deinit(struct details_view *view)
{
	free(view->sites);
	free(view->caches);
	free(view->pairs);
	for (size_t i = 0; i < DETAILS_OWNERS; i++)
		free(view->owners[i]);
	free(view->held);
	for (size_t i = 0; i < DETAILS_SAMPLED; i++)
		free(view->sampled[i]);
	free(view->names);
	memset(view, 0, sizeof(*view));
}
