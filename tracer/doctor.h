/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Says, line by line, what this kernel and these privileges allow. */
#ifndef TRACER_DOCTOR_H
#define TRACER_DOCTOR_H

#include "tracer/options.h"

/* Prints to stdout. 0: a capture is possible; 1: it is not; 2: stdout cannot be written. */
int doctor_run(const struct options *options);

#endif
