// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* kernel/status: written, parsed, and parsed when it is damaged or hostile. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"
#include "capture/status.h"

static char *status_text(const struct status *status)
{
	char *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	assert_int_equal(status_write(status, file), 0);
	fclose(file);
	return text;
}

static void fill_status(struct status *status)
{
	const struct status_probe recorded = { .is_recorded = true, .counted = 12, .skipped = 3 };
	const struct status_probe other = { .is_recorded = true, .counted = STATUS_UNKNOWN };
	const struct status_probe missing = { .is_recorded = false };
	struct loss_span spans[] = { { 3, 9, 100, 200 }, { 12, 12, 300, 400 } };
	struct loss loss = { .spans = spans, .count = 2, .open = 2, .confirmed = 8 };
	struct status_cpu *cpu;

	*status = (struct status){
		.complete = STATUS_COMPLETE,
		.stopped = "  disk full:\n\\x41 100 %  ",
		.begin = 1,
		.end = UINT64_MAX - 1,
		.until = 123456,
		.ring_bytes = 1 << 20,
		.include_self = true,
		.skipped = STATUS_UNKNOWN,
		.backup_known = true,
		.backup_programs_reason = "no guard",
		.preemption = STATUS_PREEMPTION_YES,
		.copies = 4,
		.front = true,
		.context = STATUS_CONTEXT_SOFTIRQ,
		.from_backup = 6,
		.backup_off_cpus = 1,
		.hook_calls_skipped = 7,
		.names_lost = 2,
		.lost_unattributed = 3,
		.clamped = 4,
		.clamped_max = 5,
		.sampling = { .interval = 4096,
			      .interval_most = 8192,
			      .is_profile = true,
			      .unwalked = 1,
			      .no_room = 2,
			      .user_stacks = true,
			      .user_unwalked = 6,
			      .mappings_lost = 7,
			      .unsized = 3,
			      .dropped = 4 },
	};
	assert_int_equal(status_add_traced_pid(status, 77), 0);
	assert_int_equal(status_add_traced_pid(status, 66), 0);
	assert_int_equal(status_add_own(status, 500), 0);
	assert_int_equal(status_add_own(status, 400), 0);
	assert_int_equal(status_add_own(status, 500), 0);
	cpu = status_add_cpu(status, 2);
	assert_non_null(cpu);
	*cpu = (struct status_cpu){ 2, 10, 6, 4, STATUS_UNKNOWN, 1, 6, { 70, 60, 5000 } };
	cpu = status_add_cpu(status, 0);
	assert_non_null(cpu);
	*cpu = (struct status_cpu){ 0, UINT64_MAX - 1, 7, 8, 9, 0, 0, { 80, 90, 0 } };
	assert_ptr_equal(status_add_cpu(status, 2), &status->cpus[1]);
	assert_int_equal(status_add_lost_task(status, 1234, 8), 0);
	status->no_slab = true;
	assert_int_equal(
		status_probes_add(&status->probes, &recorded, "vm.pagefault", "software event"), 0);
	assert_int_equal(status_probes_add(&status->probes, &other, "vm.brk", ""), 0);
	assert_int_equal(
		status_probes_add(&status->probes, &missing, "vm.write_shared", "no fentry"), 0);
	assert_int_equal(status_add_path(status, "kmalloc", true, ""), 0);
	assert_int_equal(status_add_path(status, "kfree_bulk", false, "fires no tracepoint"), 0);
	assert_int_equal(status_add_path(status, "a b", false, ""), 0);
	assert_int_equal(status_add_spans(status, 2, &loss), 0);
	assert_int_equal(status_add_skip_span(status, 100, 300, 5), 0);
	assert_int_equal(status_add_skip_span(status, 200, 200, 1), 0);
	assert_int_equal(status_add_skip_span(status, 200, 400, 0), 0);
	assert_int_equal(status_add_skip_span(status, 200, 400, 4), 0);
}

