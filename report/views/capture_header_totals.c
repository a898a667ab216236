// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The totals in lines for people: allocated, freed, live, and by how much live may be wrong. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "analysis/audit.h"
#include "report/views/capture_header_totals.h"
#include "report/views/event_clock.h"
#include "report/views/slab_lines.h"

#define NSEC_PER_SEC ((uint64_t)1000000000)

const char *header_time(const struct capture *capture, uint64_t ns, char text[HEADER_TIME])
{
	if (event_clock_is(capture))
		snprintf(text, HEADER_TIME, "event %" PRIu64, ns);
	else
		snprintf(text, HEADER_TIME, "%" PRIu64 ".%06u s", ns / NSEC_PER_SEC,
			 (unsigned int)(ns % NSEC_PER_SEC / 1000));
	return text;
}

/* By how many objects live may be wrong, with the reasons; unless only losses are one. */
static int add_live_error(struct capture_header *header, const struct report *report)
{
	const struct analysis *analysis = &report->analysis;
	const struct live_bounds *bounds = &report->bounds;
	uint64_t error = live_bounds_error(bounds, analysis);
	const struct {
		uint64_t objects;
		const char *reason, *end;
	} parts[] = {
		{ error - bounds->missed - bounds->unobserved, missing_words(&header->missing),
		  " events" },
		{ bounds->missed, "live in slab caches with frees that were not recorded", "" },
		{ bounds->unobserved,
		  analysis->audit.has_unseen
			  ? "allocated on paths that are not observed, by the slab allocator"
			  : "not observed, by /proc/slabinfo",
		  "" },
	};
	struct header_line *line;
	const char *separator = ": ";
	size_t size;
	FILE *text;

	if (!bounds->missed && !bounds->unobserved)
		return 0;
	line = header_new_line(&header->header, "", true);
	text = line ? text_open(&line->text, &size) : NULL;
	if (!text)
		return -ENOMEM;
	fprintf(text, "live may be %s by up to %" PRIu64 " object%s",
		error == bounds->maybe_freed ? "too high" : "wrong", error, error == 1 ? "" : "s");
	if (error == bounds->maybe_freed)
		fprintf(text, ", %" PRIu64 " bytes", bounds->maybe_freed_bytes);
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		if (!parts[i].objects)
			continue;
		fprintf(text, "%s%" PRIu64 " %s%s", separator, parts[i].objects, parts[i].reason,
			parts[i].end);
		separator = ", ";
	}
	return text_close(text, &line->text);
}

/* Two ways to know of them: the next allocation of the address, and the allocator itself. */
static int add_missed_frees(struct capture_header *header, const struct analysis *analysis)
{
	uint64_t missed = analysis->totals.missed_frees, dead = analysis->audit.dead;
	const char *ending = missed == 1 ? " was" : "s were";

	if (!dead)
		return header_add_line(
			&header->header, "", true,
			"%" PRIu64
			" free%s missed: the address was allocated again while the object was live",
			missed, ending);
	return header_add_line(
		&header->header, "", true,
		"%" PRIu64 " free%s missed: of %" PRIu64
		" object%s that seemed live at the end, the slab allocator had %s free, or had given the slab back; the addresses of the others were allocated again while they were live",
		missed, ending, dead, plural_ending(dead), dead == 1 ? "it" : "them");
}

/* The readings of the slab allocator show them. */
static int add_unseen(struct capture_header *header, const struct audit *audit)
{
	uint64_t unseen = audit->unseen + audit->unseen_freed;

	return header_add_line(&header->header, "", true,
			       "%" PRIu64 " object%s allocated without an event: %" PRIu64
			       " of them %s allocated at the end, events freed %" PRIu64,
			       unseen, unseen == 1 ? " was" : "s were", audit->unseen,
			       audit->unseen == 1 ? "is" : "are", audit->unseen_freed);
}

#define SLABINFO_LISTED 3 /* caches */

static int compare_unobserved(const void *left, const void *right)
{
	int64_t a = (*(const struct slab_growth_cache *const *)left)->unobserved;
	int64_t b = (*(const struct slab_growth_cache *const *)right)->unobserved;

	return (llabs(a) < llabs(b)) - (llabs(a) > llabs(b));
}

