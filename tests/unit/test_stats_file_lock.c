// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Who may publish where, who may read it, and what is told when nobody publishes any more. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "tests/unit/hand_type_stats.h"
#include "tests/unit/scratch.h"

#define NOBODY 65534
#define A_GROUP 12345

struct place {
	char *directory, *path, *fresh;
	struct type_stats type_stats;
	struct stats_file_view view;
	char errmsg[400];
};

static int setup(void **state)
{
	struct place *place = calloc(1, sizeof(*place));

	assert_non_null(place);
	place->directory = scratch_directory();
	place->path = scratch_path(place->directory, "memstat");
	place->fresh = scratch_path(place->directory, "memstat.new");
	hand_type_stats_init(&place->type_stats);
	hand_type_stats_add(&place->type_stats, TYPE_STATS_CACHE, "a", 1);
	*state = place;
	return 0;
}

static int teardown(void **state)
{
	struct place *place = *state;

	stats_file_view_deinit(&place->view);
	hand_type_stats_deinit(&place->type_stats);
	free(place->fresh);
	free(place->path);
	scratch_remove(place->directory);
	free(place);
	return 0;
}

static int create(struct stats_file **stats_file, struct place *place, const char *path)
{
	const struct stats_file_settings settings = {
		.path = path, .group = (gid_t)-1, .cpus = 1, .types_max = { 1, 1 }
	};

	place->errmsg[0] = 0;
	return stats_file_create(stats_file, &settings, place->errmsg, sizeof(place->errmsg));
}

static void assert_refused(struct place *place, const char *path, int err, const char *errmsg)
{
	struct stats_file *stats_file = NULL;

	assert_int_equal(create(&stats_file, place, path), -err);
	assert_null(stats_file);
	if (!strstr(place->errmsg, errmsg) || !strstr(place->errmsg, path))
		fail_msg("'%s' is not in: %s", errmsg, place->errmsg);
}

static void assert_read(struct place *place, int err, const char *errmsg)
{
	assert_int_equal(stats_file_read(&place->view, place->path), -err);
	if (err && !strstr(place->view.errmsg, errmsg))
		fail_msg("'%s' is not in: %s", errmsg, place->view.errmsg);
}

static void test_absent(void **state)
{
	struct place *place = *state;
	struct stats_file *stats_file;
	char command[300];

	snprintf(command, sizeof(command), "'kmemtraced --publish=%s'", place->path);
	assert_read(place, ENOENT, command);
	stats_file = hand_stats_file_create(place->path);
	assert_read(place, ENOENT, command);
	hand_stats_file_write(stats_file, &place->type_stats, 1);
	assert_read(place, 0, NULL);
	stats_file_remove(stats_file);
	assert_read(place, ENOENT, command);
	assert_int_equal(place->view.count, 0);
	assert_int_equal(access(place->path, F_OK), -1);
	assert_int_equal(access(place->fresh, F_OK), -1);
	stats_file_remove(NULL);
}

static void test_removed_unwritten(void **state)
{
	struct place *place = *state;

	stats_file_remove(hand_stats_file_create(place->path));
	assert_int_equal(access(place->fresh, F_OK), -1);
}

/* Its directory is made, whatever the umask; the one above it is not. */
static void test_directory(void **state)
{
	struct place *place = *state;
	char *path = scratch_path(place->directory, "run/memstat");
	char *far = scratch_path(place->directory, "no/run/memstat");
	char *directory = scratch_path(place->directory, "run");
	mode_t before = umask(0077);
	struct stats_file *stats_file = hand_stats_file_create(path);
	struct stat about;

	umask(before);
	hand_stats_file_write(stats_file, &place->type_stats, 1);
	assert_int_equal(stats_file_read(&place->view, path), 0);
	assert_int_equal(stat(directory, &about), 0);
	assert_int_equal(about.st_mode & 07777, 0755);
	assert_int_equal(stat(path, &about), 0);
	assert_int_equal(about.st_mode & 07777, 0600);
	stats_file_remove(stats_file);
	assert_refused(place, far, ENOENT, "its directory");
	free(directory);
	free(far);
	free(path);
}

