// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The stacks that the kernel keeps, in each form in which kernels print them. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"
#include "base/text.h"
#include "kernel/tracks.h"

#define SECOND UINT64_C(1000000000)

static const struct track *find_track(const struct tracks *tracks, const char *cache)
{
	for (size_t i = 0; i < tracks->count; i++)
		if (!strcmp(tracks->list[i].cache, cache))
			return &tracks->list[i];
	return NULL;
}

/* Linux 6.12: with the age. A freed object and an unused one are not live. */
static void test_kfence(void **state)
{
	static const char text[] =
		"kfence-#0: 0x00000000cafe0001-0x00000000cafe005a, size=90, cache=kmalloc-96\n\n"
		"allocated by task 190 on cpu 0 at 41.656713s (48.542464s ago):\n"
		" plant_leak+0x1c/0x40 [plant]\n"
		" do_syscall_64+0x82/0x190\n\n"
		"---------------------------------\n"
		"kfence-#1: 0x00000000cafe1001-0x00000000cafe105a, size=90, cache=kmalloc-96\n\n"
		"allocated by task 7 on cpu 1 at 80.000001s (10.000001s ago):\n"
		" plant_leak+0x1c/0x40 [plant]\n"
		" do_syscall_64+0x82/0x190\n\n"
		"---------------------------------\n"
		"kfence-#2: 0x00000000cafe2001-0x00000000cafe205a, size=64, cache=freed\n\n"
		"allocated by task 8 on cpu 1 at 80.000001s (10.000001s ago):\n"
		" f+0x1/0x2\n\n"
		"freed by task 8 on cpu 1 at 81.000001s (9.000001s ago):\n"
		" g+0x1/0x2\n\n"
		"---------------------------------\n"
		"kfence-#3: 0x00000000cafe3001-0x00000000cafe305a, size=64, cache=dying\n\n"
		"allocated by task 8 on cpu 1 at 80.000001s (10.000001s ago):\n"
		" f+0x1/0x2\n\n"
		"rcu freeing by task 8 on cpu 1 at 81.000001s (9.000001s ago):\n"
		" g+0x1/0x2\n\n"
		"---------------------------------\n"
		"kfence-#4 unused\n"
		"---------------------------------\n";
	struct tracks tracks = { 0 };
	const struct track *track;

	(void)state;
	assert_int_equal(tracks_parse_kfence(&tracks, text, 0), 0);
	assert_int_equal(tracks.count, 2);
	tracks_merge(&tracks);
	assert_int_equal(tracks.count, 1);
	track = &tracks.list[0];
	assert_int_equal(track->source, TRACK_KFENCE);
	assert_string_equal(track->cache, "kmalloc-96");
	assert_int_equal(track->objects, 2);
	assert_int_equal(track->bytes, 180);
	assert_int_equal(track->youngest, 10 * SECOND + 1000);
	assert_int_equal(track->oldest, 48 * SECOND + 542464000);
	assert_int_equal(track->pid_min, 7);
	assert_int_equal(track->pid_max, 190);
	assert_string_equal(track->stack, "plant_leak+0x1c/0x40 [plant];do_syscall_64+0x82/0x190");
	tracks_deinit(&tracks);
}

/* Linux 5.12 has no time, 5.15 to 6.11 the time since boot, but no age. */
static void test_older_kfence(void **state)
{
	static const char text[] =
		"kfence-#0 [0x00000000cafe0000-0x00000000cafe001f, size=32, cache=old] allocated by task 3:\n"
		" f+0x1/0x2\n\n"
		"---------------------------------\n"
		"kfence-#1: 0x00000000cafe1001-0x00000000cafe105a, size=90, cache=timed\n\n"
		"allocated by task 4 on cpu 1 at 80.000001s:\n"
		" f+0x1/0x2\n\n"
		"---------------------------------\n";
	struct tracks tracks = { 0 };
	const struct track *track;

	(void)state;
	assert_int_equal(tracks_parse_kfence(&tracks, text, 100 * SECOND), 0);
	tracks_merge(&tracks);
	assert_int_equal(tracks.count, 2);
	track = find_track(&tracks, "old");
	assert_non_null(track);
	assert_int_equal(track->bytes, 32);
	assert_int_equal(track->pid_max, 3);
	assert_int_equal(track->oldest, TRACK_UNKNOWN);
	track = find_track(&tracks, "timed");
	assert_non_null(track);
	assert_int_equal(track->oldest, 20 * SECOND - 1000);
	tracks_deinit(&tracks);
}

