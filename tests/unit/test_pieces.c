// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The parts of reading a set of pieces: states of checkpoints, merged statuses, numbers, names. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"
#include "capture/checkpoint_state.h"
#include "capture/loss.h"
#include "capture/parts.h"
#include "capture/status_merge.h"

static char *checkpoint_text(const struct checkpoint_state *state)
{
	char *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	assert_int_equal(checkpoint_state_write(state, file), 0);
	fclose(file);
	return text;
}

static void fill_checkpoint(struct checkpoint_state *state, uint64_t skipped)
{
	*state = (struct checkpoint_state){ .begin = 10,
					    .since = 3,
					    .objects = 4,
					    .events = UINT64_MAX,
					    .lost = 5,
					    .lost_after = 6,
					    .lost_before = 7,
					    .skipped = skipped };
	assert_int_equal(checkpoint_state_add_cpu(state, 0, 0xffff888000001000), 0);
	assert_int_equal(checkpoint_state_add_cpu(state, UINT16_MAX, 8), 0);
	assert_int_equal(checkpoint_state_add_cache(state, "a cache\n", 9), 0);
	assert_int_equal(checkpoint_state_add_cache(state, "dentry", 1), 0);
	state->nameless_frees = 12;
	state->anonymous_allocations = 13;
	for (int i = 0; i < 2; i++)
		assert_int_equal(checkpoint_state_add_count(
					 state, &(struct checkpoint_count){ .name = "a cache\n",
									    .allocations = 20,
									    .frees = 19,
									    .missed_frees = 2,
									    .meanwhile = 1 }),
				 0);
}

static void state_is_read_as_written(void **unused)
{
	const uint64_t skipped[] = { 0, 11, STATUS_UNKNOWN };

	(void)unused;
	for (size_t i = 0; i < 3; i++) {
		struct checkpoint_state state, copy;
		char *text;

		fill_checkpoint(&state, skipped[i]);
		text = checkpoint_text(&state);
		assert_int_equal(checkpoint_state_parse(&copy, text), 0);
		assert_int_equal(copy.begin, 10);
		assert_int_equal(copy.since, 3);
		assert_int_equal(copy.objects, 4);
		assert_true(copy.events == UINT64_MAX);
		assert_int_equal(copy.lost, 5);
		assert_int_equal(copy.lost_after, 6);
		assert_int_equal(copy.lost_before, 7);
		assert_true(copy.skipped == skipped[i]);
		assert_int_equal(copy.cpu_count, 2);
		assert_int_equal(copy.cpus[1].cpu, UINT16_MAX);
		assert_true(copy.cpus[0].address == 0xffff888000001000);
		assert_int_equal(checkpoint_state_missed_frees(&copy, "a cache\n"), 9);
		assert_int_equal(checkpoint_state_missed_frees(&copy, "dentry"), 1);
		assert_int_equal(checkpoint_state_missed_frees(&copy, "other"), 0);
		assert_int_equal(copy.nameless_frees, 12);
		assert_int_equal(copy.anonymous_allocations, 13);
		assert_int_equal(copy.count_count, 1);
		assert_string_equal(copy.counts[0].name, "a cache\n");
		assert_int_equal(copy.counts[0].allocations, 40);
		assert_int_equal(copy.counts[0].frees, 38);
		assert_int_equal(copy.counts[0].missed_frees, 4);
		assert_int_equal(copy.counts[0].meanwhile, 2);
		free(text);
		checkpoint_state_deinit(&state);
		checkpoint_state_deinit(&copy);
	}
}

static void other_texts_are_no_state(void **unused)
{
	struct checkpoint_state state;

	(void)unused;
	assert_int_equal(checkpoint_state_parse(&state, ""), -EBADMSG);
	assert_int_equal(checkpoint_state_parse(&state, "format 1\n"), -EBADMSG);
	assert_int_equal(checkpoint_state_parse(&state, "begin 5\n"), -EBADMSG);
	assert_int_equal(checkpoint_state_parse(&state, "format 2\nbegin 5\n"), -EPROTONOSUPPORT);
	assert_int_equal(checkpoint_state_parse(&state, "format 1\nbegin x\nend\n"), -EBADMSG);
	assert_int_equal(checkpoint_state_parse(&state, "format 1\nbegin 5\n"), -EBADMSG);
	/* a CPU that cannot exist, and unknown keys */
	assert_int_equal(checkpoint_state_parse(&state, "format 1\nbegin 5\nother 1 2\n"
							"last_allocation 65536 1\nend\n"),
			 0);
	assert_int_equal(state.cpu_count, 0);
	checkpoint_state_deinit(&state);
}

static void truncated_states_are_read_or_refused(void **unused)
{
	struct checkpoint_state state, copy;
	char *text;

	(void)unused;
	fill_checkpoint(&state, 11);
	text = checkpoint_text(&state);
	for (size_t size = strlen(text); size--;) {
		text[size] = '\0';
		if (!checkpoint_state_parse(&copy, text))
			assert_int_equal(copy.begin, 10);
		checkpoint_state_deinit(&copy);
	}
	free(text);
	checkpoint_state_deinit(&state);
}

static void add_cpu(struct status *status, unsigned int number, uint64_t recorded, uint64_t skipped)
{
	struct status_cpu *cpu = status_add_cpu(status, number);

	assert_non_null(cpu);
	cpu->recorded = recorded;
	cpu->skipped = skipped;
}

