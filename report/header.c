// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The header of every report, from the capture's metadata, its status and the pass over it. A
 * figure that loss or an unobserved path touches is said to be so here.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/header.h"

#define NSEC_PER_SEC 1000000000ULL

static const struct column cpu_columns[] = {
	{ .key = "cpu", .type = COLUMN_NUMBER },
	{ .key = "recorded", .type = COLUMN_NUMBER },
	{ .key = "lost", .type = COLUMN_NUMBER },
	{ .key = "own", .type = COLUMN_NUMBER },
};
static const struct column name_column = { .key = "name", .type = COLUMN_TEXT };
static const struct column pid_column = { .key = "pid", .type = COLUMN_NUMBER };

/*
 * Not with gmtime(): where time_t has 32 bits it ends in 2038. The day is counted from
 * 1 March of year 0, so that a leap day is the last of its year.
 */
void header_utc_text(uint64_t ns, char *text, size_t size)
{
	uint64_t seconds = ns / NSEC_PER_SEC;
	uint64_t day = seconds / 86400 + 719468;
	uint64_t era = day / 146097, day_of_era = day % 146097;
	uint64_t year_of_era =
		(day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
	uint64_t day_of_year =
		day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
	uint64_t month = (5 * day_of_year + 2) / 153;
	uint64_t day_of_month = day_of_year - (153 * month + 2) / 5 + 1;
	uint64_t year = era * 400 + year_of_era + (month >= 10);

	month = month < 10 ? month + 3 : month - 9;
	snprintf(text, size,
		 "%04" PRIu64 "-%02" PRIu64 "-%02" PRIu64 "T%02" PRIu64 ":%02" PRIu64 ":%02" PRIu64
		 ".%09" PRIu64 "Z",
		 year, month, day_of_month, seconds / 3600 % 24, seconds / 60 % 60, seconds % 60,
		 (uint64_t)(ns % NSEC_PER_SEC));
}

/* The named values. */

static void header_section(struct header *header, const char *key)
{
	struct section *section = &header->sections[header->section_count++];

	section->key = key;
	section->fields = header->fields + header->field_count;
}

static struct field *header_field(struct header *header, const char *key, enum field_type type)
{
	struct field *field = &header->fields[header->field_count++];

	header->sections[header->section_count - 1].count++;
	field->key = key;
	field->type = type;
	return field;
}

static void header_number(struct header *header, const char *key, uint64_t number)
{
	header_field(header, key, FIELD_NUMBER)->number = number;
}

static void header_text(struct header *header, const char *key, const char *text)
{
	header_field(header, key, FIELD_TEXT)->text = text;
}

static const char *capture_state(const struct capture *capture)
{
	if (capture->has_status && capture->status.complete == STATUS_COMPLETE)
		return "complete";
	if (capture->has_status && capture->status.complete == STATUS_REPAIRED)
		return "repaired";
	return capture->being_written ? "running" : "cut-off";
}

static const char *state_sentence(const char *state)
{
	if (strcmp(state, "cut-off") == 0)
		return "cut off: not finished by kmemtraced";
	if (strcmp(state, "running") == 0)
		return "still being written by kmemtraced";
	return state;
}

/* Did the capture end for a reason that says nothing about it? */
static bool stop_is_ordinary(const char *stopped)
{
	return !*stopped || strcmp(stopped, "the command ended") == 0 ||
	       strcmp(stopped, "the duration was over") == 0 || strncmp(stopped, "SIG", 3) == 0;
}

static uint64_t duration(const struct analysis *analysis)
{
	return analysis->end > analysis->begin ? analysis->end - analysis->begin : 0;
}

static void header_values(struct header *header, const struct capture *capture,
			  const struct analysis *analysis)
{
	const struct metadata *metadata = &capture->metadata;
	const struct analysis_totals *totals = &analysis->totals;
	const struct analysis_loss *loss = &analysis->loss;
	const char *state = capture_state(capture);

	header_section(header, "capture");
	header_text(header, "host", metadata->hostname);
	header_text(header, "kernel", metadata->release);
	header_text(header, "arch", metadata->machine);
	header_text(header, "endian", metadata->big_endian ? "big" : "little");
	if (metadata->word_bits)
		header_number(header, "word_bits", metadata->word_bits);
	else
		header_field(header, "word_bits", FIELD_UNKNOWN);
	header_number(header, "cpus", capture->stream_count);
	if (metadata->wall_offset)
		header_text(header, "start", header->start);
	else
		header_field(header, "start", FIELD_UNKNOWN);
	header_field(header, "duration_s", FIELD_DECIMAL)->decimal =
		(double)duration(analysis) / NSEC_PER_SEC;
	header_field(header, "complete", FIELD_BOOL)->truth = strcmp(state, "complete") == 0;
	header_text(header, "state", state);
	header_text(header, "stopped", capture->status.stopped);
	header_number(header, "damaged_bytes", analysis->damaged_bytes);

	header_section(header, "loss");
	header_number(header, "seen", loss->seen);
	header_number(header, "recorded", loss->recorded);
	header_number(header, "lost", loss->lost);
	header_number(header, "skipped", loss->skipped);
	header_number(header, "own", loss->own);
	header_field(header, "own_known", FIELD_BOOL)->truth = loss->own_known;
	header_field(header, "skipped_partial", FIELD_BOOL)->truth = loss->skipped_partial;
	header_field(header, "per_cpu", FIELD_TABLE)->table = &header->cpus;
	header_field(header, "unobserved", FIELD_LIST)->table = &header->unobserved;
	header_field(header, "filtered_pids", FIELD_LIST)->table = &header->wanted;

	header_section(header, "totals");
	header_number(header, "allocations", totals->allocations);
	header_number(header, "frees", totals->frees);
	header_number(header, "failed", totals->failed);
	header_number(header, "bytes_requested", totals->bytes_requested);
	header_number(header, "bytes_allocated", totals->bytes_allocated);
	header_field(header, "fragmentation_percent", FIELD_DECIMAL)->decimal =
		analysis_fragmentation(totals->bytes_requested, totals->bytes_allocated);
	header_number(header, "cross_cpu_frees", totals->cross_cpu_frees);
	header_number(header, "live_objects", totals->live_objects);
	header_number(header, "live_bytes", totals->live_bytes);
	header_number(header, "frees_unmatched", totals->frees_unmatched);
	header_number(header, "null_frees", totals->null_frees);
	header_number(header, "missed_frees", totals->missed_frees);
	header_number(header, "own_allocations", totals->own_allocations);
	header_number(header, "own_frees", totals->own_frees);
	header_number(header, "unknown", totals->unknown);
}

static int header_lists(struct header *header, const struct capture *capture,
			const struct analysis *analysis)
{
	const struct status *status = &capture->status;
	struct cell *row;

	table_init(&header->cpus, cpu_columns, 4);
	table_init(&header->unobserved, &name_column, 1);
	table_init(&header->wanted, &pid_column, 1);
	for (size_t i = 0; i < analysis->cpu_count; i++) {
		row = table_add(&header->cpus);
		if (!row)
			return -ENOMEM;
		row[0].number = analysis->cpus[i].cpu;
		row[1].number = analysis->cpus[i].recorded;
		row[2].number = analysis->cpus[i].lost;
		row[3].number = analysis->cpus[i].own;
	}
	for (size_t i = 0; i < status->path_count; i++) {
		if (status->paths[i].observed)
			continue;
		row = table_add(&header->unobserved);
		if (!row)
			return -ENOMEM;
		row[0].text = strdup(status->paths[i].name);
		if (!row[0].text)
			return -ENOMEM;
	}
	for (size_t i = 0; i < status->wanted_count; i++) {
		row = table_add(&header->wanted);
		if (!row)
			return -ENOMEM;
		row[0].number = status->wanted[i];
	}
	return 0;
}

/* The lines. */

static struct header_line *header_line(struct header *header, const char *label, bool warning)
{
	struct header_line *lines =
		realloc(header->lines, (header->line_count + 1) * sizeof(*lines));
	struct header_line *line;

	if (!lines)
		return NULL;
	header->lines = lines;
	line = &lines[header->line_count++];
	*line = (struct header_line){ .label = label, .warning = warning };
	return line;
}

__attribute__((format(printf, 4, 5))) static int
header_say(struct header *header, const char *label, bool warning, const char *format, ...)
{
	struct header_line *line = header_line(header, label, warning);
	va_list arguments;
	int length;

	if (!line)
		return -ENOMEM;
	va_start(arguments, format);
	length = vasprintf(&line->text, format, arguments);
	va_end(arguments);
	if (length < 0) {
		line->text = NULL;
		return -ENOMEM;
	}
	return 0;
}

static void percent_text(double percent, char *text, size_t size)
{
	if (percent > 0 && percent < 0.001)
		snprintf(text, size, "less than 0.001%%");
	else
		snprintf(text, size, "%.3f%%", percent);
}

/* The cells of a list in one line: "a, b, c". */
static int header_say_list(struct header *header, const char *before, const struct table *list,
			   const char *after)
{
	struct header_line *line = header_line(header, "", true);
	size_t size;
	FILE *text;

	if (!line)
		return -ENOMEM;
	text = open_memstream(&line->text, &size);
	if (!text)
		return -ENOMEM;
	fputs(before, text);
	for (size_t row = 0; row < list->rows; row++) {
		const struct cell *cell = table_row(list, row);

		fputs(row ? ", " : "", text);
		if (list->columns[0].type == COLUMN_TEXT)
			fputs(cell->text, text);
		else
			fprintf(text, "%" PRIu64, cell->number);
	}
	fputs(after, text);
	return fclose(text) ? -ENOMEM : 0;
}

static int header_say_cpus(struct header *header, const struct analysis *analysis)
{
	struct header_line *line = header_line(header, "lost", true);
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
	return fclose(text) ? -ENOMEM : 0;
}

static int header_say_capture(struct header *header, const struct capture *capture,
			      const struct analysis *analysis)
{
	const struct metadata *metadata = &capture->metadata;
	const char *state = capture_state(capture);
	char word[16] = "";
	int err;

	if (metadata->word_bits)
		snprintf(word, sizeof(word), "%u-bit ", metadata->word_bits);
	err = header_say(header, "capture", false, "%s: Linux %s %s, %s%s-endian, %zu CPU%s",
			 metadata->hostname, metadata->release, metadata->machine, word,
			 metadata->big_endian ? "big" : "little", capture->stream_count,
			 capture->stream_count == 1 ? "" : "s");
	if (!err)
		err = header_say(header, "time", strcmp(state, "complete") != 0,
				 "%s, for %" PRIu64 ".%06u s, %s",
				 metadata->wall_offset ? header->start : "date unknown",
				 (uint64_t)(duration(analysis) / NSEC_PER_SEC),
				 (unsigned int)(duration(analysis) % NSEC_PER_SEC / 1000),
				 state_sentence(state));
	if (!err && !stop_is_ordinary(capture->status.stopped))
		err = header_say(header, "stopped", true, "%s", capture->status.stopped);
	if (!err && analysis->damaged_bytes)
		err = header_say(header, "", true,
				 "%" PRIu64 " damaged bytes were passed over: see kmemtrace-check",
				 analysis->damaged_bytes);
	for (size_t i = 0; !err && i < capture->missing_count; i++)
		err = header_say(header, "", true, "%s", capture->missing[i].sentence);
	return err;
}

static int header_say_loss(struct header *header, const struct capture *capture,
			   const struct analysis *analysis)
{
	const struct analysis_loss *loss = &analysis->loss;
	const char *only_these = header->wanted.rows == 1 ? "only events of process "
							  : "only events of processes ";
	char own[48] = "own unknown", percent[40];
	int err;

	if (loss->own_known)
		snprintf(own, sizeof(own), "own %" PRIu64 " of the recorded", loss->own);
	err = header_say(header, "events", false,
			 "seen %" PRIu64 " = recorded %" PRIu64 " + lost %" PRIu64
			 " + skipped %" PRIu64 "; %s",
			 loss->seen, loss->recorded, loss->lost, loss->skipped, own);
	if (!err && !loss->own_known && capture->has_status)
		err = header_say(header, "", true,
				 "kmemtraced's own tasks are not known: what it allocated itself "
				 "counts as any other");
	if (!err && !loss->seen)
		err = header_say(header, "", true, "no events");
	if (!err && loss->lost)
		err = header_say_cpus(header, analysis);
	if (!err && (loss->lost || loss->skipped)) {
		percent_text(header->loss_percent, percent, sizeof(percent));
		err = header_say(header, "", true,
				 "%s of the events are lost or skipped; each may be an allocation "
				 "or a free: live may be wrong by up to %" PRIu64 " objects",
				 percent, loss->lost + loss->skipped);
	}
	if (!err && header->wanted.rows && loss->skipped)
		err = header_say(header, "", true,
				 "the kernel tells skipped events of all processes together: of "
				 "these ones there may be fewer, down to none");
	if (!err && loss->skipped_partial)
		err = header_say(header, "", true, "%s",
				 capture->has_status && capture->status.skipped == STATUS_UNKNOWN
					 ? "this kernel does not tell all events that it skipped"
					 : "events skipped after the last packet are not known");
	if (!err && header->wanted.rows)
		err = header_say_list(header, only_these, &header->wanted,
				      ": frees by others are not observed, so live is an upper "
				      "bound and cross-CPU frees a lower one");
	if (!err && header->unobserved.rows)
		err = header_say_list(header, "not observed on this kernel: ", &header->unobserved,
				      ": what these allocate or free is missing");
	if (!err && analysis->caches_unknown)
		err = header_say(header, "", true,
				 "%" PRIu64 " events of slab caches without a name: their sizes "
				 "count as 0",
				 analysis->caches_unknown);
	return err;
}

static int header_say_totals(struct header *header, const struct analysis *analysis)
{
	const struct analysis_totals *totals = &analysis->totals;
	int err;

	err = header_say(header, "allocated", false,
			 "%" PRIu64 " objects, %" PRIu64 " bytes requested, %" PRIu64
			 " bytes allocated, fragmentation %.2f%%; %" PRIu64 " failed",
			 totals->allocations, totals->bytes_requested, totals->bytes_allocated,
			 analysis_fragmentation(totals->bytes_requested, totals->bytes_allocated),
			 totals->failed);
	if (!err)
		err = header_say(
			header, "freed", false,
			"%" PRIu64 " objects, %" PRIu64 " of them cross-CPU, %" PRIu64
			" allocated before the capture or unseen; frees of no object: %" PRIu64,
			totals->frees, totals->cross_cpu_frees, totals->frees_unmatched,
			totals->null_frees);
	if (!err)
		err = header_say(header, "live", false, "%" PRIu64 " object%s, %" PRIu64 " bytes",
				 totals->live_objects, totals->live_objects == 1 ? "" : "s",
				 totals->live_bytes);
	if (!err && totals->missed_frees)
		err = header_say(header, "", true,
				 "%" PRIu64 " objects were freed unseen: their address was "
				 "allocated again",
				 totals->missed_frees);
	if (!err && (totals->own_allocations || totals->own_frees))
		err = header_say(header, "left out", false,
				 "kmemtraced's own allocations: %" PRIu64
				 ", and their frees: %" PRIu64,
				 totals->own_allocations, totals->own_frees);
	if (!err && totals->unknown)
		err = header_say(header, "", true,
				 "%" PRIu64 " records of kinds that this version does not know",
				 totals->unknown);
	return err;
}

int header_init(struct header *header, const struct capture *capture,
		const struct analysis *analysis)
{
	const struct analysis_loss *loss = &analysis->loss;
	int err;

	memset(header, 0, sizeof(*header));
	header_utc_text(capture->metadata.wall_offset + analysis->begin, header->start,
			sizeof(header->start));
	if (loss->seen)
		header->loss_percent =
			100.0 * ((double)loss->lost + (double)loss->skipped) / (double)loss->seen;
	err = header_lists(header, capture, analysis);
	header_values(header, capture, analysis);
	if (!err)
		err = header_say_capture(header, capture, analysis);
	if (!err)
		err = header_say_loss(header, capture, analysis);
	if (!err)
		err = header_say_totals(header, analysis);
	if (err)
		header_deinit(header);
	return err;
}

void header_deinit(struct header *header)
{
	table_deinit(&header->cpus);
	table_deinit(&header->unobserved);
	table_deinit(&header->wanted);
	for (size_t i = 0; i < header->line_count; i++)
		free(header->lines[i].text);
	free(header->lines);
	header->lines = NULL;
	header->line_count = 0;
}
