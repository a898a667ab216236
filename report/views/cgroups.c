// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The view cgroups: what the tasks of each cgroup allocated, and what was charged to it. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/fields/allocations.h"
#include "report/views/estimate_columns.h"
#include "report/views/row_names.h"
#include "report/views/value_cells.h"
#include "report/views/view.h"

enum cgroup_column {
	CGROUP_PATH,
	CGROUP_CONTAINER,
	CGROUP_ALLOCATIONS,
	CGROUP_FREES,
	CGROUP_ALLOCATED,
	CGROUP_LIVE_OBJECTS,
	CGROUP_LIVE_BYTES,
	CGROUP_CHARGED_ALLOCATIONS,
	CGROUP_CHARGED_ALLOCATED,
	CGROUP_CHARGED_LIVE_OBJECTS,
	CGROUP_CHARGED_LIVE_BYTES,
	CGROUP_BOUND,
	CGROUP_COLUMNS,
	/* behind the columns of estimates */
	CGROUP_CHARGED_LIVE_LOW = CGROUP_COLUMNS + ESTIMATE_COLUMNS,
	CGROUP_CHARGED_LIVE_HIGH,
	CGROUP_COLUMNS_ALL
};

static const struct column columns[CGROUP_COLUMNS_ALL] = {
	[CGROUP_PATH] = { "cgroup", "cgroup", "", COLUMN_TEXT, 0, COLUMN_ALWAYS,
			  "the path of the cgroup of the task that allocated, when it did; in an interrupt, as far as the capture has it, softirq, hardirq or nmi" },
	[CGROUP_CONTAINER] = { "container", "container", "", COLUMN_TEXT, 0, COLUMN_ALWAYS,
			       "the container, machine, service or user slice that the path names" },
	[CGROUP_ALLOCATIONS] = { "allocations", "allocs", "", COLUMN_NUMBER, 0, COLUMN_ALWAYS,
				 "allocations by the tasks of the cgroup that succeeded, charged or not" },
	[CGROUP_FREES] = { "frees", "frees", "", COLUMN_NUMBER, 0, COLUMN_NOT_IN_TEXT, NULL },
	[CGROUP_ALLOCATED] = { "bytes_allocated", "allocated", "bytes", COLUMN_NUMBER, 0,
			       COLUMN_ALWAYS, "bytes that these allocations occupy" },
	[CGROUP_LIVE_OBJECTS] = { "live_objects", "live", "objs", COLUMN_LIVE, 0, COLUMN_ALWAYS,
				  "those of these objects with no recorded free by the end" },
	[CGROUP_LIVE_BYTES] = { "live_bytes", "live", "bytes", COLUMN_LIVE, 0, COLUMN_ALWAYS,
				"bytes allocated to the live objects" },
	[CGROUP_CHARGED_ALLOCATIONS] = { "charged_allocations", "charged", "allocs",
					 COLUMN_NULLABLE, 0, COLUMN_NOT_IN_TEXT, NULL },
	[CGROUP_CHARGED_ALLOCATED] = { "charged_bytes_allocated", "charged", "bytes",
				       COLUMN_NULLABLE, 0, COLUMN_ALWAYS,
				       "those of the allocated bytes that were charged to the memory cgroup, by __GFP_ACCOUNT or SLAB_ACCOUNT; - if that is not known of all" },
	[CGROUP_CHARGED_LIVE_OBJECTS] = { "charged_live_objects", "charged live", "objs",
					  COLUMN_LIVE, 0, COLUMN_NOT_IN_TEXT, NULL },
	[CGROUP_CHARGED_LIVE_BYTES] = { "charged_live_bytes", "charged", "live", COLUMN_LIVE, 0,
					COLUMN_ALWAYS,
					"those of the charged bytes that are live: still charged at the end" },
	[CGROUP_BOUND] = { "live_upper_bound", "bound", "", COLUMN_BOUND, 0, COLUMN_NOT_IN_TEXT,
			   NULL },
	ESTIMATE_COLUMN_ROWS(CGROUP_COLUMNS, "number of allocated bytes"),
	[CGROUP_CHARGED_LIVE_LOW] = { "charged_live_bytes_low", "charged", "low", COLUMN_NULLABLE,
				      0, COLUMN_NOT_IN_TEXT, NULL },
	[CGROUP_CHARGED_LIVE_HIGH] = { "charged_live_bytes_high", "charged", "high",
				       COLUMN_NULLABLE, 0, COLUMN_NOT_IN_TEXT, NULL },
};

/* The keys of the analysis; the row of a cgroup is the sum of its groups. */
static char by_text[] = "cgroup,container,charged";

enum {
	KEY_CGROUP,
	KEY_CONTAINER,
	KEY_CHARGED
};

/* The sums of some groups, which have no sample in common. */
struct sums {
	uint64_t allocations, frees, allocated, live_objects, live;
	struct variance variance;
};

struct cgroup_sums {
	struct sums all, charged;
	bool knows_charged; /* of each allocation, whether it was charged */
	bool is_bound;
};

static int set_by(struct report *report)
{
	return query_by(report->query, "--by", by_text);
}

static const struct value *keys_of(const struct report *report, size_t group)
{
	return report->allocations->groups.groups[report->analysis.groups[group].key]->keys;
}

static int compare_groups(const void *left, const void *right, void *data)
{
	const struct value *a = keys_of(data, *(const size_t *)left),
			   *b = keys_of(data, *(const size_t *)right);

	if (a->known != b->known)
		return a->known - b->known;
	return (a->number > b->number) - (a->number < b->number);
}

