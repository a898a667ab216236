/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A source of memory types that tells what a test says, and fails where it says. */
#ifndef TESTS_UNIT_FAKE_SOURCE_H
#define TESTS_UNIT_FAKE_SOURCE_H

#include "memstat/internal.h"

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
	const char *errmsg; /* of err or cut; NULL: the source gives no sentence */
};

/* A source_read. Only the types of the allocators that are asked for are told. */
int fake_read(struct update *update, void *handle);

int fake_query(struct memory_type_list *list, unsigned int allocators, struct fake *fake);

/* A type with those allocations and frees, of 100 bytes each. */
struct source_type fake_type(int allocator, const char *name, uint64_t allocs, uint64_t frees);

/* "malloc:a uma:b …", as the list is walked; for the caller to free. */
char *fake_walk(struct memory_type_list *list);

#endif
