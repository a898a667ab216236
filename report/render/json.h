/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The JSON document of a report, for the format json and for the HTML page. */
#ifndef REPORT_RENDER_JSON_H
#define REPORT_RENDER_JSON_H

#include <jansson.h>

#include "report/render/header.h"
#include "report/render/table.h"

/* 15 digits: any decimal of 15 digits survives the conversion to double and back. */
#define JSON_FLAGS (JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(15) | JSON_ENSURE_ASCII)

/* Names come from the capture: a byte that is not valid UTF-8 becomes U+FFFD. NULL: no memory. */
json_t *json_from_text(const char *text);

/* JSON has no larger integers than INT64_MAX. NULL: no memory. */
json_t *json_from_number(uint64_t number);

/* The value of a cell of the column. NULL: no memory. */
json_t *json_cell(const struct column *column, const struct cell *cell);

/* The sections of the header by key, then each table as an array of rows. NULL: no memory. */
json_t *json_document(const struct header *header, const struct table *tables, size_t table_count);

#endif
