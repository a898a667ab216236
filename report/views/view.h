/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Views: each tells the pass what it needs, may watch it, and makes tables of what it found. A
 * view prints nothing; only one that streams (events) hands out its rows while the pass runs.
 */
#ifndef REPORT_VIEWS_VIEW_H
#define REPORT_VIEWS_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "report/render/table.h"
#include "analysis/analysis.h"
#include "capture/capture.h"

#define VIEW_TABLES_MAX 4
#define VIEW_ALL_ROWS SIZE_MAX

/* Every view, in the order of --help; the first is the default. Its file defines view_NAME. */
#define VIEWS(add)                                                                         \
	add(summary) add(sites) add(caches) add(sizes) add(leaks) add(lifetimes) add(cpus) \
		add(nodes) add(timeline) add(events) add(findings)

struct renderer;
struct report;

struct view {
	const char *name;
	const char *summary;	      /* for --help */
	const struct column *columns; /* of the first table: its sort keys */
	size_t column_count;
	bool streams;		  /* rows are printed as they come: no sorting, no header above */
	bool has_by;		  /* --by chooses the groups */
	enum group_by by;	  /* the groups, if not chosen */
	bool lifetimes, findings; /* what the pass must do for it */
	bool brief;		  /* its text shows no lifetimes: they are for sorting and data */
	size_t rows;		  /* of each table, in the text; 0: 20; VIEW_ALL_ROWS */
	/*
	 * All may be NULL but make; 0, -ENOMEM, or another -errno with report->errmsg set. begin is
	 * called before the pass, and may set report->settings.observers; end frees what begin
	 * made, and is called once begin was.
	 */
	int (*begin)(struct report *report);
	int (*make)(struct report *report);
	void (*end)(struct report *report);
};

/* One run of one view. */
struct report {
	const struct view *view;
	const struct capture *capture;
	struct analysis_settings settings;
	struct analysis analysis;
	struct table tables[VIEW_TABLES_MAX]; /* but for the summary the first has the view's key */
	size_t table_count;
	struct column *columns;			   /* made for this report alone */
	struct column *converted[VIEW_TABLES_MAX]; /* where the clock counts events */
	const char *const *filters;		   /* what is looked at, in words */
	size_t filter_count;
	const struct renderer *renderer;
	size_t lines;	  /* -l, for a view that streams; 0: all */
	FILE *out;	  /* for a view that streams */
	void *data;	  /* the view's own */
	char errmsg[320]; /* after a failure */
};

/*
 * The next table of the report, with its columns set; the caller sets the rest. Of the first
 * table of a view with --by, the first column is the group's name ("site"), and a second of the
 * key "address" is group_number(): both are called what --by says.
 */
struct table *report_add_table(struct report *report, const struct column *columns,
			       size_t column_count);

/* Times are told from the capture's begin on; a little before it they are negative. */
static inline int64_t report_time(const struct report *report, uint64_t time)
{
	return (int64_t)(time - report->analysis.begin);
}

/* Of the views sites and summary. */
#define SITES_COLUMNS 17
extern const struct column sites_columns[SITES_COLUMNS];

/* Each fills a table of the columns of the view of its name. 0 or -ENOMEM. */
int sites_table(struct report *report, struct table *table);
int caches_table(struct report *report, struct table *table);
int findings_table(struct report *report, struct table *table);

#define DECLARE_VIEW(name) extern const struct view view_##name;
VIEWS(DECLARE_VIEW)
#undef DECLARE_VIEW

#endif
