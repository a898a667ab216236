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
#include <sys/param.h>

#include "base/text.h"
#include "report/views/brief_header.h"
#include "report/views/capture_header.h"
#include "report/views/capture_header_totals.h"
#include "report/views/estimate_columns.h"
#include "report/views/event_clock.h"
#include "report/views/glance_header.h"
#include "report/views/kmalloc_classes.h"

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

static int add_cpus(struct capture_header *header, const struct analysis *analysis)
{
	struct header_line *line = header_new_line(&header->header, "lost", true);
	const char *separator = "";
	char percent[MISSING_TEXT];
	size_t size;
	FILE *text;

	if (!line)
		return -ENOMEM;
	text = text_open(&line->text, &size);
	if (!text)
		return -ENOMEM;
	for (size_t i = 0; i < analysis->cpu_count; i++) {
		const struct analysis_cpu *cpu = &analysis->cpus[i];

		if (!cpu->lost)
			continue;
		fprintf(text, "%scpu%u %" PRIu64 " (%s)", separator, cpu->cpu, cpu->lost,
			missing_percent_text(
				100.0 * cpu->lost / ((double)cpu->lost + cpu->recorded), percent));
		separator = ", ";
	}
	return text_close(text, &line->text);
}

/* Which pieces of a set the figures are of. */
static int add_pieces(struct capture_header *header, const struct capture_parts *parts)
{
	const struct capture_part *first = &parts->list[parts->list[0].is_checkpoint];
	const struct capture_part *last = &parts->list[parts->count - 1];
	size_t read = last->piece - first->piece + 1;
	char earlier[80] = "";

	if (parts->left_out)
		snprintf(earlier, sizeof(earlier),
			 "; %zu piece%s of earlier runs or after a gap %s not read",
			 parts->left_out, parts->left_out == 1 ? "" : "s",
			 parts->left_out == 1 ? "is" : "are");
	if (read < parts->pieces)
		return header_add_line(
			&header->header, "pieces", false,
			"%u to %u, %zu of %zu: the events, losses and flows are of these%s",
			first->piece, last->piece, read, parts->pieces, earlier);
	return header_add_line(&header->header, "pieces", false, "%u to %u, %zu%s", first->piece,
			       last->piece, read, earlier);
}

static int add_debugging(struct capture_header *header, const struct capture *capture,
			 const struct analysis *analysis)
{
	const struct caches *caches = &capture->caches;
	char flags[8] = "";
	size_t count = 0;

	for (size_t i = 0; i < caches->debugged_count; i++)
		for (const char *flag = caches->debugged[i].flags; *flag; flag++)
			if (!strchr(flags, *flag) && count + 1 < sizeof(flags))
				flags[count++] = *flag;
	return header_add_line(
		&header->header, "debugging", false,
		"the kernel debugs %zu slab cache%s (slab_debug=%s): this takes %" PRIu64
		" of the allocated bytes, which do not count as waste",
		caches->debugged_count, caches->debugged_count == 1 ? "" : "s", flags,
		analysis->totals.bytes_debug);
}

static int add_capture_line(struct capture_header *header, const struct capture *capture,
			    const struct analysis *analysis)
{
	static const char *const orders[] = { "unknown byte order", "little-endian", "big-endian" };
	const struct metadata *metadata = &capture->metadata;
	bool cut_off = strcmp(header->state, "complete") != 0;
	char word[16] = "", length[HEADER_TIME];
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
				      header_time(capture, header->duration, length),
				      state_text(header->state));
	if (!err && capture->parts.is_set)
		err = add_pieces(header, &capture->parts);
	if (!err && !status_stop_is_ordinary(&capture->status))
		err = header_add_line(&header->header, "stopped", true, "%s",
				      capture->status.stopped);
	if (!err && capture->caches.debugged_count)
		err = add_debugging(header, capture, analysis);
	if (!err && analysis->damaged_bytes)
		err = header_add_line(&header->header, "", true,
				      "%" PRIu64 " damaged bytes were ignored: see kmemtrace-check",
				      analysis->damaged_bytes);
	for (size_t i = 0; !err && i < capture->unread_count; i++)
		err = header_add_line(&header->header, "", true, "%s", capture->unread[i].summary);
	return err;
}

