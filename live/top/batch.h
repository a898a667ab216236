/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Prints moments, one after the other, as text or JSON. */
#ifndef LIVE_TOP_BATCH_H
#define LIVE_TOP_BATCH_H

#include "live/top/child.h"
#include "live/top/model.h"
#include "live/top/options.h"

/* Returns the exit status, after a message if it is not EXIT_OK. */
int batch_run(struct model *model, struct child *child, const struct top_options *options);

#endif
