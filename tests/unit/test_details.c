// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The details of tasks: rows add up, even if tasks come, move and end; and the text that is
 * published: a reader gets what was written, and refuses what is damaged.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "live/stats/details_file.h"
#include "live/stats/details_read.h"
#include "tests/unit/scratch.h"
#include "tests/unit/unit.h"

struct fixture {
	struct capture capture;
	struct tallies tallies;
	struct details details;
	char *directory, *path;
};

static int set_up_details(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));
	const struct topology none = { 0 };

	assert_non_null(fixture);
	assert_int_equal(tallies_init(&fixture->tallies, 1, &none), 0);
	assert_int_equal(details_init(&fixture->details, &fixture->capture, &fixture->tallies), 0);
	fixture->directory = scratch_directory();
	fixture->path = scratch_path(fixture->directory, "memstat.details");
	*state = fixture;
	return 0;
}

static int tear_down_details(void **state)
{
	struct fixture *fixture = *state;

	details_deinit(&fixture->details);
	tallies_deinit(&fixture->tallies);
	free(fixture->path);
	scratch_remove(fixture->directory);
	free(fixture);
	return 0;
}

static const struct analysis no_estimates;

static void allocate_object(struct fixture *fixture, uint32_t task, uint64_t time,
			    struct slab_object *object)
{
	const struct transition transition = { .outcome = OUTCOME_ALLOCATED, .object = object };

	*object =
		(struct slab_object){ .address = 64, .time = time, .task = task, .allocated = 10 };
	assert_int_equal(details_on_transition(&fixture->details, &no_estimates, &transition), 0);
}

static void free_object(struct fixture *fixture, const struct slab_object *object)
{
	const struct event event = { .time = object->time + 1 };
	const struct transition transition = { .outcome = OUTCOME_FREED,
					       .object = object,
					       .event = &event };

	assert_int_equal(details_on_transition(&fixture->details, &no_estimates, &transition), 0);
}

static const struct details_row *find_details_row(const struct fixture *fixture,
						  enum details_owner owner, const char *name)
{
	const struct details_table *table = &fixture->details.tables[owner];

	for (size_t i = 0; i < table->count; i++)
		if (table->rows[i].name && !strcmp(table->rows[i].name, name))
			return &table->rows[i];
	return NULL;
}

static uint64_t allocations_of(const struct fixture *fixture, enum details_owner owner,
			       const char *name)
{
	const struct details_row *row = find_details_row(fixture, owner, name);

	return row ? row->counts.allocations : UINT64_MAX;
}

/* The rows of each table add up to what was allocated and freed, and none freed more. */
static void check_sums(const struct fixture *fixture, uint64_t allocated, uint64_t freed)
{
	for (unsigned int owner = 0; owner < DETAILS_OWNERS; owner++) {
		const struct details_table *table = &fixture->details.tables[owner];
		uint64_t sum = 0, frees = 0;

		for (size_t i = 0; i < table->count; i++) {
			const struct details_counts *counts = &table->rows[i].counts;

			assert_true(counts->frees <= counts->allocations);
			sum += counts->allocations;
			frees += counts->frees;
		}
		assert_int_equal(sum, allocated);
		assert_int_equal(frees, freed);
	}
}

