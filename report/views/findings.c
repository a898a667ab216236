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

enum findings_column {
	FINDINGS_COLUMN_KIND,
	FINDINGS_COLUMN_CERTAINTY,
	FINDINGS_COLUMN_COUNT,
	FINDINGS_COLUMN_CERTAIN,
	FINDINGS_COLUMN_ALLOC_SITE,
	FINDINGS_COLUMN_FREE_SITE,
	FINDINGS_COLUMN_OTHER_SITE,
	FINDINGS_COLUMN_CACHE,
	FINDINGS_COLUMN_FREE_CACHE,
	FINDINGS_COLUMN_FIRST_TIME,
	FINDINGS_COLUMN_LAST_TIME,
	FINDINGS_COLUMN_ADDRESS,
	FINDINGS_COLUMN_CPU,
	FINDINGS_COLUMN_TASK,
	FINDINGS_COLUMN_PID,
	FINDINGS_COLUMN_TID,
	FINDINGS_COLUMN_COMM,
	FINDINGS_COLUMN_ALLOC_TIME,
	FINDINGS_COLUMN_ALLOC_CPU,
	FINDINGS_COLUMN_ALLOC_TASK,
	FINDINGS_COLUMN_ALLOC_PID,
	FINDINGS_COLUMN_ALLOC_TID,
	FINDINGS_COLUMN_ALLOC_COMM,
	FINDINGS_COLUMN_OTHER_TIME,
	FINDINGS_COLUMN_REQUESTED,
	FINDINGS_COLUMN_ALLOCATED,
	FINDINGS_COLUMN_GFP,
	FINDINGS_COLUMN_FIRST,
	FINDINGS_COLUMN_BECAUSE,
	FINDINGS_COLUMNS
};

