// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* An object counts for the task that had its thread id when it was allocated, whatever comes later.
 */
#include "config.h"

#include <stdlib.h>

#include "tests/unit/unit.h"
#include "analysis/task_tallies.h"

static int set_up_task_tallies(void **state)
{
	struct task_tallies *tallies = calloc(1, sizeof(*tallies));

	assert_non_null(tallies);
	assert_int_equal(task_tallies_init(tallies), 0);
	*state = tallies;
	return 0;
}

static int tear_down_task_tallies(void **state)
{
	task_tallies_deinit(*state);
	free(*state);
	return 0;
}

static struct slab_object object_of(uint32_t task, uint64_t time)
{
	return (struct slab_object){ .address = 64, .time = time, .task = task, .allocated = 64 };
}

static uint32_t begin_task(struct task_tallies *tallies, uint32_t task, uint64_t since)
{
	int64_t index = task_tallies_begin(tallies, task, since);

	assert_true(index > 0);
	return (uint32_t)index;
}

static void an_id_that_is_used_again_is_another_task(void **state)
{
	struct task_tallies *tallies = *state;
	struct slab_object first = object_of(7, 100), second = object_of(7, 200);
	uint32_t index = begin_task(tallies, 7, 50);

	tallies->list[index].owners[0] = 11;
	task_tallies_allocated(tallies, &first);
	index = begin_task(tallies, 7, 150);
	assert_int_equal(tallies->list[index].owners[0], 11); /* until it is known better */
	tallies->list[index].owners[0] = 22;
	task_tallies_allocated(tallies, &second);
	task_tallies_freed(tallies, &first);
	assert_int_equal(task_tallies_of(tallies, &first)->owners[0], 11);
	assert_int_equal(task_tallies_of(tallies, &first)->frees, 1);
	assert_int_equal(task_tallies_of(tallies, &first)->live, 0);
	assert_int_equal(task_tallies_of(tallies, &second)->owners[0], 22);
	assert_int_equal(task_tallies_of(tallies, &second)->frees, 0);
	assert_int_equal(task_tallies_of(tallies, &second)->live, 1);
}

static void interrupts_and_unknown_tasks_count_apart(void **state)
{
	struct task_tallies *tallies = *state;
	struct slab_object interrupt = object_of(7, 100), unknown = object_of(8, 100),
			   early = object_of(7, 10);

	begin_task(tallies, 7, 50);
	interrupt.flags = OBJECT_IN_INTERRUPT;
	task_tallies_allocated(tallies, &interrupt);
	task_tallies_allocated(tallies, &unknown);
	task_tallies_allocated(tallies, &early);
	assert_int_equal(tallies->list[TASK_TALLY_INTERRUPT].allocations, 1);
	assert_int_equal(tallies->list[TASK_TALLY_INTERRUPT].allocated, 64);
	assert_int_equal(tallies->list[TASK_TALLY_REST].allocations, 2);
}

static bool keeps_below_ten(void *data, const struct task_tally *last)
{
	(void)data;
	return last->task < 10;
}

static const struct task_tallies_sweeper below_ten = { .keeps = keeps_below_ten };

/* The sum of all live objects never changes, and none is below 0. */
static void check_live(const struct task_tallies *tallies, uint32_t expected)
{
	uint32_t live = 0;

	for (size_t i = 0; i < tallies->count; i++) {
		assert_true((int32_t)tallies->list[i].live >= 0);
		live += tallies->list[i].live;
	}
	assert_int_equal(live, expected);
}

static void objects_of_removed_tallies_count_for_the_rest(void **state)
{
	struct task_tallies *tallies = *state;
	struct slab_object kept = object_of(7, 100), earlier = object_of(7, 60),
			   removed = object_of(77, 100);

	begin_task(tallies, 77, 10);
	begin_task(tallies, 7, 10); /* without objects: goes */
	begin_task(tallies, 7, 50);
	task_tallies_allocated(tallies, &earlier);
	begin_task(tallies, 7, 90);
	task_tallies_allocated(tallies, &kept);
	task_tallies_allocated(tallies, &removed);
	assert_int_equal(tallies->count, TASK_TALLY_FIRST + 4);
	assert_int_equal(task_tallies_sweep(tallies, 1000, &below_ten), 0);
	assert_int_equal(tallies->count, TASK_TALLY_FIRST + 2);
	check_live(tallies, 3);
	assert_int_equal(tallies->list[TASK_TALLY_REST].live, 1);
	assert_int_equal(task_tallies_of(tallies, &earlier)->since, 50);
	assert_int_equal(task_tallies_of(tallies, &kept)->since, 90);
	task_tallies_freed(tallies, &removed);
	task_tallies_freed(tallies, &earlier);
	check_live(tallies, 1);
	/* the id begins again */
	begin_task(tallies, 77, 2000);
	assert_int_equal(task_tallies_search(tallies, 77), TASK_TALLY_FIRST + 2);
}

static void an_earlier_tally_stays_until_its_events_are_counted(void **state)
{
	struct task_tallies *tallies = *state;
	struct slab_object late = object_of(7, 60);

	begin_task(tallies, 7, 50);
	begin_task(tallies, 7, 90);
	assert_int_equal(task_tallies_sweep(tallies, 80, &below_ten), 0);
	assert_int_equal(task_tallies_of(tallies, &late)->since, 50);
	assert_int_equal(task_tallies_sweep(tallies, 91, &below_ten), 0);
	assert_ptr_equal(task_tallies_of(tallies, &late), &tallies->list[TASK_TALLY_REST]);
}

/* Many ids, and all of them removed but a few, again and again. */
static void the_number_of_tallies_is_limited(void **state)
{
	struct task_tallies *tallies = *state;
	uint64_t time = 1;

	for (uint32_t task = 1; tallies->count < TASK_TALLIES_MAX; task++) {
		struct slab_object object = object_of(task, time);

		begin_task(tallies, task, time);
		task_tallies_allocated(tallies, &object);
	}
	check_live(tallies, TASK_TALLIES_MAX - TASK_TALLY_FIRST);
	assert_int_equal(task_tallies_begin(tallies, 1000000, time), TASK_TALLY_REST);
	assert_int_equal(task_tallies_sweep(tallies, time + 1, &below_ten), 0);
	assert_int_equal(tallies->count, TASK_TALLY_FIRST + 9);
	check_live(tallies, TASK_TALLIES_MAX - TASK_TALLY_FIRST);
	assert_true(task_tallies_begin(tallies, 1000000, time) > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(an_id_that_is_used_again_is_another_task,
						set_up_task_tallies, tear_down_task_tallies),
		cmocka_unit_test_setup_teardown(interrupts_and_unknown_tasks_count_apart,
						set_up_task_tallies, tear_down_task_tallies),
		cmocka_unit_test_setup_teardown(objects_of_removed_tallies_count_for_the_rest,
						set_up_task_tallies, tear_down_task_tallies),
		cmocka_unit_test_setup_teardown(an_earlier_tally_stays_until_its_events_are_counted,
						set_up_task_tallies, tear_down_task_tallies),
		cmocka_unit_test_setup_teardown(the_number_of_tallies_is_limited,
						set_up_task_tallies, tear_down_task_tallies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