static void a_task_counts_under_the_name_and_the_cgroup_of_the_time(void **state)
{
	struct fixture *fixture = *state;
	struct slab_object objects[4];

	assert_int_equal(details_names(&fixture->details, "cgroup 5 0 /a\ncgroup 6 0 /b\n"
							  "task 30 0 30 sh\nmember 30 0 5\n"),
			 0);
	allocate_object(fixture, 30, 10, &objects[0]);
	/* it is known before its events are taken that another name comes later */
	assert_int_equal(details_names(&fixture->details, "task 30 100 30 make\n"
							  "process 30 200 6\n"),
			 0);
	allocate_object(fixture, 30, 50, &objects[1]);
	allocate_object(fixture, 30, 150, &objects[2]);
	allocate_object(fixture, 30, 250, &objects[3]);
	free_object(fixture, &objects[0]);
	assert_int_equal(details_flush(&fixture->details, 300), 0);
	check_sums(fixture, 4, 1);
	assert_int_equal(allocations_of(fixture, DETAILS_COMM, "sh"), 2);
	assert_int_equal(find_details_row(fixture, DETAILS_COMM, "sh")->counts.frees, 1);
	assert_int_equal(allocations_of(fixture, DETAILS_COMM, "make"), 2);
	assert_int_equal(allocations_of(fixture, DETAILS_CGROUP, "/a"), 3);
	assert_int_equal(allocations_of(fixture, DETAILS_CGROUP, "/b"), 1);
	assert_int_equal(allocations_of(fixture, DETAILS_PROCESS, "make"), 4);
}

/* A user chooses the name of his task and the path of his cgroup. */
static void names_of_one_fnv_hash_are_two_rows(void **state)
{
	struct fixture *fixture = *state;
	struct slab_object objects[2];

	assert_int_equal(details_names(&fixture->details,
				       "cgroup 5 0 " FNV_NAME "\ncgroup 6 0 " FNV_TWIN
				       "\ntask 30 0 30 " FNV_NAME "\nmember 30 0 5\n"
				       "task 31 0 31 " FNV_TWIN "\nmember 31 0 6\n"),
			 0);
	allocate_object(fixture, 30, 10, &objects[0]);
	allocate_object(fixture, 31, 10, &objects[1]);
	assert_int_equal(details_flush(&fixture->details, 20), 0);
	for (enum details_owner owner = DETAILS_COMM; owner <= DETAILS_CGROUP; owner++) {
		assert_int_equal(allocations_of(fixture, owner, FNV_NAME), 1);
		assert_int_equal(allocations_of(fixture, owner, FNV_TWIN), 1);
	}
}

static void threads_count_for_their_process(void **state)
{
	struct fixture *fixture = *state;
	struct slab_object object;

	assert_int_equal(details_names(&fixture->details, "task 40 0 40 main\n"
							  "task 41 0 40 worker\n"),
			 0);
	allocate_object(fixture, 41, 10, &object);
	assert_int_equal(details_flush(&fixture->details, 20), 0);
	assert_int_equal(allocations_of(fixture, DETAILS_PROCESS, "main"), 1);
	assert_int_equal(allocations_of(fixture, DETAILS_COMM, "worker"), 1);
	assert_int_equal(allocations_of(fixture, DETAILS_COMM, "main"), 0);
}

/* More processes than there is room for, which all end: no object is lost, or freed twice. */
static void rows_that_make_room_are_added_to_the_rest(void **state)
{
	struct fixture *fixture = *state;
	enum {
		COUNT = 100000,
		FIRST = 5000000
	}; /* no such process exists */
	struct details *details = &fixture->details;
	struct slab_object *objects = calloc(COUNT, sizeof(*objects));
	uint64_t freed = 0;
	char text[100];

	assert_non_null(objects);
	snprintf(text, sizeof(text), "task %d 0 %d stays\n", getpid(), getpid());
	assert_int_equal(details_names(details, text), 0);
	for (uint32_t i = 0; i < COUNT; i++) {
		snprintf(text, sizeof(text), "task %u %u %u name-%u\n", FIRST + i, i + 1, FIRST + i,
			 i % 10000);
		assert_int_equal(details_names(&fixture->details, text), 0);
		allocate_object(fixture, FIRST + i, i + 1, &objects[i]);
		if (i % 3 == 0)
			free_object(fixture, &objects[i]);
		freed += i % 3 == 0;
		if (i % 1000 == 0)
			assert_int_equal(details_flush(&fixture->details, i + 1), 0);
	}
	assert_int_equal(details_flush(&fixture->details, COUNT + 1), 0);
	check_sums(fixture, COUNT, freed);
	assert_true(fixture->details.drops > 0);
	/* a row that stayed is found by its name */
	assert_int_equal(details->tables[DETAILS_COMM].count, DETAILS_FIRST + 1);
	snprintf(text, sizeof(text), "task %u %u %u stays\n", FIRST, COUNT, FIRST);
	assert_int_equal(details_names(details, text), 0);
	assert_int_equal(details->tables[DETAILS_COMM].count, DETAILS_FIRST + 1);
	for (uint32_t i = 0; i < COUNT; i++)
		if (i % 3)
			free_object(fixture, &objects[i]);
	assert_int_equal(details_flush(&fixture->details, COUNT + 2), 0);
	check_sums(fixture, COUNT, COUNT);
	free(objects);
}