static void test_open_directory(void **state)
{
	struct place *place = *state;
	static const mode_t modes[] = { 0777, 0775, 0722 };
	struct stats_file *stats_file;

	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
		assert_int_equal(chmod(place->directory, modes[i]), 0);
		assert_refused(place, place->path, EPERM, "chmod go-w");
	}
	assert_int_equal(chmod(place->directory, 01777), 0);
	stats_file = hand_stats_file_create(place->path);
	stats_file_remove(stats_file);
}

static void test_settings(void **state)
{
	struct place *place = *state;
	static const struct stats_file_settings wrong[] = {
		{ .cpus = 0, .types_max = { 1, 1 } },
		{ .cpus = 8193, .types_max = { 1, 1 } },
		{ .cpus = 1, .types_max = { 0, 1 } },
		{ .cpus = 1, .types_max = { 1, 0 } },
		{ .cpus = 1, .types_max = { 65536, 1 } },
		{ .cpus = 1, .types_max = { 1, SIZE_MAX } },
	};
	struct stats_file *stats_file;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct stats_file_settings settings = wrong[i];

		settings.path = place->path;
		assert_int_equal(stats_file_create(&stats_file, &settings, place->errmsg,
						   sizeof(place->errmsg)),
				 -EINVAL);
		assert_non_null(strstr(place->errmsg, place->path));
	}
	assert_refused(place, "", EISDIR, "");
	assert_refused(place, "/tmp/", EISDIR, "not the name of a file");
}

