// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The header of every report in lines for people. It warns of everything that makes numbers of the
 * report uncertain: loss, and paths that are not observed.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/views/capture_header.h"
#include "report/views/estimate_columns.h"
#include "report/views/event_clock.h"

#define NSEC_PER_SEC ((uint64_t)1000000000)

static const char *state_text(const char *state)
{
	if (strcmp(state, "cut-off") == 0)
		return "cut off: kmemtraced did not finish it";
	if (strcmp(state, "unknown") == 0)
		return "finished or cut off: not known";
	if (strcmp(state, "running") == 0)
		return "still being written by kmemtraced";
	return state;
}

static void percent_text(double percent, char *text, size_t size)
{
	if (percent > 0 && percent < 0.001)
		snprintf(text, size, "less than 0.001%%");
	else
		snprintf(text, size, "%.3f%%", percent);
}

#define TIME_TEXT 48

/* Time since the begin of the capture: "1.250000 s", or "event 7". */
static const char *time_text(const struct capture *capture, uint64_t ns, char text[TIME_TEXT])
{
	if (event_clock_is(capture))
		snprintf(text, TIME_TEXT, "event %" PRIu64, ns);
	else
		snprintf(text, TIME_TEXT, "%" PRIu64 ".%06u s", ns / NSEC_PER_SEC,
			 (unsigned int)(ns % NSEC_PER_SEC / 1000));
	return text;
}

static int add_cpus(struct capture_header *header, const struct analysis *analysis)
{
	struct header_line *line = header_new_line(&header->header, "lost", true);
	const char *separator = "";
	char percent[40];
	size_t size;
	FILE *text;

	if (!line)
		return -ENOMEM;
	text = open_memstream(&line->text, &size);
	if (!text)
		return -ENOMEM;
	for (size_t i = 0; i < analysis->cpu_count; i++) {
		const struct analysis_cpu *cpu = &analysis->cpus[i];

		if (!cpu->lost)
			continue;
		percent_text(100.0 * cpu->lost / ((double)cpu->lost + cpu->recorded), percent,
			     sizeof(percent));
		fprintf(text, "%scpu%u %" PRIu64 " (%s)", separator, cpu->cpu, cpu->lost, percent);
		separator = ", ";
	}
	return text_close(text, &line->text);
}

static int add_capture(struct capture_header *header, const struct capture *capture,
		       const struct analysis *analysis)
{
	static const char *const orders[] = { "unknown byte order", "little-endian", "big-endian" };
	const struct metadata *metadata = &capture->metadata;
	bool cut_off = strcmp(header->state, "complete") != 0;
	char word[16] = "", length[TIME_TEXT];
	int err;

	if (metadata->word_bits)
		snprintf(word, sizeof(word), "%u-bit ", metadata->word_bits);
	err = header_add_line(&header->header, "capture", false, "%s: Linux %s %s, %s%s, %zu CPU%s",
			      metadata->hostname, metadata->release, metadata->machine, word,
			      orders[metadata_order(metadata)], capture->stream_count,
			      capture->stream_count == 1 ? "" : "s");
	if (!err && *metadata->source)
		err = header_add_line(&header->header, "imported", true, "%s", metadata->source);
	if (!err && event_clock_is(capture))
		err = header_add_line(
			&header->header, "time", true,
			"the recording has no times: times, ages and rates count events, %" PRIu64
			" in all, %s",
			header->duration, state_text(header->state));
	else if (!err)
		err = header_add_line(&header->header, "time", cut_off, "%s, for %s, %s",
				      metadata->wall_offset ? header->start : "date unknown",
				      time_text(capture, header->duration, length),
				      state_text(header->state));
	if (!err && !status_stop_is_ordinary(&capture->status))
		err = header_add_line(&header->header, "stopped", true, "%s",
				      capture->status.stopped);
	if (!err && analysis->damaged_bytes)
		err = header_add_line(&header->header, "", true,
				      "%" PRIu64 " damaged bytes were ignored: see kmemtrace-check",
				      analysis->damaged_bytes);
	for (size_t i = 0; !err && i < capture->unread_count; i++)
		err = header_add_line(&header->header, "", true, "%s", capture->unread[i].summary);
	return err;
}

