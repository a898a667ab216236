// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The view flame: bytes by the path of their allocation, from the entry into the kernel to the
 * function that called the allocator.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/estimate.h"
#include "analysis/fields/allocations.h"
#include "base/printable.h"
#include "base/text.h"
#include "base/utc.h"
#include "report/render/header.h"
#include "report/render/render.h"
#include "report/views/estimate_columns.h"
#include "report/views/event_clock.h"
#include "report/views/flame_counts.h"
#include "report/views/flame_paths.h"
#include "report/views/flame_table.h"
#include "report/views/view.h"

#define LABELS ",cache,comm,cgroup,node" /* keys, of a format with labels */
#define LABEL_COUNT 4
#define NSEC_PER_SEC 1e9

static enum flame_measure find_measure(const struct report *report)
{
	enum flame_measure measure = FLAME_live;

	while (report->measure_text && strcmp(flame_measures[measure], report->measure_text))
		measure++;
	return measure;
}

/* The keys of a call site: another module may have its address at another time. */
static const char *const site_keys[] = { "call_site", "site" };

_Static_assert(sizeof(site_keys) / sizeof(*site_keys) == FLAME_SITE_KEYS, "the hidden keys");

/* A picture has the width for a level of its own that says whose the bytes are. */
static const char *choose_by(const struct report *report)
{
	if (report->capture->status.sampling.interval)
		return report->renderer->has_processes ? "comm,stack" : "stack";
	return report->renderer->has_processes ? "comm,module,caller_function,site"
					       : "module,caller_function,site";
}

static int set_by(struct report *report)
{
	bool has_labels = report->renderer->has_labels;
	char *text;
	int err;

	if (!report->by_text)
		report->by_text = choose_by(report);
	if (asprintf(&text, "%s%s", report->by_text, has_labels ? LABELS : "") < 0)
		return -ENOMEM;
	err = query_by(report->query, "--by", text);
	free(text);
	/* whether an object is old depends on its call site, as in the view leaks */
	for (size_t i = 0; i < sizeof(site_keys) / sizeof(*site_keys) && !err; i++)
		if (find_measure(report) == FLAME_leaked)
			err = query_hide(report->query, site_keys[i]);
	if (err == -EINVAL)
		error_set(&report->error, err, report->query->error.text);
	return err;
}

static int begin_flame(struct report *report)
{
	struct analysis_settings *settings = &report->settings;
	enum flame_measure measure = find_measure(report);
	struct flame_counts *counts;

	if (measure == FLAME_peak && settings->select && settings->select->older)
		return error_set(
			&report->error, -EINVAL,
			"--older selects objects at their end, but --bytes=peak needs all that were live at one time: leave one of them out");
	if (measure == FLAME_temporary && report->capture->status.sampling.is_profile)
		return error_format(
			&report->error, -EINVAL,
			"%s: --bytes=temporary needs each allocation: record a capture without --profile",
			report->capture->path);
	settings->lifetimes = measure == FLAME_leaked;
	if (measure != FLAME_peak && measure != FLAME_temporary)
		return 0;
	counts = calloc(1, sizeof(*counts));
	if (!counts)
		return -ENOMEM;
	report->data = counts;
	settings->observers[settings->observer_count++] =
		(struct observer){ flame_counts_take, counts };
	return flame_counts_init(counts);
}

static void end_flame(struct report *report)
{
	if (report->data)
		flame_counts_deinit(report->data);
	free(report->data);
	report->data = NULL;
}

static struct flame_values find_shown(const struct report *report, const struct flame_path *path,
				      size_t group)
{
	const struct flame_counts *counts = report->data;

	switch (report->flame->measure) {
	case FLAME_live:
		return path->live;
	case FLAME_allocated:
		return path->allocated;
	case FLAME_peak:
		if (group < counts->count)
			return flame_counts_at_peak(counts, group);
		break;
	case FLAME_temporary:
		if (group < counts->count)
			return counts->list[group].temporary;
		break;
	case FLAME_leaked:
		break;
	}
	return (struct flame_values){ 0 };
}

/* A path without its text. */
static int add_path(const struct report *report, size_t number)
{
	const struct group *group = &report->analysis.groups[number];
	struct flame_path *path = flame_add(report->flame);
	struct variance variance = { 0 };

	if (!path)
		return -ENOMEM;
	if (report->analysis.estimates)
		variance = estimates_of_group(report->analysis.estimates, number);
	path->allocated = (struct flame_values){ group->allocations, group->bytes_allocated,
						 variance.allocated };
	path->live = (struct flame_values){ group->live_objects, group->live_bytes, variance.live };
	path->is_bound = report->flame->measure == FLAME_live && report->bounds.groups[number];
	path->shown = find_shown(report, path, number);
	return 0;
}

