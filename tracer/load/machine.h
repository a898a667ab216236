/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Facts about this machine: memory, CPUs, clock, kind of kernel. */
#ifndef TRACER_LOAD_MACHINE_H
#define TRACER_LOAD_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/topology.h"

uint64_t machine_memory(void); /* bytes */
uint64_t machine_now(void);    /* ns of CLOCK_MONOTONIC, the clock of all records */

/*
 * Waits until every BPF program that runs now has ended. False: this kernel cannot wait for that
 * (nohz_full), so it only paused for 20 ms.
 */
bool machine_grace_period(void);

/*
 * Is it a PREEMPT_RT kernel? Whether a task may be preempted in a tracepoint depends on the version
 * too: see tracer/load/preemption.h.
 */
bool machine_is_realtime(void);

/* net.core.bpf_jit_enable; -1: unknown, or there is no BPF JIT compiler. */
int machine_jit_setting(void);

/* Is the kernel locked down so far that no BPF program may read its memory? */
bool machine_is_confidential(void);

/* The highest CPU number that is possible, + 1. */
unsigned int machine_possible_cpus(const struct topology *topology);
unsigned int machine_online_cpus(const struct topology *topology);

/* The CPUs that are there and offline. 0, if that is not known. */
unsigned int machine_offline_cpus(const struct topology *topology);

#endif
