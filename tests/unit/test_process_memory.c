// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The memory of processes: a process that holds a known number of pages, as /proc has it; readings
 * at once and in steps; the value at a time; and hostile tables.
 */
#include "config.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/unit.h"
#include "tracer/host/memory_reader.h"
#include "tracer/load/machine.h"

#define PAGES 2000

/* Waits until the process sleeps: what it ran before maps further pages of its libraries. */
static void wait_until_asleep(pid_t pid)
{
	char path[40], state = 0;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	while (state != 'S') {
		FILE *file = fopen(path, "re");

		assert_non_null(file);
		assert_int_equal(fscanf(file, "%*d (%*[^)]) %c", &state), 1);
		fclose(file);
		assert_true(state == 'S' || state == 'R' || state == 'D');
		usleep(1000);
	}
}

/* A process that holds so many pages more than this one does, and sleeps. */
static pid_t hold_pages(size_t pages)
{
	size_t size = pages * (size_t)sysconf(_SC_PAGESIZE);
	int ready[2];
	char byte;
	pid_t child;

	assert_int_equal(pipe(ready), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		char *memory;

		/* the kernel may fill up huge pages at any time */
		if (prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0))
			_exit(1);
		memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
		if (memory == MAP_FAILED)
			_exit(1);
		if (write(ready[1], "", 1) == 1)
			pause();
		_exit(0);
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	wait_until_asleep(child);
	return child;
}

static void end_child(pid_t child)
{
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
}

/* The kernel's present values, read in another way. */
static void read_truth(pid_t pid, struct process_pages *pages)
{
	char path[40];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/statm", (int)pid);
	file = fopen(path, "re");
	assert_non_null(file);
	assert_int_equal(
		fscanf(file, "%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %*u %" SCNu64,
		       &pages->size, &pages->resident, &pages->shared, &pages->text, &pages->data),
		5);
	fclose(file);
}

static void expect_between(uint64_t value, uint64_t earlier, uint64_t later)
{
	assert_in_range(value, earlier < later ? earlier : later,
			earlier < later ? later : earlier);
}

/* The reading came between two looks at the process: the kernel may reclaim a page meanwhile. */
static void expect_pages(const struct process_memory *memory, const struct process_pages *earlier,
			 const struct process_pages *later)
{
	assert_non_null(memory);
	expect_between(memory->pages.size, earlier->size, later->size);
	expect_between(memory->pages.resident, earlier->resident, later->resident);
	expect_between(memory->pages.shared, earlier->shared, later->shared);
	expect_between(memory->pages.text, earlier->text, later->text);
	expect_between(memory->pages.data, earlier->data, later->data);
}

struct scene {
	struct memory_reader reader;
	struct process_memories memories;
	FILE *file;
	char *text;
	size_t size;
};

static int set_up_process_memory(void **state)
{
	struct scene *scene = calloc(1, sizeof(*scene));

	assert_non_null(scene);
	scene->file = open_memstream(&scene->text, &scene->size);
	assert_non_null(scene->file);
	assert_int_equal(memory_reader_open(&scene->reader, scene->file, 1000000000), 0);
	*state = scene;
	return 0;
}

static int tear_down_process_memory(void **state)
{
	struct scene *scene = *state;

	process_memories_deinit(&scene->memories);
	memory_reader_close(&scene->reader);
	fclose(scene->file);
	free(scene->text);
	free(scene);
	return 0;
}

static uint64_t parse_memories(struct scene *scene)
{
	process_memories_deinit(&scene->memories);
	assert_int_equal(process_memories_parse(&scene->memories, scene->text), 0);
	return machine_now();
}

static size_t lines_of(const struct scene *scene, pid_t pid)
{
	size_t count = 0;

	for (size_t i = 0; i < scene->memories.count; i++)
		count += scene->memories.list[i].pid == (uint32_t)pid;
	return count;
}

static void reads_what_a_process_holds(void **state)
{
	struct scene *scene = *state;
	pid_t small = hold_pages(1), large = hold_pages(1 + PAGES);
	struct process_pages small_before, small_after, looks[3];
	const struct process_memory *memory;
	uint64_t before = machine_now(), first, second;
	size_t lines;

	read_truth(small, &small_before);
	read_truth(large, &looks[0]);
	assert_int_equal(memory_reader_run(&scene->reader), 0);
	first = parse_memories(scene);
	read_truth(small, &small_after);
	read_truth(large, &looks[1]);
	assert_null(process_memories_find(&scene->memories, (uint32_t)large, before));
	expect_pages(process_memories_find(&scene->memories, (uint32_t)small, first), &small_before,
		     &small_after);
	memory = process_memories_find(&scene->memories, (uint32_t)large, first);
	expect_pages(memory, &looks[0], &looks[1]);
	assert_true(memory->pages.size >= PAGES);
	assert_true(memory->pages.data >= PAGES);
	assert_true(memory->pages.resident >= PAGES);
	assert_int_equal(process_memories_read_since(&scene->memories, memory, first),
			 memory->time);

	/* where nothing has changed, the reading says so, and confirms the value */
	assert_int_equal(memory_reader_run(&scene->reader), 0);
	second = parse_memories(scene);
	read_truth(large, &looks[2]);
	lines = lines_of(scene, large);
	assert_int_equal(scene->memories.reading_count, 2);
	memory = process_memories_find(&scene->memories, (uint32_t)large, second);
	expect_pages(memory, &looks[1], &looks[2]);
	if (!memcmp(&looks[0], &looks[2], sizeof(looks[0]))) {
		assert_int_equal(lines, 1);
		assert_int_equal(process_memories_read_since(&scene->memories, memory, second),
				 scene->memories.readings[1].begin);
	}
	assert_true(scene->memories.readings[1].begin >= first);

	end_child(large);
	end_child(small);
	assert_int_equal(memory_reader_run(&scene->reader), 0);
	assert_null(process_memories_find(&scene->memories, (uint32_t)large, before));
	first = parse_memories(scene);
	assert_null(process_memories_find(&scene->memories, (uint32_t)large, first));
	expect_pages(process_memories_find(&scene->memories, (uint32_t)large, second), &looks[1],
		     &looks[2]);
	assert_int_equal(lines_of(scene, large), lines + 1);
}

