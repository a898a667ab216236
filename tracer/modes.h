/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Options that do something else than a session. Each function returns the exit status. */
#ifndef TRACER_MODES_H
#define TRACER_MODES_H

#include "tracer/options.h"

/*
 * Checks what this kernel and these privileges allow, and prints a line for each check to standard
 * output, which it closes. EXIT_FINDINGS if no capture is possible.
 */
int doctor_run(const struct options *options);

/* Prints how this kernel takes each probe, or why it does not. */
int list_probes_run(const struct options *options);

/* --status: prints every running kmemtraced. */
int status_list_run(const struct options *options);

/* --memory: prints who has the memory of this machine, with -d how that changed. */
int memory_run(const struct options *options);

#endif
