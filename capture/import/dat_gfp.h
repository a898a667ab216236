/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The GFP flags of the recorded kernel, from the print format that libtraceevent has parsed. */
#ifndef CAPTURE_IMPORT_DAT_GFP_H
#define CAPTURE_IMPORT_DAT_GFP_H

#include <event-parse.h>

#include "kernel/gfp.h"

/* 0, -ENOMEM, or -ENODATA: the event prints no flags. */
int dat_gfp(struct gfp_table *table, const struct tep_event *event);

#endif
