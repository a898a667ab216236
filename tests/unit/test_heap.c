// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The table of live objects against a plain array. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "trace/heap.h"

#define ADDRESSES 20000
#define OPERATIONS 100000

struct sum {
	size_t count;
	uint64_t addresses;
};

static void add(const struct heap_block *block, struct sum *sum)
{
	sum->count++;
	sum->addresses += block->address;
}

static void assert_block(const struct heap_block *block, const struct heap_block *expected)
{
	assert_int_equal(block->address, expected->address);
	assert_int_equal(block->time, expected->time);
	assert_int_equal(block->requested, expected->requested);
	assert_int_equal(block->allocated, expected->allocated);
	assert_int_equal(block->group, expected->group);
	assert_int_equal(block->cpu, expected->cpu);
}

static void test_one(void **state)
{
	struct heap_block block = {
		.address = 0x1000, .requested = 100, .allocated = 128, .cpu = 3
	};
	struct heap_block *found;
	struct heap heap;

	(void)state;
	assert_int_equal(heap_init(&heap), 0);
	assert_null(heap_find(&heap, 0x1000));
	*heap_add(&heap, 0x1000) = block;
	found = heap_add(&heap, 0x1000);
	assert_int_equal(found->requested, 100);
	assert_int_equal(heap.count, 1);
	assert_null(heap_find(&heap, 0x1008));
	found = heap_find(&heap, 0x1000);
	assert_non_null(found);
	assert_block(found, &block);
	heap_remove(&heap, found);
	assert_null(heap_find(&heap, 0x1000));
	assert_int_equal(heap.count, 0);
	found = heap_add(&heap, 0x1000);
	assert_int_equal(found->address, 0x1000);
	assert_int_equal(found->requested, 0);
	heap_deinit(&heap);
}

/* The array: at index i the block of the address, or one of address 0. */
static uint64_t address_of(size_t index)
{
	return 0xffff888000000000 + index * 64;
}

static void check_all(const struct heap *heap, const struct heap_block *blocks)
{
	struct sum sum = { 0 }, expected = { 0 };
	const struct heap_block *block;
	size_t next = 0;

	for (size_t i = 0; i < ADDRESSES; i++)
		if (blocks[i].address)
			add(&blocks[i], &expected);
	while ((block = heap_next(heap, &next)))
		add(block, &sum);
	assert_int_equal(sum.count, expected.count);
	assert_int_equal(sum.addresses, expected.addresses);
	assert_int_equal(heap->count, expected.count);
}

static void test_against_array(void **state)
{
	struct heap_block *blocks = calloc(ADDRESSES, sizeof(*blocks)), block, *found;
	struct heap heap;

	(void)state;
	srand(1);
	assert_non_null(blocks);
	assert_int_equal(heap_init(&heap), 0);
	for (size_t i = 0; i < OPERATIONS; i++) {
		size_t index = (size_t)rand() % ADDRESSES;

		/* First the live set grows, then it shrinks. */
		if (rand() % 100 < (i < OPERATIONS / 2 ? 65 : 35)) {
			memset(&block, 0, sizeof(block));
			block.address = address_of(index);
			block.time = i;
			block.group = (uint32_t)rand();
			found = heap_add(&heap, block.address);
			assert_non_null(found);
			if (blocks[index].address)
				assert_block(found, &blocks[index]);
			*found = block;
			blocks[index] = block;
		} else {
			found = heap_find(&heap, address_of(index));
			assert_int_equal(found != NULL, blocks[index].address != 0);
			if (found) {
				assert_block(found, &blocks[index]);
				heap_remove(&heap, found);
			}
			blocks[index].address = 0;
		}
		if (i % 10000 == 0)
			check_all(&heap, blocks);
	}
	check_all(&heap, blocks);
	for (size_t i = 0; i < ADDRESSES; i++)
		if (blocks[i].address)
			heap_remove(&heap, heap_find(&heap, address_of(i)));
	assert_int_equal(heap.count, 0);
	heap_deinit(&heap);
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
