// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Text for a mail to a list of kernel developers: plain ASCII in less than 75 columns, first the
 * kernel, the capture and its losses, a line for each, and then the first rows of the tables.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/render/render.h"

#define LKML_WIDTH 74
#define LKML_ROWS 10

/* NULL: the header has no such field. */
static const struct field *find_header_field(const struct header *header, const char *section,
					     const char *key)
{
	for (size_t i = 0; i < header->section_count; i++) {
		const struct section *at = &header->sections[i];

		for (size_t j = 0; !strcmp(at->key, section) && j < at->count; j++)
			if (!strcmp(at->fields[j].key, key))
				return &at->fields[j];
	}
	return NULL;
}

/* "unknown": the header has no such text. */
static const char *text_of(const struct header *header, const char *section, const char *key)
{
	const struct field *field = find_header_field(header, section, key);

	return field && field->type == FIELD_TEXT && *field->text ? field->text : "unknown";
}

static uint64_t number_of(const struct header *header, const char *section, const char *key)
{
	const struct field *field = find_header_field(header, section, key);

	return field && field->type == FIELD_NUMBER ? field->number : 0;
}

static bool truth_of(const struct header *header, const char *section, const char *key)
{
	const struct field *field = find_header_field(header, section, key);

	return field && field->type == FIELD_BOOL && field->truth;
}

static const struct table *list_of(const struct header *header, const char *section,
				   const char *key)
{
	const struct field *field = find_header_field(header, section, key);

	return field && field->type == FIELD_LIST && field->table->rows ? field->table : NULL;
}

static int add_list(struct header *lines, const char *label, const struct table *list,
		    const char *before, const char *after)
{
	return list ? header_add_list_line(lines, label, false, before, list, after) : 0;
}

static int add_kernel_lines(struct header *lines, const struct header *header)
{
	const struct field *duration = find_header_field(header, "capture", "duration_s");
	const struct field *imported = find_header_field(header, "capture", "imported");
	uint64_t cpus = number_of(header, "capture", "cpus");
	char length[40] = "no times";
	int err;

	if (duration)
		snprintf(length, sizeof(length), "%.3f s", duration->decimal);
	err = header_add_line(lines, "kernel", false, "Linux %s %s, %" PRIu64 " CPU%s",
			      text_of(header, "capture", "kernel"),
			      text_of(header, "capture", "arch"), cpus, cpus == 1 ? "" : "s");
	if (!err)
		err = header_add_line(lines, "capture", false, "%s, %s, state: %s, ended by: %s",
				      text_of(header, "capture", "start"), length,
				      text_of(header, "capture", "state"),
				      text_of(header, "capture", "stopped"));
	if (!err && imported && imported->type == FIELD_TEXT)
		err = header_add_line(lines, "imported", false, "%s", imported->text);
	if (!err)
		err = add_list(lines, "options", list_of(header, "loss", "filtered_pids"),
			       "only events of these processes were traced: ", "");
	if (!err && number_of(header, "loss", "own"))
		err = header_add_line(lines, "own", false,
				      "%" PRIu64 " of the recorded events are kmemtraced's own",
				      number_of(header, "loss", "own"));
	return err;
}

static int add_report(struct header *lines, const struct header *header)
{
	const struct field *by = find_header_field(header, "report", "by");
	bool has_by = by && by->type == FIELD_TEXT;
	int err = header_add_line(lines, "report", false,
				  "kmemtrace-report " PACKAGE_VERSION ": %s%s%s",
				  text_of(header, "report", "view"), has_by ? " --by=" : "",
				  has_by ? by->text : "");

	return err ? err : add_list(lines, "filters", list_of(header, "report", "filters"), "", "");
}