/* Stacks of samples. An object of 64 bytes, sampled each 64 bytes, counts for 1 / (1 - 1 / e). */
#define INTERVAL 64
#define WEIGHT 1.5819767

static int setup_sampled(void **state)
{
	int err = set_up_details(state);
	struct fixture *fixture = *state;

	details_deinit(&fixture->details);
	fixture->capture.status.sampling.interval = INTERVAL;
	assert_int_equal(details_init(&fixture->details, &fixture->capture, &fixture->tallies), 0);
	return err;
}

static void sample_object(struct fixture *fixture, uint64_t stack, uint64_t address,
			  enum outcome outcome)
{
	const struct stack_sample sample = { .kernel_stack = stack, .interval = INTERVAL };
	const struct analysis analysis = { .sample = outcome == OUTCOME_ALLOCATED ? &sample
										  : NULL };
	const struct event event = { .time = 100, .call_site = 0x1000 };
	const struct slab_object object = {
		.address = address, .time = 50, .allocated = 64, .flags = OBJECT_SAMPLED
	};
	const struct transition transition = { .outcome = outcome,
					       .object = &object,
					       .event = &event };

	assert_int_equal(details_on_transition(&fixture->details, &analysis, &transition), 0);
}

static void publish_details(struct fixture *fixture, struct details_view *view)
{
	const struct details_moment moment = { .time = 200, .begin = 10 };
	struct analysis analysis = { 0 };
	char *written;
	size_t size;
	FILE *file = open_memstream(&written, &size);

	assert_non_null(file);
	/* its group and cache have no names here */
	fixture->details.pair_count = 0;
	assert_int_equal(details_write(&fixture->details, &analysis, &moment, file), 0);
	fclose(file);
	assert_int_equal(details_view_parse(view, written), 0);
	free(written);
}

static const struct details_view_estimate *find_stack(const struct details_view *view,
						      const char *name)
{
	for (size_t i = 0; i < view->sampled_counts[DETAILS_STACK]; i++) {
		const struct details_view_estimate *row = &view->sampled[DETAILS_STACK][i];

		if (row->name && !strcmp(row->name, name))
			return row;
	}
	return NULL;
}

