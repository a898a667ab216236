// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The stacks of sampled objects, while objects come and go. */
#include "config.h"

#include "tests/unit/unit.h"
#include "analysis/live_stacks.h"

#define OBJECTS 5000

static void allocate_object(struct live_stacks *stacks, struct object_table *objects,
			    uint64_t address, uint64_t time, uint64_t id)
{
	const struct event event = { .pointer = address, .time = time, .call_site = id + 1 };
	const struct stack_sample sample = { .pointer = address,
					     .kernel_stack = id,
					     .interval = 64 };
	struct slab_object *object = object_table_add(objects, address);

	assert_non_null(object);
	object->time = time;
	object->flags = 0;
	assert_int_equal(live_stacks_add(stacks, objects, &event, &sample), 0);
}

static void finds_live_objects_only(void **state)
{
	struct slab_object other = { .address = 0x1000, .time = 7 };
	const struct live_stack *found;
	struct object_table objects;
	struct live_stacks *stacks;

	(void)state;
	assert_int_equal(object_table_init(&objects), 0);
	assert_int_equal(live_stacks_open(&stacks), 0);
	assert_null(live_stacks_find(stacks, &other));
	allocate_object(stacks, &objects, 0x1000, 5, 0xa1);
	found = live_stacks_find(stacks, object_table_find(&objects, 0x1000));
	assert_non_null(found);
	assert_int_equal(found->kernel_stack, 0xa1);
	assert_int_equal(found->call_site, 0xa2);
	assert_int_equal(found->interval, 64);
	/* the address has another object, which was not sampled */
	assert_null(live_stacks_find(stacks, &other));
	/* and one that was */
	allocate_object(stacks, &objects, 0x1000, 7, 0xa3);
	assert_int_equal(live_stacks_find(stacks, &other)->kernel_stack, 0xa3);
	other.flags = OBJECT_FREED;
	assert_null(live_stacks_find(stacks, &other));
	live_stacks_close(stacks);
	object_table_deinit(&objects);
}

static void grows_with_live_objects_only(void **state)
{
	struct object_table objects;
	struct live_stacks *stacks;
	size_t space;

	(void)state;
	assert_int_equal(object_table_init(&objects), 0);
	assert_int_equal(live_stacks_open(&stacks), 0);
	for (uint64_t i = 1; i <= OBJECTS; i++)
		allocate_object(stacks, &objects, i * 64, i, i);
	space = stacks->space;
	assert_in_range(space, OBJECTS, 4 * OBJECTS);
	/* each lives shortly, at an address of its own */
	for (uint64_t i = OBJECTS + 1; i <= 100 * OBJECTS; i++) {
		allocate_object(stacks, &objects, i * 64, i, i);
		object_table_remove(&objects, object_table_find(&objects, i * 64));
	}
	assert_in_range(stacks->space, space, 2 * space);
	for (uint64_t i = 1; i <= OBJECTS; i++)
		assert_int_equal(
			live_stacks_find(stacks, object_table_find(&objects, i * 64))->kernel_stack,
			i);
	live_stacks_close(stacks);
	object_table_deinit(&objects);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_live_objects_only),
		cmocka_unit_test(grows_with_live_objects_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
