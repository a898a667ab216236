// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Dumps of a set: their names, their pieces, and those that a kill has left. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/inside.h"
#include "tests/unit/scratch.h"
#include "tests/unit/unit.h"
#include "tracer/pieces/dumps.h"
#include "tracer/pieces/piece_set.h"

#define STAMP "20261123T130500Z"

static char *folder, *set_path;
static int top, set;
static struct set_dump_left_list left;
static char said[1000];

static void say_text(const char *text)
{
	strncat(said, text, sizeof(said) - strlen(said) - 1);
}

static bool same_file(const char *first, const char *second)
{
	struct stat one, other;

	assert_int_equal(fstatat(top, first, &one, AT_SYMLINK_NOFOLLOW), 0);
	assert_int_equal(fstatat(top, second, &other, AT_SYMLINK_NOFOLLOW), 0);
	return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

static int start_dumps(void **state)
{
	(void)state;
	folder = scratch_directory();
	set_path = scratch_path(folder, "set");
	top = open(folder, O_RDONLY | O_DIRECTORY);
	scratch_put(folder, "set/", NULL);
	set = inside_open_directory(top, "set");
	*said = '\0';
	return set < 0;
}

static int stop_dumps(void **state)
{
	(void)state;
	set_dump_left_deinit(&left);
	close(set);
	close(top);
	free(set_path);
	scratch_remove(folder);
	return 0;
}

static struct set_dump_settings settings_from(unsigned int first)
{
	return (struct set_dump_settings){ .set = set, .first = first, .path = set_path };
}

static void assert_dumps(enum dump_state state, const char *const *expected)
{
	struct dump_list list;

	assert_int_equal(dump_list_read(&list, top, "set", state), 0);
	for (size_t i = 0; i < list.count; i++) {
		assert_non_null(expected[i]);
		assert_string_equal(list.names[i], expected[i]);
	}
	assert_null(expected[list.count]);
	dump_list_deinit(&list);
}

static void lists_dumps_by_time(void **state)
{
	static const char *const names[] = { "set.dump.20251231T235959Z.10",
					     "set.dump." STAMP,
					     "set.dump.20251231T235959Z.2",
					     "set.dump.20251231T235959Z",
					     "set.dump." STAMP ".2.new",
					     "set.dump." STAMP ".new",
					     "sets.dump." STAMP,
					     "set.dump.mine",
					     "set.dump." STAMP ".1",
					     "set.dump." STAMP ".x",
					     "set.dump." STAMP ".new.new",
					     "set.dump." STAMP "x",
					     "set.dump.2026112XT130500Z",
					     "set.dump." STAMP ".123456789" };
	static const char *const finished[] = { "set.dump.20251231T235959Z",
						"set.dump.20251231T235959Z.2",
						"set.dump.20251231T235959Z.10", "set.dump." STAMP,
						NULL };
	static const char *const others[] = { "set.dump." STAMP ".new", "set.dump." STAMP ".2.new",
					      NULL };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		assert_int_equal(mkdirat(top, names[i], 0700), 0);
	/* what others could have put there */
	scratch_put(folder, "set.dump.20240101T000000Z/", NULL);
	assert_int_equal(fchmodat(top, "set.dump.20240101T000000Z", 0777, 0), 0);
	assert_int_equal(symlinkat("set", top, "set.dump.20240102T000000Z"), 0);
	scratch_put(folder, "set.dump.20240103T000000Z", "a file");
	assert_dumps(DUMP_IS_FINISHED, finished);
	assert_dumps(DUMP_IS_NEW, others);
}

static void writes_the_pieces_of_a_run(void **state)
{
	const struct set_dump_settings about = settings_from(2);
	struct dump_request request = { .last = 3, .trigger = "live > 1" };
	struct set_dump_result result;
	struct dump_list list;
	char name[300];

	(void)state;
	scratch_put_piece(folder, "set/piece.000001", "checkpoint/", 1);
	scratch_put_piece(folder, "set/piece.000002", "checkpoint/", 2);
	scratch_put_piece(folder, "set/piece.000003", "checkpoint/", 2);
	scratch_put_piece(folder, "set/piece.000004", "checkpoint/", 2);
	scratch_put(folder, "set/piece.000003/checkpoint.new/", NULL);
	assert_int_equal(set_dump_make(&about, &request, &result), 0);
	assert_int_equal(result.pieces, 2);
	assert_int_equal(result.incomplete, 0);
	assert_int_equal(dump_list_read(&list, top, "set", DUMP_IS_FINISHED), 0);
	assert_int_equal(list.count, 1);
	assert_string_equal(strrchr(result.path, '/') + 1, list.names[0]);
	snprintf(name, sizeof(name), "%s/piece.000003/cpu0", list.names[0]);
	assert_true(scratch_has(folder, name));
	for (const char *const *none =
		     (const char *const[]){ "piece.000001", "piece.000004", ".request",
					    "piece.000003/checkpoint.new", NULL };
	     *none; none++) {
		snprintf(name, sizeof(name), "%s/%s", list.names[0], *none);
		assert_false(scratch_has(folder, name));
	}
	dump_list_deinit(&list);
	request.last = 1;
	assert_int_equal(set_dump_make(&about, &request, &result), -ENOENT);
	assert_string_equal(result.error.text,
			    "no piece is finished, or --max-disk has removed it: "
			    "No such file or directory");
	assert_dumps(DUMP_IS_NEW, (const char *const[]){ NULL });
}

/* No piece has a checkpoint, nor is there a piece before that it could be made of. */
static void names_a_piece_without_a_checkpoint(void **state)
{
	const struct set_dump_settings about = settings_from(1);
	const struct dump_request request = { .last = 2 };
	struct set_dump_result result;

	(void)state;
	scratch_put_piece(folder, "set/piece.000002", "checkpoint/", 1);
	assert_int_equal(unlinkat(top, "set/piece.000002/checkpoint", AT_REMOVEDIR), 0);
	assert_int_equal(set_dump_make(&about, &request, &result), 0);
	assert_int_equal(result.pieces, 1);
	assert_int_equal(result.incomplete, 2);
}

static void keeps_the_first_piece_of_a_run(void **state)
{
	const struct set_dump_settings about = settings_from(1);
	const struct dump_request request = { .last = 2 };
	struct set_dump_result result;

	(void)state;
	scratch_put_piece(folder, "set/piece.000001", "checkpoint/", 1);
	scratch_put_piece(folder, "set/piece.000002", "checkpoint/", 1);
	assert_int_equal(unlinkat(top, "set/piece.000001/checkpoint", AT_REMOVEDIR), 0);
	assert_int_equal(set_dump_make(&about, &request, &result), 0);
	assert_int_equal(result.pieces, 2);
	assert_int_equal(result.incomplete, 0);
}

/* --max-disk removes the events of a piece that is still needed: not those of a dump. */
static void keeps_the_events_of_a_dump(void **state)
{
	const struct set_dump_settings about = settings_from(1);
	const struct dump_request request = { .last = 2 };
	struct set_dump_result result;
	int piece;

	(void)state;
	scratch_put_piece(folder, "set/piece.000001", "checkpoint/", 1);
	scratch_put_piece(folder, "set/piece.000002", "checkpoint/", 1);
	assert_false(piece_is_in_dump(set, 1));
	assert_int_equal(piece_empty(set, 1), 0);
	assert_int_equal(set_dump_make(&about, &request, &result), 0);
	assert_int_equal(result.pieces, 1);
	assert_false(piece_is_in_dump(set, 1));
	assert_true(piece_is_in_dump(set, 2));
	piece = inside_open_directory(set, "piece.000002");
	assert_false(piece_is_empty(piece));
	assert_int_equal(piece_empty(set, 2), 0);
	assert_true(piece_is_empty(piece));
	close(piece);
}

/* A dump of limited size has the last pieces; what they share counts once. */
static void limits_the_size(void **state)
{
	char text[100001];
	unsigned int first;

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	for (unsigned int i = 1; i <= 3; i++) {
		char name[40];

		snprintf(name, sizeof(name), "set/piece.%06u", i);
		scratch_put_piece(folder, name, "checkpoint/", 1);
		snprintf(name, sizeof(name), "set/piece.%06u/cpu0", i);
		scratch_put(folder, name, text);
	}
	scratch_put(folder, "set/piece.000001/symbols", text);
	assert_int_equal(
		linkat(top, "set/piece.000001/symbols", top, "set/piece.000002/symbols", 0), 0);
	assert_int_equal(
		linkat(top, "set/piece.000001/symbols", top, "set/piece.000003/symbols", 0), 0);
	for (first = 1; first <= 3; first++) {
		unsigned int found = 1;

		/* the streams from there on, and the symbols; some blocks for the directories */
		assert_int_equal(dump_size_limit(set, 3, (5 - first) * 100000 + 70000, &found), 0);
		assert_int_equal(found, first);
	}
	first = 1;
	assert_int_equal(dump_size_limit(set, 3, 1, &first), 0);
	assert_int_equal(first, 3);
	assert_int_equal(inside_remove_directory(top, "set/piece.000002"), 0);
	first = 1;
	assert_int_equal(dump_size_limit(set, 3, 1 << 30, &first), 0);
	assert_int_equal(first, 3);
}

static void find_left(unsigned int count)
{
	const struct set_dump_settings about = settings_from(5);

	assert_int_equal(set_dump_find_left(&left, &about, say_text), 0);
	assert_int_equal(left.count, count);
}

/* The last piece is in the dump only; half a piece is removed; another run has the number 2. */
static void finishes_what_a_kill_has_left(void **state)
{
	struct set_dump_result result;

	(void)state;
	scratch_put(folder, "set.dump." STAMP ".new/", NULL);
	scratch_put(folder, "set.dump." STAMP ".new/.request", "pieces 1 5\ntrigger live > 1\n");
	scratch_put_piece(folder, "set.dump." STAMP ".new/piece.000004", "checkpoint/", 1);
	scratch_put_piece(folder, "set.dump." STAMP ".new/piece.000005", "checkpoint/", 1);
	scratch_put(folder, "set.dump." STAMP ".new/piece.000005/checkpoint.new/", NULL);
	scratch_put(folder, "set.dump." STAMP ".new/.next.000003/", NULL);
	scratch_put_piece(folder, "set/piece.000002", "checkpoint/", 2);
	scratch_put_piece(folder, "set/piece.000003", "checkpoint/", 1);
	scratch_put_piece(folder, "set/piece.000004", "checkpoint/", 1);
	find_left(1);
	assert_string_equal(left.list[0].request.trigger, "live > 1");
	/* the keeper may remove pieces from now on */
	assert_int_equal(inside_remove_directory(top, "set/piece.000003"), 0);
	assert_int_equal(set_dump_finish_left(&left.list[0], &result), 0);
	assert_int_equal(result.pieces, 3);
	assert_dumps(DUMP_IS_FINISHED, (const char *const[]){ "set.dump." STAMP, NULL });
	assert_dumps(DUMP_IS_NEW, (const char *const[]){ NULL });
	assert_true(scratch_has(folder, "set.dump." STAMP "/piece.000003/cpu0"));
	assert_true(scratch_has(folder, "set.dump." STAMP "/piece.000005/cpu0"));
	assert_false(scratch_has(folder, "set.dump." STAMP "/piece.000002"));
	assert_false(scratch_has(folder, "set.dump." STAMP "/piece.000005/checkpoint.new"));
	assert_false(scratch_has(folder, "set.dump." STAMP "/.next.000003"));
	assert_false(scratch_has(folder, "set.dump." STAMP "/.request"));
	assert_string_equal(said, "");
}

/* The piece before is gone, so that no other checkpoint can be made. */
static void takes_a_checkpoint_that_was_made_later(void **state)
{
	struct set_dump_result result;

	(void)state;
	scratch_put(folder, "set.dump." STAMP ".new/", NULL);
	scratch_put(folder, "set.dump." STAMP ".new/.request", "pieces 5 5\ntrigger live > 1\n");
	scratch_put_piece(folder, "set.dump." STAMP ".new/piece.000005", "checkpoint/", 1);
	assert_int_equal(
		unlinkat(top, "set.dump." STAMP ".new/piece.000005/checkpoint", AT_REMOVEDIR), 0);
	scratch_put_piece(folder, "set/piece.000005", "checkpoint/", 1);
	scratch_put(folder, "set/piece.000005/cpu0",
		    "with the events that were in the stream before");
	find_left(1);
	assert_int_equal(set_dump_finish_left(&left.list[0], &result), 0);
	assert_int_equal(result.pieces, 1);
	assert_true(scratch_has(folder, "set.dump." STAMP "/piece.000005/checkpoint"));
	assert_true(same_file("set.dump." STAMP "/piece.000005/cpu0", "set/piece.000005/cpu0"));
	assert_false(scratch_has(folder, "set.dump." STAMP "/.next.000005"));
}

static void removes_a_dump_without_pieces(void **state)
{
	(void)state;
	scratch_put(folder, "set.dump." STAMP ".new/", NULL);
	scratch_put(folder, "set.dump." STAMP ".new/.next.000004/", NULL);
	find_left(0);
	assert_dumps(DUMP_IS_NEW, (const char *const[]){ NULL });
	assert_non_null(strstr(said, "/set.dump." STAMP ".new: removed: kmemtraced was killed when "
				     "this dump had no piece yet"));
}

static void leaves_a_dump_that_is_being_written(void **state)
{
	int fd;

	(void)state;
	scratch_put(folder, "set.dump." STAMP ".new/", NULL);
	fd = inside_open_directory(top, "set.dump." STAMP ".new");
	assert_int_equal(flock(fd, LOCK_EX), 0);
	find_left(0);
	assert_true(scratch_has(folder, "set.dump." STAMP ".new"));
	assert_string_equal(said, "");
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(lists_dumps_by_time, start_dumps, stop_dumps),
		cmocka_unit_test_setup_teardown(writes_the_pieces_of_a_run, start_dumps,
						stop_dumps),
		cmocka_unit_test_setup_teardown(names_a_piece_without_a_checkpoint, start_dumps,
						stop_dumps),
		cmocka_unit_test_setup_teardown(keeps_the_first_piece_of_a_run, start_dumps,
						stop_dumps),
		cmocka_unit_test_setup_teardown(keeps_the_events_of_a_dump, start_dumps,
						stop_dumps),
		cmocka_unit_test_setup_teardown(limits_the_size, start_dumps, stop_dumps),
		cmocka_unit_test_setup_teardown(finishes_what_a_kill_has_left, start_dumps,
						stop_dumps),
		cmocka_unit_test_setup_teardown(takes_a_checkpoint_that_was_made_later, start_dumps,
						stop_dumps),
		cmocka_unit_test_setup_teardown(removes_a_dump_without_pieces, start_dumps,
						stop_dumps),
		cmocka_unit_test_setup_teardown(leaves_a_dump_that_is_being_written, start_dumps,
						stop_dumps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