static void samples_count_for_their_stack(void **state)
{
	struct fixture *fixture = *state;
	const struct details_view_estimate *row;
	struct details_view view = { 0 };
	enum {
		COUNT = 1000
	};

	/* the second stack has the same functions as the first; the third is of a process */
	assert_int_equal(details_names(&fixture->details, "stack a1 5 0 1000 2001 3001\n"
							  "stack a2 5 0 1000 2001 3001\n"
							  "stack a3 5 77 1000 2001 3001\n"
							  "stack a4 5 0 1000 4001\n"),
			 0);
	for (uint64_t i = 1; i <= COUNT; i++)
		sample_object(fixture, i % 2 ? 0xa1 : 0xa2, i * 64, OUTCOME_ALLOCATED);
	sample_object(fixture, 0xa4, 64 * 5000, OUTCOME_ALLOCATED);
	sample_object(fixture, 0xa3, 64 * 6000, OUTCOME_ALLOCATED);
	/* the end of an object that has no sample changes nothing */
	for (uint64_t i = 1; i <= COUNT; i += 2)
		for (int times = 0; times < 2; times++)
			sample_object(fixture, 0, i * 64, OUTCOME_FREED);
	publish_details(fixture, &view);
	assert_int_equal(view.interval, INTERVAL);
	row = find_stack(&view, "0x1000 < 0x2000 < 0x3000");
	assert_non_null(row);
	assert_int_equal(row->samples, COUNT);
	assert_int_equal(row->live_samples, COUNT / 2);
	assert_int_equal(row->counts.allocated, COUNT * 101);
	assert_int_equal(row->counts.freed, COUNT / 2 * 101);
	assert_true((double)row->counts.allocations > COUNT * (WEIGHT - 0.1) &&
		    (double)row->counts.allocations < COUNT * (WEIGHT + 0.1));
	/* w (w - 1) s^2 of each: the root of its sum */
	assert_int_equal(row->allocated_error, 1942);
	assert_int_equal(row->live_error, 1373);
	assert_int_equal(find_stack(&view, "0x1000 < 0x4000")->samples, 1);
	/* not known */
	assert_int_equal(find_stack(&view, "-")->samples, 1);
	sample_object(fixture, 0, 64 * 5000, OUTCOME_MISSED);
	publish_details(fixture, &view);
	row = find_stack(&view, "0x1000 < 0x4000");
	assert_int_equal(row->counts.allocations, row->counts.frees);
	assert_int_equal(row->counts.allocated, row->counts.freed);
	assert_int_equal(row->live_error, 0);
	details_view_deinit(&view);
}

/* More stacks than a text has: the heaviest are in it, and the rows add up to all. */
static void the_heaviest_stacks_are_listed(void **state)
{
	struct fixture *fixture = *state;
	struct details_view view = { 0 };
	enum {
		COUNT = 2000
	};
	uint64_t address = 64, samples = 0, listed = 0, all = 0;
	char line[100], name[50];

	for (unsigned int round = 0; round < 5; round++) {
		for (unsigned int i = round * COUNT / 5; i < (round + 1) * COUNT / 5; i++) {
			snprintf(line, sizeof(line), "stack %x 5 0 1000 %x\n", i + 1,
				 0x100001 + i * 16);
			assert_int_equal(details_names(&fixture->details, line), 0);
			for (unsigned int k = 0; k <= i % 50; k++, address += 64, all++)
				sample_object(fixture, i + 1, address, OUTCOME_ALLOCATED);
		}
		for (unsigned int k = 0; k < 100; k++, address += 64, all++)
			sample_object(fixture, 1, address, OUTCOME_ALLOCATED);
		publish_details(fixture, &view);
	}
	for (size_t i = 0; i < view.sampled_counts[DETAILS_STACK]; i++) {
		const struct details_view_estimate *row = &view.sampled[DETAILS_STACK][i];

		if (!row->name)
			continue;
		listed++;
		samples += row->samples;
	}
	assert_true(listed > 2 * DETAILS_HEAVIEST / 2 && listed <= DETAILS_LISTED_MAX + 1);
	assert_int_equal(samples, all);
	snprintf(name, sizeof(name), "0x1000 < 0x%x", 0x100000);
	assert_int_equal(find_stack(&view, name)->samples, 501);
	details_view_deinit(&view);
}

static const char text[] = "details 1\n"
			   "moment 20 10 - 0\n"
			   "slabs 18 5 7 320 4096 0 later\n"
			   "cache 1 kmalloc\\x20x\n"
			   "site 2 f+0x1/0x2 later\n"
			   "future line\n"
			   "pair 3 2 1 9 4 90 40\n"
			   "lifetimes 3 0:1 31:3\n"
			   "process 0 0 1 0 10 0 - 0\n"
			   "process 4 77 8 4 80 40 sh 3\n"
			   "comm 3 9 4 90 40 sh\n"
			   "scan 15\n"
			   "live 3 5 45 8 10\n"
			   "ages 3 7:5\n"
			   "held 3 4 5 50\n"
			   "sampling 64 128\n"
			   "stack 5 9 4 90 40 8 7 3 2 f\\x20<\\x20read later\n"
			   "syscall 0 9 4 90 40 8 7 3 2 -\n"
			   "unlisted 6 7 8\n"
			   "end\n";

