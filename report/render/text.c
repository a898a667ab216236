// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Text for terminals and mails: the lines of the header, the tables, and the legends. Names are
 * never cut: a name that is too long has a line of its own.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/render/column_layout.h"
#include "report/render/curve.h"
#include "report/render/path_text.h"
#include "report/render/render.h"
#include "report/render/text_rows.h"

#define TEXT_LABEL 10	   /* columns before the text of a header line */
#define TEXT_BELOW 8	   /* columns before a line below a row */
#define TEXT_COMPACT 2	   /* the same of a compact table */
#define TEXT_PROSE_MAX 100 /* columns of a sentence: longer lines are hard to read */

#define COLOR_HEAD "\033[1m"
#define COLOR_WARNING "\033[33m"
#define COLOR_END "\033[m"

/* A line that is being printed. Spaces are printed when a character follows: none end a line. */
struct text {
	FILE *file;
	size_t spaces;
	size_t width;
	size_t prose; /* width of sentences */
	size_t below; /* columns before a line below a row of this table */
	bool color, legend, utf8;
};

/* Other bytes than printable ASCII become \xHH, since a terminal would obey them. */
static void text_put(struct text *text, const char *what, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (what[i] == ' ') {
			text->spaces++;
			continue;
		}
		fprintf(text->file, "%*s", (int)text->spaces, "");
		text->spaces = 0;
		if (what[i] < ' ' || what[i] > '~')
			fprintf(text->file, "\\x%02x", (unsigned char)what[i]);
		else
			putc(what[i], text->file);
	}
}

static void text_put_string(struct text *text, const char *what)
{
	text_put(text, what, strlen(what));
}

static void text_pad(struct text *text, size_t columns)
{
	text->spaces += columns;
}

static void text_end_line(struct text *text)
{
	text->spaces = 0;
	putc('\n', text->file);
}

/* Switches to a color; COLOR_END switches back. */
static void text_color(struct text *text, const char *color)
{
	if (text->color)
		fputs(color, text->file);
}

/* Prints words from column at on. Further lines begin at column indent. */
static void text_wrap(struct text *text, const char *what, size_t at, size_t indent)
{
	bool first = true;

	while (*what) {
		size_t length = strcspn(what, " "), width = column_layout_text_width(what, length);

		if (!first && at + 1 + width > text->prose) {
			text_end_line(text);
			text_pad(text, indent);
			at = indent;
		} else if (!first) {
			text_pad(text, 1);
			at++;
		}
		text_put(text, what, length);
		at += width;
		what += length;
		what += strspn(what, " ");
		first = false;
	}
	text_end_line(text);
}

/* The lines above the tables, or those below. */
static void text_header(struct text *text, const struct header *header, bool last)
{
	for (size_t i = 0; i < header->line_count; i++) {
		const struct header_line *line = &header->lines[i];
		size_t width = strlen(line->label);

		if (line->is_last != last)
			continue;
		text_color(text, line->warning ? COLOR_WARNING : COLOR_HEAD);
		text_put_string(text, line->label);
		text_pad(text, width < TEXT_LABEL ? TEXT_LABEL - width : 1);
		if (!line->warning)
			text_color(text, COLOR_END);
		if (line->curve) {
			fprintf(text->file, "%*s", (int)text->spaces, "");
			curve_print(text->file, line->curve, line->curve_count,
				    text->prose - TEXT_LABEL, text->utf8);
			text_end_line(text);
			continue;
		}
		text_wrap(text, line->text, TEXT_LABEL, TEXT_LABEL);
		if (line->warning)
			text_color(text, COLOR_END);
	}
}

static void text_last(struct text *text, const struct header *header)
{
	bool any = false;

	for (size_t i = 0; i < header->line_count; i++)
		any |= header->lines[i].is_last;
	if (any)
		text_end_line(text);
	text_header(text, header, true);
}

/* Aligns names and bars to the left, numbers to the right. */
static void text_cell(struct text *text, const struct layout_column *shown, const char *what)
{
	size_t width = column_layout_text_width(what, strlen(what));
	size_t pad = width < shown->width ? shown->width - width : 0;
	bool left = shown->column->type == COLUMN_TEXT || shown->column->type == COLUMN_BAR;

	text_pad(text, left ? 0 : pad);
	text_put_string(text, what);
	text_pad(text, left ? pad : 0);
}

