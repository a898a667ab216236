// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "config.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "live/top/json.h"

#define NSEC_PER_SEC 1e9
#define REAL_DIGITS 12

static json_t *make_rate(const struct row_figures *figures, double value)
{
	return figures->has_rates ? json_real(value) : json_null();
}

static json_t *unsigned_or_null(uint64_t value, uint64_t unknown)
{
	return value == unknown ? json_null() : json_integer((json_int_t)value);
}

static json_t *make_row(const char *name, const struct details_counts *counts,
			const struct row_figures *figures)
{
	return json_pack("{s:s*, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o}",
			 "name", name, "allocations", (json_int_t)counts->allocations, "frees",
			 (json_int_t)counts->frees, "bytes_allocated",
			 (json_int_t)counts->allocated, "bytes_freed", (json_int_t)counts->freed,
			 "live_objects", (json_int_t)figures->live_objects, "live_bytes",
			 (json_int_t)figures->live_bytes, "live_objects_since_start",
			 (json_int_t)figures->since_mark_objects, "live_bytes_since_start",
			 (json_int_t)figures->since_mark, "allocations_per_s",
			 make_rate(figures, figures->allocations_s), "frees_per_s",
			 make_rate(figures, figures->frees_s), "bytes_allocated_per_s",
			 make_rate(figures, figures->allocated_s), "live_bytes_growth_per_s",
			 make_rate(figures, figures->growth_s));
}

static void add_range(json_t *row, const char *low, const char *high, struct estimate_range range)
{
	json_object_set_new(row, low, json_integer((json_int_t)range.low));
	json_object_set_new(row, high, json_integer((json_int_t)range.high));
}

static void add_estimate(json_t *row, const struct table_errors *errors,
			 const struct row_figures *figures)
{
	json_object_set_new(row, "samples", json_integer((json_int_t)errors->samples));
	json_object_set_new(row, "live_samples", json_integer((json_int_t)errors->live_samples));
	add_range(row, "bytes_allocated_low", "bytes_allocated_high", figures->allocated_range);
	add_range(row, "live_bytes_low", "live_bytes_high", figures->live_range);
	if (figures->has_rates)
		add_range(row, "bytes_allocated_per_s_low", "bytes_allocated_per_s_high",
			  figures->allocated_s_range);
}

static json_t *make_total(const struct top_table *table)
{
	struct row_figures figures;
	struct table_row total;

	table_total(table, &total);
	table_figures(table, &total, &figures);
	return make_row(NULL, &total.now, &figures);
}

static json_t *make_json_rows(const struct top_table *table, const struct row_list *list,
			      uint64_t lines)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < list->count && (!lines || i < lines); i++) {
		const struct table_row *row = list->rows[i].row;
		const struct row_figures *figures = &list->rows[i].figures;
		json_t *made = make_row(row->name, &row->now, figures);

		if (table->sampling.interval)
			add_estimate(made, &row->errors, figures);
		json_array_append_new(rows, made);
	}
	return rows;
}

static json_t *make_paths(const char *text)
{
	json_t *paths;

	if (!text)
		return json_null();
	paths = json_array();
	while (*text) {
		size_t length = strcspn(text, ",");

		json_array_append_new(paths, json_stringn(text, length));
		text += length + (text[length] == ',');
	}
	return paths;
}

static json_t *make_type(const struct type_stats_type *type)
{
	bool is_cache = type->kind == TYPE_STATS_CACHE;
	json_t *made = json_pack("{s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o}", "kind",
				 is_cache ? "cache" : "function", "name", type->name, "numallocs",
				 (json_int_t)type->numallocs, "numfrees",
				 (json_int_t)type->numfrees, "count",
				 (json_int_t)(type->numallocs - type->numfrees), "failures",
				 (json_int_t)type->failures, "xdomain", (json_int_t)type->xdomain,
				 "frees_unmatched", (json_int_t)type->frees_unmatched,
				 "initial_count", (json_int_t)type->initial_count, "missed_frees",
				 unsigned_or_null(type->missed_frees, TYPE_STATS_UNKNOWN));

	if (is_cache) {
		json_object_set_new(made, "object_size", json_integer(type->object_size));
		json_object_set_new(made, "size", json_integer(type->size));
		json_object_set_new(made, "kegfree", json_integer((json_int_t)type->kegfree));
	} else {
		json_object_set_new(made, "memalloced", json_integer((json_int_t)type->memalloced));
		json_object_set_new(made, "memfreed", json_integer((json_int_t)type->memfreed));
	}
	return made;
}

/* The names of types are ASCII, or json_pack() fails: then the type is null. */
static json_t *make_memstat(const struct stats_file_view *view)
{
	json_t *types = json_array();

	for (size_t i = 0; i < view->count; i++)
		json_array_append_new(types, make_type(&view->types[i]));
	return json_pack("{s:I, s:o, s:o}", "time_ns", (json_int_t)view->snapshot.time, "lost",
			 unsigned_or_null(view->snapshot.lost, STATS_FILE_LOST_UNKNOWN), "types",
			 types);
}

static json_t *make_slabs(const struct details_slabs *slabs)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "time_ns", (json_int_t)slabs->time,
			 "given_objects", (json_int_t)slabs->given, "given_bytes",
			 (json_int_t)slabs->given_bytes, "room_objects", (json_int_t)slabs->room,
			 "slab_bytes", (json_int_t)slabs->slab_bytes, "slab_spare_bytes",
			 (json_int_t)slabs->spare_bytes);
}

int json_print(const struct model *model, const struct page_choice *choice,
	       const struct row_list *list, uint64_t lines)
{
	const struct top_table *table = &model->tables[choice->key];
	json_t *object = json_pack(
		"{s:i, s:s, s:I, s:I, s:f, s:o, s:o, s:i, s:s, s:o, s:I, s:o, s:o}", "schema",
		JSON_SCHEMA, "version", PACKAGE_VERSION, "time_ns", (json_int_t)model->time,
		"begin_ns", (json_int_t)model->begin, "interval_s",
		table->before ? (double)(table->time - table->before) / NSEC_PER_SEC : 0.0, "lost",
		unsigned_or_null(model->lost, STATS_FILE_LOST_UNKNOWN), "unobserved_paths",
		make_paths(model->view.snapshot.paths), "restarts", (int)model->restarts, "key",
		top_keys[choice->key], "total", make_total(model_all(model)), "row_count",
		(json_int_t)list->count, "rows", make_json_rows(table, list, lines), "memstat",
		make_memstat(&model->view));
	int err = object ? 0 : -ENOMEM;

	if (object && model->has_details && model->details.slabs.time)
		json_object_set_new(object, "slabs", make_slabs(&model->details.slabs));
	if (object && table->sampling.interval)
		json_object_set_new(object, "sampling_interval_bytes",
				    json_integer((json_int_t)table->sampling.interval));

	if (!err && json_dumpf(object, stdout, JSON_COMPACT | JSON_REAL_PRECISION(REAL_DIGITS)))
		err = -ENOMEM;
	json_decref(object);
	putchar('\n');
	return err ? err : fflush(stdout) ? -errno : 0;
}
