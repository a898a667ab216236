// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Substitutes for addresses: equal, different, aligned and in order as the originals; random. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/pack/substitutes.h"
#include "tests/unit/symbol_file.h"
#include "tests/unit/unit.h"

#define BLOCK (UINT64_C(1) << 22)

static const char kernel[] = "ffffffffa1000000 T _text\n"
			     "ffffffffa1000400 t first\n"
			     "ffffffffa2000000 t last\n"
			     "ffffffffa2000300 T _etext\n"
			     "ffffffffa3800010 t init\n"
			     "ffffffffa3810000 T _einittext\n"
			     "ffffffffc0201000 t one\t[m]\n"
			     "ffffffffc0201080 t two\t[m]\n"
			     "ffffffffc0204000 t one\t[n]\n"
			     "# modules\n"
			     "# module ffffffffc0201000 8192 m\n"
			     "# module ffffffffc0204000 12288 n\n";

struct context {
	struct capture capture;
	struct substitutes substitutes;
};

static void set_up_substitutes(struct context *context, const char *symbols, unsigned int word_bits)
{
	*context = (struct context){ .capture.metadata.word_bits = word_bits };
	strcpy(context->capture.metadata.hostname, "orange");
	load(&context->capture.symbols, symbols);
	assert_int_equal(substitutes_init(&context->substitutes, &context->capture, false), 0);
}

static void tear_down_substitutes(struct context *context)
{
	assert_int_equal(context->substitutes.error, 0);
	substitutes_deinit(&context->substitutes);
	symbols_deinit(&context->capture.symbols);
}

static uint64_t object_of(struct context *context, uint64_t address)
{
	return substitute_object(&context->substitutes, address);
}

static uint64_t code_of(struct context *context, uint64_t address)
{
	return substitute_code(&context->substitutes, address);
}

static void values_that_are_no_addresses_stay(void **state)
{
	static const uint64_t values[] = { 0,	      1, 16, 4095, -UINT64_C(4095), -UINT64_C(12),
					   UINT64_MAX };
	struct context context;

	(void)state;
	for (unsigned int bits = 32; bits <= 64; bits += 32) {
		set_up_substitutes(&context, kernel, bits);
		for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
			assert_int_equal(object_of(&context, values[i]), values[i]);
			assert_int_equal(code_of(&context, values[i]), values[i]);
		}
		tear_down_substitutes(&context);
	}
	set_up_substitutes(&context, kernel, 32);
	assert_int_equal(object_of(&context, 0xfffff001), 0xfffff001);
	assert_int_not_equal(object_of(&context, 0xfffff000), 0xfffff000);
	tear_down_substitutes(&context);
	set_up_substitutes(&context, kernel, 64);
	assert_int_not_equal(object_of(&context, 0xfffff001), 0xfffff001);
	tear_down_substitutes(&context);
}

/* Blocks stay whole; the place of one does not show that of another. */
static void objects_move_in_blocks(void **state)
{
	const uint64_t base = 0xffff888000000000;
	uint64_t moved[200], before = 0, distances = 0;
	struct context context;

	(void)state;
	set_up_substitutes(&context, kernel, 64);
	for (size_t i = 0; i < 200; i++) {
		moved[i] = object_of(&context, base + i * BLOCK + 8 * i);
		assert_int_equal(moved[i] % BLOCK, 8 * i);
		assert_int_equal(moved[i] >> 48, 0xeeee);
		assert_int_equal(object_of(&context, base + i * BLOCK + BLOCK - 1),
				 moved[i] - 8 * i + BLOCK - 1);
		for (size_t j = 0; j < i; j++)
			assert_int_not_equal(moved[i] / BLOCK, moved[j] / BLOCK);
		distances += i && moved[i] - before != BLOCK + 8;
		before = moved[i];
	}
	assert_true(distances > 150);
	for (size_t i = 0; i < 200; i++)
		assert_int_equal(object_of(&context, base + i * BLOCK + 8 * i), moved[i]);
	tear_down_substitutes(&context);
}

