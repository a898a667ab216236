/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Renderers print a header and a table; they know nothing of what these speak of. */
#ifndef REPORT_RENDER_H
#define REPORT_RENDER_H

#include <stdbool.h>
#include <stdio.h>

#include "report/header.h"
#include "report/table.h"

#define REPORT_SCHEMA 1 /* of the JSON document: raised when a name changes */

/* For people: ASCII, lines of less than 80 columns unless one word is longer. */
int render_text(FILE *file, const struct header *header, const struct table *table, bool color);

/* One JSON document. */
int render_json(FILE *file, const struct header *header, const struct table *table, bool color);

/* The table alone, as RFC 4180 has it. */
int render_csv(FILE *file, const struct header *header, const struct table *table, bool color);

/*
 * All return 0 or -ENOMEM; errors of the file are left to ferror().
 */
struct renderer {
	const char *name;
	int (*render)(FILE *file, const struct header *header, const struct table *table,
		      bool color);
	size_t rows;	 /* by default; 0: all */
	bool has_header; /* shows the losses */
};

#endif
