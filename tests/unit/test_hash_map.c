// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A map from 64-bit keys to numbers, and the hashes. */
#include "config.h"

#include "tests/unit/unit.h"
#include "base/hash.h"
#include "base/hash_map.h"

#define KEYS 10000

static void finds_no_key_in_an_empty_map(void **state)
{
	struct hash_map map;

	(void)state;
	assert_int_equal(hash_map_init(&map), 0);
	assert_int_equal(hash_map_find(&map, 0), HASH_MAP_NONE);
	assert_int_equal(hash_map_find(&map, UINT64_MAX), HASH_MAP_NONE);
	hash_map_deinit(&map);
}

/* Neighbouring keys, and keys that differ in the upper bits only. */
static uint64_t key_of(uint32_t i)
{
	return i % 2 ? i : (uint64_t)i << 44;
}

static void finds_each_of_many_keys(void **state)
{
	struct hash_map map;

	(void)state;
	assert_int_equal(hash_map_init(&map), 0);
	for (uint32_t i = 0; i < KEYS; i++) {
		assert_int_equal(hash_map_find(&map, key_of(i)), HASH_MAP_NONE);
		assert_int_equal(hash_map_add(&map, key_of(i), i), 0);
	}
	assert_int_equal(map.count, KEYS);
	for (uint32_t i = 0; i < KEYS; i++)
		assert_int_equal(hash_map_find(&map, key_of(i)), i);
	assert_int_equal(hash_map_find(&map, key_of(KEYS)), HASH_MAP_NONE);
	hash_map_deinit(&map);
}

static void finds_the_others_after_keys_were_removed(void **state)
{
	struct hash_map map;

	(void)state;
	assert_int_equal(hash_map_init(&map), 0);
	for (uint32_t i = 0; i < KEYS; i++)
		assert_int_equal(hash_map_add(&map, key_of(i), i), 0);
	for (uint32_t i = 0; i < KEYS; i += 3) {
		hash_map_remove(&map, key_of(i));
		hash_map_remove(&map, key_of(i));
	}
	assert_int_equal(map.count, KEYS - (KEYS + 2) / 3);
	for (uint32_t i = 0; i < KEYS; i++)
		assert_int_equal(hash_map_find(&map, key_of(i)), i % 3 ? i : HASH_MAP_NONE);
	assert_int_equal(hash_map_add(&map, key_of(0), 7), 0);
	assert_int_equal(hash_map_find(&map, key_of(0)), 7);
	hash_map_deinit(&map);
}

static void refuses_a_number_that_means_none(void **state)
{
	struct hash_map map;

	(void)state;
	assert_int_equal(hash_map_init(&map), 0);
	assert_int_not_equal(hash_map_add(&map, 1, HASH_MAP_NONE), 0);
	assert_int_not_equal(hash_map_add(&map, 1, HASH_MAP_NONE - 1), 0);
	assert_int_equal(hash_map_add(&map, 1, HASH_MAP_NONE - 2), 0);
	assert_int_equal(hash_map_find(&map, 1), HASH_MAP_NONE - 2);
	hash_map_deinit(&map);
}

static void text_hash_is_fnv_1a(void **state)
{
	(void)state;
	assert_true(hash_text(0, "") == 0xcbf29ce484222325);
	assert_true(hash_text(0, "a") == 0xaf63dc4c8601ec8c);
	assert_true(hash_text(0, "foobar") == 0x85944171f73967e8);
	assert_true(hash_text(1, "foobar") != hash_text(0, "foobar"));
}

/* The hashes of key 0 are those of Python 3.11 with PYTHONHASHSEED=0. */
static void keyed_hash_is_siphash(void **state)
{
	(void)state;
	assert_true(hash_keyed_text(0, "a") == 0x407448d2b89b1813);
	assert_true(hash_keyed_text(0, "foobar") == 0x7738ae0a5df09b34);
	assert_true(hash_keyed_text(0, "12345678") == 0x3489982430560a87);
	assert_true(hash_keyed_text(0, "kmemtrace-report") == 0xecc986e594160390);
	assert_true(hash_keyed_text(0, "a longer text of 31 characters.") == 0x40ab75d9dc4294c7);
	assert_true(hash_keyed_text(0, "") != hash_keyed_text(1, ""));
	assert_true(hash_keyed_text(0, "foobar") != hash_keyed_text(1, "foobar"));
	assert_true(hash_keyed(0, "a", 2) != hash_keyed(0, "a", 1));
}

static void address_hash_depends_on_the_seed(void **state)
{
	(void)state;
	assert_int_equal(hash_address(1, 0x1000), hash_address(1, 0x1000));
	assert_int_not_equal(hash_address(1, 0x1000), hash_address(2, 0x1000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_no_key_in_an_empty_map),
		cmocka_unit_test(finds_each_of_many_keys),
		cmocka_unit_test(finds_the_others_after_keys_were_removed),
		cmocka_unit_test(refuses_a_number_that_means_none),
		cmocka_unit_test(text_hash_is_fnv_1a),
		cmocka_unit_test(keyed_hash_is_siphash),
		cmocka_unit_test(address_hash_depends_on_the_seed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
