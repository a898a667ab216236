// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * One writer and four readers, in threads and in processes: readers get only whole
 * snapshots that were written. Run this with the thread sanitizer too (with fewer TEST_READS).
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/unit.h"
#include "tests/unit/hand_type_stats.h"
#include "tests/unit/scratch.h"

#ifndef TEST_READS
#define TEST_READS 200000 /* in all, half of them by processes */
#endif
#define READERS 4
#define READS_EACH (TEST_READS / 2 / READERS)
#define SNAPSHOTS_EACH 100
#define TYPES_MAX 8
#define CPUS 2

/*
 * The counters of snapshot number n: type i changes in every (i + 1)th snapshot, and its counters
 * depend on the number of its last change; after each 100 snapshots there is one type more.
 */
static uint64_t last_change(uint64_t number, size_t index)
{
	return number - number % (index + 1);
}

static size_t types_of(uint64_t number)
{
	return number / 100 + 1 < TYPES_MAX ? (size_t)number / 100 + 1 : TYPES_MAX;
}

static void write_snapshot(struct stats_file *stats_file, struct type_stats *type_stats,
			   uint64_t number)
{
	const struct stats_snapshot about = { .time = number,
					      .lost = 3 * number,
					      .begin = 5 * number };
	char name[20];

	while (type_stats->count < types_of(number)) {
		snprintf(name, sizeof(name), "type %zu", type_stats->count);
		hand_type_stats_add(type_stats, TYPE_STATS_FUNCTION, name, CPUS);
	}
	for (size_t i = 0; i < type_stats->count; i++) {
		uint64_t last = last_change(number, i);

		if (last == number || type_stats->types[i].changed == type_stats->generation)
			hand_type_stats_change(type_stats, &type_stats->types[i], last + i);
	}
	stats_file_write(stats_file, type_stats, &about);
	type_stats->generation++;
}

struct reader {
	pthread_t thread;
	const char *path;
	struct type_stats expected; /* the types of the snapshot */
	uint64_t time;		    /* of the last snapshot */
	size_t reads, snapshots, too_fast;
	char wrong[500];
};

/* NULL, or an error message. */
static const char *compare_types(struct reader *reader, const struct stats_file_view *view)
{
	uint64_t number = view->snapshot.time;

	if (number < reader->time)
		return "the time goes backwards";
	if (view->snapshot.lost != 3 * number || view->snapshot.begin != 5 * number)
		return "it mixes two snapshots";
	if (view->count != types_of(number))
		return "types are missing";
	for (size_t i = 0; i < view->count; i++) {
		const struct type_stats_type *got = &view->types[i];
		struct type_stats_type *type = &reader->expected.types[i];
		uint64_t change = last_change(number, i) + i;

		if (got->numallocs - got->numfrees != 3 * change)
			return "numallocs - numfrees is not the count";
		hand_type_stats_change(&reader->expected, type, change);
		if (memcmp(got->cpus, type->cpus, CPUS * sizeof(*type->cpus)) ||
		    got->cpu_count != CPUS)
			return "the counters of a CPU are of another snapshot";
		if (got->numallocs != type->numallocs || got->memalloced != type->memalloced ||
		    got->memfreed != type->memfreed || got->failures != type->failures ||
		    got->xdomain != type->xdomain || got->sizemask != type->sizemask ||
		    got->frees_unmatched != type->frees_unmatched)
			return "the counters of a type are of another snapshot";
		if (strcmp(got->name, type->name) != 0)
			return "a type has another name";
	}
	return NULL;
}

static void *read_snapshots(void *argument)
{
	struct reader *reader = argument;
	struct stats_file_view view = { 0 };
	const char *wrong = NULL;

	/* read until enough different snapshots were seen */
	while ((reader->reads < READS_EACH || reader->snapshots < SNAPSHOTS_EACH) &&
	       !reader->wrong[0]) {
		int err = stats_file_read(&view, reader->path);

		if (err == -EAGAIN) {
			reader->too_fast++;
			continue;
		}
		wrong = err ? view.errmsg : compare_types(reader, &view);
		if (wrong)
			snprintf(reader->wrong, sizeof(reader->wrong),
				 "snapshot %" PRIu64 " after %" PRIu64 ": %s", view.snapshot.time,
				 reader->time, wrong);
		reader->reads++;
		reader->snapshots += view.snapshot.time != reader->time;
		reader->time = view.snapshot.time;
	}
	stats_file_view_deinit(&view);
	return NULL;
}

