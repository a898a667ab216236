// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The name of a killed process: from /proc while it is there, then from the capture. */
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/scratch.h"
#include "tests/unit/unit.h"
#include "tracer/host/victim_name.h"

#define GONE 4194305 /* no process has this id: it is above the largest pid_max */

struct scene {
	char *folder;
	int fd;
};

/* tasks: kernel/tasks of the capture; NULL: there is none */
static void open_victim_scene(struct scene *scene, const char *tasks)
{
	char *path;
	FILE *file;

	scene->folder = scratch_directory();
	path = scratch_path(scene->folder, "kernel");
	assert_int_equal(mkdir(path, 0700), 0);
	free(path);
	scene->fd = open(scene->folder, O_RDONLY | O_DIRECTORY);
	assert_true(scene->fd >= 0);
	if (!tasks)
		return;
	path = scratch_path(scene->folder, "kernel/tasks");
	file = fopen(path, "w");
	assert_non_null(file);
	assert_true(fputs(tasks, file) >= 0);
	assert_int_equal(fclose(file), 0);
	free(path);
}

static void close_victim_scene(struct scene *scene)
{
	close(scene->fd);
	scratch_remove(scene->folder);
}

static void names_a_process_that_is_there(void **state)
{
	char name[16], own[16] = "";
	struct scene scene;
	FILE *file = fopen("/proc/self/comm", "r");

	(void)state;
	assert_non_null(file);
	assert_non_null(fgets(own, sizeof(own), file));
	fclose(file);
	own[strcspn(own, "\n")] = '\0';
	open_victim_scene(&scene, NULL);
	victim_name((uint32_t)getpid(), scene.fd, name, sizeof(name));
	assert_string_equal(name, own);
	close_victim_scene(&scene);
}

static void names_one_that_is_gone_by_its_last_line(void **state)
{
	char name[16];
	struct scene scene;

	(void)state;
	open_victim_scene(&scene, "task 41943050 1 41943050 longer 0\n"
				  "task 4194305 5 4194305 sh 0\n"
				  "user 0 root\n"
				  "task 4194305 9 4194305 a\\x20hog\n"
				  "task 4194304 9 1 other\n");
	victim_name(GONE, scene.fd, name, sizeof(name));
	assert_string_equal(name, "a hog");
	close_victim_scene(&scene);
}

static void has_no_name_that_is_not_known(void **state)
{
	char name[16] = "before";
	struct scene scene;

	(void)state;
	open_victim_scene(&scene, "task 1 1 1 init 0\n");
	victim_name(GONE, scene.fd, name, sizeof(name));
	assert_string_equal(name, "");
	victim_name(GONE, -1, name, sizeof(name));
	assert_string_equal(name, "");
	close_victim_scene(&scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_a_process_that_is_there),
		cmocka_unit_test(names_one_that_is_gone_by_its_last_line),
		cmocka_unit_test(has_no_name_that_is_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