static void add_sums(struct sums *sums, const struct report *report, size_t number)
{
	const struct group *group = &report->analysis.groups[number];
	struct variance variance;

	sums->allocations += group->allocations;
	sums->frees += group->frees;
	sums->allocated += group->bytes_allocated;
	sums->live_objects += group->live_objects;
	sums->live += group->live_bytes;
	if (!report->analysis.estimates)
		return;
	variance = estimates_of_group(report->analysis.estimates, number);
	sums->variance.allocations += variance.allocations;
	sums->variance.allocated += variance.allocated;
	sums->variance.live_objects += variance.live_objects;
	sums->variance.live += variance.live;
	sums->variance.samples += variance.samples;
	sums->variance.live_samples += variance.live_samples;
}

static void add_group(struct cgroup_sums *sums, const struct report *report, size_t number)
{
	const struct value charged = keys_of(report, number)[KEY_CHARGED];

	add_sums(&sums->all, report, number);
	if (charged.known && charged.number)
		add_sums(&sums->charged, report, number);
	/* only allocations that succeeded can be charged */
	if (!charged.known && report->analysis.groups[number].allocations)
		sums->knows_charged = false;
	sums->is_bound |= report->bounds.groups[number];
}

static void set_intervals(const struct report *report, const struct cgroup_sums *sums,
			  struct cell *row)
{
	const struct estimates *estimates = report->analysis.estimates;
	const struct estimate_figures figures = { sums->all.allocations, sums->all.allocated,
						  sums->all.live_objects, sums->all.live, false };
	struct estimate_range range = { CELL_UNKNOWN, CELL_UNKNOWN };

	if (!estimates)
		return;
	estimate_set_cells(report, &row[CGROUP_COLUMNS], &figures, &sums->all.variance);
	if (sums->knows_charged)
		range = estimate_range_bytes(estimates, sums->charged.live,
					     sums->charged.variance.live, ESTIMATE_LIVE);
	row[CGROUP_CHARGED_LIVE_LOW].number = range.low;
	row[CGROUP_CHARGED_LIVE_HIGH].number = range.high;
}

static int add_row(struct report *report, struct table *table, const struct value *keys,
		   const struct cgroup_sums *sums)
{
	const struct texts *texts = &report->allocations->source.texts;
	struct cell *row = table_add(table);
	int err = row ? 0 : -ENOMEM;

	if (!err)
		err = value_set_cell(texts, &row[CGROUP_PATH], COLUMN_TEXT, keys[KEY_CGROUP]);
	if (!err)
		err = value_set_cell(texts, &row[CGROUP_CONTAINER], COLUMN_TEXT,
				     keys[KEY_CONTAINER]);
	if (err)
		return err;
	row[CGROUP_ALLOCATIONS].number = sums->all.allocations;
	row[CGROUP_FREES].number = sums->all.frees;
	row[CGROUP_ALLOCATED].number = sums->all.allocated;
	row[CGROUP_LIVE_OBJECTS].number = sums->all.live_objects;
	row[CGROUP_LIVE_BYTES].number = sums->all.live;
	row[CGROUP_CHARGED_ALLOCATIONS].number = sums->knows_charged ? sums->charged.allocations
								     : CELL_UNKNOWN;
	row[CGROUP_CHARGED_ALLOCATED].number = sums->knows_charged ? sums->charged.allocated
								   : CELL_UNKNOWN;
	row[CGROUP_CHARGED_LIVE_OBJECTS].number = sums->knows_charged ? sums->charged.live_objects
								      : CELL_UNKNOWN;
	row[CGROUP_CHARGED_LIVE_BYTES].number = sums->knows_charged ? sums->charged.live
								    : CELL_UNKNOWN;
	row[CGROUP_BOUND].truth = sums->is_bound;
	set_intervals(report, sums, row);
	return 0;
}

/* order: the groups, those of a cgroup together. */
static int add_rows(struct report *report, struct table *table, const size_t *order, size_t count)
{
	int err = 0;

	for (size_t begin = 0, end; begin < count && !err; begin = end) {
		struct cgroup_sums sums = { .knows_charged = true };

		for (end = begin;
		     end < count && !compare_groups(&order[begin], &order[end], report); end++)
			add_group(&sums, report, order[end]);
		err = add_row(report, table, keys_of(report, order[begin]), &sums);
	}
	return err;
}

static int make(struct report *report)
{
	const struct analysis *analysis = &report->analysis;
	size_t *order = calloc(analysis->group_count + 1, sizeof(*order)), count = 0;
	struct table *table = report_add_table(
		report, columns, report->settings.estimate ? CGROUP_COLUMNS_ALL : CGROUP_COLUMNS);
	int err;

	table->key = "cgroups";
	table->title = "Cgroups";
	table->empty = "No allocation was recorded.";
	table->sort = "bytes_allocated,allocations";
	table->tiebreak = CGROUP_PATH;
	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < analysis->group_count; i++)
		if (!group_is_empty(&analysis->groups[i]))
			order[count++] = i;
	if (count)
		qsort_r(order, count, sizeof(*order), compare_groups, report);
	err = add_rows(report, table, order, count);
	free(order);
	return err;
}

const struct view view_cgroups = {
	.name = "cgroups",
	.summary = "what the tasks of each cgroup allocated, and what was charged to it",
	.columns = columns,
	.column_count = CGROUP_COLUMNS,
	.by = GROUP_BY_CALLER,
	.has_intervals = true,
	.set_by = set_by,
	.make = make,
};