static void statuses_add_up(void **unused)
{
	struct status sum = { .complete = STATUS_COMPLETE, .begin = 1, .end = 5, .skipped = 3 };
	struct status next = { .complete = STATUS_COMPLETE, .begin = 5, .end = 9, .skipped = 4 };
	const struct status_span span = { .cpu = 1, .count = 2 };

	(void)unused;
	sum.sampling.dropped = UINT64_MAX - 1;
	next.sampling.dropped = 2;
	add_cpu(&sum, 0, 10, 3);
	add_cpu(&next, 0, 20, STATUS_UNKNOWN);
	add_cpu(&next, 2, 30, 4);
	assert_int_equal(status_add_lost_task(&sum, 7, 1), 0);
	assert_int_equal(status_add_lost_task(&next, 7, 2), 0);
	assert_int_equal(status_add_lost_task(&next, 8, 3), 0);
	for (int i = 0; i < 5; i++)
		assert_int_equal(status_add_span(&next, &span), 0);
	assert_int_equal(status_add_path(&sum, "kmalloc", true, NULL), 0);
	assert_int_equal(status_add_path(&sum, "krealloc", true, NULL), 0);
	assert_int_equal(status_add_path(&next, "kmalloc", true, NULL), 0);
	assert_int_equal(status_add_path(&next, "krealloc", false, "why"), 0);
	assert_int_equal(status_merge(&sum, &next), 0);
	assert_true(sum.paths[0].observed && !sum.paths[1].observed);
	assert_int_equal(sum.begin, 1);
	assert_int_equal(sum.end, 9);
	assert_int_equal(sum.skipped, 7);
	assert_true(sum.sampling.dropped == UINT64_MAX);
	assert_int_equal(sum.cpu_count, 2);
	assert_int_equal(status_find_cpu(&sum, 0)->recorded, 30);
	assert_true(status_find_cpu(&sum, 0)->skipped == STATUS_UNKNOWN);
	assert_int_equal(status_find_cpu(&sum, 2)->recorded, 30);
	assert_int_equal(sum.lost_task_count, 3);
	assert_int_equal(sum.lost_tasks[0].count + sum.lost_tasks[1].count, 3);
	assert_int_equal(sum.span_count, 5);
	assert_int_equal(sum.complete, STATUS_COMPLETE);
	status_deinit(&next);
	status_deinit(&sum);
}

static void set_is_as_complete_as_its_pieces(void **unused)
{
	static const enum status_complete all[] = { STATUS_CUT_OFF, STATUS_COMPLETE,
						    STATUS_REPAIRED };
	static const enum status_complete expected[3][3] = {
		{ STATUS_CUT_OFF, STATUS_CUT_OFF, STATUS_CUT_OFF },
		{ STATUS_CUT_OFF, STATUS_COMPLETE, STATUS_REPAIRED },
		{ STATUS_CUT_OFF, STATUS_REPAIRED, STATUS_REPAIRED },
	};

	(void)unused;
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 3; j++) {
			struct status sum = { .complete = all[i] }, next = { .complete = all[j] };

			assert_int_equal(status_merge(&sum, &next), 0);
			assert_int_equal(sum.complete, expected[i][j]);
		}
}

static void numbers_go_on_in_the_next_file(void **unused)
{
	struct loss loss;

	(void)unused;
	loss_init(&loss, 1);
	/* a piece alone: what is below its first number is not its own */
	assert_int_equal(loss_begin_file(&loss, 100, 1), 0);
	assert_int_equal(loss_record(&loss, 100, 2), 0);
	assert_int_equal(loss_record(&loss, 102, 3), 0);
	assert_int_equal(loss_missing(&loss), 1);
	/* the next file: what no file has is lost */
	assert_int_equal(loss_begin_file(&loss, 105, 4), 0);
	assert_int_equal(loss_missing(&loss), 3);
	assert_int_equal(loss_record(&loss, 105, 5), 0);
	/* a file that begins too early loses nothing */
	assert_int_equal(loss_begin_file(&loss, 50, 6), 0);
	assert_int_equal(loss_missing(&loss), 3);
	assert_int_equal(loss_begin_file(&loss, LOSS_SEQUENCE_MAX + 1, 7), -ERANGE);
	loss_deinit(&loss);
}

static void names_of_pieces(void **unused)
{
	char *path = parts_piece_path("set", 7);

	(void)unused;
	assert_string_equal(path, "set/piece.000007");
	free(path);
	assert_int_equal(parts_piece_number("piece.000007"), 7);
	assert_int_equal(parts_piece_number("piece.999999"), 999999);
	assert_int_equal(parts_piece_number("piece.000000"), 0);
	assert_int_equal(parts_piece_number("piece.7"), 0);
	assert_int_equal(parts_piece_number("piece.000007.damaged"), 0);
	assert_int_equal(parts_piece_number("piece."), 0);
	assert_int_equal(parts_piece_number("cpu0"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(state_is_read_as_written),
		cmocka_unit_test(other_texts_are_no_state),
		cmocka_unit_test(truncated_states_are_read_or_refused),
		cmocka_unit_test(statuses_add_up),
		cmocka_unit_test(set_is_as_complete_as_its_pieces),
		cmocka_unit_test(numbers_go_on_in_the_next_file),
		cmocka_unit_test(names_of_pieces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
