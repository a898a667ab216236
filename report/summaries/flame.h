/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The flame of summaries: bytes by module, function and slab cache. */
#ifndef REPORT_SUMMARIES_FLAME_H
#define REPORT_SUMMARIES_FLAME_H

#include "report/render/flame.h"
#include "report/summaries/tables.h"

#define SUMMARIES_FLAME_BY "module,function,cache"

/*
 * Makes report->flame of the live or the allocated bytes, and its table unless the renderer prints
 * the flame itself. 0 or -ENOMEM.
 */
int summaries_add_flame(struct report *report, const struct summaries_view *view);

#endif
