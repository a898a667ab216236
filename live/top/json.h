/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A moment as a JSON object in one line. The keys are in kmemtrace-top(1). */
#ifndef LIVE_TOP_JSON_H
#define LIVE_TOP_JSON_H

#include <stdint.h>

#include "live/top/model.h"
#include "live/top/page.h"

#define JSON_SCHEMA 1

/* lines: rows at most; 0: all. 0, -ENOMEM, or -errno of standard output. */
int json_print(const struct model *model, const struct page_choice *choice,
	       const struct row_list *list, uint64_t lines);

#endif
