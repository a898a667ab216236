// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Simulates interrupts at every point of the first and the backup programs: no event is recorded
 * twice, in any nesting, and every event that is not recorded is counted. The programs are
 * those that run in the kernel; stacks, interrupts and the kernel's recursion guard are simulated.
 */
#include "config.h"

#include <stdbool.h>
#include <string.h>

#include "tests/unit/unit.h"
#include "kernel/ring.h"

#define __noinline __attribute__((noinline))

struct event_context {
	struct kmt_control *control;
};

static struct kmt_control control;
static struct kmt_totals totals;
static const bool backup_enabled = true;
static uint32_t traced_tgid;
static bool is_task_traced = true;

static void maybe_interrupt(void);

static bool find_traced_task(struct event_context *event)
{
	(void)event;
	return is_task_traced;
}

static bool find_cpu(struct event_context *event)
{
	maybe_interrupt();
	event->control = &control;
	return true;
}

static void bpf_probe_read_kernel(void *to, size_t size, const void *from)
{
	maybe_interrupt();
	memcpy(to, from, size);
}

#include "bpf/backup.bpf.h"

/* Stacks begin at page boundaries and grow down. The first is a task's, the others of interrupts.
 */
#define STACKS 3
#define STACK_BYTES 16384
#define DEPTH_MAX 6

static struct {
	uint64_t random;
	unsigned int chance; /* of an interrupt, in 256 */
	unsigned int depth;
	uint64_t stack, top; /* the next frame is below top */
	bool unguarded;	     /* the kernel lets programs nest in themselves */
	bool active[2];	     /* the guards of the first and of the backup program */
	uint64_t events, by_first, by_backup, missed, twice;
} machine;

static uint32_t next_random(uint32_t below)
{
	machine.random = machine.random * 6364136223846793005 + 1442695040888963407;
	return (machine.random >> 33) % below;
}

/* Returns true if the program ran and recorded the event. */
static bool run_backup_program(unsigned int program, void *context)
{
	bool recorded = false, nested = machine.active[program];
	struct event_context event;

	if (machine.active[program] && !machine.unguarded) {
		machine.missed += program == 0;
		return false;
	}
	machine.active[program] = true;
	maybe_interrupt();
	if (program) {
		recorded = should_record(&event, KMT_BACKED_UP_KFREE, context);
	} else if (find_traced_task(&event) && find_cpu(&event)) {
		mark_in_flight(&event, KMT_BACKED_UP_KFREE, context);
		recorded = true;
	}
	maybe_interrupt();
	machine.active[program] = nested;
	return recorded;
}

static void fire_interrupt(void)
{
	uint64_t top = machine.top;
	bool first, second;
	void *context;

	machine.top -= 16 + 16 * next_random(32);
	context = (void *)(uintptr_t)machine.top;
	first = run_backup_program(0, context);
	maybe_interrupt();
	second = run_backup_program(1, context);
	machine.events++;
	machine.by_first += first;
	machine.by_backup += second;
	machine.twice += first && second;
	machine.top = top;
}

static void maybe_interrupt(void)
{
	uint64_t stack = machine.stack, top = machine.top;

	if (machine.depth >= DEPTH_MAX || next_random(256) >= machine.chance)
		return;
	machine.depth++;
	/* on an interrupt stack, or on the present stack */
	if (machine.stack + 1 < STACKS && next_random(2)) {
		machine.stack++;
		machine.top = 0x100000 + (machine.stack + 1) * STACK_BYTES;
	}
	machine.top -= 16 * next_random(40);
	for (uint32_t events = 1 + next_random(3); events; events--)
		fire_interrupt();
	machine.stack = stack;
	machine.top = top;
	machine.depth--;
}

static void run_events_on(uint64_t seed, unsigned int chance, enum kmt_backup_state state,
			  bool unguarded)
{
	memset(&control, 0, sizeof(control));
	memset(&totals, 0, sizeof(totals));
	memset(&machine, 0, sizeof(machine));
	machine.random = seed;
	machine.chance = chance;
	machine.unguarded = unguarded;
	totals.backup_state[KMT_BACKED_UP_KFREE] = state;
	for (int i = 0; i < 10000; i++) {
		machine.top = 0x100000 + STACK_BYTES - 16 * next_random(200);
		fire_interrupt();
	}
}