static const struct column columns[FINDINGS_COLUMNS] = {
	[FINDINGS_COLUMN_KIND] = { "kind", "kind", "", COLUMN_TEXT, 0, COLUMN_ALWAYS,
				   "kind of error: kmemtrace-report(1) explains each kind" },
	[FINDINGS_COLUMN_CERTAINTY] = { "certainty", "certainty", "", COLUMN_TEXT, 0, COLUMN_ALWAYS,
					"certain: no unrecorded event can explain it; possible: an unrecorded event can; legal: allowed on this kernel" },
	[FINDINGS_COLUMN_COUNT] = { "count", "cases", "", COLUMN_NUMBER, 0, COLUMN_ALWAYS,
				    "number of cases" },
	[FINDINGS_COLUMN_CERTAIN] = { "certain", "certain", "cases", COLUMN_NUMBER, 0,
				      COLUMN_ALWAYS, "number of certain cases" },
	[FINDINGS_COLUMN_ALLOC_SITE] = { "alloc_site", "allocated by", "", COLUMN_TEXT, 0,
					 COLUMN_BELOW, NULL },
	[FINDINGS_COLUMN_FREE_SITE] = { "free_site", "freed by", "", COLUMN_TEXT, 0, COLUMN_BELOW,
					NULL },
	[FINDINGS_COLUMN_OTHER_SITE] = { "other_site", "other site", "", COLUMN_TEXT, 0,
					 COLUMN_BELOW,
					 "of a double free: the site that freed the object first; of an overlap: the site that allocated the overlapped object; of a missed free: the site that allocated the address again" },
	[FINDINGS_COLUMN_CACHE] = { "cache", "cache", "", COLUMN_TEXT, 0, COLUMN_BELOW, NULL },
	[FINDINGS_COLUMN_FREE_CACHE] = { "free_cache", "other cache", "", COLUMN_TEXT, 0,
					 COLUMN_BELOW,
					 "the cache that the free named; of an overlap: the cache of the overlapped object" },
	[FINDINGS_COLUMN_FIRST_TIME] = { "first_time", "first", "", COLUMN_TIME, 0,
					 COLUMN_NOT_IN_TEXT, NULL },
	[FINDINGS_COLUMN_LAST_TIME] = { "last_time", "last", "", COLUMN_TIME, 0, COLUMN_NOT_IN_TEXT,
					NULL },
	[FINDINGS_COLUMN_ADDRESS] = { "address", "address", "", COLUMN_HEX, 0, COLUMN_NOT_IN_TEXT,
				      NULL },
	[FINDINGS_COLUMN_CPU] = { "cpu", "cpu", "", COLUMN_ID, 0, COLUMN_NOT_IN_TEXT, NULL },
	[FINDINGS_COLUMN_TASK] = { "task", "task", "", COLUMN_TEXT, 0, COLUMN_NOT_IN_TEXT, NULL },
	[FINDINGS_COLUMN_PID] = { "pid", "pid", "", COLUMN_ID, 0, COLUMN_NOT_IN_TEXT, NULL },
	[FINDINGS_COLUMN_TID] = { "tid", "tid", "", COLUMN_ID, 0, COLUMN_NOT_IN_TEXT, NULL },
	[FINDINGS_COLUMN_COMM] = { "comm", "comm", "", COLUMN_TEXT, 0, COLUMN_NOT_IN_TEXT, NULL },
	[FINDINGS_COLUMN_ALLOC_TIME] = { "alloc_time", "allocated", "", COLUMN_TIME, 0,
					 COLUMN_NOT_IN_TEXT, NULL },
	[FINDINGS_COLUMN_ALLOC_CPU] = { "alloc_cpu", "cpu", "", COLUMN_ID, 0, COLUMN_NOT_IN_TEXT,
					NULL },
	[FINDINGS_COLUMN_ALLOC_TASK] = { "alloc_task", "task", "", COLUMN_TEXT, 0,
					 COLUMN_NOT_IN_TEXT, NULL },
	[FINDINGS_COLUMN_ALLOC_PID] = { "alloc_pid", "pid", "", COLUMN_ID, 0, COLUMN_NOT_IN_TEXT,
					NULL },
	[FINDINGS_COLUMN_ALLOC_TID] = { "alloc_tid", "tid", "", COLUMN_ID, 0, COLUMN_NOT_IN_TEXT,
					NULL },
	[FINDINGS_COLUMN_ALLOC_COMM] = { "alloc_comm", "comm", "", COLUMN_TEXT, 0,
					 COLUMN_NOT_IN_TEXT, NULL },
	[FINDINGS_COLUMN_OTHER_TIME] = { "other_time", "other", "", COLUMN_TIME, 0,
					 COLUMN_NOT_IN_TEXT, NULL },
	[FINDINGS_COLUMN_REQUESTED] = { "bytes_requested", "requested", "bytes", COLUMN_NUMBER, 0,
					COLUMN_NOT_IN_TEXT, NULL },
	[FINDINGS_COLUMN_ALLOCATED] = { "bytes_allocated", "allocated", "bytes", COLUMN_NUMBER, 0,
					COLUMN_NOT_IN_TEXT, NULL },
	[FINDINGS_COLUMN_GFP] = { "gfp", "gfp", "", COLUMN_TEXT, 0, COLUMN_BELOW, NULL },
	[FINDINGS_COLUMN_FIRST] = { "first_case", "first case", "", COLUMN_TEXT, 0, COLUMN_BELOW,
				    NULL },
	[FINDINGS_COLUMN_BECAUSE] = { "because", "possible because", "", COLUMN_TEXT, 0,
				      COLUMN_BELOW,
				      "the reasons why the case is not certain. The header lists the paths that are not observed" },
};

enum count_column {
	COUNT_KIND,
	COUNT_CERTAINTY,
	COUNT_CASES,
	COUNT_ROWS,
	COUNT_COLUMNS
};

static const struct column count_columns[COUNT_COLUMNS] = {
	[COUNT_KIND] = { "kind", "kind", "", COLUMN_TEXT, 0, COLUMN_ALWAYS, NULL },
	[COUNT_CERTAINTY] = { "certainty", "certainty", "", COLUMN_TEXT, 0, COLUMN_ALWAYS, NULL },
	[COUNT_CASES] = { "count", "cases", "", COLUMN_NUMBER, 0, COLUMN_ALWAYS, NULL },
	[COUNT_ROWS] = { "rows", "rows", "", COLUMN_NUMBER, 0, COLUMN_ALWAYS,
			 "different call sites and caches of the cases" },
};

enum kind_column {
	KIND_NAME,
	KIND_ABOUT,
	KIND_COLUMNS
};

