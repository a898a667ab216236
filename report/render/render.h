/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Renderers: one for each output format. They print any header and tables. */
#ifndef REPORT_RENDER_RENDER_H
#define REPORT_RENDER_RENDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "report/render/flame.h"
#include "report/render/header.h"
#include "report/render/row_stream.h"
#include "report/render/table.h"

/* Every output format, as --format names it. Its file defines renderer_NAME. */
/* clang-format off */
#define TABLE_RENDERERS(add) \
	add(text)            \
	add(json)            \
	add(csv)

/* Also those that need the header of a capture. */
#define RENDERERS(add) \
	TABLE_RENDERERS(add) \
	add(lkml)

/* The formats of flame graphs, of the view flame only. */
#define FLAME_RENDERERS(add) \
	add(folded)    \
	add(svg)       \
	add(pprof)     \
	add(speedscope)
/* clang-format on */

struct output {
	FILE *file;
	bool color;
	size_t width; /* columns of a line, for renderers for people; 0: RENDER_WIDTH */
	bool legend;  /* a text ends with the legends of its columns */
	bool utf8;    /* the terminal shows UTF-8 */
};

#define RENDER_WIDTH 79

/*
 * Columns of the terminal without the last one, where some terminals wrap; at least RENDER_WIDTH.
 * If standard output is another file: RENDER_WIDTH.
 */
size_t render_width(void);

struct renderer {
	const char *name;
	/*
	 * For people, not for programs: tables are cut to their first rows, obvious values are left
	 * out, and the view may choose names that are easier to read.
	 */
	bool for_people;
	size_t rows_max; /* rows of each table, unless the user gives a number; 0: the view's */
	bool has_header; /* prints the header. Without it, report.c prints losses on stderr */

	/* Prints a report. 0 or -ENOMEM; errors of the file are left to ferror(). */
	int (*print)(const struct output *output, const struct header *header,
		     const struct table *tables, size_t table_count);

	/* Of a format of flame graphs: prints the flame. Such a format has no print. As above. */
	bool has_labels;    /* of paths */
	bool has_processes; /* a path begins with a process, unless --by names its levels */
	bool turns;	    /* a program that reads it shows callers of a function, too */
	int (*print_flame)(const struct output *output, const struct flame *flame);

	struct row_format rows; /* of a report that is printed while it is made; or all NULL */
};

extern const char svg_script[]; /* of the pictures, made of svg.js */

#define DECLARE_RENDERER(name) extern const struct renderer renderer_##name;
RENDERERS(DECLARE_RENDERER)
FLAME_RENDERERS(DECLARE_RENDERER)
#undef DECLARE_RENDERER

/*
 * The same as the format text, but without the legends. Columns that do not fit into the width are
 * on lines below the row.
 */
int text_print_without_legends(const struct output *output, const struct header *header,
			       const struct table *tables, size_t table_count);

/* The renderer of the format, or NULL. Only with flames, those of FLAME_RENDERERS, too. */
const struct renderer *renderer_find(const char *name, bool flames);

/* "text, json, csv": for messages. */
const char *renderer_names(void);

/* The same of FLAME_RENDERERS. */
const char *renderer_flame_names(void);

#endif
