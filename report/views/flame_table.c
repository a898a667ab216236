// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Rows of the tree of the view flame, its title and its header. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/estimate.h"
#include "base/printable.h"
#include "base/text.h"
#include "analysis/stack_path.h"
#include "report/render/flame.h"
#include "report/render/render.h"
#include "report/views/flame_table.h"

#define LEAST_PERCENT 1 /* of the bytes: less is added up in a text */

const struct column_choice flame_columns[] = {
	{ .name = COLUMN_function,
	  .legend =
		  "a function, where the path entered the kernel, or a value of --by; below it, further to the right, the functions that it called, or with --bottom-up those that called it; (N below 1 %) adds up N of them" },
	{ .name = COLUMN_bytes,
	  .type = COLUMN_LIVE,
	  .legend =
		  "of all paths through the function, with those that end in it: live at the end of the window, or as --bytes says" },
	{ .name = COLUMN_percent,
	  .header = "%",
	  .unit = "",
	  .legend = "its bytes in percent of all bytes of the view" },
	{ .name = COLUMN_error_percent,
	  .where = COLUMN_IN_TEXT_IF_USED,
	  .legend = "half of the 95 % interval of the bytes, in percent of the bytes" },
	{ .name = COLUMN_objects,
	  .header = "objects",
	  .type = COLUMN_LIVE,
	  .legend = "the objects of these bytes" },
	{ .name = COLUMN_path, .where = COLUMN_BELOW },
	{ .name = COLUMN_depth, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_own_bytes, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_bytes_low, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_bytes_high, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_row, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_upper_bound, .where = COLUMN_NOT_IN_TEXT },
	{ 0 },
};

static const char *const measure_texts[] = {
	[FLAME_live] = "live at the end",	[FLAME_peak] = "live at the peak",
	[FLAME_allocated] = "allocated",	[FLAME_temporary] = "of temporary objects",
	[FLAME_leaked] = "of old live objects",
};

/* Where the rows of a tree go, and how. */
struct tree_table {
	const struct flame *flame;
	const struct flame_tree *tree;
	struct table *table;
	uint64_t whole, least; /* bytes: of all, and of a row; in a text, the others are added up */
	struct estimate_margin margin;
	bool is_collapsed, bottom_up;
};

static int add_function_row(const struct tree_table *out, struct flame_values values, uint64_t own,
			    bool is_bound, size_t depth, char *function, char *path)
{
	const struct estimate_range range =
		estimate_range(values.bytes, values.variance, &out->margin);
	struct table *table = out->table;

	if (!function || !path || !table_add(table)) {
		free(function);
		free(path);
		return -ENOMEM;
	}
	table_cell(table, COLUMN_function)->text = function;
	table_cell(table, COLUMN_bytes)->number = values.bytes;
	table_cell(table, COLUMN_percent)->decimal = table_percent(values.bytes, out->whole);
	table_cell(table, COLUMN_bytes_low)->number = range.low;
	table_cell(table, COLUMN_bytes_high)->number = range.high;
	if (values.bytes)
		table_cell(table, COLUMN_error_percent)->decimal =
			estimate_error(range, values.bytes);
	table_cell(table, COLUMN_objects)->number = values.objects;
	table_cell(table, COLUMN_path)->text = path;
	table_cell(table, COLUMN_depth)->number = depth;
	table_cell(table, COLUMN_own_bytes)->number = own;
	table_cell(table, COLUMN_row)->number = table->rows;
	table_cell(table, COLUMN_upper_bound)->truth = is_bound;
	return 0;
}

static char *indent_name(size_t level, const char *name, size_t length)
{
	char *text;

	return asprintf(&text, "%*s%.*s", (int)(2 * level), "", (int)length, name) < 0 ? NULL
										       : text;
}

/* The last node of the functions that follow with the same bytes, one below the other. */
static size_t find_chain(const struct tree_table *out, size_t node, FILE *names)
{
	const struct flame_node *nodes = out->tree->nodes;

	for (const char *before = "";; before = out->bottom_up ? STACK_SEPARATOR : " > ") {
		size_t child = nodes[node].first_child;

		if (!child || nodes[child].next || nodes[node].own.bytes ||
		    nodes[child].total.bytes != nodes[node].total.bytes ||
		    nodes[child].total.objects != nodes[node].total.objects)
			return node;
		fprintf(names, "%s%.*s", before, (int)nodes[child].length, nodes[child].name);
		node = child;
	}
}

static int add_children(const struct tree_table *out, size_t parent, size_t level);

