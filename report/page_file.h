/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where an HTML page is written. */
#ifndef REPORT_PAGE_FILE_H
#define REPORT_PAGE_FILE_H

#include <stddef.h>

/*
 * Writes the page to the path, NULL: to standard output. Returns the exit status, after a message
 * if it fails.
 */
int page_file_write(const char *path, const char *text, size_t size);

#endif
