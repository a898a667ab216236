// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Compares the object table with a plain array. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"
#include "analysis/object_table.h"

#define ADDRESSES 20000
#define OPERATIONS 100000

struct sum {
	size_t count;
	uint64_t addresses;
};

static void sum_object(const struct slab_object *object, struct sum *sum)
{
	sum->count++;
	sum->addresses += object->address;
}

static void assert_same_object(const struct slab_object *object, const struct slab_object *expected)
{
	assert_int_equal(object->address, expected->address);
	assert_int_equal(object->time, expected->time);
	assert_int_equal(object->requested, expected->requested);
	assert_int_equal(object->allocated, expected->allocated);
	assert_int_equal(object->group, expected->group);
	assert_int_equal(object->cpu, expected->cpu);
}

static void adds_finds_and_removes_an_object(void **state)
{
	struct slab_object object = {
		.address = 0x1000, .requested = 100, .allocated = 128, .cpu = 3
	};
	struct slab_object *found;
	struct object_table objects;

	(void)state;
	assert_int_equal(object_table_init(&objects), 0);
	assert_null(object_table_find(&objects, 0x1000));
	*object_table_add(&objects, 0x1000) = object;
	found = object_table_add(&objects, 0x1000);
	assert_int_equal(found->requested, 100);
	assert_int_equal(objects.count, 1);
	assert_null(object_table_find(&objects, 0x1008));
	found = object_table_find(&objects, 0x1000);
	assert_non_null(found);
	assert_same_object(found, &object);
	object_table_remove(&objects, found);
	assert_null(object_table_find(&objects, 0x1000));
	assert_int_equal(objects.count, 0);
	found = object_table_add(&objects, 0x1000);
	assert_int_equal(found->address, 0x1000);
	assert_int_equal(found->requested, 0);
	object_table_deinit(&objects);
}

/* The array has the object of address_of(i) at index i; its address is 0 if there is none. */
static uint64_t address_of(size_t index)
{
	return 0xffff888000000000 + index * 64;
}

static void check_all(const struct object_table *objects, const struct slab_object *array)
{
	struct sum sum = { 0 }, expected = { 0 };
	const struct slab_object *object;
	size_t next = 0;

	for (size_t i = 0; i < ADDRESSES; i++)
		if (array[i].address)
			sum_object(&array[i], &expected);
	while ((object = object_table_next(objects, &next)))
		sum_object(object, &sum);
	assert_int_equal(sum.count, expected.count);
	assert_int_equal(sum.addresses, expected.addresses);
	assert_int_equal(objects->count, expected.count);
}

static void equals_an_array(void **state)
{
	struct slab_object *array = calloc(ADDRESSES, sizeof(*array)), object, *found;
	struct object_table objects;

	(void)state;
	srand(1);
	assert_non_null(array);
	assert_int_equal(object_table_init(&objects), 0);
	for (size_t i = 0; i < OPERATIONS; i++) {
		size_t index = (size_t)rand() % ADDRESSES;

		/* first the table grows, then it shrinks */
		if (rand() % 100 < (i < OPERATIONS / 2 ? 65 : 35)) {
			memset(&object, 0, sizeof(object));
			object.address = address_of(index);
			object.time = i;
			object.group = (uint32_t)rand();
			found = object_table_add(&objects, object.address);
			assert_non_null(found);
			if (array[index].address)
				assert_same_object(found, &array[index]);
			*found = object;
			array[index] = object;
		} else {
			found = object_table_find(&objects, address_of(index));
			assert_int_equal(found != NULL, array[index].address != 0);
			if (found) {
				assert_same_object(found, &array[index]);
				object_table_remove(&objects, found);
			}
			array[index].address = 0;
		}
		if (i % 10000 == 0)
			check_all(&objects, array);
	}
	check_all(&objects, array);
	for (size_t i = 0; i < ADDRESSES; i++)
		if (array[i].address)
			object_table_remove(&objects, object_table_find(&objects, address_of(i)));
	assert_int_equal(objects.count, 0);
	object_table_deinit(&objects);
	free(array);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(adds_finds_and_removes_an_object),
		cmocka_unit_test(equals_an_array),
	};

	return cmocka_run_group_tests_name("object_table", tests, NULL, NULL);
}
