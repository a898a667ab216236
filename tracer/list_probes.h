/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* kmemtraced --list-probes: how this kernel takes each probe, or why it does not. */
#ifndef TRACER_LIST_PROBES_H
#define TRACER_LIST_PROBES_H

#include "tracer/options.h"

/* Prints the list to standard output; returns the exit status. */
int list_probes_run(const struct options *options);

#endif
