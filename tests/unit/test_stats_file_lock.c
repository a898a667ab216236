// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The users who may publish where, or read the file; and the errors when no process publishes. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/unit.h"
#include "tests/unit/hand_type_stats.h"
#include "tests/unit/scratch.h"

#define OTHER_USER 65534
#define A_GROUP 12345

struct fixture {
	char *directory, *path, *temporary;
	struct type_stats type_stats;
	struct stats_file_view view;
	struct error error;
};

static int set_up_stats_file_lock(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	assert_non_null(fixture);
	fixture->directory = scratch_directory();
	fixture->path = scratch_path(fixture->directory, "memstat");
	fixture->temporary = scratch_path(fixture->directory, "memstat.new");
	hand_type_stats_init(&fixture->type_stats);
	hand_type_stats_add(&fixture->type_stats, TYPE_STATS_CACHE, "a", 1);
	*state = fixture;
	return 0;
}

static int tear_down_stats_file_lock(void **state)
{
	struct fixture *fixture = *state;

	stats_file_view_deinit(&fixture->view);
	hand_type_stats_deinit(&fixture->type_stats);
	free(fixture->temporary);
	free(fixture->path);
	scratch_remove(fixture->directory);
	free(fixture);
	return 0;
}

static int create_stats_file(struct stats_file **stats_file, struct fixture *fixture,
			     const char *path)
{
	const struct stats_file_settings settings = {
		.path = path, .group = (gid_t)-1, .cpus = 1, .types_max = { 1, 1 }
	};

	fixture->error = (struct error){ 0 };
	return stats_file_create(stats_file, &settings, &fixture->error);
}

static void assert_refused(struct fixture *fixture, const char *path, int err, const char *errmsg)
{
	struct stats_file *stats_file = NULL;

	assert_int_equal(create_stats_file(&stats_file, fixture, path), -err);
	assert_null(stats_file);
	if (!strstr(fixture->error.text, errmsg) || !strstr(fixture->error.text, path))
		fail_msg("'%s' is not in: %s", errmsg, fixture->error.text);
}

static void assert_read(struct fixture *fixture, int err, const char *errmsg)
{
	assert_int_equal(stats_file_read(&fixture->view, fixture->path), -err);
	if (err && !strstr(fixture->view.errmsg, errmsg))
		fail_msg("'%s' is not in: %s", errmsg, fixture->view.errmsg);
}

static void test_absent(void **state)
{
	struct fixture *fixture = *state;
	struct stats_file *stats_file;
	char command[300];

	snprintf(command, sizeof(command), "'kmemtraced --publish=%s'", fixture->path);
	assert_read(fixture, ENOENT, command);
	stats_file = hand_stats_file_create(fixture->path);
	assert_read(fixture, ENOENT, command);
	hand_stats_file_write(stats_file, &fixture->type_stats, 1);
	assert_read(fixture, 0, NULL);
	stats_file_remove(stats_file);
	assert_read(fixture, ENOENT, command);
	assert_int_equal(fixture->view.count, 0);
	assert_int_equal(access(fixture->path, F_OK), -1);
	assert_int_equal(access(fixture->temporary, F_OK), -1);
	stats_file_remove(NULL);
}

static void test_removed_unwritten(void **state)
{
	struct fixture *fixture = *state;

	stats_file_remove(hand_stats_file_create(fixture->path));
	assert_int_equal(access(fixture->temporary, F_OK), -1);
}

/* The directory is created, whatever the umask is; its parent is not. */
static void test_directory(void **state)
{
	struct fixture *fixture = *state;
	char *path = scratch_path(fixture->directory, "run/memstat");
	char *far = scratch_path(fixture->directory, "no/run/memstat");
	char *directory = scratch_path(fixture->directory, "run");
	mode_t before = umask(0077);
	struct stats_file *stats_file = hand_stats_file_create(path);
	struct stat about;

	umask(before);
	hand_stats_file_write(stats_file, &fixture->type_stats, 1);
	assert_int_equal(stats_file_read(&fixture->view, path), 0);
	assert_int_equal(stat(directory, &about), 0);
	assert_int_equal(about.st_mode & 07777, 0755);
	assert_int_equal(stat(path, &about), 0);
	assert_int_equal(about.st_mode & 07777, 0600);
	stats_file_remove(stats_file);
	assert_refused(fixture, far, ENOENT, "its directory");
	free(directory);
	free(far);
	free(path);
}