/* All 32-bit blocks get different substitutes of 32 bits, which hold no page of another kind. */
static void narrow_objects_fit(void **state)
{
	struct context context;
	bool *used = calloc(1024, sizeof(*used));

	(void)state;
	assert_non_null(used);
	set_up_substitutes(&context, kernel, 32);
	for (uint64_t i = 0; i < 767; i++) {
		uint64_t moved = object_of(&context, (i + 1) * BLOCK + 64);

		assert_true(moved < 0xc0000000 && moved % BLOCK == 64);
		assert_false(used[moved / BLOCK]);
		used[moved / BLOCK] = true;
	}
	assert_true(object_of(&context, 0x123450000) > UINT32_MAX || context.substitutes.error);
	assert_int_equal(context.substitutes.error, -ERANGE);
	context.substitutes.error = 0;
	tear_down_substitutes(&context);
	free(used);
}

static void an_impossible_address_stays_impossible(void **state)
{
	struct context context;

	(void)state;
	set_up_substitutes(&context, kernel, 32);
	assert_true(object_of(&context, 0x123450000) > UINT32_MAX);
	assert_int_not_equal(object_of(&context, 0x123450000), 0x123450000);
	assert_true(code_of(&context, 0x123450000) > UINT32_MAX);
	tear_down_substitutes(&context);
}

/* Distances in the kernel stay, to its init code too; so does the offset in a page only. */
static void code_moves_in_ranges(void **state)
{
	struct context context;
	uint64_t text, init, m, n;

	(void)state;
	set_up_substitutes(&context, kernel, 64);
	text = code_of(&context, 0xffffffffa1000000);
	init = code_of(&context, 0xffffffffa3800010);
	m = code_of(&context, 0xffffffffc0201000);
	n = code_of(&context, 0xffffffffc0204000);
	assert_int_equal(init - text, 0x2800010);
	assert_int_equal(code_of(&context, 0xffffffffa1000405), text + 0x405);
	assert_int_equal(code_of(&context, 0xffffffffc0202fff), m + 0x1fff);
	assert_int_equal((text | m | n) % 4096, 0);
	/* in order, and further apart than any symbol reaches */
	assert_true(init + (1 << 16) < m && m + 0x2000 + (1 << 16) < n);
	/* the name of a cache may lie in the kernel */
	assert_int_equal(object_of(&context, 0xffffffffa3000100), text + 0x2000100);
	/* there is no code between the modules: single pages move */
	assert_int_not_equal(code_of(&context, 0xffffffffc0203123), m + 0x2123);
	assert_int_equal(code_of(&context, 0xffffffffc0203123) % 4096, 0x123);
	tear_down_substitutes(&context);
}

static void modules_in_one_place_move_together(void **state)
{
	struct context context;

	(void)state;
	set_up_substitutes(&context,
			   "00001000 t one\t[m]\n"
			   "# modules\n"
			   "# module 1000 12288 m\n"
			   "# since 5\n"
			   "# modules\n"
			   "# module 3000 8192 n\n",
			   64);
	assert_int_equal(code_of(&context, 0x3800) - code_of(&context, 0x1000), 0x2800);
	assert_int_equal(code_of(&context, 0x4fff) - code_of(&context, 0x1000), 0x3fff);
	tear_down_substitutes(&context);
}

static void another_copy_has_other_substitutes(void **state)
{
	struct context one, other;

	(void)state;
	set_up_substitutes(&one, kernel, 64);
	set_up_substitutes(&other, kernel, 64);
	assert_int_not_equal(object_of(&one, 0xffff888000001000),
			     object_of(&other, 0xffff888000001000));
	assert_int_not_equal(code_of(&one, 0xffffffffa1000000),
			     code_of(&other, 0xffffffffa1000000));
	assert_int_not_equal(code_of(&one, 0xffffffffc0201000),
			     code_of(&other, 0xffffffffc0201000));
	assert_int_not_equal(code_of(&one, 0xffffffffb0000000),
			     code_of(&other, 0xffffffffb0000000));
	assert_memory_not_equal(one.substitutes.uuid, other.substitutes.uuid, 16);
	tear_down_substitutes(&one);
	tear_down_substitutes(&other);
}

