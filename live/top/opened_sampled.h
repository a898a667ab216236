/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The figures of one stack or system call: estimates, with their intervals. */
#ifndef LIVE_TOP_OPENED_SAMPLED_H
#define LIVE_TOP_OPENED_SAMPLED_H

#include "live/top/page.h"

/* Appends the lines of a row of the key's table. 0 or -ENOMEM. */
int opened_sampled_add(struct page *page, const struct model *model, enum top_key key,
		       const struct table_row *row);

#endif