/* Runs it as another user. What it returns: 0, or what was wrong. */
static int as_nobody(struct place *place, gid_t group, int (*does)(struct place *place))
{
	int status;
	pid_t child = fork();

	assert_true(child >= 0);
	if (!child) {
		if (setgid(group) || setuid(NOBODY))
			_exit(99);
		_exit(does(place));
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int may_read(struct place *place)
{
	int err = stats_file_read(&place->view, place->path);

	if (err == -EACCES && !strstr(place->view.errmsg, "--publish-group"))
		return 98;
	return -err;
}

static void test_readers(void **state)
{
	struct place *place = *state;
	struct stats_file_settings settings = {
		.path = place->path, .group = A_GROUP, .cpus = 1, .types_max = { 1, 1 }
	};
	struct stats_file *stats_file;
	struct stat about;

	if (geteuid() != 0)
		skip(); /* only root can become somebody else */
	assert_int_equal(chmod(place->directory, 0711), 0);
	stats_file = hand_stats_file_create(place->path);
	hand_stats_file_write(stats_file, &place->type_stats, 1);
	assert_int_equal(as_nobody(place, NOBODY, may_read), EACCES);
	assert_int_equal(as_nobody(place, A_GROUP, may_read), EACCES);
	stats_file_remove(stats_file);

	assert_int_equal(
		stats_file_create(&stats_file, &settings, place->errmsg, sizeof(place->errmsg)), 0);
	hand_stats_file_write(stats_file, &place->type_stats, 1);
	assert_int_equal(stat(place->path, &about), 0);
	assert_int_equal(about.st_mode & 07777, 0640);
	assert_int_equal(about.st_gid, A_GROUP);
	assert_int_equal(as_nobody(place, NOBODY, may_read), EACCES);
	assert_int_equal(as_nobody(place, A_GROUP, may_read), 0);
	assert_int_equal(chmod(place->directory, 0700), 0);
	assert_int_equal(as_nobody(place, A_GROUP, may_read), EACCES);
	stats_file_remove(stats_file);
}

static int may_publish(struct place *place)
{
	struct stats_file *stats_file = NULL;
	int err = create(&stats_file, place, place->path);

	stats_file_remove(stats_file);
	return -err;
}

static void test_not_allowed(void **state)
{
	struct place *place = *state;
	struct stats_file *stats_file;
	char *kept;

	if (geteuid() != 0)
		skip(); /* only root can become somebody else */
	kept = scratch_path(place->directory, "kept");
	assert_int_equal(chmod(place->directory, 0755), 0);
	assert_int_equal(as_nobody(place, NOBODY, may_publish), EACCES);
	/* where everybody may, what is root's stays */
	assert_int_equal(chmod(place->directory, 01777), 0);
	assert_int_equal(as_nobody(place, NOBODY, may_publish), 0);
	stats_file = hand_stats_file_create(place->path);
	hand_stats_file_write(stats_file, &place->type_stats, 1);
	assert_int_equal(link(place->path, kept), 0);
	stats_file_remove(stats_file);
	assert_int_equal(rename(kept, place->path), 0);
	assert_int_equal(as_nobody(place, NOBODY, may_publish), EACCES);
	/* and what is another's is not taken away */
	assert_int_equal(chown(place->path, NOBODY, NOBODY), 0);
	assert_refused(place, place->path, EEXIST, "belongs to another user");
	/* but for the leftover, which is only so named */
	assert_int_equal(remove(place->path), 0);
	scratch_write(place->fresh, "x", 1);
	assert_int_equal(chown(place->fresh, NOBODY, NOBODY), 0);
	stats_file_remove(hand_stats_file_create(place->path));
	free(kept);
}

/* Its owner could put another file there, whatever its mode. */
static void test_foreign_directory(void **state)
{
	static const mode_t modes[] = { 0755, 0700, 01777 };
	struct place *place = *state;

	if (geteuid() != 0)
		skip(); /* only root can give a directory away */
	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
		assert_int_equal(chown(place->directory, NOBODY, NOBODY), 0);
		assert_int_equal(chmod(place->directory, modes[i]), 0);
		assert_refused(place, place->path, EPERM, "another user (uid 65534)");
	}
	assert_int_equal(chmod(place->directory, 0755), 0);
	assert_int_equal(as_nobody(place, NOBODY, may_publish), 0);
	assert_int_equal(chown(place->directory, 0, 0), 0);
	stats_file_remove(hand_stats_file_create(place->path));
}

static int may_give(struct place *place)
{
	struct stats_file_settings settings = { .path = place->path,
						.group = A_GROUP,
						.group_name = "readers",
						.cpus = 1,
						.types_max = { 1, 1 } };
	struct stats_file *stats_file = NULL;
	int err = stats_file_create(&stats_file, &settings, place->errmsg, sizeof(place->errmsg));

	stats_file_remove(stats_file);
	if (err && (!strstr(place->errmsg, "readers") || !strstr(place->errmsg, place->path)))
		return 98;
	return -err;
}

/* Who is not root has only groups of its own to give. */
static void test_foreign_group(void **state)
{
	struct place *place = *state;

	if (geteuid() != 0)
		skip(); /* only root can become somebody else */
	assert_int_equal(chmod(place->directory, 01777), 0);
	assert_int_equal(as_nobody(place, NOBODY, may_give), EPERM);
	assert_int_equal(access(place->fresh, F_OK), -1);
	assert_int_equal(as_nobody(place, A_GROUP, may_give), 0);
}

static void test_second_writer(void **state)
{
	struct place *place = *state;
	struct stats_file *stats_file = hand_stats_file_create(place->path);
	char process[40];

	snprintf(process, sizeof(process), "process %ld publishes there", (long)getpid());
	assert_refused(place, place->path, EBUSY, "another process is starting to publish there");
	hand_stats_file_write(stats_file, &place->type_stats, 1);
	assert_refused(place, place->path, EBUSY, process);
	assert_int_equal(access(place->fresh, F_OK), -1);
	assert_read(place, 0, NULL);
	stats_file_remove(stats_file);
	stats_file_remove(hand_stats_file_create(place->path));
}

/* A child that publishes, after one moment or none, until it is killed. */
static void publish_and_die(struct place *place, bool writes)
{
	int ready[2], status;
	struct stats_file *stats_file;
	pid_t child;
	char byte = 0;

	assert_int_equal(pipe(ready), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		if (create(&stats_file, place, place->path))
			_exit(1);
		if (writes)
			hand_stats_file_write(stats_file, &place->type_stats, 1);
		_exit(write(ready[1], &byte, 1) == 1 ? pause() : 1);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	if (writes)
		assert_read(place, 0, NULL);
	assert_refused(place, place->path, EBUSY, "");
	assert_int_equal(kill(child, SIGKILL), 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	close(ready[0]);
	close(ready[1]);
}

static void test_killed(void **state)
{
	struct place *place = *state;
	struct stats_file *stats_file;

	publish_and_die(place, true);
	assert_read(place, ENOENT, "has ended");
	assert_non_null(strstr(place->view.errmsg, "'kmemtraced --publish="));
	assert_int_equal(place->view.count, 0);
	publish_and_die(place, false);
	assert_read(place, ENOENT, "has ended");
	assert_int_equal(access(place->fresh, F_OK), 0);

	stats_file = hand_stats_file_create(place->path);
	assert_read(place, ENOENT, "has ended");
	hand_stats_file_write(stats_file, &place->type_stats, 2);
	assert_read(place, 0, NULL);
	assert_int_equal(place->view.snapshot.time, 2);
	stats_file_remove(stats_file);
}

/* One of many that begin at once; it says whether it publishes, and does so until the end. */
static void begin(struct place *place, int start, int said, int end)
{
	struct stats_file *stats_file;
	char byte = 0;

	if (read(start, &byte, 1))
		_exit(1);
	byte = !create(&stats_file, place, place->path);
	if (byte)
		hand_stats_file_write(stats_file, &place->type_stats, 1);
	_exit(write(said, &byte, 1) != 1 || read(end, &byte, 1));
}

static void begin_at_once(struct place *place, int count)
{
	int start[2], said[2], end[2], status, publishing = 0;
	char byte;

	assert_int_equal(pipe(start) + pipe(said) + pipe(end), 0);
	for (int i = 0; i < count; i++) {
		pid_t child = fork();

		assert_true(child >= 0);
		if (child)
			continue;
		close(start[1]);
		close(end[1]);
		begin(place, start[0], said[1], end[0]);
	}
	close(start[1]);
	for (int i = 0; i < count; i++) {
		assert_int_equal(read(said[0], &byte, 1), 1);
		publishing += byte;
	}
	assert_int_equal(publishing, 1);
	assert_read(place, 0, NULL);
	close(end[1]);
	for (int i = 0; i < count; i++) {
		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
	close(start[0]);
	close(said[0]);
	close(said[1]);
	close(end[0]);
}

static void test_race(void **state)
{
	struct place *place = *state;

	for (int round = 0; round < 60; round++) {
		if (round % 3)
			publish_and_die(place, round % 3 == 1);
		begin_at_once(place, 6);
	}
}

/* What no publisher has made is left alone, and nothing is written through a link. */
static void test_something_else(void **state)
{
	struct place *place = *state;
	struct stats_file *stats_file;
	char *precious = scratch_path(place->directory, "precious");
	size_t size;
	unsigned char *bytes;

	scratch_write(place->path, "precious", 8);
	assert_refused(place, place->path, EEXIST, "is not replaced");
	bytes = scratch_read(place->path, &size);
	assert_int_equal(size, 8);
	free(bytes);
	assert_int_equal(rename(place->path, place->fresh), 0);
	assert_int_equal(symlink("memstat.other", place->path), 0);
	assert_refused(place, place->path, ELOOP, "is a symbolic link: name the file itself");
	assert_int_equal(remove(place->path), 0);
	assert_int_equal(mkdir(place->path, 0700), 0);
	assert_refused(place, place->path, EEXIST, "is not replaced");
	assert_int_equal(rmdir(place->path), 0);
	assert_int_equal(mkfifo(place->path, 0600), 0);
	assert_refused(place, place->path, EEXIST, "is not replaced");
	assert_read(place, EBADMSG, "is not a statistics file");
	assert_int_equal(remove(place->path), 0);

	/* an empty one too: whoever made it had something in mind */
	scratch_write(place->path, "", 0);
	assert_refused(place, place->path, EEXIST, "is not replaced");
	assert_int_equal(remove(place->path), 0);
	/* in place of the fresh one: a file, an early writer's, and a link */
	assert_refused(place, place->path, EEXIST,
		       "memstat.new: exists and is not a statistics file");
	bytes = scratch_read(place->fresh, &size);
	assert_int_equal(size, 8);
	free(bytes);
	scratch_write(place->fresh, "", 0);
	stats_file_remove(hand_stats_file_create(place->path));
	assert_int_equal(access(place->fresh, F_OK), -1);
	scratch_write(precious, "precious", 8);
	assert_int_equal(symlink(precious, place->fresh), 0);
	stats_file = hand_stats_file_create(place->path);
	hand_stats_file_write(stats_file, &place->type_stats, 1);
	assert_read(place, 0, NULL);
	stats_file_remove(stats_file);
	bytes = scratch_read(precious, &size);
	assert_int_equal(size, 8);
	free(bytes);
	free(precious);
}

/* What should be its directory is none: says which, of all on the way. */
static void test_no_directory(void **state)
{
	struct place *place = *state;
	char *file = scratch_path(place->directory, "run");
	char *path = scratch_path(place->directory, "run/memstat");
	char *far = scratch_path(place->directory, "run/a/memstat"), sentence[300];

	scratch_write(file, "", 0);
	snprintf(sentence, sizeof(sentence), ": %s is not a directory", file);
	assert_int_equal(stats_file_read(&place->view, path), -ENOTDIR);
	assert_non_null(strstr(place->view.errmsg, sentence));
	assert_int_equal(stats_file_read(&place->view, far), -ENOTDIR);
	assert_non_null(strstr(place->view.errmsg, sentence));
	assert_refused(place, path, ENOTDIR, "its directory");
	free(far);
	free(path);
	free(file);
}

/* The file that is removed is the publisher's own. */
static void test_replaced(void **state)
{
	struct place *place = *state;
	struct stats_file *stats_file = hand_stats_file_create(place->path);

	hand_stats_file_write(stats_file, &place->type_stats, 1);
	assert_int_equal(remove(place->path), 0);
	scratch_write(place->path, "another", 7);
	hand_stats_file_write(stats_file, &place->type_stats, 2);
	stats_file_remove(stats_file);
	assert_int_equal(access(place->path, F_OK), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_absent, setup, teardown),
		cmocka_unit_test_setup_teardown(test_removed_unwritten, setup, teardown),
		cmocka_unit_test_setup_teardown(test_directory, setup, teardown),
		cmocka_unit_test_setup_teardown(test_open_directory, setup, teardown),
		cmocka_unit_test_setup_teardown(test_settings, setup, teardown),
		cmocka_unit_test_setup_teardown(test_readers, setup, teardown),
		cmocka_unit_test_setup_teardown(test_not_allowed, setup, teardown),
		cmocka_unit_test_setup_teardown(test_foreign_directory, setup, teardown),
		cmocka_unit_test_setup_teardown(test_foreign_group, setup, teardown),
		cmocka_unit_test_setup_teardown(test_second_writer, setup, teardown),
		cmocka_unit_test_setup_teardown(test_killed, setup, teardown),
		cmocka_unit_test_setup_teardown(test_race, setup, teardown),
		cmocka_unit_test_setup_teardown(test_something_else, setup, teardown),
		cmocka_unit_test_setup_teardown(test_no_directory, setup, teardown),
		cmocka_unit_test_setup_teardown(test_replaced, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
