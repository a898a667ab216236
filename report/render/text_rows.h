/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* For the renderer of texts: the functions of its struct row_format. */
#ifndef REPORT_RENDER_TEXT_ROWS_H
#define REPORT_RENDER_TEXT_ROWS_H

#include "report/render/row_stream.h"

void text_begin_rows(struct row_stream *stream);
void text_add_row(struct row_stream *stream, const struct stream_cell *row);
int text_quote(struct stream_text *quoted, const char *text, bool is_word);

#endif
