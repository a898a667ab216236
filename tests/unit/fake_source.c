// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/fake_source.h"

int fake_read(struct update *update, void *handle)
{
	const struct fake *fake = handle;

	errno = EAGAIN; /* the errno of a source must not appear as an error */
	update_cpus(update, fake->cpus);
	update_lost(update, fake->lost);
	update_time(update, fake->time);
	update_classes(update, fake->classes, fake->class_count);
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

char *fake_walk(struct memory_type_list *list)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		abort();
	for (struct memory_type *type = memstat_mtl_first(list); type;
	     type = memstat_mtl_next(type)) {
		fprintf(file, "%s%s:%s", ftell(file) ? " " : "",
			memstat_get_allocator(type) == ALLOCATOR_UMA ? "uma" : "malloc",
			memstat_get_name(type));
	}
	fclose(file);
	return text;
}
