// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The view findings: each kind of error at each pair of call sites, with its first case. A text has
 * the certain findings, and the number of the others by kind, unless all are requested.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/render/render.h"
#include "report/views/event_clock.h"
#include "report/views/row_names.h"
#include "report/views/view.h"
#include "analysis/heap_findings.h"
#include "kernel/tasks.h"

#define NSEC_PER_SEC 1000000000

static const struct column_choice columns[] = {
	{ .name = COLUMN_kind },
	{ .name = COLUMN_certainty },
	{ .name = COLUMN_count },
	{ .name = COLUMN_certain },
	{ .name = COLUMN_alloc_site, .where = COLUMN_BELOW },
	{ .name = COLUMN_free_site, .where = COLUMN_BELOW },
	{ .name = COLUMN_other_site, .where = COLUMN_BELOW },
	{ .name = COLUMN_cache, .where = COLUMN_BELOW },
	{ .name = COLUMN_free_cache, .where = COLUMN_BELOW },
	{ .name = COLUMN_first_time, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_last_time, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_address,
	  .where = COLUMN_NOT_IN_TEXT,
	  .legend = "the address of the object" },
	{ .name = COLUMN_cpu, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_task, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_pid, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_tid, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_comm, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_alloc_time, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_alloc_cpu, .where = COLUMN_NOT_IN_TEXT, .header = "cpu", .unit = "" },
	{ .name = COLUMN_alloc_task, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_alloc_pid, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_alloc_tid, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_alloc_comm, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_other_time, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_bytes_requested,
	  .where = COLUMN_NOT_IN_TEXT,
	  .legend = "bytes requested in the first case" },
	{ .name = COLUMN_bytes_allocated,
	  .where = COLUMN_NOT_IN_TEXT,
	  .legend = "bytes allocated in the first case" },
	{ .name = COLUMN_gfp, .where = COLUMN_BELOW },
	{ .name = COLUMN_first_case, .where = COLUMN_BELOW },
	{ .name = COLUMN_because, .where = COLUMN_BELOW },
	{ 0 },
};

static const struct column_choice count_columns[] = {
	{ .name = COLUMN_kind },
	{ .name = COLUMN_certainty },
	{ .name = COLUMN_count },
	{ .name = COLUMN_rows },
	{ 0 },
};

/* Of a text: the page has these sentences beside each finding. */
static const struct column_choice kind_columns[] = {
	{ .name = COLUMN_kind },
	{ .name = COLUMN_about, .where = COLUMN_BELOW },
	{ 0 },
};

static void put_time(FILE *file, const struct report *report, const char *prefix, uint64_t time)
{
	int64_t ns = report_time(report, time);
	uint64_t part = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;

	if (event_clock_is(report->capture)) {
		fprintf(file, "%sevent %" PRId64, prefix, ns);
		return;
	}
	fprintf(file, "%s%s%" PRIu64 ".%09" PRIu64 " s", prefix, ns < 0 ? "-" : "",
		part / NSEC_PER_SEC, part % NSEC_PER_SEC);
}

/* The first case in words, with the times, CPUs and tasks of the events. */
static char *describe_first(const struct report *report, const struct heap_finding *found,
			    const char *task, const char *alloc_task)
{
	char *text = NULL;
	size_t size;
	FILE *file = text_open(&text, &size);

	if (!file)
		return NULL;
	if (found->address)
		fprintf(file, "0x%" PRIx64 " ", found->address);
	put_time(file, report, "at ", found->first_time);
	fprintf(file, " on CPU %u by %s", found->cpu, task);
	if (*alloc_task && found->kind != FINDING_OVERLAP &&
	    found->kind != FINDING_SHORT_ALLOCATION) {
		put_time(file, report, "; allocated at ", found->alloc_time);
		fprintf(file, " on CPU %u by %s", found->alloc_cpu, alloc_task);
	}
	if (found->kind == FINDING_DOUBLE_FREE)
		put_time(file, report, "; freed first at ", found->other_time);
	if (found->kind == FINDING_OVERLAP)
		put_time(file, report, "; the overlapped object was allocated at ",
			 found->other_time);
	if (found->kind == FINDING_SHORT_ALLOCATION || found->kind == FINDING_FAILED_ALLOCATION)
		fprintf(file, "; %" PRIu32 " bytes requested", found->requested);
	if (found->kind == FINDING_SHORT_ALLOCATION)
		fprintf(file, ", %" PRIu32 " allocated", found->allocated);
	text_close(file, &text);
	return text;
}

/* unobserved: names of the paths that are not observed, or "". */
static char *list_reasons(const struct heap_finding *found, const char *unobserved)
{
	const char *separator = "";
	char *text = NULL;
	size_t size;
	FILE *file = text_open(&text, &size);

	if (!file)
		return NULL;
	for (unsigned int i = 0; i < FINDING_REASONS; i++) {
		if (!(found->reasons & 1U << i))
			continue;
		fprintf(file, "%s%s", separator, finding_reason_text(1U << i, found->kind));
		separator = "; ";
		if (1U << i == REASON_UNOBSERVED && *unobserved)
			fprintf(file, " (%s)", unobserved);
	}
	text_close(file, &text);
	return text;
}

