/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* kmemtraced --status. */
#ifndef TRACER_STATUS_LIST_H
#define TRACER_STATUS_LIST_H

#include "tracer/options.h"

/* Prints every running kmemtraced. Returns the exit status. */
int status_list_run(const struct options *options);

#endif