/* The stack begins with functions of the allocator from Linux 6.0 on; before, there is none. */
static void test_slub(void **state)
{
	static const char text[] =
		"   1204 plant_leak+0x1c/0x40 [plant] waste=1204/1 age=250/300/500 pid=1-200 cpus=0-1\n"
		"        __kmalloc_noprof+0x1/0x2\n"
		"        plant_leak+0x1d/0x40 [plant]\n"
		"        do_syscall_64+0x82/0x190\n"
		"\n"
		"      3 g+0x1/0x2 age=8 pid=5 cpus=0 nodes=0\n"
		"      1 <not-available> age=9 pid=0\n";
	struct tracks tracks = { 0 };

	(void)state;
	assert_int_equal(tracks_parse_slub(&tracks, text, "kmalloc-96", 96, 4000000), 0);
	assert_int_equal(tracks.count, 3);
	assert_int_equal(tracks.list[0].source, TRACK_SLUB);
	assert_int_equal(tracks.list[0].objects, 1204);
	assert_int_equal(tracks.list[0].bytes, 1204 * 96);
	assert_int_equal(tracks.list[0].youngest, SECOND);
	assert_int_equal(tracks.list[0].oldest, 2 * SECOND);
	assert_int_equal(tracks.list[0].pid_min, 1);
	assert_int_equal(tracks.list[0].pid_max, 200);
	assert_string_equal(tracks.list[0].stack,
			    "plant_leak+0x1d/0x40 [plant];do_syscall_64+0x82/0x190");
	assert_int_equal(tracks.list[1].objects, 3);
	assert_int_equal(tracks.list[1].oldest, 8 * 4000000);
	assert_int_equal(tracks.list[1].pid_max, 5);
	assert_string_equal(tracks.list[1].stack, "g+0x1/0x2");
	assert_string_equal(tracks.list[2].stack, "<not-available>");
	tracks_deinit(&tracks);
	assert_int_equal(tracks_parse_slub(&tracks, "No data\n", "a", 96, 4000000), 0);
	assert_int_equal(tracks.count, 0);
	assert_int_equal(tracks_parse_slub(&tracks, text, "a", TRACK_UNKNOWN, TRACK_UNKNOWN), 0);
	assert_int_equal(tracks.list[0].bytes, TRACK_UNKNOWN);
	assert_int_equal(tracks.list[0].oldest, TRACK_UNKNOWN);
	tracks_deinit(&tracks);
}

/* A text that is written is read again, with frames of modules and names with spaces. */
static void test_written(void **state)
{
	static const char text[] =
		"read kfence 5\nread slub 6\n"
		"track kfence 2 180 10 20 7 190 kmalloc-96 f+0x1/0x2\\x20[m] g+0x1/0x2\n"
		"track slub 3 unknown unknown unknown unknown unknown a\\x20b h\n";
	struct tracks tracks;
	char *written = NULL;
	size_t size;
	FILE *file;

	(void)state;
	assert_int_equal(tracks_parse(&tracks, text), 0);
	assert_int_equal(tracks.count, 2);
	assert_int_equal(tracks.reading_count, 2);
	assert_string_equal(tracks.list[0].stack, "f+0x1/0x2 [m];g+0x1/0x2");
	assert_string_equal(tracks.list[1].cache, "a b");
	file = text_open(&written, &size);
	assert_non_null(file);
	assert_int_equal(tracks_write(file, &tracks), 0);
	assert_int_equal(text_close(file, &written), 0);
	assert_string_equal(written, text);
	free(written);
	tracks_deinit(&tracks);
}

static void test_refused_tracks(void **state)
{
	struct tracks tracks;

	(void)state;
	assert_int_equal(tracks_parse(&tracks, "track other 1 2 3 4 5 6 a f\n"), -EINVAL);
	assert_int_equal(tracks_parse(&tracks, "track slub 1 2 3 4 5 six a f\n"), -EINVAL);
	assert_int_equal(tracks_parse(&tracks, "track slub 1 2 3 4 5 6\n"), -EINVAL);
	assert_int_equal(tracks_parse(&tracks, "read slub 1\nread slub 2\n"), -EINVAL);
	assert_int_equal(tracks_parse(&tracks, "later 1\n"), 0);
	assert_int_equal(tracks.count, 0);
	tracks_deinit(&tracks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kfence),	       cmocka_unit_test(test_older_kfence),
		cmocka_unit_test(test_slub),	       cmocka_unit_test(test_written),
		cmocka_unit_test(test_refused_tracks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
