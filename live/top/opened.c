// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The parts of a row are the pairs of a site and a cache that belong to it. Of a process, task name
 * or cgroup these are the pairs of which it held objects at the last scan.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "live/top/opened.h"
#include "live/top/opened_sampled.h"
#include "live/top/page.h"

#define PARTS 6 /* lines of each kind */
#define NSEC_PER_SEC 1000000000
#define MARGIN 10

/* Sums of one kind of part, such as the caches of a site. */
struct parts {
	struct top_table table;
	int err;
};

struct opened {
	const struct model *model;
	const struct details_view *details;
	enum top_key key;
	const char *row_key;
	struct parts sites, caches, processes;
	uint64_t lifetimes[TALLY_LIFETIMES], ages[TALLY_LIFETIMES];
	uint64_t objects, requested;
	uint32_t least, most;
};

static void put_part(struct parts *parts, const char *key, const char *name,
		     const struct details_counts *counts)
{
	if (!parts->err)
		parts->err = table_put(&parts->table, key, name, counts);
}

static bool is_of_function(const char *site, const char *function)
{
	size_t length = strcspn(site, "+ "), module = strcspn(function, " ");
	const char *of_site = strchr(site, ' '), *of_function = strchr(function, ' ');

	return length == module && !strncmp(site, function, length) &&
	       !strcmp(of_site ? of_site : "", of_function ? of_function : "");
}

static bool is_part(const struct opened *opened, const struct details_view_pair *pair)
{
	const struct details_view *details = opened->details;
	const char *site = details->sites[pair->site].text;

	switch (opened->key) {
	case KEY_SITE:
		return !strcmp(site, opened->row_key);
	case KEY_FUNCTION:
		return is_of_function(site, opened->row_key);
	case KEY_CACHE:
		return !strcmp(details->caches[pair->cache].text, opened->row_key);
	default:
		return false;
	}
}

static bool is_holder(const struct opened *opened, uint32_t number)
{
	const struct details_view *details = opened->details;
	const struct details_view_owner *process = &details->owners[DETAILS_PROCESS][number];
	const struct details_view_owner *cgroups = details->owners[DETAILS_CGROUP];
	char id[24];

	if (number < DETAILS_FIRST)
		return false;
	switch (opened->key) {
	case KEY_PROCESS:
		snprintf(id, sizeof(id), "%" PRIu64, process->id);
		return !strcmp(id, opened->row_key);
	case KEY_COMM:
		return !strcmp(process->name, opened->row_key);
	case KEY_CGROUP:
		return process->cgroup < details->owner_counts[DETAILS_CGROUP] &&
		       cgroups[process->cgroup].name &&
		       !strcmp(cgroups[process->cgroup].name, opened->row_key);
	default:
		return false;
	}
}

static void add_live(struct opened *opened, const struct details_live *live)
{
	if (!live->objects)
		return;
	opened->least = opened->objects ? MIN(opened->least, live->least) : live->least;
	opened->most = MAX(opened->most, live->most);
	opened->objects += live->objects;
	opened->requested += live->requested;
	for (size_t i = 0; i < TALLY_LIFETIMES; i++)
		opened->ages[i] += live->ages.counts[i];
}

static void take_pairs(struct opened *opened)
{
	const struct details_view *details = opened->details;

	for (size_t i = 0; i < details->pair_count; i++) {
		const struct details_view_pair *pair = &details->pairs[i];
		const char *site, *cache;

		if (!pair->exists || !is_part(opened, pair))
			continue;
		site = details->sites[pair->site].text;
		cache = details->caches[pair->cache].text;
		put_part(&opened->sites, site, site, &pair->counts);
		put_part(&opened->caches, cache, cache, &pair->counts);
		add_live(opened, &pair->live);
		for (size_t k = 0; k < TALLY_LIFETIMES; k++)
			opened->lifetimes[k] += pair->lifetimes[k];
	}
}