/* The texts of the paths. A tree of the largest nodes needs no path without bytes. */
static int set_path_texts(const struct report *report, size_t keys)
{
	struct flame *flame = report->flame;
	size_t kept = 0;
	int err = 0;

	for (size_t i = 0; i < flame->path_count && !err; i++) {
		struct flame_path *path = &flame->paths[i];

		if (report->nodes && !path->shown.bytes)
			continue;
		err = flame_set_text(report, path, keys, &report->analysis.groups[i]);
		flame->paths[kept++] = *path;
		if (kept <= i)
			*path = (struct flame_path){ 0 };
	}
	flame->path_count = err ? flame->path_count : kept;
	return err;
}

static enum estimate_of flame_estimate_of(const struct flame *flame)
{
	if (flame->measure == FLAME_temporary)
		return ESTIMATE_CHOSEN;
	return flame_is_flow(flame) ? ESTIMATE_ALLOCATED : ESTIMATE_LIVE;
}

static char *make_source(const struct report *report)
{
	const struct metadata *metadata = &report->capture->metadata;
	const struct flame *flame = report->flame;
	const struct flame_values total = flame_total(flame);
	struct estimate_range range;
	char *text = NULL, start[40];
	size_t size;
	FILE *file = text_open(&text, &size);

	if (!file)
		return NULL;
	printable_write(file, metadata->hostname);
	fputs(", Linux ", file);
	printable_write(file, metadata->release);
	if (flame->time) {
		utc_text(flame->time, start, sizeof(start));
		fprintf(file, ", %.19s UTC", start);
	}
	if (flame->duration)
		fprintf(file, ", for %.3f s", (double)flame->duration / NSEC_PER_SEC);
	if (flame->interval > 1) {
		range = estimate_range_bytes(report->analysis.estimates, total.bytes,
					     total.variance, flame_estimate_of(flame));
		fprintf(file, ", estimated from samples: %" PRIu64 " to %" PRIu64 " bytes",
			range.low, range.high);
	}
	text_close(file, &text);
	return text;
}

static int set_texts(const struct report *report, struct flame *flame)
{
	const struct analysis *analysis = &report->analysis;

	flame->interval = analysis->estimates ? analysis->estimates->interval : 0;
	if (!event_clock_is(report->capture))
		flame->duration = analysis->window_end - analysis->window_begin;
	if (report->capture->metadata.wall_offset)
		flame->time = report->capture->metadata.wall_offset + analysis->window_begin;
	flame->title = flame_make_title(flame, report->by_text);
	flame->source = make_source(report);
	flame->legend = report->bottom_up ? "callers are below; hover for figures"
					  : "called functions are below; hover for figures";
	return flame->title && flame->source ? 0 : -ENOMEM;
}

static int make_flame(struct report *report)
{
	size_t keys = report->query->by_count - report->query->hidden_count -
		      (report->renderer->has_labels ? LABEL_COUNT : 0);
	struct flame *flame = calloc(1, sizeof(*flame));
	struct estimate_margin margin = { 0 };
	int err = 0;

	if (!flame)
		return -ENOMEM;
	report->flame = flame;
	flame->measure = find_measure(report);
	for (size_t i = 0; i < report->analysis.group_count && !err; i++)
		err = add_path(report, i);
	if (!err && flame->measure == FLAME_leaked)
		err = flame_add_old(report);
	if (!err && flame->measure == FLAME_peak)
		flame_counts_bound_peak(report->data, report);
	end_flame(report);
	if (!err)
		err = set_path_texts(report, keys);
	if (!err)
		err = set_texts(report, flame);
	if (err)
		return err;
	flame_sort(flame, !report->renderer->has_labels);
	if (report->renderer->print_flame)
		return 0;
	if (report->analysis.estimates)
		margin =
			estimate_margin_bytes(report->analysis.estimates, flame_estimate_of(flame));
	return flame_table(report, margin);
}

static int add_header(const struct report *report, struct header *header)
{
	bool has_stacks = report->capture->status.sampling.interval;
	int err = flame_add_header(report, header, report->by_text, has_stacks);

	if (!err && !has_stacks)
		err = header_add_line(header, "stacks", true, NO_STACKS);
	return err;
}

const struct view view_flame = {
	.name = "flame",
	.summary = "bytes by call path, live or others: a tree, or a flame graph",
	.columns = flame_columns,
	.has_flame = true,
	.by = GROUP_BY_CALLER,
	.rows = VIEW_ALL_ROWS,
	.set_by = set_by,
	.begin = begin_flame,
	.make = make_flame,
	.add_header = add_header,
	.end = end_flame,
};