static void test_open_directory(void **state)
{
	struct fixture *fixture = *state;
	static const mode_t modes[] = { 0777, 0775, 0722 };

	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
		assert_int_equal(chmod(fixture->directory, modes[i]), 0);
		assert_refused(fixture, fixture->path, EPERM, "chmod go-w");
	}
	/* before and after, another user could put a file there */
	assert_int_equal(chmod(fixture->directory, 01777), 0);
	assert_refused(fixture, fixture->path, EPERM, "a file of their own");
}

static void test_settings(void **state)
{
	struct fixture *fixture = *state;
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

		settings.path = fixture->path;
		assert_int_equal(stats_file_create(&stats_file, &settings, &fixture->error),
				 -EINVAL);
		assert_non_null(strstr(fixture->error.text, fixture->path));
	}
	assert_refused(fixture, "", EISDIR, "");
	assert_refused(fixture, "/tmp/", EISDIR, "not the name of a file");
}

/* Calls the function as another user and returns its result. */
static int as_other_user(struct fixture *fixture, gid_t group, int (*does)(struct fixture *fixture))
{
	int status;
	pid_t child = fork();

	assert_true(child >= 0);
	if (!child) {
		if (setgid(group) || setuid(OTHER_USER))
			_exit(99);
		_exit(does(fixture));
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int may_read(struct fixture *fixture)
{
	int err = stats_file_read(&fixture->view, fixture->path);

	if (err == -EACCES && !strstr(fixture->view.errmsg, "--publish-group"))
		return 98;
	return -err;
}

static void test_readers(void **state)
{
	struct fixture *fixture = *state;
	struct stats_file_settings settings = {
		.path = fixture->path, .group = A_GROUP, .cpus = 1, .types_max = { 1, 1 }
	};
	struct stats_file *stats_file;
	struct stat about;

	if (geteuid() != 0)
		skip(); /* only root can become somebody else */
	assert_int_equal(chmod(fixture->directory, 0711), 0);
	stats_file = hand_stats_file_create(fixture->path);
	hand_stats_file_write(stats_file, &fixture->type_stats, 1);
	assert_int_equal(as_other_user(fixture, OTHER_USER, may_read), EACCES);
	assert_int_equal(as_other_user(fixture, A_GROUP, may_read), EACCES);
	stats_file_remove(stats_file);

	assert_int_equal(stats_file_create(&stats_file, &settings, &fixture->error), 0);
	hand_stats_file_write(stats_file, &fixture->type_stats, 1);
	assert_int_equal(stat(fixture->path, &about), 0);
	assert_int_equal(about.st_mode & 07777, 0640);
	assert_int_equal(about.st_gid, A_GROUP);
	assert_int_equal(as_other_user(fixture, OTHER_USER, may_read), EACCES);
	assert_int_equal(as_other_user(fixture, A_GROUP, may_read), 0);
	assert_int_equal(chmod(fixture->directory, 0700), 0);
	assert_int_equal(as_other_user(fixture, A_GROUP, may_read), EACCES);
	stats_file_remove(stats_file);
}

static int may_publish(struct fixture *fixture)
{
	struct stats_file *stats_file = NULL;
	int err = create_stats_file(&stats_file, fixture, fixture->path);

	stats_file_remove(stats_file);
	return -err;
}

static void test_not_allowed(void **state)
{
	struct fixture *fixture = *state;
	struct stats_file *stats_file;
	char *kept;

	if (geteuid() != 0)
		skip(); /* only root can become somebody else */
	kept = scratch_path(fixture->directory, "kept");
	assert_int_equal(chmod(fixture->directory, 0755), 0);
	assert_int_equal(as_other_user(fixture, OTHER_USER, may_publish), EACCES);
	assert_int_equal(chmod(fixture->directory, 01777), 0);
	assert_int_equal(as_other_user(fixture, OTHER_USER, may_publish), EPERM);
	assert_int_equal(chmod(fixture->directory, 0755), 0);
	stats_file = hand_stats_file_create(fixture->path);
	hand_stats_file_write(stats_file, &fixture->type_stats, 1);
	assert_int_equal(link(fixture->path, kept), 0);
	stats_file_remove(stats_file);
	assert_int_equal(rename(kept, fixture->path), 0);
	/* a file of another user is not replaced */
	assert_int_equal(chown(fixture->path, OTHER_USER, OTHER_USER), 0);
	assert_refused(fixture, fixture->path, EEXIST, "belongs to another user");
	/* a temporary file of another user is removed */
	assert_int_equal(remove(fixture->path), 0);
	scratch_write(fixture->temporary, "x", 1);
	assert_int_equal(chown(fixture->temporary, OTHER_USER, OTHER_USER), 0);
	stats_file_remove(hand_stats_file_create(fixture->path));
	free(kept);
}

/* The owner of the directory could replace the file, whatever the mode is. */
static void test_foreign_directory(void **state)
{
	static const mode_t modes[] = { 0755, 0700, 01777 };
	struct fixture *fixture = *state;

	if (geteuid() != 0)
		skip(); /* only root can give a directory away */
	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
		assert_int_equal(chown(fixture->directory, OTHER_USER, OTHER_USER), 0);
		assert_int_equal(chmod(fixture->directory, modes[i]), 0);
		assert_refused(fixture, fixture->path, EPERM, "another user (uid 65534)");
	}
	assert_int_equal(chmod(fixture->directory, 0755), 0);
	assert_int_equal(as_other_user(fixture, OTHER_USER, may_publish), 0);
	assert_int_equal(chown(fixture->directory, 0, 0), 0);
	stats_file_remove(hand_stats_file_create(fixture->path));
}

/* Gives a directory or a link in the fixture's directory to the user. */
static char *make_for(struct fixture *fixture, const char *name, const char *target, uid_t user)
{
	char *path = scratch_path(fixture->directory, name);

	assert_int_equal(target ? symlink(target, path) : mkdir(path, 0755), 0);
	assert_int_equal(lchown(path, user, user), 0);
	return path;
}

static void test_foreign_parents(void **state)
{
	struct fixture *fixture = *state;
	char *theirs, *ours, *their_link, *our_link, *under, *file;
	struct stat about;

	if (geteuid() != 0)
		skip(); /* only root can give a directory away */
	theirs = make_for(fixture, "theirs", NULL, OTHER_USER);
	under = make_for(fixture, "theirs/ours", NULL, 0);
	ours = make_for(fixture, "ours", NULL, 0);
	assert_int_equal(chmod(ours, 0700), 0);
	their_link = make_for(fixture, "their-link", "ours", OTHER_USER);
	our_link = make_for(fixture, "our-link", "./theirs/../ours", 0);

	/* the owner of a parent could give the name to another directory */
	file = scratch_path(under, "memstat");
	assert_refused(fixture, file, EPERM, "/theirs belongs to another user (uid 65534)");
	free(file);
	file = scratch_path(theirs, "new/memstat");
	assert_refused(fixture, file, EPERM, "/theirs belongs to another user (uid 65534)");
	free(file);
	file = scratch_path(their_link, "memstat");
	assert_refused(fixture, file, EPERM, "/their-link belongs to another user");
	free(file);
	/* the link of root leads through a directory of another user */
	file = scratch_path(our_link, "memstat");
	assert_refused(fixture, file, EPERM, "/theirs belongs to another user");
	free(file);
	assert_int_equal(chown(theirs, 0, 0), 0);
	file = scratch_path(our_link, "memstat");
	stats_file_remove(hand_stats_file_create(file));
	/* others may write the parent: in a sticky one they cannot replace what is ours */
	assert_int_equal(chmod(fixture->directory, 0777), 0);
	assert_refused(fixture, file, EPERM, "chmod go-w");
	assert_int_equal(chmod(fixture->directory, 01777), 0);
	stats_file_remove(hand_stats_file_create(file));
	free(file);
	/* a directory that was there keeps its mode */
	assert_int_equal(stat(ours, &about), 0);
	assert_int_equal(about.st_mode & 07777, 0700);
	assert_int_equal(as_other_user(fixture, OTHER_USER, may_publish), EPERM);
	free(theirs);
	free(ours);
	free(under);
	free(their_link);
	free(our_link);
}

static void test_links_without_end(void **state)
{
	struct fixture *fixture = *state;
	char *link = scratch_path(fixture->directory, "link");
	char *file = scratch_path(fixture->directory, "link/memstat");

	assert_int_equal(symlink("link", link), 0);
	assert_refused(fixture, file, ELOOP, "symbolic links");
	/* the directory that a link names is made, as any other */
	assert_int_equal(unlink(link), 0);
	assert_int_equal(symlink("new", link), 0);
	stats_file_remove(hand_stats_file_create(file));
	free(link);
	free(file);
}

static int may_give(struct fixture *fixture)
{
	struct stats_file_settings settings = { .path = fixture->path,
						.group = A_GROUP,
						.group_name = "readers",
						.cpus = 1,
						.types_max = { 1, 1 } };
	struct stats_file *stats_file = NULL;
	int err = stats_file_create(&stats_file, &settings, &fixture->error);

	stats_file_remove(stats_file);
	if (err && (!strstr(fixture->error.text, "readers") ||
		    !strstr(fixture->error.text, fixture->path)))
		return 98;
	return -err;
}

/* Only root can give the file to a group that it is not a member of. */
static void test_foreign_group(void **state)
{
	struct fixture *fixture = *state;

	if (geteuid() != 0)
		skip(); /* only root can become somebody else */
	assert_int_equal(chown(fixture->directory, OTHER_USER, OTHER_USER), 0);
	assert_int_equal(as_other_user(fixture, OTHER_USER, may_give), EPERM);
	assert_int_equal(access(fixture->temporary, F_OK), -1);
	assert_int_equal(as_other_user(fixture, A_GROUP, may_give), 0);
}

static void test_second_writer(void **state)
{
	struct fixture *fixture = *state;
	struct stats_file *stats_file = hand_stats_file_create(fixture->path);
	char process[40];

	snprintf(process, sizeof(process), "process %ld publishes there", (long)getpid());
	assert_refused(fixture, fixture->path, EBUSY,
		       "another process is starting to publish there");
	hand_stats_file_write(stats_file, &fixture->type_stats, 1);
	assert_refused(fixture, fixture->path, EBUSY, process);
	assert_int_equal(access(fixture->temporary, F_OK), -1);
	assert_read(fixture, 0, NULL);
	stats_file_remove(stats_file);
	stats_file_remove(hand_stats_file_create(fixture->path));
}

/* Starts a child that publishes one snapshot or none, and kills it. */
static void publish_until_killed(struct fixture *fixture, bool writes)
{
	int ready[2], status;
	struct stats_file *stats_file;
	pid_t child;
	char byte = 0;

	assert_int_equal(pipe(ready), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		if (create_stats_file(&stats_file, fixture, fixture->path))
			_exit(1);
		if (writes)
			hand_stats_file_write(stats_file, &fixture->type_stats, 1);
		_exit(write(ready[1], &byte, 1) == 1 ? pause() : 1);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	if (writes)
		assert_read(fixture, 0, NULL);
	assert_refused(fixture, fixture->path, EBUSY, "");
	assert_int_equal(kill(child, SIGKILL), 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	close(ready[0]);
	close(ready[1]);
}

static void test_killed(void **state)
{
	struct fixture *fixture = *state;
	struct stats_file *stats_file;

	publish_until_killed(fixture, true);
	assert_read(fixture, ENOENT, "has ended");
	assert_non_null(strstr(fixture->view.errmsg, "'kmemtraced --publish="));
	assert_int_equal(fixture->view.count, 0);
	publish_until_killed(fixture, false);
	assert_read(fixture, ENOENT, "has ended");
	assert_int_equal(access(fixture->temporary, F_OK), 0);

	stats_file = hand_stats_file_create(fixture->path);
	assert_read(fixture, ENOENT, "has ended");
	hand_stats_file_write(stats_file, &fixture->type_stats, 2);
	assert_read(fixture, 0, NULL);
	assert_int_equal(fixture->view.snapshot.time, 2);
	stats_file_remove(stats_file);
}

/* One of many that start at once; it reports whether it publishes, and does so until the end. */
static void begin_publisher(struct fixture *fixture, int start, int results, int end)
{
	struct stats_file *stats_file;
	char byte = 0;

	if (read(start, &byte, 1))
		_exit(1);
	byte = !create_stats_file(&stats_file, fixture, fixture->path);
	if (byte)
		hand_stats_file_write(stats_file, &fixture->type_stats, 1);
	_exit(write(results, &byte, 1) != 1 || read(end, &byte, 1));
}

static void begin_at_once(struct fixture *fixture, int count)
{
	int start[2], results[2], end[2], status, publishing = 0;
	char byte;

	assert_int_equal(pipe(start) + pipe(results) + pipe(end), 0);
	for (int i = 0; i < count; i++) {
		pid_t child = fork();

		assert_true(child >= 0);
		if (child)
			continue;
		close(start[1]);
		close(end[1]);
		begin_publisher(fixture, start[0], results[1], end[0]);
	}
	close(start[1]);
	for (int i = 0; i < count; i++) {
		assert_int_equal(read(results[0], &byte, 1), 1);
		publishing += byte;
	}
	assert_int_equal(publishing, 1);
	assert_read(fixture, 0, NULL);
	close(end[1]);
	for (int i = 0; i < count; i++) {
		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
	close(start[0]);
	close(results[0]);
	close(results[1]);
	close(end[0]);
}

static void test_race(void **state)
{
	struct fixture *fixture = *state;

	for (int round = 0; round < 60; round++) {
		if (round % 3)
			publish_until_killed(fixture, round % 3 == 1);
		begin_at_once(fixture, 6);
	}
}

/* Files of other programs are not replaced, and no symbolic link is followed. */
static void test_something_else(void **state)
{
	struct fixture *fixture = *state;
	struct stats_file *stats_file;
	char *precious = scratch_path(fixture->directory, "precious");
	size_t size;
	unsigned char *bytes;

	scratch_write(fixture->path, "precious", 8);
	assert_refused(fixture, fixture->path, EEXIST, "is not replaced");
	bytes = scratch_read(fixture->path, &size);
	assert_int_equal(size, 8);
	free(bytes);
	assert_int_equal(rename(fixture->path, fixture->temporary), 0);
	assert_int_equal(symlink("memstat.other", fixture->path), 0);
	assert_refused(fixture, fixture->path, ELOOP, "is a symbolic link: name the file itself");
	assert_int_equal(remove(fixture->path), 0);
	assert_int_equal(mkdir(fixture->path, 0700), 0);
	assert_refused(fixture, fixture->path, EEXIST, "is not replaced");
	assert_int_equal(rmdir(fixture->path), 0);
	assert_int_equal(mkfifo(fixture->path, 0600), 0);
	assert_refused(fixture, fixture->path, EEXIST, "is not replaced");
	assert_read(fixture, EBADMSG, "is not a statistics file");
	assert_int_equal(remove(fixture->path), 0);

	/* an empty file too: it may belong to another program */
	scratch_write(fixture->path, "", 0);
	assert_refused(fixture, fixture->path, EEXIST, "is not replaced");
	assert_int_equal(remove(fixture->path), 0);
	/* at the temporary name: a file, that of a writer that ended early, and a link */
	assert_refused(fixture, fixture->path, EEXIST,
		       "memstat.new: exists and is not a statistics file");
	bytes = scratch_read(fixture->temporary, &size);
	assert_int_equal(size, 8);
	free(bytes);
	scratch_write(fixture->temporary, "", 0);
	stats_file_remove(hand_stats_file_create(fixture->path));
	assert_int_equal(access(fixture->temporary, F_OK), -1);
	scratch_write(precious, "precious", 8);
	assert_int_equal(symlink(precious, fixture->temporary), 0);
	stats_file = hand_stats_file_create(fixture->path);
	hand_stats_file_write(stats_file, &fixture->type_stats, 1);
	assert_read(fixture, 0, NULL);
	stats_file_remove(stats_file);
	bytes = scratch_read(precious, &size);
	assert_int_equal(size, 8);
	free(bytes);
	free(precious);
}

/* A component of the path is not a directory: the error names it. */
static void test_no_directory(void **state)
{
	struct fixture *fixture = *state;
	char *file = scratch_path(fixture->directory, "run");
	char *path = scratch_path(fixture->directory, "run/memstat");
	char *far = scratch_path(fixture->directory, "run/a/memstat"), expected[300];

	scratch_write(file, "", 0);
	snprintf(expected, sizeof(expected), ": %s is not a directory", file);
	assert_int_equal(stats_file_read(&fixture->view, path), -ENOTDIR);
	assert_non_null(strstr(fixture->view.errmsg, expected));
	assert_int_equal(stats_file_read(&fixture->view, far), -ENOTDIR);
	assert_non_null(strstr(fixture->view.errmsg, expected));
	assert_refused(fixture, path, ENOTDIR, "its directory");
	free(far);
	free(path);
	free(file);
}

/* A publisher removes only its own file. */
static void test_replaced(void **state)
{
	struct fixture *fixture = *state;
	struct stats_file *stats_file = hand_stats_file_create(fixture->path);

	hand_stats_file_write(stats_file, &fixture->type_stats, 1);
	assert_int_equal(remove(fixture->path), 0);
	scratch_write(fixture->path, "another", 7);
	hand_stats_file_write(stats_file, &fixture->type_stats, 2);
	stats_file_remove(stats_file);
	assert_int_equal(access(fixture->path, F_OK), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_absent, set_up_stats_file_lock,
						tear_down_stats_file_lock),
		cmocka_unit_test_setup_teardown(test_removed_unwritten, set_up_stats_file_lock,
						tear_down_stats_file_lock),
		cmocka_unit_test_setup_teardown(test_directory, set_up_stats_file_lock,
						tear_down_stats_file_lock),
		cmocka_unit_test_setup_teardown(test_open_directory, set_up_stats_file_lock,
						tear_down_stats_file_lock),
		cmocka_unit_test_setup_teardown(test_settings, set_up_stats_file_lock,
						tear_down_stats_file_lock),
		cmocka_unit_test_setup_teardown(test_readers, set_up_stats_file_lock,
						tear_down_stats_file_lock),
		cmocka_unit_test_setup_teardown(test_not_allowed, set_up_stats_file_lock,
						tear_down_stats_file_lock),
		cmocka_unit_test_setup_teardown(test_foreign_directory, set_up_stats_file_lock,
						tear_down_stats_file_lock),
		cmocka_unit_test_setup_teardown(test_foreign_parents, set_up_stats_file_lock,
						tear_down_stats_file_lock),
		cmocka_unit_test_setup_teardown(test_links_without_end, set_up_stats_file_lock,
						tear_down_stats_file_lock),
		cmocka_unit_test_setup_teardown(test_foreign_group, set_up_stats_file_lock,
						tear_down_stats_file_lock),
		cmocka_unit_test_setup_teardown(test_second_writer, set_up_stats_file_lock,
						tear_down_stats_file_lock),
		cmocka_unit_test_setup_teardown(test_killed, set_up_stats_file_lock,
						tear_down_stats_file_lock),
		cmocka_unit_test_setup_teardown(test_race, set_up_stats_file_lock,
						tear_down_stats_file_lock),
		cmocka_unit_test_setup_teardown(test_something_else, set_up_stats_file_lock,
						tear_down_stats_file_lock),
		cmocka_unit_test_setup_teardown(test_no_directory, set_up_stats_file_lock,
						tear_down_stats_file_lock),
		cmocka_unit_test_setup_teardown(test_replaced, set_up_stats_file_lock,
						tear_down_stats_file_lock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