static void text_table_head(struct text *text, const struct column_layout *layout, bool is_compact)
{
	bool has_units = false;

	for (size_t i = 0; i < layout->count && !is_compact; i++)
		has_units |= *layout->columns[i].column->unit != '\0';
	for (int line = 0; line < 1 + has_units; line++) {
		text_color(text, COLOR_HEAD);
		for (size_t i = 0; i < layout->count; i++) {
			const struct layout_column *shown = &layout->columns[i];

			text_pad(text, i != 0);
			text_cell(text, shown, line ? shown->column->unit : shown->column->header);
		}
		text_color(text, COLOR_END);
		text_end_line(text);
	}
}

/* Columns before a line below a row: more if the name is indented, as in a tree. */
static size_t text_below_indent(const struct text *text, const struct column_layout *layout,
				const struct cell *row)
{
	const char *name = layout->has_name ? row[layout->columns[0].index].text : NULL;

	return text->below + (name ? strspn(name, " ") : 0);
}

/* A path is cut, since all of it would take many lines. No memory: its line is left out. */
static void text_path(struct text *text, const struct column *column, const struct cell *cell,
		      size_t indent)
{
	char *line = path_text(column, cell, text->width > indent ? text->width - indent : 0);

	text_pad(text, indent);
	text_put_string(text, line ? line : "");
	text_end_line(text);
	free(line);
}

/* Texts have lines of their own; numbers share one: "missed frees: 1, coverage: 50.0 %". */
static void text_below(struct text *text, const struct column_layout *layout,
		       const struct cell *row)
{
	size_t indent = text_below_indent(text, layout, row);
	bool begun = false;

	for (size_t i = 0; i < layout->below_count; i++) {
		const struct layout_column *shown = &layout->below[i];
		const struct column *column = shown->column;
		const struct cell *cell = row + shown->index;
		bool is_text = column_is_text(column->type);
		bool unit_after = strcmp(column->unit, "%") == 0 || strcmp(column->unit, "s") == 0;
		char number[TEXT_CELL];

		if (!column_layout_shows(column, cell))
			continue;
		if (begun && is_text)
			text_end_line(text);
		if (column->type == COLUMN_PATH) {
			text_path(text, column, cell, indent);
			begun = false;
			continue;
		}
		if (begun && !is_text)
			text_put_string(text, ", ");
		else
			text_pad(text, indent);
		text_put_string(text, column->header);
		if (*column->unit && !unit_after) {
			text_pad(text, 1);
			text_put_string(text, column->unit);
		}
		text_put_string(text, ": ");
		begun = !is_text;
		if (is_text) {
			text_wrap(text, cell->text, indent + strlen(column->header) + 2,
				  indent + 2);
			continue;
		}
		column_layout_cell(shown, cell, number);
		text_put_string(text, number + strspn(number, " "));
		text_pad(text, unit_after);
		text_put_string(text, unit_after ? column->unit : "");
	}
	if (begun)
		text_end_line(text);
}

static void text_row(struct text *text, const struct column_layout *layout, const struct cell *row)
{
	for (size_t i = 0; i < layout->count; i++) {
		const struct layout_column *shown = &layout->columns[i];
		const struct cell *cell = row + shown->index;
		char number[TEXT_CELL];
		const char *what = number;

		if (shown->column->type == COLUMN_TEXT && cell->text)
			what = cell->text;
		else
			column_layout_cell(shown, cell, number);
		text_pad(text, i != 0);
		if (i == 0 && layout->has_name &&
		    column_layout_text_width(what, strlen(what)) > shown->width) {
			text_put_string(text, what);
			text_end_line(text);
			what = "";
		}
		text_cell(text, shown, what);
	}
	text_end_line(text);
	text_below(text, layout, row);
}

/* The row of the objects that are in no other row: only the cells that are not zero. */
static void text_others(struct text *text, const struct column_layout *layout,
			const struct cell *row)
{
	for (size_t i = 0; i < layout->count; i++) {
		const struct layout_column *shown = &layout->columns[i];
		const struct cell *cell = row + shown->index;
		char number[TEXT_CELL] = "";

		if (shown->column->type != COLUMN_TEXT && column_layout_shows(shown->column, cell))
			column_layout_cell(shown, cell, number);
		text_pad(text, i != 0);
		text_cell(text, shown, shown->column->type == COLUMN_TEXT ? cell->text : number);
	}
	text_end_line(text);
}