/* The ends of the address space, and a module of any size. */
static void hostile_symbols_do_not_overflow(void **state)
{
	struct context context;

	(void)state;
	set_up_substitutes(&context,
			   "00000001 t low\n"
			   "fffffffffffffffe t high\n"
			   "ffffffffffffff00 t high\t[m]\n"
			   "# modules\n"
			   "# module ffff000000000000 18446744073709551615 m\n"
			   "# module fffffffffffff000 4096 n\n"
			   "# module 0 4096 o\n",
			   64);
	assert_int_equal(code_of(&context, 0xffff000000001000) -
				 code_of(&context, 0xffff000000000000),
			 0x1000);
	assert_int_equal(code_of(&context, 1), 1);
	tear_down_substitutes(&context);
}

/* Digits that are no address of the capture stay, as the tags in the names of BPF programs do. */
static void names_show_no_address(void **state)
{
	static const char original[] = "a-ffff888000001000,ffffffffa1000405 bpf_ffff777000001000 "
				       "0ffff888000001000 88800000";
	char name[sizeof(original)], expected[sizeof(original)];
	struct context context;

	(void)state;
	memcpy(name, original, sizeof(name));
	set_up_substitutes(&context, kernel, 64);
	substitute_in_name(&context.substitutes, name);
	assert_memory_equal(name, original, 18); /* no object has this block */
	object_of(&context, 0xffff888000123456);
	substitute_in_name(&context.substitutes, name);
	snprintf(expected, sizeof(expected), "a-%" PRIx64 ",%" PRIx64 "%s",
		 object_of(&context, 0xffff888000001000), code_of(&context, 0xffffffffa1000405),
		 original + 35);
	assert_string_equal(name, expected);
	tear_down_substitutes(&context);
	set_up_substitutes(&context, kernel, 32);
	object_of(&context, 0xc0123456);
	strcpy(name, "c0123458");
	substitute_in_name(&context.substitutes, name);
	snprintf(expected, sizeof(expected), "%08" PRIx64, object_of(&context, 0xc0123458));
	assert_string_equal(name, expected);
	assert_string_not_equal(name, "c0123458");
	tear_down_substitutes(&context);
}

static void names_of_one_fnv_hash_differ(void **state)
{
	char text[SUBSTITUTE_CGROUP_SIZE], other[SUBSTITUTE_CGROUP_SIZE];
	struct context context;
	struct substitutes *substitutes = &context.substitutes;

	(void)state;
	set_up_substitutes(&context, kernel, 64);
	substitute_task(substitutes, FNV_NAME, text);
	assert_string_equal(text, "task-1");
	assert_string_equal(substitute_task(substitutes, FNV_TWIN, other), "task-2");
	assert_string_equal(substitute_task(substitutes, FNV_NAME, other), "task-1");
	assert_string_equal(substitute_user(substitutes, FNV_NAME, text), "user-1");
	assert_string_equal(substitute_user(substitutes, FNV_TWIN, other), "user-2");
	assert_string_equal(substitute_cgroup(substitutes, FNV_NAME, text), "cgroup-1");
	assert_string_equal(substitute_cgroup(substitutes, FNV_TWIN, other), "cgroup-2");
	tear_down_substitutes(&context);
}

static void finds_the_host_as_a_word(void **state)
{
	struct context context;

	(void)state;
	set_up_substitutes(&context, kernel, 64);
	assert_true(substitutes_show_host(&context.substitutes, "orange"));
	assert_true(substitutes_show_host(&context.substitutes, "6.1-orange.2"));
	assert_true(substitutes_show_host(&context.substitutes, "oranges orange"));
	assert_false(substitutes_show_host(&context.substitutes, "oranges"));
	assert_false(substitutes_show_host(&context.substitutes, "blood_orange"));
	tear_down_substitutes(&context);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_that_are_no_addresses_stay),
		cmocka_unit_test(objects_move_in_blocks),
		cmocka_unit_test(narrow_objects_fit),
		cmocka_unit_test(an_impossible_address_stays_impossible),
		cmocka_unit_test(code_moves_in_ranges),
		cmocka_unit_test(modules_in_one_place_move_together),
		cmocka_unit_test(another_copy_has_other_substitutes),
		cmocka_unit_test(hostile_symbols_do_not_overflow),
		cmocka_unit_test(names_show_no_address),
		cmocka_unit_test(names_of_one_fnv_hash_differ),
		cmocka_unit_test(finds_the_host_as_a_word),
	};

	return cmocka_run_group_tests(tests, make_path, remove_path);
}
