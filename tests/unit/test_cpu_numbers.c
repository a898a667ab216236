// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A wrong CPU number is found on any CPU, and the message names the setting that is its cause. */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "tests/unit/unit.h"
#include "tracer/load/cpu_numbers.h"

static struct topology_cpu cpus[] = {
	{ .cpu = 0, .online = true },
	{ .cpu = 1, .online = false },
	{ .cpu = 2, .online = true },
	{ .cpu = 5, .online = true },
};
static const struct topology topology = { .list = cpus, .count = 4 };

/* data: the number that each CPU sees, by CPU; UINT32_MAX: the program cannot be run. */
static int run_on_cpu(void *data, unsigned int cpu, uint32_t *number)
{
	const uint32_t *seen = data;

	assert_int_not_equal(cpu, 1);
	if (seen[cpu] == UINT32_MAX)
		return -ENXIO;
	*number = seen[cpu];
	return 0;
}

static void right_numbers_are_right(void **state)
{
	uint32_t right[] = { 0, 9, 2, 9, 9, 5 }, offline[] = { 0, 9, UINT32_MAX, 9, 9, 5 };
	uint32_t none[] = { UINT32_MAX, 9, UINT32_MAX, 9, 9, UINT32_MAX };
	struct cpu_numbers numbers;

	(void)state;
	cpu_numbers_check(&numbers, &topology, run_on_cpu, right);
	assert_false(numbers.wrong);
	assert_int_equal(numbers.right, 3);
	assert_int_equal(numbers.unknown, 0);
	cpu_numbers_check(&numbers, &topology, run_on_cpu, offline);
	assert_false(numbers.wrong);
	assert_int_equal(numbers.right, 2);
	assert_int_equal(numbers.unknown, 1);
	cpu_numbers_check(&numbers, &topology, run_on_cpu, none);
	assert_false(numbers.wrong);
	assert_int_equal(numbers.right, 0);
	assert_int_equal(numbers.unknown, 3);
}

static void wrong_numbers_are_found(void **state)
{
	uint32_t zero[] = { 0, 9, 0, 9, 9, 0 }, last[] = { 0, 9, 2, 9, 9, 7 };
	struct cpu_numbers numbers;
	char text[300];

	(void)state;
	cpu_numbers_check(&numbers, &topology, run_on_cpu, zero);
	assert_true(numbers.wrong);
	cpu_numbers_explain(&numbers, 0, text, sizeof(text));
	assert_string_equal(text, "a BPF program that runs on CPU 2 sees CPU number 0, so all "
				  "events would have the wrong CPU: this kernel needs its BPF JIT "
				  "for the right number: switch it on with sysctl "
				  "net.core.bpf_jit_enable=1");
	cpu_numbers_check(&numbers, &topology, run_on_cpu, last);
	assert_true(numbers.wrong);
	cpu_numbers_explain(&numbers, 1, text, sizeof(text));
	assert_string_equal(text, "a BPF program that runs on CPU 5 sees CPU number 7, so all "
				  "events would have the wrong CPU: bpf_get_smp_processor_id() of "
				  "this kernel is wrong");
	cpu_numbers_explain(&numbers, -1, text, sizeof(text));
	assert_null(strstr(text, "sysctl"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(right_numbers_are_right),
		cmocka_unit_test(wrong_numbers_are_found),
	};

	return cmocka_run_group_tests_name("cpu_numbers", tests, NULL, NULL);
}
