// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The data of the page: the sections and tables that --format=json prints, in rows without keys. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/message.h"
#include "report/diff_page.h"
#include "report/html/page.h"
#include "report/html/page_rows.h"
#include "report/page_file.h"
#include "report/render/json.h"

#define TABLE_BYTES 1500000 /* the page has less than 2 MB */

static int add_tables(json_t *data, const struct diff_page *page)
{
	json_t *tables = json_array();
	int err = 0;

	for (size_t i = 0; i < page->table_count && !err; i++)
		err = json_array_append_new(tables, page_table(&page->tables[i], TABLE_BYTES));
	return json_object_set_new(data, "tables", tables) || err;
}

/* NULL: no memory. */
static json_t *make_data(const struct diff_page *page)
{
	json_t *document = json_document(page->header, NULL, 0);
	json_t *data = json_object();
	int err = !document || add_tables(data, page);

	for (size_t i = 0; i < page->header->section_count && !err; i++) {
		const char *key = page->header->sections[i].key;

		err = json_object_set(data, key, json_object_get(document, key));
	}
	err = err || json_object_set_new(data, "unit", json_string(page->unit)) ||
	      json_object_set_new(data, "lines", page_lines(page->header));
	json_decref(document);
	if (!err)
		return data;
	json_decref(data);
	return NULL;
}

static const char *text_of(const json_t *data, const char *side, const char *key)
{
	const char *text = json_string_value(json_object_get(json_object_get(data, side), key));

	return text ? text : "";
}

static json_t *make_title(const json_t *data)
{
	const char *a = text_of(data, "a", "path"), *b = text_of(data, "b", "path");

	return json_sprintf("kmemtrace: changes from A, %s, to B, %s", a, b);
}

static int put_page(FILE *file, const json_t *data)
{
	json_t *title = data ? make_title(data) : NULL;
	int err = -ENOMEM;

	if (title) {
		page_begin(file, &page_of_diff, json_string_value(title));
		err = page_add(file, "diff", data);
		page_end(file, &page_of_diff);
	}
	json_decref(title);
	return err;
}

int diff_page_print(const struct report_options *options, const struct diff_page *page)
{
	json_t *data = make_data(page);
	char *text = NULL;
	size_t size;
	FILE *file = text_open(&text, &size);
	int err = file ? put_page(file, data) : -ENOMEM, status;

	json_decref(data);
	if (file && text_close(file, &text))
		err = -ENOMEM;
	status = err ? error_msg("%s: %s", options->input, strerror(-err))
		     : page_file_write(options->page_file, text, size);
	free(text);
	return status;
}