static int list_unobserved(struct header_line *line, const struct slab_growth *growth)
{
	const struct slab_growth_cache **list =
		calloc(growth->caches + 1, sizeof(const struct slab_growth_cache *));
	size_t count = 0, size;
	FILE *text = list ? text_open(&line->text, &size) : NULL;

	if (!text) {
		free(list);
		return -ENOMEM;
	}
	for (size_t i = 0; i < growth->count; i++)
		if (growth->list[i].unobserved && growth->list[i].unobserved != SLAB_GROWTH_UNKNOWN)
			list[count++] = &growth->list[i];
	qsort(list, count, sizeof(*list), compare_unobserved);
	fprintf(text,
		"%" PRIu64 " allocations and %" PRIu64
		" frees were not observed, by /proc/slabinfo: ",
		growth->allocations, growth->frees);
	for (size_t i = 0; i < count && i < SLABINFO_LISTED; i++)
		fprintf(text, "%s%s %+" PRId64, i ? ", " : "", list[i]->name, list[i]->unobserved);
	if (count > SLABINFO_LISTED)
		fprintf(text, " and %zu more cache%s", count - SLABINFO_LISTED,
			count - SLABINFO_LISTED == 1 ? "" : "s");
	fputs(": see kmemtrace-report slabinfo", text);
	free(list);
	return text_close(text, &line->text);
}

/* Of the summary: the objects that only unobserved paths explain. */
static int add_slabinfo(struct capture_header *header, const struct report *report)
{
	const struct slab_growth *growth = &report->growth;
	struct header_line *line;

	if (!growth->known || report->view != &view_summary)
		return 0;
	if (!growth->caches)
		return header_add_line(
			&header->header, "slabinfo", false,
			"/proc/slabinfo shows no unobserved allocation or free in %zu slab cache%s",
			growth->known, growth->known == 1 ? "" : "s");
	line = header_new_line(&header->header, "slabinfo", true);
	return line ? list_unobserved(line, growth) : -ENOMEM;
}

/* The objects of the checkpoint, and the losses before it. */
static int add_checkpoint(struct capture_header *header, const struct capture *capture,
			  const struct analysis *analysis)
{
	const struct checkpoint_state *before = &capture->checkpoint;
	const struct analysis_totals *totals = &analysis->totals;
	char skipped[40] = "an unknown number", time[HEADER_TIME];
	uint64_t since = before->begin > before->since ? before->begin - before->since : 0;
	bool is_exact = !before->lost && !before->skipped && !analysis->initial_missing;
	char missing[80] = "";

	if (!before->begin)
		return 0;
	if (analysis->initial_missing)
		snprintf(missing, sizeof(missing),
			 "; %" PRIu64 " more object%s damaged in the checkpoint",
			 analysis->initial_missing,
			 analysis->initial_missing == 1 ? " is" : "s are");
	if (before->skipped != STATUS_UNKNOWN)
		snprintf(skipped, sizeof(skipped), "%" PRIu64, before->skipped);
	return header_add_line(
		&header->header, "initial", !is_exact,
		"%" PRIu64 " object%s, %" PRIu64
		" bytes were live at the begin; tracing began %s before, recorded %" PRIu64
		" events until then, lost %" PRIu64 ", skipped %s%s",
		totals->initial_objects, totals->initial_objects == 1 ? "" : "s",
		totals->initial_bytes, header_time(capture, since, time), before->events,
		before->lost, skipped, missing);
}

static int add_live(struct capture_header *header, const struct capture *capture,
		    const struct analysis *analysis, bool is_bound)
{
	const struct analysis_totals *totals = &analysis->totals;
	uint64_t end = analysis->window_end - analysis->begin;
	uint64_t peak = totals->peak_time > analysis->begin ? totals->peak_time - analysis->begin
							    : 0;
	const char *plural = totals->live_objects == 1 ? "" : "s", *bound = is_bound ? "<= " : "";
	char at[HEADER_TIME + 8] = "", most[HEADER_TIME + 40] = "", time[HEADER_TIME];

	if (analysis->window_end < analysis->end)
		snprintf(at, sizeof(at), " at %s", header_time(capture, end, time));
	if (totals->peak_bytes)
		snprintf(most, sizeof(most), "; peak %" PRIu64 " bytes at %s", totals->peak_bytes,
			 header_time(capture, peak, time));
	return header_add_line(&header->header, "live", false,
			       "%s%" PRIu64 " object%s, %s%" PRIu64 " bytes%s%s", bound,
			       totals->live_objects, plural, bound, totals->live_bytes, at, most);
}

/* How many events are not about slab objects, by their names. */
static int add_process_events(struct capture_header *header, const struct analysis_totals *totals)
{
	struct header_line *line;
	const char *separator = ": ";
	size_t size;
	FILE *text;

	if (!totals->process_events && !totals->own_process_events)
		return 0;
	line = header_new_line(&header->header, "process", false);
	text = line ? text_open(&line->text, &size) : NULL;
	if (!text)
		return -ENOMEM;
	fprintf(text, "%" PRIu64 " event%s of process memory", totals->process_events,
		totals->process_events == 1 ? "" : "s");
	for (size_t id = 0; id < KMT_ID_END; id++) {
		if (!totals->by_process_kind[id])
			continue;
		fprintf(text, "%s%s %" PRIu64, separator, record_kinds[id].name,
			totals->by_process_kind[id]);
		separator = ", ";
	}
	if (totals->own_process_events)
		fprintf(text, "; left out kmemtraced's own: %" PRIu64, totals->own_process_events);
	return text_close(text, &line->text);
}

