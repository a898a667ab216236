/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Checks what this kernel and these privileges allow, and prints a line for each check. */
#ifndef TRACER_DOCTOR_H
#define TRACER_DOCTOR_H

#include "tracer/options.h"

/* Prints to stdout, and closes it. The exit status: EXIT_FINDINGS if no capture is possible. */
int doctor_run(const struct options *options);

#endif
