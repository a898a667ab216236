// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Rows of a summary by task: a task that is named as a first row of the details is another row. */
#include "config.h"

#include "tests/unit/unit.h"
#include "tracer/publish/summary_owners.h"

#define ROWS (DETAILS_FIRST + 6)

static uint64_t allocations_of(struct summary *summary, const char *name)
{
	const char *const names[SUMMARY_NAMES] = { name };
	const struct summary_row *row = summary_get_row(summary, SUMMARY_COMM, names);

	assert_non_null(row);
	return row->counts.allocations;
}

static void a_task_with_a_reserved_name_has_its_own_row(void **state)
{
	static char other[] = "(other)", interrupts[] = "(interrupts)", unknown[] = "(unknown)";
	static char escaped[] = "\\(other)", pam[] = "(sd-pam)", ssh[] = "sshd";
	const bool kinds[SUMMARY_KINDS] = { [SUMMARY_COMM] = true };
	char *const names[ROWS] = {
		[DETAILS_FIRST] = other, interrupts, unknown, escaped, pam, ssh
	};
	struct details_row rows[ROWS] = { 0 };
	struct details details = { 0 };
	struct summary_owners owners;
	struct summary summary;

	(void)state;
	for (size_t i = 0; i < ROWS; i++) {
		rows[i].name = names[i];
		rows[i].counts.allocations = 1 + i;
	}
	details.tables[DETAILS_COMM] = (struct details_table){ .rows = rows, .count = ROWS };
	assert_int_equal(summary_owners_init(&owners, kinds), 0);
	assert_int_equal(summary_init(&summary), 0);
	assert_int_equal(summary_owners_add(&owners, &details, &summary), 0);
	assert_int_equal(summary.row_count, ROWS);
	assert_int_equal(allocations_of(&summary, "(other)"), 1 + DETAILS_REST);
	assert_int_equal(allocations_of(&summary, "(interrupts)"), 1 + DETAILS_INTERRUPT);
	assert_int_equal(allocations_of(&summary, "(unknown)"), 1 + DETAILS_UNKNOWN);
	assert_int_equal(allocations_of(&summary, "\\(other)"), 1 + DETAILS_FIRST);
	assert_int_equal(allocations_of(&summary, "\\(interrupts)"), 2 + DETAILS_FIRST);
	assert_int_equal(allocations_of(&summary, "\\(unknown)"), 3 + DETAILS_FIRST);
	assert_int_equal(allocations_of(&summary, "\\\\(other)"), 4 + DETAILS_FIRST);
	assert_int_equal(allocations_of(&summary, "(sd-pam)"), 5 + DETAILS_FIRST);
	assert_int_equal(allocations_of(&summary, "sshd"), 6 + DETAILS_FIRST);
	summary_deinit(&summary);
	summary_owners_deinit(&owners);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_task_with_a_reserved_name_has_its_own_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
