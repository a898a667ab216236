/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The signals that end a capture, and those that a failed write tells better. */
#ifndef TRACER_SIGNALS_H
#define TRACER_SIGNALS_H

#include <signal.h>

#define SIGNALS_COUNT 5

struct signals {
	struct sigaction before[SIGNALS_COUNT];
};

void signals_set(struct signals *signals);

/* The number of the last signal that asked to end; 0: none. */
int signals_stop(void);

/* As they were: for a child that becomes another program. */
void signals_restore(const struct signals *signals);

#endif