/*
 * The events that are left out, and how they differ from those while kmemtraced was the current
 * task: others free some of its objects, and it frees some of theirs.
 */
static int add_left_out(struct capture_header *header, const struct report *report)
{
	const struct analysis_totals *totals = &report->analysis.totals;
	const struct analysis_loss *loss = &report->analysis.loss;
	uint64_t left_out = totals->own_allocations + totals->own_frees;
	uint64_t by_itself = left_out - totals->own_frees_by_others + totals->own_process_events;
	char others[60] = "", more[80] = "", left[60] = "";

	if (!left_out)
		return 0;
	if (totals->own_frees_by_others)
		snprintf(others, sizeof(others), ", %" PRIu64 " of them by other tasks",
			 totals->own_frees_by_others);
	if (totals->own_allocations > totals->own_frees)
		snprintf(left, sizeof(left), "; <= %" PRIu64 " of the objects are left",
			 totals->own_allocations - totals->own_frees);
	/* loss->own is of the whole capture */
	if (loss->own_known && !report->filter_count && loss->own > by_itself)
		snprintf(more, sizeof(more), ", but not %" PRIu64 " other events of kmemtraced",
			 loss->own - by_itself);
	return header_add_line(&header->header, "left out", false,
			       "%" PRIu64 " events: kmemtraced's own allocations (%" PRIu64
			       ") and their frees (%" PRIu64
			       "%s)%s%s; kmemtraced --include-self includes them",
			       left_out, totals->own_allocations, totals->own_frees, others, more,
			       left);
}

int totals_add_lines(struct capture_header *header, const struct report *report)
{
	const struct analysis *analysis = &report->analysis;
	const struct analysis_totals *totals = &analysis->totals;
	char temporary[40] = "";
	int err;

	if (report->capture->status.no_slab)
		return add_process_events(header, totals);
	/* a profile does not know the allocations between */
	if (!report->capture->status.sampling.is_profile)
		snprintf(temporary, sizeof(temporary), "%" PRIu64 " temporary, ",
			 totals->temporary);
	err = header_add_line(&header->header, "allocated", false,
			      "%" PRIu64 " object%s, %" PRIu64 " bytes requested, %" PRIu64
			      " bytes allocated, fragmentation %.2f%%; %" PRIu64 " failed",
			      totals->allocations, totals->allocations == 1 ? "" : "s",
			      totals->bytes_requested, totals->bytes_allocated,
			      analysis_total_fragmentation(totals), totals->failed);
	if (!err)
		err = header_add_line(&header->header, "freed", false,
				      "%" PRIu64 " object%s, %" PRIu64 " cross-CPU, %s%" PRIu64
				      " unmatched (allocated before %s or not recorded); %" PRIu64
				      " free%s of NULL or ZERO_SIZE_PTR",
				      totals->frees, totals->frees == 1 ? "" : "s",
				      totals->cross_cpu_frees, temporary, totals->frees_unmatched,
				      analysis->window_begin > analysis->begin ? "the window"
									       : "the capture",
				      totals->null_frees, totals->null_frees == 1 ? "" : "s");
	if (!err)
		err = slab_lines_add_older(header, report);
	if (!err)
		err = add_checkpoint(header, report->capture, analysis);
	if (!err)
		err = add_live(header, report->capture, analysis, report->bounds.any);
	if (!err)
		err = add_live_error(header, report);
	if (!err && totals->missed_frees)
		err = add_missed_frees(header, analysis);
	if (!err && audit_knows_unseen(analysis) &&
	    analysis->audit.unseen + analysis->audit.unseen_freed)
		err = add_unseen(header, &analysis->audit);
	if (!err)
		err = slab_lines_add_room(header, report);
	if (!err)
		err = slab_lines_add_memory(header, report);
	if (!err)
		err = slab_lines_add_tracks(header, report);
	if (!err)
		err = slab_lines_add_allocinfo(header, report);
	if (!err)
		err = add_slabinfo(header, report);
	if (!err && totals->resizes)
		err = header_add_line(&header->header, "resized", false,
				      "%" PRIu64 " call%s of krealloc(), in place or not",
				      totals->resizes, totals->resizes == 1 ? "" : "s");
	if (!err)
		err = add_left_out(header, report);
	if (!err)
		err = add_process_events(header, totals);
	if (!err && totals->from_backup && !report->filter_count)
		err = header_add_line(
			&header->header, "backup", false,
			"%" PRIu64
			" of the frees were recorded by the backup programs, because the kernel skipped the first programs",
			totals->from_backup);
	if (!err && totals->repeated)
		err = header_add_line(
			&header->header, "repeated", false,
			"%" PRIu64
			" large allocations were reported twice by the kernel and are counted once",
			totals->repeated);
	return err;
}