static char *text_of_gfp(const struct report *report, const struct heap_finding *found)
{
	char text[512];

	if (found->kind != FINDING_FAILED_ALLOCATION)
		return strdup("");
	return strdup(gfp_text(&report->capture->gfp, found->gfp, text, sizeof(text)));
}

static int64_t time_of(const struct report *report, uint64_t time)
{
	return time ? report_time(report, time) : TIME_UNKNOWN;
}

/* Three cells, side by side: process, thread and name of a task; null where that is not known. */
static int set_task(const struct report *report, struct cell *cells, uint32_t tid, uint64_t time)
{
	const struct task *task = tasks_find(&report->capture->tasks, tid, time);

	cells[0].number = task ? task->tgid : CELL_UNKNOWN;
	cells[1].number = tid;
	cells[2].text = task ? strdup(task->comm) : NULL;
	return task && !cells[2].text ? -ENOMEM : 0;
}

static int set_tasks(const struct report *report, struct table *table,
		     const struct heap_finding *found, uint64_t alloc_time)
{
	struct cell *alloc = table_cell(table, COLUMN_alloc_pid);
	int err = set_task(report, table_cell(table, COLUMN_pid), found->task, found->first_time);

	if (!err && found->alloc_time)
		return set_task(report, alloc, found->alloc_task, alloc_time);
	alloc[0].number = alloc[1].number = CELL_UNKNOWN;
	return err;
}

static int add_finding_row(struct report *report, struct table *table,
			   const struct heap_finding *found, const char *unobserved)
{
	uint64_t time = found->alloc_time ? found->alloc_time : found->first_time;
	bool allocated = found->alloc_time;

	if (!table_add(table))
		return -ENOMEM;
	table_cell(table, COLUMN_kind)->text = strdup(finding_kind_text(found->kind));
	table_cell(table, COLUMN_certainty)->text = strdup(certainty_text(found->certainty));
	table_cell(table, COLUMN_count)->number = found->count;
	table_cell(table, COLUMN_certain)->number = found->certain;
	table_cell(table, COLUMN_alloc_site)->text = site_name(report, found->alloc_site, time);
	table_cell(table, COLUMN_free_site)->text =
		site_name(report, found->free_site, found->first_time);
	table_cell(table, COLUMN_other_site)->text =
		site_name(report, found->other_site,
			  found->other_time ? found->other_time : found->first_time);
	table_cell(table, COLUMN_cache)->text = strdup(cache_name(report, found->cache));
	table_cell(table, COLUMN_free_cache)->text = strdup(cache_name(report, found->free_cache));
	table_cell(table, COLUMN_first_time)->time = report_time(report, found->first_time);
	table_cell(table, COLUMN_last_time)->time = report_time(report, found->last_time);
	table_cell(table, COLUMN_address)->number = found->address;
	table_cell(table, COLUMN_cpu)->number = found->cpu;
	table_cell(table, COLUMN_task)->text = task_name(report, found->task, found->first_time);
	table_cell(table, COLUMN_alloc_time)->time = time_of(report, found->alloc_time);
	table_cell(table, COLUMN_alloc_cpu)->number = allocated ? found->alloc_cpu : CELL_UNKNOWN;
	table_cell(table, COLUMN_alloc_task)->text =
		allocated ? task_name(report, found->alloc_task, time) : strdup("");
	table_cell(table, COLUMN_other_time)->time = time_of(report, found->other_time);
	table_cell(table, COLUMN_bytes_requested)->number = found->requested;
	table_cell(table, COLUMN_bytes_allocated)->number = found->allocated;
	table_cell(table, COLUMN_gfp)->text = text_of_gfp(report, found);
	if (table_cell(table, COLUMN_task)->text && table_cell(table, COLUMN_alloc_task)->text)
		table_cell(table, COLUMN_first_case)->text =
			describe_first(report, found, table_cell(table, COLUMN_task)->text,
				       table_cell(table, COLUMN_alloc_task)->text);
	table_cell(table, COLUMN_because)->text = list_reasons(found, unobserved);
	for (size_t i = 0; i < table->column_count; i++)
		if (table->columns[i].type == COLUMN_TEXT && table->names[i] != COLUMN_comm &&
		    table->names[i] != COLUMN_alloc_comm &&
		    !table_cell(table, table->names[i])->text)
			return -ENOMEM;
	return set_tasks(report, table, found, time);
}

/* Does the table leave out the finding? Programs get all findings, and filter them. */
static bool is_counted_only(const struct report *report, const struct heap_finding *found)
{
	return report->renderer->for_people && !report->all_findings &&
	       found->certainty != CERTAINTY_CERTAIN;
}

