// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Compares the numbers that programs saw; probe.c runs the programs. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "tracer/load/cpu_numbers.h"

void cpu_numbers_check(struct cpu_numbers *numbers, const struct topology *topology,
		       int (*run)(void *data, unsigned int cpu, uint32_t *number), void *data)
{
	memset(numbers, 0, sizeof(*numbers));
	for (size_t i = 0; i < topology->count && !numbers->wrong; i++) {
		unsigned int cpu = topology->list[i].cpu;
		uint32_t number;

		if (!topology->list[i].online)
			continue;
		if (run(data, cpu, &number)) {
			numbers->unknown++;
		} else if (number == cpu) {
			numbers->right++;
		} else {
			numbers->wrong = true;
			numbers->wrong_cpu = cpu;
			numbers->wrong_number = number;
		}
	}
}

void cpu_numbers_explain(const struct cpu_numbers *numbers, int jit, char *text, size_t size)
{
	snprintf(
		text, size,
		"a BPF program that runs on CPU %u sees CPU number %u, so all events would have the wrong CPU: %s",
		numbers->wrong_cpu, numbers->wrong_number,
		jit ? "bpf_get_smp_processor_id() of this kernel is wrong"
		    : "this kernel needs its BPF JIT for the right number: switch it on with sysctl net.core.bpf_jit_enable=1");
}
