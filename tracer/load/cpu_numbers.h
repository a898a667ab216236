/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Do BPF programs see the number of the CPU that they run on? On some kernels they do not if the
 * BPF JIT is off: on RISC-V and arm64, from 6.10 on, the verifier leaves bpf_get_smp_processor_id()
 * to the JIT, and the interpreter then calls something else. All events would be those of CPU 0.
 */
#ifndef TRACER_LOAD_CPU_NUMBERS_H
#define TRACER_LOAD_CPU_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/topology.h"

struct cpu_numbers {
	unsigned int right;   /* CPUs on which a program saw the right number */
	unsigned int unknown; /* CPUs on which none could be run, such as one that went offline */
	bool wrong;	      /* on this CPU, it saw this number */
	unsigned int wrong_cpu;
	uint32_t wrong_number;
};

/*
 * Runs a program on each online CPU, up to the first with a wrong number. run: runs the program on
 * this CPU, and sets the number that it saw; 0 or -errno.
 */
void cpu_numbers_check(struct cpu_numbers *numbers, const struct topology *topology,
		       int (*run)(void *data, unsigned int cpu, uint32_t *number), void *data);

/*
 * Writes why a number is wrong and what to do. jit: see machine_jit_setting().
 */
void cpu_numbers_explain(const struct cpu_numbers *numbers, int jit, char *text, size_t size);

#endif