static void text_title(struct text *text, const char *title)
{
	if (strlen(title) > text->prose) {
		text_wrap(text, title, 0, 0);
		text_end_line(text);
		return;
	}
	text_color(text, COLOR_HEAD);
	text_put_string(text, title);
	text_color(text, COLOR_END);
	text_end_line(text);
	text_end_line(text);
}

/* Names the columns for which the lines have no room. */
static void text_dropped(struct text *text, const struct column_layout *layout)
{
	if (!layout->dropped_count)
		return;
	fputs("(no room for ", text->file);
	for (size_t i = layout->dropped_count; i--;)
		fprintf(text->file, "%s%s", layout->dropped[i]->key, i ? ", " : "");
	fputs(")\n", text->file);
}

static void text_table(struct text *text, const struct table *table,
		       const struct column_layout *layout)
{
	if (!table->rows_made) {
		fprintf(text->file, "%s\n", table->empty);
		return;
	}
	text->below = table->is_compact ? TEXT_COMPACT : TEXT_BELOW;
	text_table_head(text, layout, table->is_compact);
	for (size_t row = 0; row < table->rows; row++)
		text_row(text, layout, table_row(table, row));
	if (table->others)
		text_others(text, layout, table->others);
	if (table->rows < table->rows_made && !table->is_compact)
		fprintf(text->file, "(%zu of %zu rows: -l 0 shows all)\n", table->rows,
			table->rows_made);
	text_dropped(text, layout);
}

/* Columns whose legend is printed. Equal legends are printed once. */
struct text_legends {
	const struct column **shown;
	size_t count;
};

static void text_legend(struct text *text, struct text_legends *legends,
			const struct column *column)
{
	bool has_unit = *column->unit && strcmp(column->header, column->unit) != 0;
	char term[80];

	if (!column->legend)
		return;
	for (size_t i = 0; i < legends->count; i++) {
		const struct column *other = legends->shown[i];

		if (strcmp(other->legend, column->legend) == 0 &&
		    strcmp(other->header, column->header) == 0 &&
		    strcmp(other->unit, column->unit) == 0)
			return;
	}
	legends->shown[legends->count++] = column;
	snprintf(term, sizeof(term), "%s%s%s = ", column->header, has_unit ? " " : "",
		 has_unit ? column->unit : "");
	text_put_string(text, term);
	text_wrap(text, column->legend, strlen(term), 4);
}

static void text_legends(struct text *text, struct text_legends *legends,
			 const struct column_layout *layout)
{
	for (size_t i = 0; i < layout->count; i++)
		text_legend(text, legends, layout->columns[i].column);
	for (size_t i = 0; i < layout->below_count; i++)
		text_legend(text, legends, layout->below[i].column);
}

/* Explains the units of bytes, if any cell has one. */
static void text_units_legend(struct text *text, const struct column_layout *layouts,
			      const size_t *order, size_t count)
{
	bool has_units = false;

	for (size_t i = 0; i < count; i++)
		for (size_t column = 0; column < layouts[order[i]].count; column++)
			has_units |= layouts[order[i]].columns[column].has_units;
	if (!has_units)
		return;
	text_wrap(text, "K, M, G, T = KiB, MiB, GiB, TiB: 1024 bytes, 1024 KiB, 1024 MiB, 1024 GiB",
		  0, 4);
}

/* Explains the bounds of this kind, if a row that is printed has one. */
static void text_bounds_legend(struct text *text, const struct table *tables,
			       const struct column_layout *layouts, const size_t *order,
			       size_t count, bool at_least)
{
	bool has_bounds = false;

	for (size_t i = 0; i < count; i++) {
		const struct column_layout *layout = &layouts[order[i]];
		const struct table *table = &tables[order[i]];

		for (size_t column = 0; column < layout->count; column++)
			for (size_t row = 0; row < table->rows; row++) {
				const struct layout_column *shown = &layout->columns[column];

				has_bounds |= shown->column->at_least == at_least &&
					      column_layout_is_bound(shown, table_row(table, row) +
										    shown->index);
			}
	}
	if (has_bounds && at_least)
		text_wrap(
			text,
			">=N = at least N: events are missing, and each may belong to any row; avg, min and max are those of the recorded events",
			0, 4);
	else if (has_bounds)
		text_wrap(
			text,
			"<=N = at most N: frees of the slab cache were not recorded, so that some of these objects may have been freed",
			0, 4);
}