/* A row for the node, or for it and the functions that follow on all of its paths. */
static int add_node(const struct tree_table *out, size_t number, size_t level)
{
	const struct flame_node *nodes = out->tree->nodes, *node = &nodes[number];
	size_t last = number, size;
	char *path = NULL;
	FILE *names;
	int err;

	if (!out->is_collapsed) {
		const char *text = out->flame->paths[node->path].text;

		path = strndup(text, (size_t)(node->name + node->length - text));
		level = 0;
	} else {
		names = text_open(&path, &size);
		if (!names)
			return -ENOMEM;
		last = find_chain(out, number, names);
		if (text_close(names, &path))
			return -ENOMEM;
	}
	err = add_function_row(out, node->total, node->own.bytes, node->is_bound, node->depth,
			       indent_name(level, node->name, node->length), path);
	return err ? err : add_children(out, last, level + 1);
}

/* The depth of a tree is limited by that of a stack, and by the number of keys. */
static int add_children(const struct tree_table *out, size_t parent, size_t level)
{
	const struct flame_node *nodes = out->tree->nodes;
	struct flame_values rest = { 0 };
	bool is_bound = false;
	size_t others = 0;
	char text[80];
	int err = 0;

	for (size_t i = nodes[parent].first_child; i && !err; i = nodes[i].next) {
		if (nodes[i].total.bytes >= out->least) {
			err = add_node(out, i, level);
			continue;
		}
		rest.bytes += nodes[i].total.bytes;
		rest.objects += nodes[i].total.objects;
		rest.variance += nodes[i].total.variance;
		is_bound |= nodes[i].is_bound;
		others++;
	}
	if (err || !rest.bytes || !out->is_collapsed)
		return err;
	snprintf(text, sizeof(text), "(%zu below %d %%)", others, LEAST_PERCENT);
	return add_function_row(out, rest, 0, is_bound, nodes[parent].depth + 1,
				indent_name(level, text, strlen(text)), strdup(""));
}

int flame_table(struct report *report, struct estimate_margin margin)
{
	struct table *table = report_add_table(report, flame_columns);
	bool is_collapsed = report->renderer->for_people;
	uint64_t whole = flame_total(report->flame).bytes, least;
	struct flame_tree tree;
	int err;

	table->key = "flame";
	table->empty = report->flame->measure == FLAME_allocated
			       ? "No path has such bytes."
			       : "No path has such bytes: --bytes=allocated shows all paths.";
	table->sort = "row";
	table->tiebreak = table_column(table, COLUMN_row);
	err = flame_tree_init(&tree, report->flame, report->nodes);
	if (err)
		return err;
	least = tree.least;
	if (is_collapsed && !report->lines_given)
		least = whole / 100 * LEAST_PERCENT + 1;
	err = add_children(&(struct tree_table){ report->flame, &tree, table, whole, least, margin,
						 is_collapsed, report->bottom_up },
			   0, 0);
	if (!is_collapsed)
		table->rows_made = tree.with_bytes;
	flame_tree_deinit(&tree);
	return err;
}

char *flame_make_title(const struct flame *flame, const char *by)
{
	char *text = NULL;
	size_t size;
	FILE *file = text_open(&text, &size);

	if (!file)
		return NULL;
	fprintf(file, "%s%" PRIu64 " bytes %s by ", flame_is_bound(flame) ? "at most " : "",
		flame_total(flame).bytes, measure_texts[flame->measure]);
	printable_write(file, by);
	text_close(file, &text);
	return text;
}

int flame_add_header(const struct report *report, struct header *header, const char *by,
		     bool has_stacks)
{
	const struct flame *flame = report->flame;
	struct flame_values total = flame_total(flame);
	bool is_bound = flame_is_bound(flame);

	header_add_section(header, "flame_totals");
	header_add_text(header, "measure", flame_measures[flame->measure]);
	header_add_number(header, "bytes", total.bytes);
	header_add_number(header, "objects", total.objects);
	header_add_bool(header, "upper_bound", is_bound);
	header_add_bool(header, "bottom_up", report->bottom_up);
	header_add_bool(header, "has_stacks", has_stacks);
	return header_add_line(header, "flame", false,
			       "%s%" PRIu64 " bytes %s in %s%" PRIu64 " object%s, by %s%s",
			       is_bound ? "<= " : "", total.bytes, measure_texts[flame->measure],
			       is_bound ? "<= " : "", total.objects, total.objects == 1 ? "" : "s",
			       by, report->bottom_up ? ", bottom up" : "");
}
