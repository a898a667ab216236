/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Finds out what the kernel allows BPF programs to do: loads and attaches a small one. */
#ifndef TRACER_LOAD_PROBE_H
#define TRACER_LOAD_PROBE_H

#include <stdbool.h>

#include "tracer/load/cpu_numbers.h"

/*
 * Does the kernel have BPF atomics with BPF_FETCH, which return a value? Kernels before 5.12 do
 * not, nor do architectures whose BPF JIT compiler does not implement them.
 */
bool probe_fetch(void);

/* The number of arguments of a raw tracepoint; 0: it does not exist, or cannot be attached to. */
int probe_arguments(const char *tracepoint);

/* Hooks a function, given by its BTF id, with a program that does nothing. 0 or -errno. */
int probe_hook(int function);

/*
 * Runs a program on each CPU that returns its CPU's number. Kernels before 5.10 cannot run it on a
 * given CPU: the numbers are then unknown.
 */
void probe_cpu_numbers(struct cpu_numbers *numbers, const struct topology *topology);

/* Can a kprobe.multi program be attached to this kernel function? */
bool probe_function(const char *function);

#endif