int findings_table(struct report *report, struct table *table)
{
	const struct heap_findings *findings = report->analysis.findings;
	/* the header of a text lists them already */
	char *unobserved = report->renderer->for_people
				   ? strdup("")
				   : status_unobserved_names(&report->capture->status, ", ");
	bool counts = false;
	int err = unobserved ? 0 : -ENOMEM;

	table->key = "findings";
	table->sort = "-certain,-certainty,kind,count";
	table->tiebreak = table_column(table, COLUMN_first_time);
	for (size_t i = 0; findings && i < heap_findings_count(findings) && !err; i++) {
		if (is_counted_only(report, heap_findings_get(findings, i)))
			counts = true;
		else
			err = add_finding_row(report, table, heap_findings_get(findings, i),
					      unobserved);
	}
	free(unobserved);
	if (report->filter_count)
		table->empty = counts ? "No certain finding in the selected events."
				      : "No finding in the selected events.";
	else
		table->empty = counts ? "No certain finding in this capture."
				      : "No finding in this capture.";
	return err;
}

/* The cases of a kind whose certainty is below certain. 0 or -ENOMEM. */
static int add_count(struct report *report, struct table *table, enum finding_kind kind,
		     enum certainty certainty)
{
	const struct heap_findings *findings = report->analysis.findings;
	uint64_t cases = 0, rows = 0;

	for (size_t i = 0; i < heap_findings_count(findings); i++) {
		const struct heap_finding *found = heap_findings_get(findings, i);

		if (found->kind != kind || found->certainty != certainty)
			continue;
		cases += found->count;
		rows++;
	}
	if (!rows)
		return 0;
	if (!table_add(table))
		return -ENOMEM;
	table_cell(table, COLUMN_kind)->text = strdup(finding_kind_text(kind));
	table_cell(table, COLUMN_certainty)->text = strdup(certainty_text(certainty));
	table_cell(table, COLUMN_count)->number = cases;
	table_cell(table, COLUMN_rows)->number = rows;
	return table_cell(table, COLUMN_kind)->text && table_cell(table, COLUMN_certainty)->text
		       ? 0
		       : -ENOMEM;
}

int finding_counts_table(struct report *report)
{
	const struct heap_findings *findings = report->analysis.findings;
	size_t count = findings ? heap_findings_count(findings) : 0, certain = 0;
	struct table *table;
	int err = 0;

	while (certain < count &&
	       heap_findings_get(findings, certain)->certainty == CERTAINTY_CERTAIN)
		certain++;
	if (report->renderer->for_people && (report->all_findings || certain == count))
		return 0;
	table = report_add_table(report, count_columns);
	table->key = "not_certain";
	table->title =
		"Possible and legal findings (kmemtrace-report findings --possible lists them)";
	table->sort = "-certainty,kind";
	table->tiebreak = table_column(table, COLUMN_kind);
	for (unsigned int kind = 0; kind < FINDING_KIND_COUNT && count && !err; kind++) {
		for (int certainty = CERTAINTY_POSSIBLE; certainty >= CERTAINTY_LEGAL && !err;
		     certainty--)
			err = add_count(report, table, kind, (enum certainty)certainty);
	}
	return err;
}

/* The meaning of each kind that was found. */
static int kinds_table(struct report *report)
{
	const struct heap_findings *findings = report->analysis.findings;
	struct table *table = report_add_table(report, kind_columns);
	uint32_t found = 0;

	table->key = "kinds";
	table->title = "What the kinds mean";
	table->sort = "kind";
	for (size_t i = 0; i < heap_findings_count(findings); i++)
		found |= 1U << heap_findings_get(findings, i)->kind;
	for (unsigned int kind = 0; kind < FINDING_KIND_COUNT; kind++) {
		if (!(found & 1U << kind))
			continue;
		if (!table_add(table))
			return -ENOMEM;
		table_cell(table, COLUMN_kind)->text = strdup(finding_kind_text(kind));
		table_cell(table, COLUMN_about)->text = strdup(finding_kind_about(kind));
		if (!table_cell(table, COLUMN_kind)->text || !table_cell(table, COLUMN_about)->text)
			return -ENOMEM;
	}
	return 0;
}

static int make_findings(struct report *report)
{
	const struct heap_findings *findings = report->analysis.findings;
	struct table *table = report_add_table(report, columns);
	int err = findings_table(report, table);

	table->title = report->all_findings ? "Findings" : "Certain findings";
	if (!err)
		err = finding_counts_table(report);
	if (err || !report->renderer->for_people || !findings || !heap_findings_count(findings))
		return err;
	return kinds_table(report);
}

const struct view view_findings = {
	.name = "findings",
	.needs_all = "checks each event",
	.summary = "certain errors, as double frees; with --possible others too",
	.columns = columns,
	.by = GROUP_BY_SITE,
	.findings = true,
	.make = make_findings,
};
