/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* This machine's sizes. */
#ifndef TRACER_MACHINE_H
#define TRACER_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/topology.h"

uint64_t machine_memory(void); /* bytes */
uint64_t machine_now(void);    /* ns of CLOCK_MONOTONIC, the clock of all records */

/*
 * Waits until every BPF program that was under way has ended. False: this kernel cannot tell
 * (nohz_full), so it waited for a moment only.
 */
bool machine_grace_period(void);

/* A PREEMPT_RT kernel: what runs in a tracepoint may be preempted there. */
bool machine_is_realtime(void);

/* CPUs that may ever be there, as the kernel numbers them: the highest number + 1. */
unsigned int machine_possible_cpus(const struct topology *topology);
unsigned int machine_online_cpus(const struct topology *topology);

#endif