static uint64_t date_of_begin(const struct report *report)
{
	return report->capture->metadata.wall_offset + report->analysis.begin;
}

/* ns from the begin; is_date: of ns since 1970, 0 before the begin. */
static uint64_t since_begin(const struct report *report, uint64_t ns, bool is_date)
{
	return is_date ? ns - MIN(ns, date_of_begin(report)) : ns;
}

/* Does --time or --at name a time behind the end? */
static bool is_after_end(const struct report *report, uint64_t length)
{
	const struct select *select = report->settings.select;

	return since_begin(report, select->after, select->after_is_date) >= length ||
	       since_begin(report, select->before, select->before_is_date) > length;
}

/* Does --time or --at name a date before the begin? */
static bool is_before_begin(const struct report *report)
{
	const struct select *select = report->settings.select;
	uint64_t begin = date_of_begin(report);

	return (select->after_is_date && select->after < begin) ||
	       (select->before_is_date && select->before < begin);
}

int capture_header_add_filters(struct capture_header *header, const struct report *report)
{
	const struct select *select = report->settings.select;
	uint64_t left_out = report->analysis.totals.left_out, length = header->duration;
	char after[64], time[HEADER_TIME];
	int err;

	if (!report->filter_count)
		return 0;
	snprintf(after, sizeof(after), ": %" PRIu64 " event%s left out", left_out,
		 left_out == 1 ? " is" : "s are");
	err = header_add_list_line(&header->header, "filters", left_out, "", &header->filters,
				   after);
	if (!err && select && length && is_after_end(report, length))
		err = header_add_line(&header->header, "", true, "the capture ends at %s already",
				      header_time(report->capture, length, time));
	if (!err && select && is_before_begin(report))
		err = header_add_line(&header->header, "", true, "the capture begins later, at %s",
				      header->start);
	return err;
}