static void a_reader_gets_the_text(void **state)
{
	struct details_view view = { 0 };

	(void)state;
	assert_int_equal(details_view_parse(&view, text), 0);
	assert_int_equal(view.moment.time, 20);
	assert_true(view.moment.lost == UINT64_MAX);
	assert_int_equal(view.slabs.time, 18);
	assert_int_equal(view.slabs.room, 7);
	assert_int_equal(view.slabs.slab_bytes, 4096);
	assert_int_equal(view.pair_count > 3 && view.pairs[3].exists, 1);
	assert_string_equal(view.caches[view.pairs[3].cache].text, "kmalloc x");
	assert_string_equal(view.sites[view.pairs[3].site].text, "f+0x1/0x2");
	assert_int_equal(view.pairs[3].counts.freed, 40);
	assert_int_equal(view.pairs[3].lifetimes[31], 3);
	assert_int_equal(view.pairs[3].live.most, 10);
	assert_int_equal(view.pairs[3].live.ages.counts[7], 5);
	assert_int_equal(view.owners[DETAILS_PROCESS][4].id, 77);
	assert_int_equal(view.held_count, 1);
	assert_int_equal(view.interval_most, 128);
	assert_int_equal(view.sampled_counts[DETAILS_STACK] > 5, 1);
	assert_string_equal(view.sampled[DETAILS_STACK][5].name, "f < read");
	assert_int_equal(view.sampled[DETAILS_STACK][5].live_error, 7);
	assert_string_equal(view.sampled[DETAILS_SYSCALL][0].name, "-");
	assert_int_equal(view.sampled_drops[DETAILS_SYSCALL], 7);
	details_view_deinit(&view);
}

/* Every line is needed whole, and refers to lines before it; no damage is read out of bounds. */
static void a_damaged_text_is_refused(void **state)
{
	static const char *const wrong[] = {
		"",
		"details\n",
		"details 1\n",
		"details 1\nmoment 1 2\nend\n",
		"details 1\npair 0 0 0 1 1 1 1\nend\n",
		"details 1\nsite 999999999 x\nend\n",
		"details 1\nsite -1 x\nend\n",
		"details 1\nlifetimes 0 0:1\nend\n",
		"details 1\nsite 0 a\ncache 0 b\npair 0 0 0 1 1 1 1\nheld 0 0 1 1\nend\n",
		"details 1\nsite 0 a\ncache 0 b\npair 0 1 0 1 1 1 1\nend\n",
		"details 1\nsampling 0 0\nend\n",
		"details 1\nstack 0 1 1 1 1 1 1 1\nend\n",
		"details 1\nstack 99999999 1 1 1 1 1 1 1 1 f\nend\n",
		"details 1\nunlisted 1\nend\n",
		"details 1\nslabs 1 1 1 1 1\nend\n",
	};
	struct details_view view = { 0 };
	char copy[sizeof(text)];

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(details_view_parse(&view, wrong[i]), -EBADMSG);
		assert_null(view.pairs);
		assert_null(view.sampled[DETAILS_STACK]);
	}
	assert_int_equal(details_view_parse(&view, "details 2\nend\n"), -EPROTONOSUPPORT);
	for (size_t i = 0; i + 1 < sizeof(text) - 1; i++) {
		memcpy(copy, text, sizeof(copy));
		copy[i] = '\0';
		assert_int_equal(details_view_parse(&view, copy), -EBADMSG);
	}
	for (size_t i = 0; i < sizeof(text) - 1; i++) {
		static const char bytes[] = { '9', '-', ' ', '\n', ':', '\\', '\x80' };

		for (size_t k = 0; k < sizeof(bytes); k++) {
			memcpy(copy, text, sizeof(copy));
			copy[i] = bytes[k];
			details_view_parse(&view, copy);
		}
	}
	details_view_deinit(&view);
}

