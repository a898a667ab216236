/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Imports a text of kmem events. Sources differ in the words in front of an event. */
#ifndef CAPTURE_IMPORT_TEXT_IMPORT_H
#define CAPTURE_IMPORT_TEXT_IMPORT_H

#include "capture/import/import_source.h"
#include "capture/import/text_line.h"

#define TEXT_LINE_BYTES 16384 /* a longer line is ignored */

struct text_format {
	enum text_line_kind (*parse)(struct text_line *parsed, const char *line);
	const char *tracer;	  /* that counts lost events of all kinds together */
	const char *record;	  /* how to make a text with kmem events */
	const char *add_time;	  /* how to print times */
	const char *add_ns;	  /* "; X prints nanoseconds" */
	const char *add_lost;	  /* ": X prints them, if there are any", or "" */
	const char *add_pointers; /* "; X prints addresses", or "" */
};

/* For struct import_source. */
int text_import(const struct text_format *format, struct import_target *target, const char *path);

#endif
