/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The path of a COLUMN_PATH for people: in one line, cut in its middle if it is too long. */
#ifndef REPORT_RENDER_PATH_TEXT_H
#define REPORT_RENDER_PATH_TEXT_H

#include <stddef.h>

#include "report/render/table.h"

/*
 * "path (12 of 40 samples): comm > openat > ... > caller > site", at most width columns of
 * printable ASCII. cell: of the column; the two cells behind it are its numbers, whose unit is that
 * of the column, a plural. NULL: no memory.
 */
char *path_text(const struct column *column, const struct cell *cell, size_t width);

#endif