static int text_layouts(struct column_layout *layouts, const struct table *tables, size_t count,
			size_t width, struct text_legends *legends)
{
	size_t columns = 0;
	int err = 0;

	for (size_t i = 0; i < count && !err; i++) {
		columns += tables[i].column_count;
		err = column_layout_init(&layouts[i], &tables[i], width);
	}
	legends->shown = calloc(columns + 1, sizeof(*legends->shown));
	return legends->shown ? err : -ENOMEM;
}

/* The indexes of the tables in a text, *shown of them, first of those that lead. NULL: no memory.
 */
static size_t *text_order(const struct table *tables, size_t count, size_t *shown)
{
	size_t *order = calloc(count + 1, sizeof(*order));

	*shown = 0;
	for (size_t i = 0; order && i < count; i++)
		if (tables[i].leads && !tables[i].not_in_text)
			order[(*shown)++] = i;
	for (size_t i = 0; order && i < count; i++)
		if (!tables[i].leads && !tables[i].not_in_text)
			order[(*shown)++] = i;
	return order;
}

static bool text_has_legend(const struct column_layout *layout)
{
	bool has = false;

	for (size_t i = 0; i < layout->count; i++)
		has |= layout->columns[i].column->legend != NULL;
	for (size_t i = 0; i < layout->below_count; i++)
		has |= layout->below[i].column->legend != NULL;
	return has;
}

/* The legends of the tables, if they are wanted; else, where they are. */
static void text_all_legends(struct text *text, struct text_legends *legends,
			     const struct table *tables, const struct column_layout *layouts,
			     const size_t *order, size_t count)
{
	bool any = false, is_compact = false;

	for (size_t i = 0; i < count; i++) {
		any |= tables[order[i]].rows_made &&
		       (text->legend || text_has_legend(&layouts[order[i]]));
		is_compact |= tables[order[i]].is_compact;
	}
	/* the last lines of a compact text say where they are */
	if (!any || (!text->legend && is_compact))
		return;
	text_end_line(text);
	if (!text->legend) {
		text_wrap(text, "(--legend explains the columns)", 0, 0);
		return;
	}
	for (size_t i = 0; i < count; i++)
		if (tables[order[i]].rows_made)
			text_legends(text, legends, &layouts[order[i]]);
	text_bounds_legend(text, tables, layouts, order, count, false);
	text_bounds_legend(text, tables, layouts, order, count, true);
	text_units_legend(text, layouts, order, count);
}

static int text_print_with(const struct output *output, const struct header *header,
			   const struct table *tables, size_t table_count, bool with_legends)
{
	struct column_layout *layouts = calloc(table_count + 1, sizeof(*layouts));
	size_t shown, *order = text_order(tables, table_count, &shown);
	size_t width = output->width ? output->width : RENDER_WIDTH;
	struct text text = { .file = output->file,
			     .width = width,
			     .prose = width < TEXT_PROSE_MAX ? width : TEXT_PROSE_MAX,
			     .color = output->color,
			     .legend = output->legend,
			     .utf8 = output->utf8 };
	struct text_legends legends = { 0 };
	int err;

	err = layouts && order ? text_layouts(layouts, tables, table_count, width, &legends)
			       : -ENOMEM;
	for (size_t i = 0; !err && !with_legends && i < table_count; i++)
		column_layout_narrow(&layouts[i], width);
	if (!err) {
		text_header(&text, header, false);
		for (size_t i = 0; i < shown; i++) {
			const struct table *table = &tables[order[i]];

			text_end_line(&text);
			if (shown > 1 && !table->is_compact)
				text_title(&text, table->title ? table->title : table->key);
			text_table(&text, table, &layouts[order[i]]);
		}
		if (with_legends)
			text_all_legends(&text, &legends, tables, layouts, order, shown);
		text_last(&text, header);
	}
	for (size_t i = 0; layouts && i < table_count; i++)
		column_layout_deinit(&layouts[i]);
	free(layouts);
	free(order);
	free(legends.shown);
	return err;
}

static int text_print(const struct output *output, const struct header *header,
		      const struct table *tables, size_t table_count)
{
	return text_print_with(output, header, tables, table_count, true);
}

int text_print_without_legends(const struct output *output, const struct header *header,
			       const struct table *tables, size_t table_count)
{
	return text_print_with(output, header, tables, table_count, false);
}

const struct renderer renderer_text = {
	.name = "text",
	.for_people = true,
	.has_header = true,
	.print = text_print,
	.rows = { text_begin_rows, text_add_row, text_quote },
};