static int open_fixture_directory(const struct fixture *fixture)
{
	int fd = open(fixture->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

static void the_file_has_the_last_text(void **state)
{
	struct fixture *fixture = *state;
	int directory = open_fixture_directory(fixture);
	struct details_file *file;
	char *read;

	assert_int_equal(details_file_read(fixture->path, &read), -ENOENT);
	assert_int_equal(details_file_create(&file, directory, "memstat.details", (gid_t)-1), 0);
	assert_int_equal(details_file_read(fixture->path, &read), -EAGAIN);
	for (int i = 0; i < 5; i++) {
		char number[20];

		snprintf(number, sizeof(number), "%d", i * 1000 + i);
		assert_int_equal(details_file_write(file, number, strlen(number)), 0);
		assert_int_equal(details_file_read(fixture->path, &read), 0);
		assert_string_equal(read, number);
		free(read);
	}
	assert_int_equal(details_file_remove(file), 0);
	assert_int_equal(details_file_read(fixture->path, &read), -ENOENT);
	close(directory);
}

/* A reader that copies a text while the writer replaces it must not take the size of the next one.
 */
static void each_slot_has_its_size(void **state)
{
	struct fixture *fixture = *state;
	int directory = open_fixture_directory(fixture);
	struct details_file_head head;
	struct details_file *file;
	int fd;

	assert_int_equal(details_file_create(&file, directory, "memstat.details", (gid_t)-1), 0);
	assert_int_equal(details_file_write(file, "first", 5), 0);
	assert_int_equal(details_file_write(file, "the second", 10), 0);
	fd = open(fixture->path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(read(fd, &head, sizeof(head)), sizeof(head));
	assert_int_equal(head.generation, 2);
	assert_int_equal(head.bytes[1], 5);
	assert_int_equal(head.bytes[0], 10);
	close(fd);
	assert_int_equal(details_file_remove(file), 0);
	close(directory);
}

static void another_file_is_not_replaced(void **state)
{
	struct fixture *fixture = *state;
	int directory = open_fixture_directory(fixture);
	struct details_file *file;
	FILE *other = fopen(fixture->path, "w");
	char *read;

	assert_non_null(other);
	fputs("something that somebody wrote himself", other);
	fclose(other);
	assert_int_equal(details_file_read(fixture->path, &read), -EBADMSG);
	assert_int_equal(details_file_create(&file, directory, "memstat.details", (gid_t)-1),
			 -EEXIST);
	close(directory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			a_task_counts_under_the_name_and_the_cgroup_of_the_time, set_up_details,
			tear_down_details),
		cmocka_unit_test_setup_teardown(names_of_one_fnv_hash_are_two_rows, set_up_details,
						tear_down_details),
		cmocka_unit_test_setup_teardown(threads_count_for_their_process, set_up_details,
						tear_down_details),
		cmocka_unit_test_setup_teardown(rows_that_make_room_are_added_to_the_rest,
						set_up_details, tear_down_details),
		cmocka_unit_test_setup_teardown(samples_count_for_their_stack, setup_sampled,
						tear_down_details),
		cmocka_unit_test_setup_teardown(the_heaviest_stacks_are_listed, setup_sampled,
						tear_down_details),
		cmocka_unit_test(a_reader_gets_the_text),
		cmocka_unit_test(a_damaged_text_is_refused),
		cmocka_unit_test_setup_teardown(the_file_has_the_last_text, set_up_details,
						tear_down_details),
		cmocka_unit_test_setup_teardown(each_slot_has_its_size, set_up_details,
						tear_down_details),
		cmocka_unit_test_setup_teardown(another_file_is_not_replaced, set_up_details,
						tear_down_details),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