static void written_status_is_parsed(void **state)
{
	struct status status, copy;
	char *text, *again;

	(void)state;
	fill_status(&status);
	text = status_text(&status);
	assert_string_equal(text,
			    "format 1\n"
			    "complete yes\n"
			    "stopped   disk full:\\x0a\\x5cx41 100 %  \n"
			    "include_self yes\n"
			    "rescue no no guard\n"
			    "preemption yes 4 front\n"
			    "context softirq\n"
			    "begin 1\n"
			    "end 18446744073709551614\n"
			    "ring_bytes 1048576\n"
			    "skipped unknown\n"
			    "rescued 6\n"
			    "rescue_off 1\n"
			    "hook_skipped 7\n"
			    "names_lost 2\n"
			    "lost_unattributed 3\n"
			    "until 123456\n"
			    "raised 4 5\n"
			    "slab no\n"
			    "profile yes\n"
			    "user_stacks_unwalked 6\n"
			    "mappings_lost 7\n"
			    "sample_interval 4096\n"
			    "sample_interval_most 8192\n"
			    "stacks_unwalked 1\n"
			    "stacks_no_room 2\n"
			    "unsampled 3\n"
			    "samples_dropped 4\n"
			    "probe vm.pagefault counted 12 skipped 3 software event\n"
			    "probe vm.brk counted unknown skipped 0 \n"
			    "no_probe vm.write_shared no fentry\n"
			    "wanted 77\n"
			    "wanted 66\n"
			    "own_task 400\n"
			    "own_task 500\n"
			    "cpu 0 seen 18446744073709551614 recorded 7 lost 8 skipped 9 own 0 "
			    "rescued 0\n"
			    "cpu 2 seen 10 recorded 6 lost 4 skipped unknown own 1 rescued 6\n"
			    "counted 0 80 90 0\n"
			    "counted 2 70 60 5000\n"
			    "lost_task 1234 8\n"
			    "observed kmalloc\n"
			    "unobserved kfree_bulk fires no tracepoint\n"
			    "unobserved a\\x20b \n"
			    "lost_span 2 3 9 7 100 200\n"
			    "lost_span 2 12 12 1 300 400\n"
			    "skip 100 300 5\n"
			    "skip 200 400 4\n");
	assert_int_equal(status_parse(&copy, text, NULL), 0);
	assert_int_equal(copy.complete, STATUS_COMPLETE);
	assert_string_equal(copy.stopped, status.stopped);
	assert_true(copy.include_self);
	assert_true(copy.backup_known);
	assert_string_equal(copy.backup_programs_reason, "no guard");
	assert_int_equal(copy.preemption, STATUS_PREEMPTION_YES);
	assert_int_equal(copy.context, STATUS_CONTEXT_SOFTIRQ);
	assert_int_equal(copy.copies, 4);
	assert_true(copy.front);
	assert_int_equal(copy.clamped_max, 5);
	assert_int_equal(copy.own_count, 2);
	assert_true(copy.cpus[1].skipped == STATUS_UNKNOWN);
	assert_string_equal(copy.paths[2].name, "a b");
	assert_true(copy.paths[0].observed);
	assert_int_equal(copy.spans[0].span.last, 9);
	assert_int_equal(copy.spans[0].count, 7);
	assert_int_equal(copy.cpus[1].from_backup, 6);
	assert_int_equal(copy.hook_calls_skipped, 7);
	assert_int_equal(copy.skip_spans[1].before, 400);
	assert_int_equal(copy.until, 123456);
	again = status_text(&copy);
	assert_string_equal(again, text);
	assert_true(status_is_own(&copy, 400));
	assert_true(status_is_own(&copy, 500));
	assert_false(status_is_own(&copy, 450));
	assert_false(status_is_own(&copy, 0));
	free(text);
	free(again);
	status_deinit(&status);
	status_deinit(&copy);
	assert_false(status_is_own(&copy, 400));
}

static void complete_has_three_words(void **state)
{
	struct status status, copy;

	(void)state;
	for (int complete = STATUS_CUT_OFF; complete <= STATUS_REPAIRED; complete++) {
		char *text;

		status = (struct status){ .complete = complete };
		text = status_text(&status);
		assert_int_equal(status_parse(&copy, text, NULL), 0);
		assert_int_equal(copy.complete, complete);
		assert_string_equal(copy.stopped, "");
		assert_false(copy.include_self);
		free(text);
	}
}

static void many_spans_are_merged(void **state)
{
	struct loss_span spans[1000];
	struct loss loss = { .spans = spans, .count = 1000, .open = 1000 };
	struct status status = { 0 };
	uint64_t count = 0;

	(void)state;
	for (uint64_t i = 0; i < 1000; i++) {
		spans[i] = (struct loss_span){ i * 10, i * 10 + i % 3, i * 50, i * 50 + 70 };
		loss.confirmed += i % 3 + 1;
	}
	assert_int_equal(status_add_spans(&status, 5, &loss), 0);
	assert_in_range(status.span_count, 200, STATUS_SPANS_MAX);
	for (size_t i = 0; i < status.span_count; i++) {
		const struct status_span *span = &status.spans[i];

		count += span->count;
		assert_int_equal(span->cpu, 5);
		assert_int_equal(span->span.after, span->span.first * 5);
		assert_int_equal(span->span.before, span->span.last / 10 * 50 + 70);
		assert_true(!i || span->span.first > status.spans[i - 1].span.last);
	}
	assert_int_equal(count, loss.confirmed);
	assert_int_equal(status.spans[status.span_count - 1].span.last, 9990);
	status_deinit(&status);
	/* struct loss has merged spans: the count of each is unknown */
	loss.count = loss.open = 3;
	loss.confirmed = 2;
	assert_int_equal(status_add_spans(&status, 5, &loss), 0);
	assert_int_equal(status.span_count, 3);
	assert_true(status.spans[0].count == STATUS_UNKNOWN);
	status_deinit(&status);
}