/* The probes of process memory: how each was recorded, or why it was not. */
static int add_probes(struct capture_header *header, const struct status *status)
{
	int err = 0;

	if (status->no_slab)
		err = header_add_line(
			&header->header, "", true,
			"no slab events were recorded, since kmemtraced --probes named none: see the views count, timeline, probes and events");
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

static int add_guesses(struct capture_header *header, const struct analysis *analysis)
{
	const struct metadata *metadata = &analysis->capture->metadata;
	enum kmalloc_guess guess = kmalloc_classes_guess(analysis);

	if (guess == KMALLOC_LISTED)
		return 0;
	if (guess == KMALLOC_UNKNOWN)
		return header_add_line(
			&header->header, "", true,
			"the classes of kmalloc() are unknown: a request of %" PRIu32
			" bytes got %" PRIu32
			", the size of no class, as with slab debugging or pages of 64 KiB: objects of one size are one cache here, kmalloc-unknown/SIZE",
			metadata->odd_requested, metadata->odd_allocated);
	return header_add_line(
		&header->header, "", true,
		"the classes of kmalloc() are guessed from sizes and GFP flags: the recording does not list them%s",
		guess == KMALLOC_GUESSED
			? ""
			: "; objects whose size may be a class or whole pages, as the page size is not known, are kmalloc-unknown/SIZE here");
}

static int add_loss(struct capture_header *header, const struct report *report)
{
	const struct capture *capture = report->capture;
	const struct analysis *analysis = &report->analysis;
	const struct live_bounds *bounds = &report->bounds;
	const struct analysis_loss *loss = &analysis->loss;
	const char *only_these = header->traced_pids.rows == 1 ? "only events of process "
							       : "only events of processes ";
	const struct missing *missing = &header->missing;
	uint64_t unknown = missing->uncounted, not_analysed = missing_events(missing);
	const char *recorder = *capture->metadata.source ? "the recorder" : "kmemtraced";
	char own[80], text[MISSING_TEXT], skipped[40], wrong[80] = "", newer[METADATA_TEXT];
	int err;

	if (loss->own_known)
		snprintf(own, sizeof(own), "%" PRIu64 " of the recorded %s %s's own", loss->own,
			 loss->own == 1 ? "is" : "are", recorder);
	else
		snprintf(own, sizeof(own), "%s's own are not known", recorder);
	snprintf(skipped, sizeof(skipped),
		 loss->skipped_partial ? "%" PRIu64 " or more" : "%" PRIu64, loss->skipped);
	if (missing->counted)
		err = header_add_line(&header->header, "events", false,
				      "counted %" PRIu64
				      ", skipped %s; of sampled objects recorded %" PRIu64
				      ", lost %" PRIu64 "; %s",
				      missing->counted, skipped, loss->recorded, loss->lost, own);
	else
		err = header_add_line(&header->header, "events", false,
				      "seen %" PRIu64 " = recorded %" PRIu64 " + lost %" PRIu64
				      " + skipped %s; %s",
				      loss->seen, loss->recorded, loss->lost, skipped, own);
	if (!err && !loss->own_known && capture->has_status)
		err = header_add_line(
			&header->header, "", true,
			"the tasks of %s are not known: its own allocations are counted like all others",
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
		if (live_bounds_error(bounds, analysis) == not_analysed && !missing->no_slab)
			snprintf(wrong, sizeof(wrong),
				 ": live may be wrong by up to %" PRIu64 " object%s", not_analysed,
				 not_analysed == 1 ? "" : "s");
		err = header_add_line(&header->header, "", true, "%s%s",
				      missing_text(missing, MISSING_EVENTS, text), wrong);
	}
	if (!err && header->traced_pids.rows && loss->skipped)
		err = header_add_line(
			&header->header, "", true,
			"the kernel counts skipped events of all processes together: the traced processes may have fewer, or none");
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
			" were traced: frees by other processes are not recorded, so live is an upper bound and cross-CPU frees are a lower bound");
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
		err = header_add_line(
			&header->header, "", true,
			"%" PRIu64
			" event%s of slab caches that are not in the capture: their sizes count as 0",
			analysis->caches_unknown, analysis->caches_unknown == 1 ? "" : "s");
	if (!err && capture->status.names_lost)
		err = header_add_line(
			&header->header, "", true,
			"%" PRIu64
			" name%s of tasks, caches or modules %s lost or unknown: some tasks, caches or call sites have no name",
			capture->status.names_lost, capture->status.names_lost == 1 ? "" : "s",
			capture->status.names_lost == 1 ? "is" : "are");
	if (!err && analysis->anonymous_allocations)
		err = header_add_line(
			&header->header, "", true,
			"%" PRIu64
			" allocation%s from slab caches that the kernel does not name: all such caches of the same sizes are one cache here, unnamed-OBJECT/DISTANCE",
			analysis->anonymous_allocations,
			analysis->anonymous_allocations == 1 ? " is" : "s are");
	if (!err)
		err = add_guesses(header, analysis);
	return err;
}

/* Does the report group or select by tasks? */
static bool is_by_task(const struct report *report)
{
	const struct select *select = report->settings.select;

	return report->settings.by == GROUP_BY_TASK || query_needs_contexts(report->query) ||
	       (select && (select->comm || select->pids.count));
}

static int add_contexts(struct capture_header *header, const struct report *report)
{
	enum status_context context = report->capture->status.context;

	if (context == STATUS_CONTEXT_ALL || !is_by_task(report))
		return 0;
	return header_add_line(
		&header->header, "contexts", false,
		context == STATUS_CONTEXT_SOFTIRQ
			? "softirqs only: the work of a hard interrupt counts for the task or softirq that it interrupted"
			: "not recorded: the work of an interrupt counts for the task that it interrupted");
}

int capture_header_add_lines(struct capture_header *header, const struct report *report)
{
	int err;

	if (report->is_brief) {
		err = brief_header_add(header, report);
		if (!err)
			err = add_contexts(header, report);
		return err || !report->is_glance ? err : glance_header_add(header, report);
	}
	err = add_capture_line(header, report->capture, &report->analysis);
	if (!err)
		err = capture_header_add_filters(header, report);
	if (!err)
		err = add_loss(header, report);
	if (!err)
		err = add_contexts(header, report);
	if (!err)
		err = estimate_add_lines(report, &header->header);
	if (!err)
		err = totals_add_lines(header, report);
	return err || !report->is_glance ? err : glance_header_add(header, report);
}