/* The filters. */
static int add_filters(struct capture_header *header, const struct report *report)
{
	const struct select *select = report->settings.select;
	uint64_t left_out = report->analysis.totals.left_out, length = header->duration;
	char after[64], time[TIME_TEXT];
	int err;

	if (!report->filter_count)
		return 0;
	snprintf(after, sizeof(after), ": %" PRIu64 " event%s left out", left_out,
		 left_out == 1 ? " is" : "s are");
	err = header_add_list_line(&header->header, "filters", left_out, "", &header->filters,
				   after);
	if (!err && select && length && (select->after >= length || select->before > length))
		err = header_add_line(&header->header, "", true, "the capture ends at %s already",
				      time_text(report->capture, length, time));
	return err;
}

/* The probes of process memory: how each was recorded, or why it was not. */
static int add_probes(struct capture_header *header, const struct status *status)
{
	int err = 0;

	if (status->no_slab)
		err = header_add_line(&header->header, "", true,
				      "no slab events were recorded, since kmemtraced --probes "
				      "named none: see the views count, timeline, probes and "
				      "events");
	for (size_t i = 0; i < status->probes.count && !err; i++) {
		const struct status_probe *probe = &status->probes.list[i];
		char counted[48] = "", skipped[48] = "";

		if (probe->is_recorded && probe->counted != STATUS_UNKNOWN)
			snprintf(counted, sizeof(counted), "; the kernel counted %" PRIu64,
				 probe->counted);
		if (probe->is_recorded && probe->skipped == STATUS_UNKNOWN)
			snprintf(skipped, sizeof(skipped), "; it is not known how many it skipped");
		else if (probe->is_recorded && probe->skipped)
			snprintf(skipped, sizeof(skipped), "; skipped %" PRIu64, probe->skipped);
		err = header_add_line(&header->header, i ? "" : "probes",
				      !probe->is_recorded || probe->skipped, "%s%s: %s%s%s",
				      probe->name, probe->is_recorded ? "" : " is not recorded",
				      probe->text, counted, skipped);
	}
	return err;
}