static void many_skip_spans_are_merged(void **state)
{
	struct status status = { 0 };
	uint64_t count = 0;

	(void)state;
	/* readings in a row: each overlaps the one before */
	for (uint64_t i = 1; i <= 1000; i++)
		assert_int_equal(status_add_skip_span(&status, i * 100 - 100, i * 100 + 100, i), 0);
	assert_int_equal(status.skip_span_count, STATUS_SKIP_SPANS_MAX);
	for (size_t i = 0; i < status.skip_span_count; i++) {
		const struct status_skip_span *skip = &status.skip_spans[i];

		count += skip->count;
		/* no span has been merged with all others */
		assert_in_range(skip->before - skip->after, 200, 2000);
		assert_true(!i || skip->after == skip[-1].before - 100);
	}
	assert_int_equal(count, 500500);
	assert_int_equal(status.skip_spans[STATUS_SKIP_SPANS_MAX - 1].before, 100100);
	status_deinit(&status);

	/* spans that are far apart stay separate */
	for (uint64_t i = 0; i <= STATUS_SKIP_SPANS_MAX; i++)
		assert_int_equal(status_add_skip_span(&status, i * 1000 + (i == 7 ? 0 : 300),
						      i * 1000 + 900, 2),
				 0);
	assert_int_equal(status.skip_span_count, STATUS_SKIP_SPANS_MAX);
	assert_int_equal(status.skip_spans[5].before, 5900);
	assert_int_equal(status.skip_spans[6].after, 6300);
	assert_int_equal(status.skip_spans[6].before, 7900);
	assert_int_equal(status.skip_spans[6].count, 4);
	assert_int_equal(status.skip_spans[7].after, 8300);
	status_deinit(&status);
}

static void unknown_and_damaged_lines_are_skipped(void **state)
{
	struct status status;
	struct error error = { 0 };

	(void)state;
	assert_int_equal(
		status_parse(&status,
			     "format x\ncolour blue\ncomplete maybe\nbegin 7\nbegin 99999999999"
			     "999999999\ncpu 3 seen 1 recorded 1 lost 0 skipped 0 own 0\n"
			     "cpu 1 seen 1 recorded 1 lost 0 skipped 0 own 0\ncpu 4 seen 1\n"
			     "cpu 5 seen 1 recorded 1 lost 0 skipped 0 own 0 more 1\n"
			     "wanted 4294967296\nown_task 9\nown_task 3\nlost_task 4\n"
			     "observed\nunobserved\nlost_span 1 2 3 4 5\n\n\nskip 1 2\nskip 9 5 "
			     "1\nskip 1 2 x\n"
			     "rescued -1\nrescue_off\nrescue maybe\nend 9\nskipped 12",
			     NULL),
		0);
	assert_int_equal(status.complete, STATUS_CUT_OFF);
	assert_int_equal(status.begin, 7);
	assert_int_equal(status.end, 9);
	assert_int_equal(status.skipped, 0); /* its line was cut off */
	assert_int_equal(status.cpu_count, 2);
	assert_int_equal(status.cpus[1].cpu, 5);
	assert_int_equal(status.traced_pid_count, 0);
	assert_int_equal(status.own_count, 1);
	assert_int_equal(status.lost_task_count, 0);
	assert_int_equal(status.path_count, 0);
	assert_int_equal(status.span_count, 0);
	assert_int_equal(status.skip_span_count, 0);
	assert_int_equal(status.from_backup, 0);
	assert_false(status.backup_known);
	assert_int_equal(status.cpus[1].from_backup, 0);
	assert_int_equal(status.unknown_lines, 1);
	status_deinit(&status);
	assert_int_equal(status_parse(&status, "begin 1\nformat 2\n", &error), -EPROTONOSUPPORT);
	assert_non_null(strstr(error.text, "format 2, this program reads up to 1"));
	assert_int_equal(status_parse(&status, "", NULL), 0);
}

static void text_may_be_cut_off_anywhere(void **state)
{
	struct status status, copy;
	char *text;

	(void)state;
	fill_status(&status);
	text = status_text(&status);
	for (size_t size = strlen(text); size--;) {
		char *cut = strndup(text, size);

		assert_int_equal(status_parse(&copy, cut, NULL), 0);
		status_deinit(&copy);
		free(cut);
	}
	free(text);
	status_deinit(&status);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(written_status_is_parsed),
		cmocka_unit_test(complete_has_three_words),
		cmocka_unit_test(many_spans_are_merged),
		cmocka_unit_test(many_skip_spans_are_merged),
		cmocka_unit_test(unknown_and_damaged_lines_are_skipped),
		cmocka_unit_test(text_may_be_cut_off_anywhere),
	};

	return cmocka_run_group_tests_name("status", tests, NULL, NULL);
}