static void put_process(struct opened *opened, const struct details_held *held,
			const struct details_counts *counts)
{
	const struct details_view_owner *process =
		&opened->details->owners[DETAILS_PROCESS][held->process];
	char id[24], name[64];

	snprintf(id, sizeof(id), "%" PRIu64, process->id);
	snprintf(name, sizeof(name), "%s %s", id, process->name);
	if (held->process >= DETAILS_FIRST)
		put_part(&opened->processes, id, name, counts);
	else
		put_part(&opened->processes, "-",
			 held->process == DETAILS_INTERRUPT ? "(interrupts)" : "(other tasks)",
			 counts);
}

static void take_held(struct opened *opened)
{
	const struct details_view *details = opened->details;

	for (size_t i = 0; i < details->held_count; i++) {
		const struct details_held *held = &details->held[i];
		const struct details_view_pair *pair = &details->pairs[held->pair];
		const struct details_counts counts = { .allocations = held->objects,
						       .allocated = held->bytes };
		bool holds = is_holder(opened, held->process);

		if (holds) {
			put_part(&opened->sites, details->sites[pair->site].text,
				 details->sites[pair->site].text, &counts);
			put_part(&opened->caches, details->caches[pair->cache].text,
				 details->caches[pair->cache].text, &counts);
		}
		if (holds || is_part(opened, pair))
			put_process(opened, held, &counts);
	}
}

/* The parts with the most live bytes. */
static int add_parts(struct page *page, const char *title, struct parts *parts)
{
	struct list_settings settings = { .sort = COLUMN_LIVE };
	struct row_list list = { 0 };
	int err = list_fill(&list, &parts->table, &settings);

	for (size_t i = 0; i < MIN(list.count, PARTS) && !err; i++) {
		const struct row_figures *figures = &list.rows[i].figures;
		char live[NUMBER_BYTES], objects[NUMBER_BYTES], name[PAGE_BYTES];
		size_t width = page->width > MARGIN + 40 ? page->width - MARGIN - 32 : 18;

		if (list.count > PARTS && i == PARTS - 1)
			err = page_print(page, PAGE_PLAIN, "%*s(and %zu more)", MARGIN, "",
					 list.count - i);
		else
			err = page_print(page, PAGE_PLAIN, "%-*s%-*s %8s in %s objects", MARGIN,
					 i ? "" : title, (int)width,
					 fit_name(list.rows[i].row->name, width, name),
					 column_text(COLUMN_LIVE, figures, live),
					 column_text(COLUMN_OBJECTS, figures, objects));
	}
	list_deinit(&list);
	return err;
}

static const char *duration_text(unsigned int class, char text[16])
{
	static const struct {
		double ns;
		const char *name;
	} units[] = { { 3600e9, "h" }, { 60e9, "m" }, { 1e9, "s" }, { 1e6, "ms" }, { 1e3, "us" } };
	double ns = (double)((uint64_t)1 << (class + TALLY_LIFETIME_SHIFT + 1));

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (ns < units[i].ns)
			continue;
		snprintf(text, 16, "%.3g%s", ns / units[i].ns, units[i].name);
		return text;
	}
	snprintf(text, 16, "%.0fns", ns);
	return text;
}

/* The first class that, together with all classes before it, has at least so many percent. */
static unsigned int percentile_class(const uint64_t *classes, uint64_t all, unsigned int percent)
{
	uint64_t below = 0;

	for (unsigned int i = 0; i < TALLY_LIFETIMES; i++) {
		below += classes[i];
		if (below * 100 >= all * percent)
			return i;
	}
	return TALLY_LIFETIMES - 1;
}

static int add_times(struct page *page, const char *title, const char *what,
		     const uint64_t *classes)
{
	char half[16], ninety[16], most[16], count[NUMBER_BYTES];
	uint64_t all = 0;

	for (size_t i = 0; i < TALLY_LIFETIMES; i++)
		all += classes[i];
	if (!all)
		return 0;
	return page_print(page, PAGE_PLAIN,
			  "%-*s%s %s: 50 %% below %s, 90 %% below %s, 99 %% below %s", MARGIN,
			  title, count_text((double)all, false, count), what,
			  duration_text(percentile_class(classes, all, 50), half),
			  duration_text(percentile_class(classes, all, 90), ninety),
			  duration_text(percentile_class(classes, all, 99), most));
}