static int add_loss(struct capture_header *header, const struct capture *capture,
		    const struct analysis *analysis, const struct live_bounds *bounds)
{
	const struct analysis_loss *loss = &analysis->loss;
	const char *only_these = header->traced_pids.rows == 1 ? "only events of process "
							       : "only events of processes ";
	uint64_t unknown = analysis->totals.unknown,
		 not_analysed = loss->lost + loss->skipped + unknown;
	const char *recorder = *capture->metadata.source ? "the recorder" : "kmemtraced";
	const struct status_counted counted = estimate_counted(&capture->status);
	char own[80], percent[40], skipped[40], wrong[80] = "", newer[METADATA_TEXT];
	int err;

	if (loss->own_known)
		snprintf(own, sizeof(own), "%" PRIu64 " of the recorded %s %s's own", loss->own,
			 loss->own == 1 ? "is" : "are", recorder);
	else
		snprintf(own, sizeof(own), "%s's own are not known", recorder);
	snprintf(skipped, sizeof(skipped),
		 loss->skipped_partial ? "%" PRIu64 " or more" : "%" PRIu64, loss->skipped);
	if (counted.allocations)
		err = header_add_line(&header->header, "events", false,
				      "counted %" PRIu64 ", skipped %s; of sampled objects "
				      "recorded %" PRIu64 ", lost %" PRIu64 "; %s",
				      counted.allocations + counted.frees, skipped, loss->recorded,
				      loss->lost, own);
	else
		err = header_add_line(&header->header, "events", false,
				      "seen %" PRIu64 " = recorded %" PRIu64 " + lost %" PRIu64
				      " + skipped %s; %s",
				      loss->seen, loss->recorded, loss->lost, skipped, own);
	if (!err && !loss->own_known && capture->has_status)
		err = header_add_line(
			&header->header, "", true,
			"the tasks of %s are not known: its own allocations are counted like all "
			"others",
			recorder);
	if (!err && !loss->seen)
		err = header_add_line(&header->header, "", true, "no events");
	if (!err && loss->lost)
		err = add_cpus(header, analysis);
	if (!err && unknown)
		err = header_add_line(&header->header, "", true,
				      "records of kinds that this version does not know: %" PRIu64
				      "; %s",
				      unknown,
				      metadata_newer_text(capture->metadata.tracer_version, newer,
							  sizeof(newer)));
	if (!err && not_analysed) {
		percent_text(header->loss_percent, percent, sizeof(percent));
		if (live_bounds_error(bounds, analysis) == not_analysed)
			snprintf(wrong, sizeof(wrong),
				 ": live may be wrong by up to %" PRIu64 " object%s", not_analysed,
				 not_analysed == 1 ? "" : "s");
		err = header_add_line(
			&header->header, "", true, "%s of the events are %s%s%s", percent,
			unknown ? "lost, skipped or unknown" : "lost or skipped",
			capture->status.no_slab ? "" : "; each may be an allocation or a free",
			capture->status.no_slab ? "" : wrong);
	}
	if (!err && header->traced_pids.rows && loss->skipped)
		err = header_add_line(&header->header, "", true,
				      "the kernel counts skipped events of all processes together: "
				      "the traced processes may have fewer, or none");
	if (!err && loss->skipped_partial)
		err = header_add_line(
			&header->header, "", true, "%s",
			*capture->metadata.source ? "the recording does not count skipped events"
			: capture->has_status && capture->status.skipped == STATUS_UNKNOWN
				? "this kernel does not count all skipped events"
				: "skipped events after the last packet are not known");
	if (!err && header->traced_pids.rows)
		err = header_add_list_line(
			&header->header, "", true, only_these, &header->traced_pids,
			" were traced: frees by other processes are not recorded, so live is an "
			"upper bound and cross-CPU frees are a lower bound");
	if (!err)
		err = add_probes(header, &capture->status);
	if (!err && header->unobserved.rows)
		err = header_add_list_line(&header->header, "", true,
					   *capture->metadata.source
						   ? "not in the recording: "
						   : "not observed on this kernel: ",
					   &header->unobserved,
					   ": their allocations and frees are missing");
	if (!err && analysis->caches_unknown)
		err = header_add_line(&header->header, "", true,
				      "%" PRIu64
				      " event%s of slab caches that are not in the capture: their "
				      "sizes count as 0",
				      analysis->caches_unknown,
				      analysis->caches_unknown == 1 ? "" : "s");
	if (!err && capture->status.names_lost)
		err = header_add_line(&header->header, "", true,
				      "%" PRIu64
				      " name%s of tasks, caches or modules %s lost or unknown: "
				      "some tasks, caches or call sites have no name",
				      capture->status.names_lost,
				      capture->status.names_lost == 1 ? "" : "s",
				      capture->status.names_lost == 1 ? "is" : "are");
	if (!err && analysis->anonymous_allocations)
		err = header_add_line(&header->header, "", true,
				      "%" PRIu64
				      " allocation%s from slab caches that the kernel does not "
				      "name: all such caches of the same sizes are one cache here, "
				      "unnamed-OBJECT/DISTANCE",
				      analysis->anonymous_allocations,
				      analysis->anonymous_allocations == 1 ? " is" : "s are");
	return err;
}

