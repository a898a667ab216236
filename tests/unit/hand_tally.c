// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A tally made by a test. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/unit/hand_tally.h"

void hand_tally_init(struct tally *tally)
{
	*tally = (struct tally){ .generation = 1,
				 .class_count = 3,
				 .class_bytes = { 8, 16, 32 },
				 .types = calloc(HAND_TYPES_MAX, sizeof(*tally->types)) };
	assert_non_null(tally->types);
}

void hand_tally_deinit(struct tally *tally)
{
	for (size_t i = 0; i < tally->count; i++) {
		free(tally->types[i].name);
		free(tally->types[i].cpus);
	}
	free(tally->types);
}

struct tally_type *hand_tally_add(struct tally *tally, enum tally_kind kind, const char *name,
				  size_t cpus)
{
	struct tally_type *type = &tally->types[tally->count++];

	assert_in_range(tally->count, 1, HAND_TYPES_MAX);
	*type = (struct tally_type){ .kind = kind,
				     .name = strdup(name),
				     .cpus = calloc(cpus + 1, sizeof(struct tally_cpu)),
				     .cpu_count = cpus,
				     .changed = tally->generation };
	assert_non_null(type->name);
	assert_non_null(type->cpus);
	return type;
}

void hand_tally_change(struct tally *tally, struct tally_type *type, uint64_t number)
{
	bool is_cache = type->kind == TALLY_CACHE;

	type->object_size = is_cache ? 100 : 0;
	type->size = is_cache ? 128 : 0;
	type->numallocs = 10 * number;
	type->numfrees = 7 * number;
	type->memalloced = is_cache ? 0 : 160 * number;
	type->memfreed = is_cache ? 0 : 112 * number;
	type->sizemask = is_cache ? 0 : 2;
	type->failures = 1 + number;
	type->xdomain = 2 + number;
	type->frees_unmatched = 3 + number;
	type->base = is_cache ? 4 : 0;
	type->kegfree = is_cache ? 5 + number : 0;
	for (size_t cpu = 0; cpu < type->cpu_count; cpu++)
		type->cpus[cpu] = (struct tally_cpu){ .numallocs = number + cpu,
						      .numfrees = 2 * number + cpu,
						      .memalloced = 3 * number + cpu,
						      .memfreed = 4 * number + cpu,
						      .sizemask = is_cache ? 0 : 1 + cpu };
	type->changed = tally->generation;
}

struct published *hand_tally_publish(const char *path)
{
	const struct published_settings settings = {
		.path = path, .group = (gid_t)-1, .cpus = 2, .types_max = { 4, 4 }
	};
	struct published *published = NULL;
	char why[400];

	if (published_create(&published, &settings, why, sizeof(why)))
		fail_msg("%s", why);
	return published;
}

void hand_tally_write(struct published *published, struct tally *tally, uint64_t time)
{
	const struct published_moment moment = { .time = time, .begin = 1 };

	published_write(published, tally, &moment);
	tally->generation++;
}