static void reads_in_steps(void **state)
{
	struct scene *scene = *state;
	pid_t child = hold_pages(PAGES);
	struct process_pages earlier, later;
	unsigned int steps = 0;

	/* there is no reading before the first one, which is made at once */
	scene->reader.next = UINT64_MAX;
	assert_int_equal(memory_reader_step(&scene->reader, machine_now()), 0);
	assert_false(scene->reader.reading);
	memory_reader_request(&scene->reader);
	read_truth(child, &earlier);
	do {
		assert_int_equal(memory_reader_step(&scene->reader, machine_now()), 0);
		steps++;
	} while (scene->reader.reading);
	parse_memories(scene);
	assert_int_equal(scene->memories.reading_count, 1);
	assert_true(scene->memories.count < steps * 33);
	read_truth(child, &later);
	expect_pages(process_memories_find(&scene->memories, (uint32_t)child, machine_now()),
		     &earlier, &later);
	/* the next one is due after the interval only */
	assert_int_equal(memory_reader_step(&scene->reader, machine_now()), 0);
	assert_false(scene->reader.reading);
	assert_int_equal(memory_reader_step(&scene->reader, scene->reader.next), 0);
	while (scene->reader.reading)
		assert_int_equal(memory_reader_step(&scene->reader, 0), 0);
	parse_memories(scene);
	assert_int_equal(scene->memories.reading_count, 2);
	end_child(child);
}

/* A reader of captures takes no larger table. */
static void stops_at_the_largest_size(void **state)
{
	struct memory_reader reader;
	FILE *file = tmpfile();
	long size;

	(void)state;
	assert_non_null(file);
	assert_int_equal(memory_reader_open(&reader, file, 1), 0);
	assert_int_equal(memory_reader_run(&reader), 0);
	assert_false(reader.is_full);
	assert_int_equal(fseek(file, MEMORY_READER_BYTES_MAX, SEEK_SET), 0);
	assert_int_equal(memory_reader_run(&reader), 0);
	assert_true(reader.is_full);
	size = ftell(file);
	assert_int_equal(memory_reader_run(&reader), 0);
	assert_int_equal(memory_reader_step(&reader, UINT64_MAX), 0);
	assert_int_equal(ftell(file), size);
	memory_reader_close(&reader);
	fclose(file);
}

static void takes_hostile_tables(void **state)
{
	static const char text[] = "statm 5 10 1 2 3 4 5\n"
				   "statm 5 10 1 2 3 4 4\n"
				   "statm 5 20 1 2 3 4\n"
				   "statm 4294967296 20 1 2 3 4 5\n"
				   "statm -1 20 1 2 3 4 5\n"
				   "statm 5 18446744073709551616 1 2 3 4 5\n"
				   "gone 5\n"
				   "gone 6 18446744073709551615\n"
				   "statm 6 0 18446744073709551615 0 0 0 0 more\n"
				   "reading 9 8\n"
				   "reading 3 8\n"
				   "other 1 2 3\n\n"
				   "statm 7 1 1 1 1 1 1";
	struct process_memories memories;
	const struct process_memory *memory;

	(void)state;
	assert_int_equal(process_memories_parse(&memories, text), 0);
	assert_int_equal(memories.count, 4);
	assert_int_equal(memories.reading_count, 1);
	assert_int_equal(process_memories_find(&memories, 5, UINT64_MAX)->pages.data, 5);
	assert_null(process_memories_find(&memories, 5, 9));
	assert_null(process_memories_find(&memories, 4, UINT64_MAX));
	assert_null(process_memories_find(&memories, 6, UINT64_MAX));
	memory = process_memories_find(&memories, 6, 8);
	assert_int_equal(memory->pages.size, UINT64_MAX);
	assert_int_equal(process_memories_read_since(&memories, memory, 8), 3);
	assert_int_equal(process_memories_read_since(&memories, memory, 7), 0);
	process_memories_deinit(&memories);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(reads_what_a_process_holds, set_up_process_memory,
						tear_down_process_memory),
		cmocka_unit_test_setup_teardown(reads_in_steps, set_up_process_memory,
						tear_down_process_memory),
		cmocka_unit_test(stops_at_the_largest_size),
		cmocka_unit_test(takes_hostile_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
