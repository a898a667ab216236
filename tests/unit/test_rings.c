// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The default size of the rings is limited to a share of the memory. */
#include "config.h"

#include "tests/unit/unit.h"
#include "tracer/rings.h"

#define GIB (1ULL << 30)

static void default_is_limited_by_memory(void **state)
{
	static const struct {
		unsigned int cpus;
		uint64_t memory;
		unsigned int mib;
	} cases[] = {
		{ 1, 64 * GIB, 64 }, /* enough memory: the default */
		{ 2, 24 * GIB, 64 },	{ 512, 1024 * GIB, 64 },
		{ 512, 256 * GIB, 32 },			    /* limited by the share */
		{ 4, 1 * GIB, 16 },	{ 64, GIB / 2, 1 }, /* at least 1 MiB */
		{ 0, GIB, 64 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(rings_default_mib(cases[i].cpus, cases[i].memory), cases[i].mib);
}

static void slots_are_a_power_of_two_that_fits(void **state)
{
	(void)state;
	for (unsigned int mib = 1; mib <= 512; mib++) {
		/* without the overhang */
		uint64_t slots = rings_bytes(mib, false) / sizeof(struct kmt_record) -
				 KMT_RING_OVERHANG,
			 bytes = slots * sizeof(struct kmt_record);

		assert_true(bytes <= (uint64_t)mib << 20);
		assert_int_equal(slots & (slots - 1), 0);
		assert_true(slots > 2 * KMT_RING_MARGIN);
		assert_true(2 * bytes > (uint64_t)mib << 20);
	}
}

static void buffers_are_a_power_of_two_that_fits(void **state)
{
	(void)state;
	for (unsigned int mib = 1; mib <= 1024; mib++) {
		uint64_t bytes = rings_bytes(mib, true);

		assert_true(bytes <= (uint64_t)mib << 20);
		assert_int_equal(bytes & (bytes - 1), 0);
		assert_true(2 * bytes > (uint64_t)mib << 20);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(default_is_limited_by_memory),
		cmocka_unit_test(slots_are_a_power_of_two_that_fits),
		cmocka_unit_test(buffers_are_a_power_of_two_that_fits),
	};

	return cmocka_run_group_tests_name("rings", tests, NULL, NULL);
}