static void run_events(uint64_t seed, unsigned int chance, enum kmt_backup_state state)
{
	run_events_on(seed, chance, state, false);
}

static void records_no_event_twice(void **state)
{
	uint64_t from_backup = 0, missed = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 60; seed++) {
		run_events(seed, 1 + seed % 6, KMT_MARKING_COMPLETE);
		assert_int_equal(machine.twice, 0);
		assert_int_equal(machine.by_backup, control.from_backup);
		/* every event is recorded or counted */
		assert_int_equal(machine.by_first + machine.missed, machine.events);
		assert_true(machine.by_backup <= machine.missed);
		assert_int_equal(control.marks[KMT_BACKED_UP_KFREE].full, 0);
		from_backup += machine.by_backup;
		missed += machine.missed;
	}
	/* enough events nested, and backup programs recorded many of them */
	assert_true(missed > 10000);
	assert_true(from_backup > missed / 4);
}

/* Where programs nest in themselves, the first program records each event. */
static void records_nothing_without_a_recursion_guard(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 60; seed++) {
		run_events_on(seed, 1 + seed % 6, KMT_MARKING_COMPLETE, true);
		assert_int_equal(machine.by_first, machine.events);
		assert_int_equal(machine.by_backup, 0);
		assert_int_equal(control.marks[KMT_BACKED_UP_KFREE].full, 0);
	}
}

static void leaves_no_marks_without_interrupts(void **state)
{
	static const uint64_t none[KMT_MARKS];

	(void)state;
	run_events(1, 0, KMT_MARKING_COMPLETE);
	assert_int_equal(machine.by_first, machine.events);
	assert_int_equal(machine.by_backup, 0);
	assert_memory_equal(control.marks[KMT_BACKED_UP_KFREE].list, none, sizeof(none));
}

/* In the marking state, marks are set and found, but backup programs record nothing. */
static void records_nothing_before_the_state_is_on(void **state)
{
	(void)state;
	run_events(1, 12, KMT_MARKING_BEGUN);
	assert_int_equal(machine.by_backup, 0);
	assert_int_equal(totals.matched[KMT_BACKED_UP_KFREE], 1);
	run_events(1, 12, KMT_MARKING_OFF);
	assert_int_equal(machine.by_backup, 0);
	assert_int_equal(totals.matched[KMT_BACKED_UP_KFREE], 0);
	assert_int_equal(control.marks[KMT_BACKED_UP_KFREE].list[0], 0);
}

/* After a mark found no free slot, the backup program records nothing any more. */
static void stops_when_no_slot_is_free(void **state)
{
	(void)state;
	run_events(1, 0, KMT_MARKING_COMPLETE);
	for (int i = 0; i < KMT_MARKS; i++)
		control.marks[KMT_BACKED_UP_KFREE].list[i] = 0x900000 + i * 4096;
	machine.top = 0x100000 + STACK_BYTES;
	fire_interrupt();
	machine.chance = 40;
	for (int i = 0; i < 1000; i++) {
		machine.top = 0x100000 + STACK_BYTES - 16 * next_random(200);
		fire_interrupt();
	}
	assert_int_equal(machine.twice, 0);
	assert_int_equal(machine.by_backup, 0);
	assert_true(machine.missed > 100);
	assert_int_equal(control.marks[KMT_BACKED_UP_KFREE].full, 1);
}

/* The first program does not record events of untraced processes, so the backup must not either. */
static void records_no_event_of_untraced_tasks(void **state)
{
	(void)state;
	traced_tgid = 1;
	is_task_traced = false;
	run_events(3, 40, KMT_MARKING_COMPLETE);
	traced_tgid = 0;
	is_task_traced = true;
	assert_int_equal(machine.by_first, 0);
	assert_int_equal(machine.by_backup, 0);
	assert_int_equal(control.from_backup, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_no_event_twice),
		cmocka_unit_test(records_nothing_without_a_recursion_guard),
		cmocka_unit_test(leaves_no_marks_without_interrupts),
		cmocka_unit_test(records_nothing_before_the_state_is_on),
		cmocka_unit_test(stops_when_no_slot_is_free),
		cmocka_unit_test(records_no_event_of_untraced_tasks),
	};

	return cmocka_run_group_tests_name("backup_programs", tests, NULL, NULL);
}