static int add_sizes(struct page *page, const struct opened *opened)
{
	if (!opened->objects)
		return 0;
	return page_print(page, PAGE_PLAIN,
			  "%-*srequested: %" PRIu32 " to %" PRIu32 " bytes, on average %.1f",
			  MARGIN, "sizes", opened->least, opened->most,
			  (double)opened->requested / (double)opened->objects);
}

static int add_part_figures(struct page *page, const struct top_table *table,
			    const struct table_row *row)
{
	struct row_figures figures;
	char text[8][NUMBER_BYTES], line[PAGE_BYTES], name[PAGE_BYTES];
	size_t width = MIN(page->width - MARGIN - 1, TABLE_POINTS);
	int err;

	table_figures(table, row, &figures);
	err = page_print(page, PAGE_BOLD, "%s", fit_name(row->name, page->width, name));
	if (!err)
		err = page_print(page, PAGE_PLAIN, "%-*s%s in %s objects, %s/s, %s since %s",
				 MARGIN, "live", column_text(COLUMN_LIVE, &figures, text[0]),
				 column_text(COLUMN_OBJECTS, &figures, text[1]),
				 column_text(COLUMN_GROWTH, &figures, text[2]),
				 column_text(COLUMN_SINCE, &figures, text[3]),
				 table->mark ? "r" : "start");
	if (!err)
		err = page_print(page, PAGE_PLAIN, "%-*s%s allocations/s, %s/s; %s frees/s", MARGIN,
				 "rates", column_text(COLUMN_ALLOCATIONS, &figures, text[4]),
				 column_text(COLUMN_BYTES, &figures, text[5]),
				 column_text(COLUMN_FREES, &figures, text[6]));
	if (!err)
		err = page_print(page, PAGE_PLAIN,
				 "%-*s%" PRIu64 " objects allocated, %" PRIu64 " freed", MARGIN,
				 "in all", row->now.allocations, row->now.frees);
	if (err || !row->points)
		return err;
	sparkline(page, table, row, width, line);
	return page_print(page, PAGE_PLAIN, "%-*s%s", MARGIN, "live", line);
}

static int add_all(struct page *page, struct opened *opened)
{
	const struct model *model = opened->model;
	int err = 0;

	if (opened->key != KEY_SITE)
		err = add_parts(page, "sites", &opened->sites);
	if (!err && opened->key != KEY_CACHE)
		err = add_parts(page, "caches", &opened->caches);
	if (!err && opened->key != KEY_PROCESS)
		err = add_parts(page, "processes", &opened->processes);
	if (!err)
		err = add_sizes(page, opened);
	if (!err)
		err = add_times(page, "ages", "live", opened->ages);
	if (!err)
		err = add_times(page, "lifetimes", "freed", opened->lifetimes);
	if (err || !opened->details->scanned)
		return err;
	return page_print(
		page, PAGE_PLAIN, "%-*sprocesses, sizes and ages are of %.0f s before the figures",
		MARGIN, "scan",
		(double)(model->time - MIN(model->time, opened->details->scanned)) / NSEC_PER_SEC);
}

int opened_add(struct page *page, const struct model *model, enum top_key key, const char *row_key)
{
	const struct top_table *table = &model->tables[key];
	const struct table_row *row = table_find(table, row_key);
	struct opened opened = {
		.model = model, .details = &model->details, .key = key, .row_key = row_key
	};
	struct parts *parts[] = { &opened.sites, &opened.caches, &opened.processes };
	int err = 0;

	if (!row)
		return page_print(page, PAGE_WARNING, "%s: has no figures any more", row_key);
	if (model_is_sampled(key))
		return opened_sampled_add(page, model, key, row);
	for (size_t i = 0; i < 3 && !err; i++)
		err = top_table_init(&parts[i]->table);
	if (!err)
		err = add_part_figures(page, table, row);
	if (!err && model->has_details) {
		take_pairs(&opened);
		take_held(&opened);
	}
	for (size_t i = 0; i < 3 && !err; i++)
		err = parts[i]->err;
	if (!err && model->has_details)
		err = add_all(page, &opened);
	for (size_t i = 0; i < 3; i++)
		top_table_deinit(&parts[i]->table);
	return err;
}
