// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The file of --metrics: replaced at once, readable by all, and never another program's. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "live/stats/metrics_file.h"
#include "tests/unit/scratch.h"
#include "tests/unit/unit.h"

#define HEAD "# kmemtraced(8) --metrics: see its manual for the definitions\n"

struct scene {
	char *directory, *path, *temporary;
	struct metrics_file *file;
	struct error error;
};

static void make_scene(struct scene *scene)
{
	memset(scene, 0, sizeof(*scene));
	scene->directory = scratch_directory();
	scene->path = scratch_path(scene->directory, "kmemtrace.prom");
	scene->temporary = scratch_path(scene->directory, "kmemtrace.prom.tmp");
}

static void remove_scene(struct scene *scene)
{
	scratch_remove(scene->directory);
	free(scene->path);
	free(scene->temporary);
}

static int open_file(struct scene *scene)
{
	return metrics_file_open(&scene->file, scene->path, &scene->error);
}

static void write_metrics_text(struct scene *scene, const char *text)
{
	assert_int_equal(metrics_file_write(scene->file, text, strlen(text)), 0);
}

static void assert_text(const char *path, const char *expected)
{
	size_t size;
	unsigned char *text = scratch_read(path, &size);

	assert_int_equal(size, strlen(expected));
	assert_memory_equal(text, expected, size);
	free(text);
}

static void readers_see_whole_texts(void **state)
{
	mode_t mask = umask(077);
	struct scene scene;
	struct stat about;
	FILE *reader;
	char line[100];

	(void)state;
	make_scene(&scene);
	assert_int_equal(open_file(&scene), 0);
	assert_int_equal(access(scene.path, F_OK), -1);
	write_metrics_text(&scene, "a 1\n");
	assert_text(scene.path, HEAD "a 1\n");
	assert_int_equal(stat(scene.path, &about), 0);
	assert_int_equal(about.st_mode & 07777, 0644);
	/* who reads the old text still reads it */
	reader = fopen(scene.path, "r");
	assert_non_null(reader);
	write_metrics_text(&scene, "b 2\n");
	assert_non_null(fgets(line, sizeof(line), reader));
	assert_non_null(fgets(line, sizeof(line), reader));
	assert_string_equal(line, "a 1\n");
	fclose(reader);
	assert_text(scene.path, HEAD "b 2\n");
	assert_int_equal(access(scene.temporary, F_OK), -1);
	assert_int_equal(metrics_file_remove(scene.file), 0);
	assert_int_equal(access(scene.path, F_OK), -1);
	remove_scene(&scene);
	umask(mask);
}

static void a_second_writer_is_refused(void **state)
{
	struct scene scene;
	struct metrics_file *second;

	(void)state;
	make_scene(&scene);
	assert_int_equal(open_file(&scene), 0);
	write_metrics_text(&scene, "a 1\n");
	assert_int_equal(metrics_file_open(&second, scene.path, &scene.error), -EBUSY);
	assert_non_null(strstr(scene.error.text, "another kmemtraced writes it"));
	/* the lock is that of the text in place, not of the first one */
	write_metrics_text(&scene, "b 2\n");
	assert_int_equal(metrics_file_open(&second, scene.path, &scene.error), -EBUSY);
	assert_int_equal(metrics_file_remove(scene.file), 0);
	remove_scene(&scene);
}

static void the_first_of_two_writers_goes_on(void **state)
{
	struct scene scene;
	struct metrics_file *second;

	(void)state;
	make_scene(&scene);
	assert_int_equal(open_file(&scene), 0);
	assert_int_equal(metrics_file_open(&second, scene.path, &scene.error), 0);
	for (int i = 0; i < 2; i++) {
		write_metrics_text(&scene, "a 1\n");
		assert_int_equal(metrics_file_write(second, "b 2\n", 4), -EBUSY);
		assert_text(scene.path, HEAD "a 1\n");
	}
	/* a file that was removed is made again */
	assert_int_equal(unlink(scene.path), 0);
	write_metrics_text(&scene, "a 3\n");
	assert_int_equal(metrics_file_remove(scene.file), 0);
	assert_int_equal(metrics_file_write(second, "b 4\n", 4), 0);
	assert_text(scene.path, HEAD "b 4\n");
	assert_int_equal(metrics_file_remove(second), 0);
	remove_scene(&scene);
}

static void only_its_own_kind_of_file_is_replaced(void **state)
{
	struct scene scene;

	(void)state;
	make_scene(&scene);
	scratch_write(scene.path, "other_metric 1\n", 15);
	assert_int_equal(open_file(&scene), -EEXIST);
	assert_text(scene.path, "other_metric 1\n");
	/* of a kmemtraced that was killed; also what it left half written */
	scratch_write(scene.path, HEAD, strlen(HEAD));
	scratch_write(scene.temporary, "half", 4);
	assert_int_equal(open_file(&scene), 0);
	write_metrics_text(&scene, "a 1\n");
	assert_text(scene.path, HEAD "a 1\n");
	assert_int_equal(metrics_file_remove(scene.file), 0);
	remove_scene(&scene);
}

static void links_are_not_followed(void **state)
{
	struct scene scene;
	char *target;

	(void)state;
	make_scene(&scene);
	target = scratch_path(scene.directory, "target");
	scratch_write(target, "keep", 4);
	assert_int_equal(symlink(target, scene.path), 0);
	assert_int_equal(open_file(&scene), -ELOOP);
	assert_int_equal(unlink(scene.path), 0);
	assert_int_equal(symlink(target, scene.temporary), 0);
	assert_int_equal(open_file(&scene), 0);
	assert_int_equal(symlink(target, scene.temporary), 0);
	write_metrics_text(&scene, "a 1\n");
	assert_text(target, "keep");
	/* a file that another program put there is not removed */
	assert_int_equal(unlink(scene.path), 0);
	scratch_write(scene.path, "other", 5);
	assert_int_equal(metrics_file_remove(scene.file), 0);
	assert_text(scene.path, "other");
	free(target);
	remove_scene(&scene);
}

static void a_text_that_cannot_be_written_changes_nothing(void **state)
{
	struct scene scene;

	(void)state;
	make_scene(&scene);
	assert_int_equal(open_file(&scene), 0);
	write_metrics_text(&scene, "a 1\n");
	assert_int_equal(mkdir(scene.temporary, 0700), 0);
	assert_true(metrics_file_write(scene.file, "b 2\n", 4) < 0);
	assert_text(scene.path, HEAD "a 1\n");
	assert_int_equal(rmdir(scene.temporary), 0);
	write_metrics_text(&scene, "c 3\n");
	assert_text(scene.path, HEAD "c 3\n");
	assert_int_equal(metrics_file_remove(scene.file), 0);
	free(scene.path);
	scene.path = scratch_path(scene.directory, "missing/kmemtrace.prom");
	assert_int_equal(open_file(&scene), -ENOENT);
	assert_non_null(
		strstr(scene.error.text, "missing/kmemtrace.prom: its directory: No such file"));
	remove_scene(&scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(readers_see_whole_texts),
		cmocka_unit_test(a_second_writer_is_refused),
		cmocka_unit_test(the_first_of_two_writers_goes_on),
		cmocka_unit_test(only_its_own_kind_of_file_is_replaced),
		cmocka_unit_test(links_are_not_followed),
		cmocka_unit_test(a_text_that_cannot_be_written_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
