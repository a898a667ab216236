/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Renderers print a header and tables; they know nothing of what these speak of. */
#ifndef REPORT_RENDER_RENDER_H
#define REPORT_RENDER_RENDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "report/render/header.h"
#include "report/render/table.h"

#define REPORT_SCHEMA 1 /* of the JSON document: raised when a name changes */

/* All: 0 or -ENOMEM; errors of the file are left to ferror(). */

/* For people: ASCII, lines of less than 80 columns unless a word or the numbers are longer. */
int render_text(FILE *file, const struct header *header, const struct table *tables,
		size_t table_count, bool color);

/* One JSON document. */
int render_json(FILE *file, const struct header *header, const struct table *tables,
		size_t table_count, bool color);

/* The first table alone, as RFC 4180 has it. */
int render_csv(FILE *file, const struct header *header, const struct table *tables,
	       size_t table_count, bool color);

/* One value of JSON, quotes and all: a new string, or NULL. */
char *render_json_text(const char *text);

/* One value of CSV. */
void render_csv_text(FILE *file, const char *text);

#endif
