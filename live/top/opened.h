/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One row, opened: its figures, its live bytes over time, and what they are made of. */
#ifndef LIVE_TOP_OPENED_H
#define LIVE_TOP_OPENED_H

#include "live/top/model.h"
#include "live/top/page.h"

/* Adds the lines of the row with that key in its table, which may have gone. 0 or -ENOMEM. */
int opened_add(struct page *page, const struct model *model, enum top_key key, const char *row_key);

#endif
