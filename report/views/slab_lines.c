// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The lines "older", "slabs", "memory", "tracks" and "allocinfo" of the summary. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/text.h"
#include "kernel/census.h"
#include "report/render/column_layout.h"
#include "report/views/event_clock.h"
#include "report/views/slab_lines.h"

#define NSEC_PER_SEC UINT64_C(1000000000)

static void sum_caches(const struct slabinfo_snapshot *snapshot, uint64_t *objects, uint64_t *bytes)
{
	*objects = *bytes = 0;
	for (size_t i = 0; i < snapshot->count; i++) {
		*objects += snapshot->list[i].active;
		*bytes += snapshot->list[i].total * snapshot->list[i].size;
	}
}

/* The readings of the slab allocator have the objects themselves. */
static int describe_readings(const struct report *report, FILE *text)
{
	const struct audit *audit = &report->analysis.audit;
	struct census census;
	int err = census_init(&census, &report->capture->heap.list[0]);

	if (err)
		return err;
	fprintf(text,
		"the slab allocator had given out %" PRIu64 " objects, %" PRIu64
		" bytes, in slabs of %" PRIu64 " bytes",
		census.all.given, census.all.given_bytes, census.all.slab_bytes);
	if (audit->has_unseen)
		fprintf(text, "; <= %" PRIu64 " of them, <= %" PRIu64 " bytes, are left at the end",
			audit->older, audit->older_bytes);
	fputs(": only the view census includes them", text);
	census_deinit(&census);
	return 0;
}

static void describe_slabinfo(const struct slabinfo_snapshot *snapshot, FILE *text)
{
	uint64_t objects, bytes;

	sum_caches(snapshot, &objects, &bytes);
	fprintf(text, "by /proc/slabinfo, %" PRIu64 " objects were there already", objects);
	if (bytes)
		fprintf(text, ", in slabs of %" PRIu64 " bytes", bytes);
	fputs(": no figure includes them", text);
}

int slab_lines_add_older(struct capture_header *header, const struct report *report)
{
	const struct capture *capture = report->capture;
	const struct checkpoint_state *before = &capture->checkpoint;
	const uint64_t begin = before->begin ? before->since : capture->status.begin;
	const struct slabinfo_snapshot *snapshot = slab_growth_first_snapshot(capture);
	bool has_readings = capture->heap.count == 2;
	struct header_line *line;
	size_t size;
	FILE *text;
	int err = 0, failed;

	if (report->view != &view_summary || event_clock_is(capture) || *capture->metadata.source ||
	    (!snapshot && !has_readings))
		return 0;
	line = header_new_line(&header->header, "older", false);
	text = line ? text_open(&line->text, &size) : NULL;
	if (!text)
		return -ENOMEM;
	fprintf(text, "tracing began %" PRIu64 ".%06u s after boot; ", begin / NSEC_PER_SEC,
		(unsigned int)(begin % NSEC_PER_SEC / 1000));
	if (has_readings)
		err = describe_readings(report, text);
	else
		describe_slabinfo(snapshot, text);
	failed = text_close(text, &line->text);
	return err ? err : failed;
}

/* How full the slabs are at the end. */
int slab_lines_add_room(struct capture_header *header, const struct report *report)
{
	const struct census_cache *all = &report->census.all;

	if (report->view != &view_summary || !all->slabs || !report->analysis.audit.time)
		return 0;
	return header_add_line(
		&header->header, "slabs", false,
		"%" PRIu64 " bytes at the end, %.1f%% of their objects given out; %" PRIu64
		" bytes would come back if the objects were packed: see kmemtrace-report census",
		all->slab_bytes, census_full_percent(all), all->spare_bytes);
}

