/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A source of memory types for tests: it puts given types, and fails after a given number. */
#ifndef TESTS_UNIT_FAKE_SOURCE_H
#define TESTS_UNIT_FAKE_SOURCE_H

#include "live/memstat/internal.h"

struct fake {
	const struct source_type *types;
	size_t count;
	size_t cpus;
	const size_t *classes;
	size_t class_count;
	uint64_t lost, time;
	size_t fail_after; /* types; with err */
	int err;
	bool cut;
	const char *errmsg; /* of err or cut; NULL: no message */
};

/* A source_read. It puts the types of the requested allocators only. */
int fake_read(struct update *update, void *handle);

int fake_query(struct memory_type_list *list, unsigned int allocators, struct fake *fake);

/* A type with these numbers of allocations and frees, of 100 bytes each. */
struct source_type fake_type(int allocator, const char *name, uint64_t allocs, uint64_t frees);

/*
 * Compares all figures that libmemstat has of the type of this name, without those that are 0:
 * "uma:NAME size 40 numallocs 3; 1: numallocs 3", at the end those of CPU 1. "": there is no such
 * type.
 */
void fake_expect(struct memory_type_list *list, const char *name, const char *expected);

/* Each figure of the CPU must be 0. */
void fake_expect_nothing(const struct memory_type *type, int cpu);

/* "malloc:a uma:b ...", in the order of the list; the caller frees it. */
char *fake_walk(struct memory_type_list *list);

/* For tests whose state is a list of types, at first an empty one. */
int fake_list_set_up(void **state);
int fake_list_tear_down(void **state);

#endif