/* By how many objects live may be wrong, with the reasons; unless only losses are one. */
static int add_live_error(struct capture_header *header, const struct report *report)
{
	const struct analysis *analysis = &report->analysis;
	const struct live_bounds *bounds = &report->bounds;
	uint64_t error = live_bounds_error(bounds, analysis);
	const struct {
		uint64_t objects;
		const char *reason;
	} parts[] = {
		{ error - bounds->missed - bounds->unobserved, "lost, skipped or unknown events" },
		{ bounds->missed, "live in slab caches with frees that were not recorded" },
		{ bounds->unobserved, "not observed, by /proc/slabinfo" },
	};
	struct header_line *line;
	const char *separator = ": ";
	size_t size;
	FILE *text;

	if (!bounds->missed && !bounds->unobserved)
		return 0;
	line = header_new_line(&header->header, "", true);
	text = line ? open_memstream(&line->text, &size) : NULL;
	if (!text)
		return -ENOMEM;
	fprintf(text, "live may be wrong by up to %" PRIu64 " object%s", error,
		error == 1 ? "" : "s");
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		if (!parts[i].objects)
			continue;
		fprintf(text, "%s%" PRIu64 " %s", separator, parts[i].objects, parts[i].reason);
		separator = ", ";
	}
	return text_close(text, &line->text);
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
	FILE *text = list ? open_memstream(&line->text, &size) : NULL;

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
		fprintf(text, " and %zu more caches", count - SLABINFO_LISTED);
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
			"/proc/slabinfo shows no unobserved allocation or free in %zu "
			"slab cache%s",
			growth->known, growth->known == 1 ? "" : "s");
	line = header_new_line(&header->header, "slabinfo", true);
	return line ? list_unobserved(line, growth) : -ENOMEM;
}

static int add_live(struct capture_header *header, const struct capture *capture,
		    const struct analysis *analysis, bool is_bound)
{
	const struct analysis_totals *totals = &analysis->totals;
	uint64_t end = analysis->window_end - analysis->begin;
	uint64_t peak = totals->peak_time > analysis->begin ? totals->peak_time - analysis->begin
							    : 0;
	const char *plural = totals->live_objects == 1 ? "" : "s", *bound = is_bound ? "<= " : "";
	char at[TIME_TEXT + 8] = "", most[TIME_TEXT + 40] = "", time[TIME_TEXT];

	if (analysis->window_end < analysis->end)
		snprintf(at, sizeof(at), " at %s", time_text(capture, end, time));
	if (totals->peak_bytes)
		snprintf(most, sizeof(most), "; peak %" PRIu64 " bytes at %s", totals->peak_bytes,
			 time_text(capture, peak, time));
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
	text = line ? open_memstream(&line->text, &size) : NULL;
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

static int add_totals(struct capture_header *header, const struct report *report)
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
			      analysis_fragmentation(totals->bytes_requested,
						     totals->bytes_allocated),
			      totals->failed);
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
		err = add_live(header, report->capture, analysis, report->bounds.any);
	if (!err)
		err = add_live_error(header, report);
	if (!err && totals->missed_frees)
		err = header_add_line(&header->header, "", true,
				      "%" PRIu64
				      " free%s missed: the address was allocated again while the "
				      "object was live",
				      totals->missed_frees,
				      totals->missed_frees == 1 ? " was" : "s were");
	if (!err)
		err = add_slabinfo(header, report);
	if (!err && totals->resizes)
		err = header_add_line(&header->header, "resized", false,
				      "%" PRIu64 " call%s of krealloc(), in place or not",
				      totals->resizes, totals->resizes == 1 ? "" : "s");
	if (!err && (totals->own_allocations || totals->own_frees))
		err = header_add_line(&header->header, "left out", false,
				      "kmemtraced's own allocations (%" PRIu64
				      ") and their frees (%" PRIu64
				      "); kmemtraced --include-self includes them",
				      totals->own_allocations, totals->own_frees);
	if (!err)
		err = add_process_events(header, totals);
	if (!err && totals->from_backup && !report->filter_count)
		err = header_add_line(&header->header, "backup", false,
				      "%" PRIu64
				      " of the frees were recorded by the backup programs, because "
				      "the kernel skipped the first programs",
				      totals->from_backup);
	if (!err && totals->repeated)
		err = header_add_line(&header->header, "repeated", false,
				      "%" PRIu64
				      " large allocations were reported twice by the kernel and "
				      "are counted once",
				      totals->repeated);
	return err;
}

int capture_header_add_lines(struct capture_header *header, const struct report *report)
{
	int err;

	err = add_capture(header, report->capture, &report->analysis);
	if (!err)
		err = add_filters(header, report);
	if (!err)
		err = add_loss(header, report->capture, &report->analysis, &report->bounds);
	if (!err)
		err = estimate_add_lines(report, &header->header);
	if (!err)
		err = add_totals(header, report);
	return err;
}