static int add_loss(struct header *lines, const struct header *header)
{
	uint64_t damaged = number_of(header, "capture", "damaged_bytes");
	uint64_t unknown = number_of(header, "totals", "unknown");
	const struct table *unobserved = list_of(header, "loss", "unobserved");
	int err = header_add_line(lines, "events", false, "%" PRIu64 " seen, %" PRIu64 " recorded",
				  number_of(header, "loss", "seen"),
				  number_of(header, "loss", "recorded"));

	if (!err)
		err = header_add_line(lines, "lost", false, "%" PRIu64,
				      number_of(header, "loss", "lost"));
	if (!err)
		err = header_add_line(lines, "skipped", false, "%" PRIu64 "%s",
				      number_of(header, "loss", "skipped"),
				      truth_of(header, "loss", "skipped_partial")
					      ? " or more: not all are known"
					      : "");
	if (!err && unobserved)
		err = header_add_list_line(lines, "unseen", false, "not observed: ", unobserved,
					   "");
	else if (!err)
		err = header_add_line(lines, "unseen", false,
				      "no path of the allocator is known that was not observed");
	if (!err && damaged)
		err = header_add_line(lines, "damaged", false, "%" PRIu64 " bytes were ignored",
				      damaged);
	if (!err && unknown)
		err = header_add_line(lines, "unknown", false,
				      "%" PRIu64
				      " records of kinds that this version does not know",
				      unknown);
	return err;
}

static int add_totals(struct header *lines, const struct header *header)
{
	uint64_t wrong = number_of(header, "totals", "live_error_objects");
	const char *bound = truth_of(header, "totals", "live_upper_bound") ? "<= " : "";
	int err;

	if (!truth_of(header, "loss", "slab_recorded"))
		return header_add_line(lines, "slab", false, "slab events were not recorded");
	err = header_add_line(lines, "allocated", false,
			      "%" PRIu64 " objects, %" PRIu64 " bytes; freed %" PRIu64 " objects",
			      number_of(header, "totals", "allocations"),
			      number_of(header, "totals", "bytes_allocated"),
			      number_of(header, "totals", "frees"));
	if (!err)
		err = header_add_line(lines, "live", false,
				      "%s%" PRIu64 " objects, %s%" PRIu64
				      " bytes at the end of the window",
				      bound, number_of(header, "totals", "live_objects"), bound,
				      number_of(header, "totals", "live_bytes"));
	if (!err && wrong)
		err = header_add_line(lines, "", false,
				      "live may be wrong by up to %" PRIu64 " object%s", wrong,
				      wrong == 1 ? "" : "s");
	return err;
}

/* A capture of samples. */
static int add_estimates(struct header *lines, const struct header *header)
{
	if (!find_header_field(header, "estimates", "samples"))
		return 0;
	return header_add_line(lines, "estimates", false,
			       "%" PRIu64 " samples, one in %" PRIu64
			       " bytes; 95 %% interval of live: %" PRIu64 " to %" PRIu64 " bytes",
			       number_of(header, "estimates", "samples"),
			       number_of(header, "estimates", "interval_bytes"),
			       number_of(header, "estimates", "live_bytes_low"),
			       number_of(header, "estimates", "live_bytes_high"));
}

/* The host name is not printed: a list is public. */
static int lkml_print(const struct output *output, const struct header *header,
		      const struct table *tables, size_t table_count)
{
	const struct output plain = { .file = output->file, .width = LKML_WIDTH };
	struct header lines = { 0 };
	int err = add_kernel_lines(&lines, header);

	if (!err)
		err = add_report(&lines, header);
	if (!err)
		err = add_loss(&lines, header);
	if (!err)
		err = add_totals(&lines, header);
	if (!err)
		err = add_estimates(&lines, header);
	if (!err)
		err = text_print_without_legends(&plain, &lines, tables, table_count);
	header_deinit(&lines);
	return err;
}

const struct renderer renderer_lkml = {
	.name = "lkml",
	.for_people = true,
	.rows_max = LKML_ROWS,
	.has_header = true,
	.print = lkml_print,
};
