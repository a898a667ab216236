// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/unit.h"
#include "tests/unit/fake_source.h"

int fake_read(struct update *update, void *handle)
{
	const struct fake *fake = handle;

	errno = EAGAIN; /* the errno of a source must not appear as an error */
	update_set_cpus(update, fake->cpus);
	update_set_lost(update, fake->lost);
	update_set_time(update, fake->time);
	update_set_classes(update, fake->classes, fake->class_count);
	for (size_t i = 0; i < fake->count; i++) {
		if (fake->err && i >= fake->fail_after)
			break;
		if (update->allocators & 1u << fake->types[i].allocator)
			update_put(update, &fake->types[i]);
	}
	if (fake->cut)
		update_cut(update, "%s", fake->errmsg ? fake->errmsg : "cut");
	if (fake->err && fake->errmsg)
		return update_fail(update, MEMSTAT_ERROR_UNDEFINED, fake->err, "%s: %m",
				   fake->errmsg);
	return -fake->err;
}

int fake_query(struct memory_type_list *list, unsigned int allocators, struct fake *fake)
{
	return query(list, allocators, fake_read, fake);
}

struct source_type fake_type(int allocator, const char *name, uint64_t allocs, uint64_t frees)
{
	struct source_type type = { .allocator = allocator, .name = name };

	type.counters.numallocs = allocs;
	type.counters.numfrees = frees;
	if (allocator == ALLOCATOR_UMA) {
		type.counters.size = 100;
	} else {
		type.counters.memalloced = allocs * 100;
		type.counters.memfreed = frees * 100;
	}
	return type;
}

static const struct {
	const char *name;
	uint64_t (*get)(const struct memory_type *type);
} getters[] = {
	{ "countlimit", memstat_get_countlimit }, { "byteslimit", memstat_get_byteslimit },
	{ "sizemask", memstat_get_sizemask },	  { "size", memstat_get_size },
	{ "rsize", memstat_get_rsize },		  { "memalloced", memstat_get_memalloced },
	{ "memfreed", memstat_get_memfreed },	  { "numallocs", memstat_get_numallocs },
	{ "numfrees", memstat_get_numfrees },	  { "bytes", memstat_get_bytes },
	{ "count", memstat_get_count },		  { "free", memstat_get_free },
	{ "failures", memstat_get_failures },	  { "sleeps", memstat_get_sleeps },
	{ "xdomain", memstat_get_xdomain },	  { "zonefree", memstat_get_zonefree },
	{ "kegfree", memstat_get_kegfree },
};

static const struct {
	const char *name;
	uint64_t (*get)(const struct memory_type *type, int cpu);
} percpu_getters[] = {
	{ "memalloced", memstat_get_percpu_memalloced },
	{ "memfreed", memstat_get_percpu_memfreed },
	{ "numallocs", memstat_get_percpu_numallocs },
	{ "numfrees", memstat_get_percpu_numfrees },
	{ "sizemask", memstat_get_percpu_sizemask },
	{ "free", memstat_get_percpu_free },
};

#define CPUS 8 /* no test has more */

static void print_name(FILE *file, const struct memory_type *type)
{
	fprintf(file, "%s:%s", memstat_get_allocator(type) == ALLOCATOR_UMA ? "uma" : "malloc",
		memstat_get_name(type));
}

static void print_cpu(FILE *file, const struct memory_type *type, int cpu)
{
	bool begun = false;

	for (size_t i = 0; i < sizeof(percpu_getters) / sizeof(*percpu_getters); i++) {
		uint64_t value = percpu_getters[i].get(type, cpu);

		if (value && !begun)
			fprintf(file, "; %d:", cpu);
		if (value)
			fprintf(file, " %s %" PRIu64, percpu_getters[i].name, value);
		begun |= value;
	}
}

void fake_expect(struct memory_type_list *list, const char *name, const char *expected)
{
	const struct memory_type *type = memstat_mtl_find(list, ALLOCATOR_ANY, name);
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	assert_non_null(file);
	if (type)
		print_name(file, type);
	for (size_t i = 0; i < sizeof(getters) / sizeof(*getters); i++)
		if (getters[i].get(type))
			fprintf(file, " %s %" PRIu64, getters[i].name, getters[i].get(type));
	for (int cpu = 0; cpu < CPUS; cpu++)
		print_cpu(file, type, cpu);
	assert_int_equal(fclose(file), 0);
	assert_string_equal(text, expected);
	free(text);
}

void fake_expect_nothing(const struct memory_type *type, int cpu)
{
	for (size_t i = 0; i < sizeof(percpu_getters) / sizeof(*percpu_getters); i++)
		assert_int_equal(percpu_getters[i].get(type, cpu), 0);
}

char *fake_walk(struct memory_type_list *list)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		abort();
	for (struct memory_type *type = memstat_mtl_first(list); type;
	     type = memstat_mtl_next(type)) {
		if (type != memstat_mtl_first(list))
			putc(' ', file);
		print_name(file, type);
	}
	fclose(file);
	return text;
}

int fake_list_set_up(void **state)
{
	*state = memstat_mtl_alloc();
	return *state ? 0 : -1;
}

int fake_list_tear_down(void **state)
{
	memstat_mtl_free(*state);
	return 0;
}
