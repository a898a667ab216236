/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Views: a view requests what the analysis shall compute, may observe its transitions, and makes
 * tables of the result. It prints nothing. Only the view events adds rows to a stream while the
 * analysis runs.
 */
#ifndef REPORT_VIEWS_VIEW_H
#define REPORT_VIEWS_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/error.h"
#include "analysis/analysis.h"
#include "analysis/fields/query.h"
#include "analysis/heap_sizes.h"
#include "analysis/peak_heap.h"
#include "analysis/slab_growth.h"
#include "kernel/census.h"
#include "capture/capture.h"
#include "report/render/catalogue.h"
#include "report/views/live_bounds.h"

#define VIEW_TABLES_MAX 8
#define VIEW_ALL_ROWS SIZE_MAX

/* Every view, in the order of --help; the first is the default. Its file defines view_NAME. */
/* clang-format off */
#define VIEWS(add)     \
	add(summary)   \
	add(sites)     \
	add(caches)    \
	add(slabinfo)  \
	add(census)    \
	add(tracks)    \
	add(allocinfo) \
	add(where)     \
	add(sizes)     \
	add(leaks)     \
	add(lifetimes) \
	add(cpus)      \
	add(nodes)     \
	add(cgroups)   \
	add(timeline)  \
	add(flame)     \
	add(probes)    \
	add(count)     \
	add(events)    \
	add(findings)  \
	add(diff)
/* clang-format on */

struct allocations;
struct diff_side;
struct flame;
struct header;
struct renderer;
struct report;

struct view {
	const char *name;
	const char *summary;		     /* for --help */
	const struct column_choice *columns; /* of the first table: its sort keys; or NULL */
	bool streams;	   /* rows are printed while they are made: no sorting, no header above */
	bool has_by;	   /* --by chooses the groups */
	bool shows_events; /* --where selects events, not objects */
	bool has_fields;   /* -F chooses fields, not columns of the table */
	bool has_query;	   /* --by takes expressions; and there are statistics */
	bool has_flame;	   /* --by chooses the frames; see report.flame */
	bool compares;	   /* two captures: it makes no table, but fills report.diff */
	enum group_by by;  /* the default groups */
	bool lifetimes, findings, peak_heap; /* what the analysis shall compute */
	bool merges_bookkeeping; /* its sites are one row, unless --site asks for some */
	/* why it cannot estimate figures from sampled allocations; NULL: it can */
	const char *needs_all;
	bool has_intervals; /* it shows the intervals of estimates */
	size_t rows;	    /* of each table in a text; 0: the default; or VIEW_ALL_ROWS */
	/*
	 * set_columns sets report->columns and column_count, if they depend on the query; NULL
	 * else. 0 or -ENOMEM.
	 */
	int (*set_columns)(struct report *report);
	/*
	 * Sets query->by and by_text by the capture, and report->settings.by; or NULL. As begin.
	 */
	int (*set_by)(struct report *report);
	/*
	 * begin is called before the analysis and may add to report->settings.observers; make adds
	 * the tables; end frees what begin allocated and is called after begin, even if it failed.
	 * begin and end may be NULL. 0, -ENOMEM, or another -errno with report->error set.
	 */
	int (*begin)(struct report *report);
	int (*make)(struct report *report);
	/* Adds a section and lines to the end of the header; or NULL. 0 or -ENOMEM. */
	int (*add_header)(const struct report *report, struct header *header);
	void (*end)(struct report *report);
};

/* One run of one view. */
struct report {
	const struct view *view;
	const struct capture *capture; /* NULL: summaries */
	struct analysis_settings settings;
	struct analysis analysis;
	struct slab_growth growth; /* not of a stream, nor the next two */
	struct census census;	   /* of the last reading of the slab allocator; all 0: none */
	struct live_bounds bounds;
	struct heap_wastes wastes; /* of a view with peak_heap */
	/* Except in summary, the key of the first table is the name of the view. */
	struct table tables[VIEW_TABLES_MAX];
	size_t table_count;
	struct column *columns; /* of set_columns(), or NULL */
	size_t column_count;
	struct column *second_columns; /* of the second table, if the view made them; or NULL */
	/* Columns of event_clock_convert(), or NULL. */
	struct column *converted[VIEW_TABLES_MAX];
	bool all_findings;	    /* in a text too: possible and legal ones */
	const char *const *filters; /* as texts */
	size_t filter_count;
	struct query *query;		 /* the user's question about events or allocations */
	const char *by_text;		 /* of --by with expressions */
	struct allocations *allocations; /* selected or grouped by expressions; or NULL */
	const char *probes;		 /* of --probes; NULL: all */
	uint64_t counted,
		excluded; /* of the view count: events, and events that are not selected */
	/* the number of events that this one stands for; NULL: each event is one */
	uint64_t (*weigh)(const void *data, const struct transition *transition);
	const void *weigh_data;
	uint64_t outside;   /* of the view timeline: events that are not in its rates */
	uint64_t ungrouped; /* events that were counted without a group */
	const struct renderer *renderer;
	const char *measure_text; /* of --bytes; NULL: not given */
	bool bottom_up;		  /* of the view flame, as the next */
	struct flame *flame;	  /* for renderer->print_flame; or NULL */
	bool is_brief;		  /* the header of a text has at most five lines */
	bool is_glance; /* the text of the summary on one screen, without tables of all rows */
	struct diff_side *diff; /* of a view that compares: the caller's; else NULL */
	bool lines_given;
	size_t lines;	    /* -l, of a stream; 0: all */
	size_t nodes;	    /* of a tree: at most so many, those with the most bytes; 0: all */
	FILE *out;	    /* of a stream */
	void *data;	    /* the view's own */
	struct error error; /* after a failure */
};

/*
 * Adds a table with these columns; the caller sets the rest. In the first table of a view with
 * has_by the first column is group_name() and a second column "address" is group_number(); --by
 * gives these columns their names.
 */
struct table *report_add_table(struct report *report, const struct column_choice *columns);

/* The same with columns that depend on the query. They are not the table's own. */
struct table *report_add_table_of(struct report *report, const struct column *columns,
				  size_t column_count);

const char *group_by_text(enum group_by by); /* "site", … */

/* Names the first columns of a table after --by, and explains them. */
void report_name_group(struct column *columns, enum group_by by);

/* Before the first event: query_bind(). 0, -ENOMEM, or -EINVAL with error set. */
int report_bind_query(struct report *report, struct value_source *source);

/* Time since the begin of the capture; negative for events shortly before it. */
static inline int64_t report_time(const struct report *report, uint64_t time)
{
	return (int64_t)(time - report->analysis.begin);
}

extern const struct column_choice sites_columns[]; /* of the views sites and summary */

/* Each fills a table that has the columns of the view. 0 or -ENOMEM. */
int sites_table(struct report *report, struct table *table);
int caches_table(struct report *report, struct table *table);
int findings_table(struct report *report, struct table *table);

/* Adds the table of the call sites with the most damage: see damage.h. 0 or -ENOMEM. */
int growth_table(struct report *report);

/* For report.is_glance: add the call sites that waste most, and that cross CPUs most. 0 or -ENOMEM.
 */
int glance_waste_table(struct report *report);
int glance_crossing_table(struct report *report);

/* Adds a table with the number of possible and legal findings by kind. 0 or -ENOMEM. */
int finding_counts_table(struct report *report);

#define DECLARE_VIEW(name) extern const struct view view_##name;
VIEWS(DECLARE_VIEW)
DECLARE_VIEW(spans) /* of the HTML page only */
#undef DECLARE_VIEW

#endif