struct crowd {
	char *directory, *path;
	struct stats_file *stats_file;
	struct type_stats type_stats;
	uint64_t number;
	struct reader readers[READERS];
};

static int set_up_stats_file_threads(void **state)
{
	struct crowd *crowd = calloc(1, sizeof(*crowd));
	char name[20];

	assert_non_null(crowd);
	crowd->directory = scratch_directory();
	crowd->path = scratch_path(crowd->directory, "memstat");
	crowd->stats_file = hand_stats_file_create(crowd->path);
	hand_type_stats_init(&crowd->type_stats);
	for (int i = 0; i < READERS; i++) {
		struct reader *reader = &crowd->readers[i];

		reader->path = crowd->path;
		hand_type_stats_init(&reader->expected);
		for (int k = 0; k < TYPES_MAX; k++) {
			snprintf(name, sizeof(name), "type %d", k);
			hand_type_stats_add(&reader->expected, TYPE_STATS_FUNCTION, name, CPUS);
		}
	}
	write_snapshot(crowd->stats_file, &crowd->type_stats, crowd->number++);
	*state = crowd;
	return 0;
}

static int tear_down_stats_file_threads(void **state)
{
	struct crowd *crowd = *state;

	stats_file_remove(crowd->stats_file);
	hand_type_stats_deinit(&crowd->type_stats);
	for (int i = 0; i < READERS; i++)
		hand_type_stats_deinit(&crowd->readers[i].expected);
	free(crowd->path);
	scratch_remove(crowd->directory);
	free(crowd);
	return 0;
}

/* Sometimes writes several snapshots in a row, so that both slots change during a read. */
static void write_some(struct crowd *crowd)
{
	for (uint64_t more = crowd->number % 7 ? 1 : 5; more; more--)
		write_snapshot(crowd->stats_file, &crowd->type_stats, crowd->number++);
	usleep((useconds_t)(crowd->number % 5 *
			    20)); /* paced: reads of all lengths fit in between */
}

static void check_reader(const struct crowd *crowd, const struct reader *reader)
{
	if (reader->wrong[0])
		fail_msg("%s", reader->wrong);
	assert_in_range(reader->reads, READS_EACH, SIZE_MAX);
	assert_in_range(reader->snapshots, SNAPSHOTS_EACH, crowd->number);
	print_message("%zu reads; the writer was faster than %zu others\n", reader->reads,
		      reader->too_fast);
}

static atomic_int reading;

static void *read_in_thread(void *argument)
{
	read_snapshots(argument);
	atomic_fetch_sub(&reading, 1);
	return NULL;
}

static void test_threads(void **state)
{
	struct crowd *crowd = *state;

	atomic_store(&reading, READERS);
	for (int i = 0; i < READERS; i++) {
		struct reader *reader = &crowd->readers[i];

		assert_int_equal(pthread_create(&reader->thread, NULL, read_in_thread, reader), 0);
	}
	while (atomic_load(&reading) > 0)
		write_some(crowd);
	for (int i = 0; i < READERS; i++) {
		pthread_join(crowd->readers[i].thread, NULL);
		check_reader(crowd, &crowd->readers[i]);
	}
}

/* A process returns its results through the pipe, as its struct reader. */
static void test_processes(void **state)
{
	struct crowd *crowd = *state;
	int status, ends[READERS][2];
	pid_t children[READERS];

	for (int i = 0; i < READERS; i++) {
		struct reader *reader = &crowd->readers[i];

		assert_int_equal(pipe(ends[i]), 0);
		children[i] = fork();
		assert_true(children[i] >= 0);
		if (children[i])
			continue;
		read_snapshots(reader);
		_exit(write(ends[i][1], reader, sizeof(*reader)) != sizeof(*reader));
	}
	for (int left = READERS; left;) {
		write_some(crowd);
		if (waitpid(-1, &status, WNOHANG) <= 0)
			continue;
		assert_int_equal(status, 0);
		left--;
	}
	for (int i = 0; i < READERS; i++) {
		struct reader seen;

		assert_int_equal(read(ends[i][0], &seen, sizeof(seen)), sizeof(seen));
		check_reader(crowd, &seen);
		close(ends[i][0]);
		close(ends[i][1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_threads, set_up_stats_file_threads,
						tear_down_stats_file_threads),
		cmocka_unit_test_setup_teardown(test_processes, set_up_stats_file_threads,
						tear_down_stats_file_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