/* Whose stacks the kernel itself keeps. */
int slab_lines_add_tracks(struct capture_header *header, const struct report *report)
{
	const struct tracks *tracks = &report->capture->tracks;
	uint64_t objects[TRACK_SOURCES] = { 0 };
	bool has_sample, has_all;

	if (report->view != &view_summary || !tracks->count)
		return 0;
	for (size_t i = 0; i < tracks->count; i++)
		objects[tracks->list[i].source] += tracks->list[i].objects;
	has_sample = objects[TRACK_KFENCE];
	has_all = objects[TRACK_SLUB];
	return header_add_line(&header->header, "tracks", false,
			       "the kernel itself keeps the stacks of %" PRIu64
			       " live objects, %s%s%s: see kmemtrace-report tracks",
			       objects[TRACK_KFENCE] + objects[TRACK_SLUB],
			       has_sample ? "a sample of KFENCE" : "",
			       has_sample && has_all ? " and " : "",
			       has_all ? "all of caches with slub_debug=U" : "");
}

/* The line that holds or grew most, and by how many bytes; NULL: none did. */
static const struct allocinfo_line *find_most(const struct allocinfo *allocinfo, bool growth,
					      int64_t *bytes)
{
	const struct allocinfo_reading *last = &allocinfo->list[allocinfo->count - 1];
	const struct allocinfo_line *most = NULL;

	*bytes = 0;
	for (size_t i = 0; i < last->count; i++) {
		const struct allocinfo_line *before =
			growth ? allocinfo_find(&allocinfo->list[0], &last->list[i]) : NULL;
		int64_t found;

		if (__builtin_sub_overflow(last->list[i].bytes, before ? before->bytes : 0,
					   &found) ||
		    found <= *bytes)
			continue;
		most = &last->list[i];
		*bytes = found;
	}
	return most;
}

static void put_most(FILE *text, const char *what, const struct allocinfo_line *most, int64_t bytes)
{
	if (!most)
		return;
	fprintf(text, "; %s %s %s", what, most->place, most->function);
	if (*most->module)
		fprintf(text, " [%s]", most->module);
	fprintf(text, ", %" PRId64 " bytes", bytes);
}

int slab_lines_add_allocinfo(struct capture_header *header, const struct report *report)
{
	const struct allocinfo *allocinfo = &report->capture->allocinfo;
	const struct allocinfo_line *most;
	struct header_line *line;
	size_t size, count;
	int64_t bytes;
	FILE *text;

	if (report->view != &view_summary || !allocinfo->count ||
	    !allocinfo->list[allocinfo->count - 1].count)
		return 0;
	line = header_new_line(&header->header, "allocinfo", false);
	text = line ? text_open(&line->text, &size) : NULL;
	if (!text)
		return -ENOMEM;
	count = allocinfo->list[allocinfo->count - 1].count;
	fprintf(text, "by /proc/allocinfo, %zu source lines hold memory", count);
	most = find_most(allocinfo, false, &bytes);
	put_most(text, "most", most, bytes);
	most = allocinfo->count == 2 ? find_most(allocinfo, true, &bytes) : NULL;
	put_most(text, "grown most", most, bytes);
	fputs(": see kmemtrace-report allocinfo", text);
	return text_close(text, &line->text);
}

void slab_lines_memory_text(const struct where_reading *reading, char *text, size_t size)
{
	const struct where_owner *unused = where_find(reading, "free");
	char total[TEXT_CELL], rest[TEXT_CELL], wrong[TEXT_CELL], free_bytes[TEXT_CELL];
	uint64_t error;
	int64_t unexplained = where_unexplained(reading, &error);
	uint64_t bytes = unexplained < 0 ? -(uint64_t)unexplained : (uint64_t)unexplained;

	snprintf(text, size, "of %s of RAM, %s free and %s%s +- %s unexplained",
		 column_layout_bytes_text(reading->total, total),
		 column_layout_bytes_text(unused ? unused->bytes : 0, free_bytes),
		 unexplained < 0 ? "-" : "", column_layout_bytes_text(bytes, rest),
		 column_layout_bytes_text(error, wrong));
}

int slab_lines_add_memory(struct capture_header *header, const struct report *report)
{
	const struct where *where = &report->capture->where;
	char text[200];

	if (report->view != &view_summary || !where->count)
		return 0;
	slab_lines_memory_text(&where->list[where->count - 1], text, sizeof(text));
	return header_add_line(&header->header, "memory", false,
			       "%s at the end: see kmemtrace-report where", text);
}
