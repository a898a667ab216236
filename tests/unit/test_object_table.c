// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The table of live objects against a plain array. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "analysis/object_table.h"

#define ADDRESSES 20000
#define OPERATIONS 100000

struct sum {
	size_t count;
	uint64_t addresses;
};

static void add(const struct slab_object *object, struct sum *sum)
{
	sum->count++;
	sum->addresses += object->address;
}

static void assert_block(const struct slab_object *object, const struct slab_object *expected)
{
	assert_int_equal(object->address, expected->address);
	assert_int_equal(object->time, expected->time);
	assert_int_equal(object->requested, expected->requested);
	assert_int_equal(object->allocated, expected->allocated);
	assert_int_equal(object->group, expected->group);
	assert_int_equal(object->cpu, expected->cpu);
}

static void test_one(void **state)
{
	struct slab_object object = {
		.address = 0x1000, .requested = 100, .allocated = 128, .cpu = 3
	};
	struct slab_object *found;
	struct object_table heap;

	(void)state;
	assert_int_equal(object_table_init(&heap), 0);
	assert_null(object_table_find(&heap, 0x1000));
	*object_table_add(&heap, 0x1000) = object;
	found = object_table_add(&heap, 0x1000);
	assert_int_equal(found->requested, 100);
	assert_int_equal(heap.count, 1);
	assert_null(object_table_find(&heap, 0x1008));
	found = object_table_find(&heap, 0x1000);
	assert_non_null(found);
	assert_block(found, &object);
	object_table_remove(&heap, found);
	assert_null(object_table_find(&heap, 0x1000));
	assert_int_equal(heap.count, 0);
	found = object_table_add(&heap, 0x1000);
	assert_int_equal(found->address, 0x1000);
	assert_int_equal(found->requested, 0);
	object_table_deinit(&heap);
}

/* The array: at index i the block of the address, or one of address 0. */
static uint64_t address_of(size_t index)
{
	return 0xffff888000000000 + index * 64;
}

static void check_all(const struct object_table *heap, const struct slab_object *blocks)
{
	struct sum sum = { 0 }, expected = { 0 };
	const struct slab_object *object;
	size_t next = 0;

	for (size_t i = 0; i < ADDRESSES; i++)
		if (blocks[i].address)
			add(&blocks[i], &expected);
	while ((object = object_table_next(heap, &next)))
		add(object, &sum);
	assert_int_equal(sum.count, expected.count);
	assert_int_equal(sum.addresses, expected.addresses);
	assert_int_equal(heap->count, expected.count);
}

static void test_against_array(void **state)
{
	struct slab_object *blocks = calloc(ADDRESSES, sizeof(*blocks)), object, *found;
	struct object_table heap;

	(void)state;
	srand(1);
	assert_non_null(blocks);
	assert_int_equal(object_table_init(&heap), 0);
	for (size_t i = 0; i < OPERATIONS; i++) {
		size_t index = (size_t)rand() % ADDRESSES;

		/* First the live set grows, then it shrinks. */
		if (rand() % 100 < (i < OPERATIONS / 2 ? 65 : 35)) {
			memset(&object, 0, sizeof(object));
			object.address = address_of(index);
			object.time = i;
			object.group = (uint32_t)rand();
			found = object_table_add(&heap, object.address);
			assert_non_null(found);
			if (blocks[index].address)
				assert_block(found, &blocks[index]);
			*found = object;
			blocks[index] = object;
		} else {
			found = object_table_find(&heap, address_of(index));
			assert_int_equal(found != NULL, blocks[index].address != 0);
			if (found) {
				assert_block(found, &blocks[index]);
				object_table_remove(&heap, found);
			}
			blocks[index].address = 0;
		}
		if (i % 10000 == 0)
			check_all(&heap, blocks);
	}
	check_all(&heap, blocks);
	for (size_t i = 0; i < ADDRESSES; i++)
		if (blocks[i].address)
			object_table_remove(&heap, object_table_find(&heap, address_of(i)));
	assert_int_equal(heap.count, 0);
	object_table_deinit(&heap);
	free(blocks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one),
		cmocka_unit_test(test_against_array),
	};

	return cmocka_run_group_tests_name("heap", tests, NULL, NULL);
}
