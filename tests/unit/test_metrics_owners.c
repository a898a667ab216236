// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Live bytes by task name and container for a monitoring system: few names, of which one that was
 * shown stays for a while, and sums that are right whatever the names are.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "live/stats/metrics_owners.h"
#include "tests/unit/unit.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

struct owners_scene {
	struct capture capture;
	struct tallies tallies;
	struct details details;
	struct metrics_owners owners;
	uint64_t time;
};

static void open_owners_scene(struct owners_scene *scene, const char *names)
{
	const struct topology none = { 0 };

	memset(scene, 0, sizeof(*scene));
	assert_int_equal(tallies_init(&scene->tallies, 1, &none), 0);
	assert_int_equal(details_init(&scene->details, &scene->capture, &scene->tallies), 0);
	assert_int_equal(details_names(&scene->details, names), 0);
}

static void close_owners_scene(struct owners_scene *scene)
{
	metrics_owners_deinit(&scene->owners);
	details_deinit(&scene->details);
	tallies_deinit(&scene->tallies);
}

static void allocate_bytes(struct owners_scene *scene, uint32_t task, uint32_t bytes,
			   uint16_t flags)
{
	static const struct analysis analysis;
	const struct slab_object object = {
		.address = 64, .time = 10, .task = task, .allocated = bytes, .flags = flags
	};
	const struct transition transition = { .outcome = OUTCOME_ALLOCATED, .object = &object };

	assert_int_equal(details_on_transition(&scene->details, &analysis, &transition), 0);
}

/* The series of a text, without the lines of types. */
static void check_series(struct owners_scene *scene, size_t top, const char *expected)
{
	char text[4096] = "", series[4096] = "", *line, *rest;
	FILE *file = fmemopen(text, sizeof(text) - 1, "w");

	assert_non_null(file);
	assert_int_equal(details_flush(&scene->details, ++scene->time), 0);
	assert_int_equal(metrics_owners_write(&scene->owners, &scene->details, top, file), 0);
	fclose(file);
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		if (*line == '#')
			continue;
		strcat(series, line + strlen("kmemtrace_"));
		strcat(series, "\n");
	}
	assert_string_equal(series, expected);
}

static void the_largest_have_a_series_and_the_others_one(void **state)
{
	struct owners_scene scene;

	(void)state;
	open_owners_scene(&scene, "cgroup 5 0 /system.slice/docker-" ID ".scope\n"
				  "cgroup 6 0 /system.slice/docker-" ID ".scope/inner\n"
				  "cgroup 7 0 /\n"
				  "task 10 0 10 nginx\nmember 10 0 5\n"
				  "task 11 0 11 nginx\nmember 11 0 6\n"
				  "task 12 0 12 sh\nmember 12 0 7\n"
				  "task 13 0 13 (other)\nmember 13 0 7\n");
	allocate_bytes(&scene, 10, 100, 0);
	allocate_bytes(&scene, 11, 50, 0);
	allocate_bytes(&scene, 12, 20, 0);
	allocate_bytes(&scene, 13, 4000, 0);
	allocate_bytes(&scene, 12, 3, OBJECT_IN_INTERRUPT);
	check_series(&scene, 1,
		     "comm_live_bytes{comm=\"nginx\"} 150\n"
		     "comm_live_bytes{comm=\"(interrupts)\"} 3\n"
		     "comm_live_bytes{comm=\"(other)\"} 4020\n"
		     "container_live_bytes{container=\"0123456789ab\"} 150\n"
		     "container_live_bytes{container=\"(interrupts)\"} 3\n"
		     "container_live_bytes{container=\"(none)\"} 4020\n"
		     "container_live_bytes{container=\"(other)\"} 0\n");
	/* one that was shown stays, beside those that have more */
	allocate_bytes(&scene, 12, 200, 0);
	check_series(&scene, 1,
		     "comm_live_bytes{comm=\"sh\"} 220\n"
		     "comm_live_bytes{comm=\"nginx\"} 150\n"
		     "comm_live_bytes{comm=\"(interrupts)\"} 3\n"
		     "comm_live_bytes{comm=\"(other)\"} 4000\n"
		     "container_live_bytes{container=\"0123456789ab\"} 150\n"
		     "container_live_bytes{container=\"(interrupts)\"} 3\n"
		     "container_live_bytes{container=\"(none)\"} 4220\n"
		     "container_live_bytes{container=\"(other)\"} 0\n");
	close_owners_scene(&scene);
}

/* Prometheus refuses a text with the same series twice. */
static void names_of_one_label_are_one_series(void **state)
{
	struct owners_scene scene;

	(void)state;
	open_owners_scene(&scene, "task 10 0 10 a\001\ntask 11 0 11 a\\x01\ntask 12 0 12 b\"\n");
	allocate_bytes(&scene, 10, 100, 0);
	allocate_bytes(&scene, 11, 50, 0);
	allocate_bytes(&scene, 12, 20, 0);
	check_series(&scene, 5,
		     "comm_live_bytes{comm=\"a\\\\x01\"} 150\n"
		     "comm_live_bytes{comm=\"b\\\"\"} 20\n"
		     "comm_live_bytes{comm=\"(interrupts)\"} 0\n"
		     "comm_live_bytes{comm=\"(other)\"} 0\n"
		     "container_live_bytes{container=\"(interrupts)\"} 0\n"
		     "container_live_bytes{container=\"(none)\"} 0\n"
		     "container_live_bytes{container=\"(other)\"} 170\n");
	close_owners_scene(&scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_largest_have_a_series_and_the_others_one),
		cmocka_unit_test(names_of_one_label_are_one_series),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