/* Of a text: the page has these sentences beside each finding. */
static const struct column kind_columns[KIND_COLUMNS] = {
	[KIND_NAME] = { "kind", "kind", "", COLUMN_TEXT, 0, COLUMN_ALWAYS, NULL },
	[KIND_ABOUT] = { "about", "means", "", COLUMN_TEXT, 0, COLUMN_BELOW, NULL },
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
	FILE *file = open_memstream(&text, &size);

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

/* " (a, b)": the paths that are not observed. The header of a text lists them already. */
static void put_unobserved(FILE *file, const struct report *report)
{
	const struct status *status = &report->capture->status;
	const char *separator = " (";

	for (size_t i = 0; i < status->path_count && !report->renderer->for_people; i++) {
		if (status->paths[i].observed)
			continue;
		fprintf(file, "%s%s", separator, status->paths[i].name);
		separator = ", ";
	}
	fputs(*separator == ',' ? ")" : "", file);
}

static char *list_reasons(const struct report *report, const struct heap_finding *found)
{
	const char *separator = "";
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return NULL;
	for (unsigned int i = 0; i < FINDING_REASONS; i++) {
		if (!(found->reasons & 1U << i))
			continue;
		fprintf(file, "%s%s", separator, finding_reason_text(1U << i, found->kind));
		separator = "; ";
		if (1U << i == REASON_UNOBSERVED)
			put_unobserved(file, report);
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

/* Three cells: the process, the thread and the name of a task; null where that is not known. */
static int set_task(const struct report *report, struct cell *cells, uint32_t tid, uint64_t time)
{
	const struct task *task = tasks_find(&report->capture->tasks, tid, time);

	cells[0].number = task ? task->tgid : CELL_UNKNOWN;
	cells[1].number = tid;
	cells[2].text = task ? strdup(task->comm) : NULL;
	return task && !cells[2].text ? -ENOMEM : 0;
}

static int set_tasks(const struct report *report, struct cell *row,
		     const struct heap_finding *found, uint64_t alloc_time)
{
	struct cell *alloc = &row[FINDINGS_COLUMN_ALLOC_PID];
	int err = set_task(report, &row[FINDINGS_COLUMN_PID], found->task, found->first_time);

	if (!err && found->alloc_time)
		return set_task(report, alloc, found->alloc_task, alloc_time);
	alloc[0].number = alloc[1].number = CELL_UNKNOWN;
	return err;
}

static int add_row(struct report *report, struct table *table, const struct heap_finding *found)
{
	struct cell *row = table_add(table);
	uint64_t time = found->alloc_time ? found->alloc_time : found->first_time;
	bool allocated = found->alloc_time;

	if (!row)
		return -ENOMEM;
	row[FINDINGS_COLUMN_KIND].text = strdup(finding_kind_text(found->kind));
	row[FINDINGS_COLUMN_CERTAINTY].text = strdup(certainty_text(found->certainty));
	row[FINDINGS_COLUMN_COUNT].number = found->count;
	row[FINDINGS_COLUMN_CERTAIN].number = found->certain;
	row[FINDINGS_COLUMN_ALLOC_SITE].text = site_name(report, found->alloc_site, time);
	row[FINDINGS_COLUMN_FREE_SITE].text =
		site_name(report, found->free_site, found->first_time);
	row[FINDINGS_COLUMN_OTHER_SITE].text =
		site_name(report, found->other_site,
			  found->other_time ? found->other_time : found->first_time);
	row[FINDINGS_COLUMN_CACHE].text = strdup(cache_name(report, found->cache));
	row[FINDINGS_COLUMN_FREE_CACHE].text = strdup(cache_name(report, found->free_cache));
	row[FINDINGS_COLUMN_FIRST_TIME].time = report_time(report, found->first_time);
	row[FINDINGS_COLUMN_LAST_TIME].time = report_time(report, found->last_time);
	row[FINDINGS_COLUMN_ADDRESS].number = found->address;
	row[FINDINGS_COLUMN_CPU].number = found->cpu;
	row[FINDINGS_COLUMN_TASK].text = task_name(report, found->task, found->first_time);
	row[FINDINGS_COLUMN_ALLOC_TIME].time = time_of(report, found->alloc_time);
	row[FINDINGS_COLUMN_ALLOC_CPU].number = allocated ? found->alloc_cpu : CELL_UNKNOWN;
	row[FINDINGS_COLUMN_ALLOC_TASK].text =
		allocated ? task_name(report, found->alloc_task, time) : strdup("");
	row[FINDINGS_COLUMN_OTHER_TIME].time = time_of(report, found->other_time);
	row[FINDINGS_COLUMN_REQUESTED].number = found->requested;
	row[FINDINGS_COLUMN_ALLOCATED].number = found->allocated;
	row[FINDINGS_COLUMN_GFP].text = text_of_gfp(report, found);
	if (row[FINDINGS_COLUMN_TASK].text && row[FINDINGS_COLUMN_ALLOC_TASK].text)
		row[FINDINGS_COLUMN_FIRST].text =
			describe_first(report, found, row[FINDINGS_COLUMN_TASK].text,
				       row[FINDINGS_COLUMN_ALLOC_TASK].text);
	row[FINDINGS_COLUMN_BECAUSE].text = list_reasons(report, found);
	for (size_t i = 0; i < FINDINGS_COLUMNS; i++)
		if (columns[i].type == COLUMN_TEXT && i != FINDINGS_COLUMN_COMM &&
		    i != FINDINGS_COLUMN_ALLOC_COMM && !row[i].text)
			return -ENOMEM;
	return set_tasks(report, row, found, time);
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
	bool counts = false;
	int err = 0;

	table->key = "findings";
	table->sort = "-certain,-certainty,kind,count";
	table->tiebreak = FINDINGS_COLUMN_FIRST_TIME;
	for (size_t i = 0; findings && i < heap_findings_count(findings) && !err; i++) {
		if (is_counted_only(report, heap_findings_get(findings, i)))
			counts = true;
		else
			err = add_row(report, table, heap_findings_get(findings, i));
	}
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
	struct cell *row;

	for (size_t i = 0; i < heap_findings_count(findings); i++) {
		const struct heap_finding *found = heap_findings_get(findings, i);

		if (found->kind != kind || found->certainty != certainty)
			continue;
		cases += found->count;
		rows++;
	}
	if (!rows)
		return 0;
	row = table_add(table);
	if (!row)
		return -ENOMEM;
	row[COUNT_KIND].text = strdup(finding_kind_text(kind));
	row[COUNT_CERTAINTY].text = strdup(certainty_text(certainty));
	row[COUNT_CASES].number = cases;
	row[COUNT_ROWS].number = rows;
	return row[COUNT_KIND].text && row[COUNT_CERTAINTY].text ? 0 : -ENOMEM;
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
	table = report_add_table(report, count_columns, COUNT_COLUMNS);
	table->key = "not_certain";
	table->title =
		"Possible and legal findings (kmemtrace-report findings --possible lists them)";
	table->sort = "-certainty,kind";
	table->tiebreak = COUNT_KIND;
	for (unsigned int kind = 0; kind < FINDING_KIND_COUNT && count && !err; kind++) {
		err = add_count(report, table, kind, CERTAINTY_POSSIBLE);
		if (!err)
			err = add_count(report, table, kind, CERTAINTY_LEGAL);
	}
	return err;
}

/* The meaning of each kind that was found. */
static int kinds_table(struct report *report)
{
	const struct heap_findings *findings = report->analysis.findings;
	struct table *table = report_add_table(report, kind_columns, KIND_COLUMNS);
	uint32_t found = 0;

	table->key = "kinds";
	table->title = "What the kinds mean";
	table->sort = "kind";
	for (size_t i = 0; i < heap_findings_count(findings); i++)
		found |= 1U << heap_findings_get(findings, i)->kind;
	for (unsigned int kind = 0; kind < FINDING_KIND_COUNT; kind++) {
		struct cell *row = found & 1U << kind ? table_add(table) : NULL;

		if (!(found & 1U << kind))
			continue;
		if (!row)
			return -ENOMEM;
		row[KIND_NAME].text = strdup(finding_kind_text(kind));
		row[KIND_ABOUT].text = strdup(finding_kind_about(kind));
		if (!row[KIND_NAME].text || !row[KIND_ABOUT].text)
			return -ENOMEM;
	}
	return 0;
}

static int make(struct report *report)
{
	const struct heap_findings *findings = report->analysis.findings;
	struct table *table = report_add_table(report, columns, FINDINGS_COLUMNS);
	int err = findings_table(report, table);

	table->title = "Certain findings";
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
	.column_count = FINDINGS_COLUMNS,
	.by = GROUP_BY_SITE,
	.findings = true,
	.make = make,
};
