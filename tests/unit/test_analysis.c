// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The analysis of small traces whose counters can be worked out by hand. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <inttypes.h>

#include "tests/unit/unit.h"
#include "tests/unit/scratch.h"
#include "analysis/analysis.h"
#include "analysis/estimate.h"
#include "analysis/heap_findings.h"
#include "analysis/missing.h"

/* settings: or NULL */
static void run_analysis_with(struct analysis *analysis, struct capture *capture, const char *text,
			      const struct analysis_settings *settings)
{
	char *directory, *whole;

	/* a capture without any symbol would be reported as incomplete */
	if (asprintf(&whole, "symbol 0x10 nothing\n%s", text) < 0)
		fail_msg("no memory");
	directory = scratch_capture(whole);
	free(whole);
	if (capture_open(capture, directory))
		fail_msg("%s", capture->error.text);
	assert_int_equal(capture->unread_count, 0);
	if (analysis_run(analysis, capture, settings))
		fail_msg("%s", capture->error.text);
	scratch_remove(directory);
}

static void run_analysis(struct analysis *analysis, struct capture *capture, const char *text)
{
	run_analysis_with(analysis, capture, text, NULL);
}

static void finish_analysis(struct analysis *analysis, struct capture *capture)
{
	analysis_deinit(analysis);
	capture_close(capture);
}

static void assert_identities(const struct analysis *analysis)
{
	const struct analysis_totals *totals = &analysis->totals;
	uint64_t missed = 0;

	assert_int_equal(totals->allocations + totals->failed + totals->frees + totals->null_frees +
				 totals->own_allocations + totals->own_frees + totals->unknown +
				 totals->resizes + totals->repeated + totals->left_out +
				 totals->process_events + totals->own_process_events,
			 analysis->loss.recorded);
	assert_int_equal(totals->live_objects, totals->allocations -
						       (totals->frees - totals->frees_unmatched) -
						       totals->missed_frees);
	assert_int_equal(analysis->loss.seen,
			 analysis->loss.recorded + analysis->loss.lost + analysis->loss.skipped);
	for (size_t i = 0; i < analysis->group_count; i++) {
		const struct group *site = &analysis->groups[i];

		assert_int_equal(site->live_objects,
				 site->allocations - site->frees - site->missed_frees);
		missed += site->missed_frees;
	}
	assert_int_equal(totals->missed_frees, missed);
}

/* Module a was at bf000000 until 100, b from 200 to 300, and a again from 400 on. */
#define REUSED                                                                   \
	"00001000 T _text\n00001100 T _etext\n"                                  \
	"bf000000 t a_use [a]\nbf000100 t a_other [a]\n"                         \
	"# modules\n# module bf000000 4096 a\n# since 100\n# modules\n"          \
	"# since 200\n# modules\n# module bf000000 4096 b\n"                     \
	"bf000000 t b_use [b]\nbf000100 t b_other [b]\n# since 300\n# modules\n" \
	"# since 400\n# modules\n# module bf000000 4096 a\n"                     \
	"bf000000 t a_use [a]\nbf000100 t a_other [a]\n"

static void modules_at_one_address_are_apart(void **state)
{
	static const uint64_t times[] = { 10, 11, 12, 150, 210, 211, 212, 213, 410, 411 };
	static const enum group_by bys[] = { GROUP_BY_SITE, GROUP_BY_FUNCTION, GROUP_BY_MODULE };
	char trace[1024] = "begin 5\nend 500\n", *directory, *path;

	(void)state;
	for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++)
		sprintf(trace + strlen(trace),
			"alloc %" PRIu64 " 0 0x%zx 100/128 0xbf000010\n"
			"alloc %" PRIu64 " 0 0x%zx 100/128 0x1010\n",
			times[i], 0x1000 + i * 128, times[i], 0x9000 + i * 128);
	directory = scratch_capture(trace);
	path = scratch_path(directory, "kernel/symbols");
	scratch_write(path, REUSED, strlen(REUSED));
	free(path);
	for (size_t i = 0; i < sizeof(bys) / sizeof(*bys); i++) {
		struct analysis analysis = { .settings.by = bys[i] };
		struct capture capture;

		assert_int_equal(capture_open(&capture, directory), 0);
		assert_int_equal(analysis_run(&analysis, &capture, NULL), 0);
		/* a, the kernel, and b, which is the next at 150 */
		assert_int_equal(analysis.group_count, 3);
		assert_int_equal(analysis.groups[0].allocations, 5);
		assert_int_equal(analysis.groups[1].allocations, 10);
		assert_int_equal(analysis.groups[2].allocations, 5);
		finish_analysis(&analysis, &capture);
	}
	scratch_remove(directory);
}

static void counts_by_call_site(void **state)
{
	static const char text[] = "begin 5\nend 500\n"
				   "cache dentry 0xd000 192 200\n"
				   "alloc  10 0 0x1000 100/128 0x100 gfp=0xcc0\n"
				   "alloc  20 0 0x2000 100/128 0x100\n"
				   "calloc 30 1 0x3000 dentry  0x200\n"
				   "free   40 1 0x1000 0x300\n"
				   "cfree  50 1 0x3000 dentry 0x300\n"
				   "free   60 1 0x9000 0x300\n"
				   "free   70 1 0 0x300\n"
				   "free   80 1 16 0x300\n"
				   "alloc  90 0 0 4096/0 0x100\n"
				   "calloc 95 0 0x4000 0xeeee 0x400\n"
				   "raw    96 0 99\n"
				   "skip 3\nlose 1 4\n";
	const struct analysis_totals *totals;
	const struct group *site;
	struct analysis analysis;
	struct capture capture;
	struct missing missing;

	(void)state;
	run_analysis(&analysis, &capture, text);
	totals = &analysis.totals;
	assert_identities(&analysis);
	assert_int_equal(totals->allocations, 4);
	assert_int_equal(totals->failed, 1);
	assert_int_equal(totals->frees, 3);
	assert_int_equal(totals->frees_unmatched, 1);
	assert_int_equal(totals->null_frees, 2);
	assert_int_equal(totals->unknown, 1);
	assert_int_equal(totals->bytes_requested, 392);
	assert_int_equal(totals->bytes_allocated, 456);
	assert_int_equal(totals->cross_cpu_frees, 1);
	assert_int_equal(totals->live_objects, 2);
	assert_int_equal(totals->live_bytes, 128);

	assert_int_equal(analysis.group_count, 3);
	site = analysis.groups;
	assert_int_equal(site[0].key, 0x100);
	assert_int_equal(site[0].first_time, 10);
	assert_int_equal(site[0].allocations, 2);
	assert_int_equal(site[0].failed, 1);
	assert_int_equal(site[0].frees, 1);
	assert_int_equal(site[0].cross_cpu_frees, 1);
	assert_int_equal(site[0].live_objects, 1);
	assert_int_equal(site[0].live_bytes, 128);
	assert_int_equal(site[1].key, 0x200);
	assert_int_equal(site[1].bytes_requested, 192);
	assert_int_equal(site[1].bytes_allocated, 200);
	assert_int_equal(site[1].cross_cpu_frees, 0);
	assert_int_equal(site[1].live_objects, 0);
	assert_int_equal(site[2].key, 0x400);

	assert_int_equal(analysis.loss.recorded, 11);
	assert_int_equal(analysis.loss.lost, 4);
	assert_int_equal(analysis.loss.skipped, 3);
	assert_false(analysis.loss.skipped_partial);
	assert_int_equal(analysis.begin, 5);
	assert_int_equal(analysis.end, 500);
	assert_int_equal(analysis.caches_unknown, 1);
	missing = missing_of_capture(&analysis);
	assert_int_equal(missing.uncounted, 1); /* the record of an unknown kind */
	assert_true(missing.names_lost);
	assert_int_equal(analysis.damaged_bytes, 0);
	assert_int_equal(analysis.cpu_count, 2);
	assert_int_equal(analysis.cpus[1].cpu, 1);
	assert_int_equal(analysis.cpus[1].recorded, 6);
	assert_int_equal(analysis.cpus[1].lost, 4);
	finish_analysis(&analysis, &capture);
}

static void counts_missed_frees(void **state)
{
	static const char text[] = "alloc 10 0 0x1000 100/128 0x100\n"
				   "alloc 20 1 0x1000 50/64 0x200\n"
				   "free  30 0 0x1000 0x300\n"
				   "free  40 0 0x1000 0x300\n";
	struct analysis analysis;
	struct capture capture;

	(void)state;
	run_analysis(&analysis, &capture, text);
	assert_identities(&analysis);
	assert_int_equal(analysis.totals.missed_frees, 1);
	assert_int_equal(analysis.totals.frees_unmatched, 1);
	assert_int_equal(analysis.totals.live_bytes, 0);
	assert_int_equal(analysis.groups[0].frees, 0);
	assert_int_equal(analysis.groups[0].missed_frees, 1);
	assert_int_equal(analysis.groups[0].live_objects, 0);
	assert_int_equal(analysis.groups[1].missed_frees, 0);
	assert_int_equal(analysis.groups[1].frees, 1);
	assert_int_equal(analysis.totals.cross_cpu_frees, 1);
	finish_analysis(&analysis, &capture);
}

/* kmemtraced's own objects are left out, and their frees by any task; its frees of others are not.
 */
static const char own_text[] = "alloc 10 0 0x1000 8/8 0x100 task=9\n"
			       "alloc 20 0 0x2000 8/8 0x100 task=9\n"
			       "alloc 25 0 0 8/8 0x100 task=9\n"
			       "alloc 30 0 0x3000 8/8 0x100 task=1\n"
			       "free  40 0 0x1000 0x300 task=1\n"
			       "free  50 0 0x3000 0x300 task=9\n"
			       "free  60 0 0x9000 0x300 task=9\n"
			       "free  65 0 0 0x300 task=9\n"
			       "alloc 70 0 0x2000 8/8 0x100 task=1\n";

static void leaves_out_own_objects(void **state)
{
	char text[1000];
	struct analysis analysis;
	struct capture capture;

	(void)state;
	snprintf(text, sizeof(text), "own 9\n%s", own_text);
	run_analysis(&analysis, &capture, text);
	assert_identities(&analysis);
	assert_int_equal(analysis.totals.own_allocations, 3);
	assert_int_equal(analysis.totals.own_frees, 1);
	assert_int_equal(analysis.totals.allocations, 2);
	assert_int_equal(analysis.totals.frees, 2);
	assert_int_equal(analysis.totals.frees_unmatched, 1);
	assert_int_equal(analysis.totals.null_frees, 1);
	assert_int_equal(analysis.totals.missed_frees, 0);
	assert_int_equal(analysis.totals.live_objects, 1);
	assert_int_equal(analysis.loss.own, 6);
	finish_analysis(&analysis, &capture);

	snprintf(text, sizeof(text), "own 9\ninclude_self\n%s", own_text);
	run_analysis(&analysis, &capture, text);
	assert_identities(&analysis);
	assert_int_equal(analysis.totals.own_allocations, 0);
	assert_int_equal(analysis.totals.allocations, 4);
	assert_int_equal(analysis.totals.failed, 1);
	assert_int_equal(analysis.totals.missed_frees, 1);
	assert_int_equal(analysis.loss.own, 6);
	finish_analysis(&analysis, &capture);
}

static void reads_captures_that_were_cut_off(void **state)
{
	struct analysis analysis;
	struct capture capture;

	(void)state;
	run_analysis(&analysis, &capture,
		     "complete no\nbegin 5\nalloc 10 0 0x1000 8/8 0x100\nskip 3\nflush\n"
		     "alloc 20 1 0x2000 8/8 0x100\nskip 7\n");
	assert_identities(&analysis);
	assert_int_equal(analysis.loss.skipped, 7);
	assert_true(analysis.loss.skipped_partial);
	assert_int_equal(analysis.begin, 5);
	assert_int_equal(analysis.end, 20);
	finish_analysis(&analysis, &capture);
}

/* A large kmalloc() that is reported from inside kmalloc() and again with its caller counts once.
 */
static void counts_repeated_kmalloc_once(void **state)
{
	static const char text[] = "begin 5\nend 9000000000\n"
				   "symbol 0x5000 __kmalloc_noprof\n"
				   "symbol 0x6000 maker\n"
				   "alloc  10 0 0x100000 9000/12288 0x5010 task=3\n"
				   "alloc  15 1 0x300000 64/64 0x6020 task=4\n"
				   "alloc  20 0 0x100000 9000/12288 0x6010 task=3\n"
				   "free   30 0 0x100000 0x6030 task=3\n"
				   "alloc  40 0 0 9000000/12582912 0x5010 task=3\n"
				   "alloc  41 0 0 9000000/12582912 0x6010 task=3\n"
				   /* another task; too late; too small */
				   "alloc  50 0 0x400000 9000/12288 0x5010 task=3\n"
				   "alloc  51 0 0x400000 9000/12288 0x6010 task=4\n"
				   "alloc  60 0 0x500000 9000/12288 0x5010 task=3\n"
				   "alloc  2000000000 0 0x500000 9000/12288 0x6010 task=3\n"
				   "alloc  2000000010 0 0x600000 60/64 0x5010 task=3\n"
				   "alloc  2000000011 0 0x600000 60/64 0x6010 task=3\n"
				   "alloc  2000000020 0 0x700000 9000/12288 0x5010 task=3\n";
	struct analysis analysis;
	struct capture capture;

	(void)state;
	run_analysis(&analysis, &capture, text);
	assert_identities(&analysis);
	assert_int_equal(analysis.totals.repeated, 3);
	assert_int_equal(analysis.totals.failed, 1);
	assert_int_equal(analysis.totals.missed_frees, 2);
	assert_int_equal(analysis.totals.allocations, 8);
	assert_int_equal(analysis.totals.live_objects, 5);
	finish_analysis(&analysis, &capture);
}

/*
 * A task can be off its CPU for long between its two reports. Where records name their interrupts,
 * a first report that the task's next event follows has lost its second one.
 */
static void waits_for_a_second_report_until_the_task_goes_on(void **state)
{
	static const struct analysis_settings settings = { .by = GROUP_BY_SITE };
	static const char text[] = "begin 5\nend 9000000000\ncontexts\n"
				   "symbol 0x5000 __kmalloc_noprof\n"
				   "symbol 0x6000 maker\n"
				   "alloc 10 0 0x100000 9000/12288 0x5010 task=3\n"
				   /* another task, an interrupt of it, another CPU's idle task */
				   "alloc 20 0 0x300000 64/64 0x6020 task=4\n"
				   "alloc 21 1 0x310000 64/64 0x6020 task=3 context=1\n"
				   "alloc 90ms 1 0x100000 9000/12288 0x6010 task=3\n"
				   "alloc 100ms 0 0x400000 9000/12288 0x5010 context=1\n"
				   "alloc 101ms 1 0x410000 64/64 0x6020 context=1\n"
				   "alloc 102ms 0 0x400000 9000/12288 0x6010 context=1\n"
				   /* lost second reports, of a task and of an interrupt */
				   "alloc 200ms 0 0x500000 9000/12288 0x5010 task=3\n"
				   "alloc 201ms 1 0x510000 64/64 0x6020 task=3\n"
				   "alloc 202ms 0 0x500000 9000/12288 0x6010 task=3\n"
				   "alloc 300ms 0 0x600000 9000/12288 0x5010 context=1\n"
				   "alloc 301ms 0 0x610000 64/64 0x6020 context=1\n"
				   "alloc 302ms 0 0x600000 9000/12288 0x6010 context=1\n";
	struct analysis analysis;
	struct capture capture;

	(void)state;
	run_analysis_with(&analysis, &capture, text, &settings);
	assert_identities(&analysis);
	for (size_t i = 0; i < analysis.group_count; i++)
		if (analysis.groups[i].key == 0x5010 || analysis.groups[i].key == 0x6010)
			assert_int_equal(analysis.groups[i].live_objects, 2);
	assert_int_equal(analysis.totals.live_objects, 9);
	finish_analysis(&analysis, &capture);
}

/* The inlined allocator of kvmalloc() reports too; a sampled second report has its stack before it.
 */
static void counts_repeated_samples_once(void **state)
{
	static const struct analysis_settings settings = { .by = GROUP_BY_SITE };
	static const char text[] = "begin 5\nend 9000000\nsampling 1\n"
				   "symbol 0x5000 __kvmalloc_node_noprof\n"
				   "symbol 0x6000 maker\n"
				   "alloc 10 0 0x100000 9000/12288 0x5010 task=3\n"
				   "alloc 11 0 0x100000 9000/12288 0x6010 task=3\n"
				   "free  20 0 0x100000 0x6030 task=3\n"
				   "stack_of 30 0 0x100000 0x5010 0xa1 task=3\n"
				   "alloc    31 0 0x100000 9000/12288 0x5010 task=3\n"
				   "stack_of 32 0 0x100000 0x6010 0xa1 task=3\n"
				   "alloc    33 0 0x100000 9000/12288 0x6010 task=3\n";
	struct analysis analysis;
	struct capture capture;

	(void)state;
	run_analysis_with(&analysis, &capture, text, &settings);
	assert_int_equal(analysis.totals.stacks, 2);
	assert_int_equal(analysis.totals.repeated, 2);
	assert_int_equal(analysis.totals.missed_frees, 0);
	assert_int_equal(analysis.totals.allocations, 2);
	assert_int_equal(analysis.group_count, 1);
	assert_int_equal(analysis.groups[0].key, 0x6010);
	finish_analysis(&analysis, &capture);
}

/* Each sample counts for the interval with which it was taken, also when its object is freed. */
static void weighs_samples_by_their_interval(void **state)
{
	static const struct analysis_settings settings = { .by = GROUP_BY_SITE, .estimate = true };
	static const char text[] = "begin 5\nend 9000000\nsampling 1024 profile=1\n"
				   "stack_of 10 0 0x100000 0x5010 0xa1 task=3\n"
				   "alloc    11 0 0x100000 1000/1024 0x5010 task=3\n"
				   "stack_of 12 0 0x110000 0x5010 0xa1 task=3 interval=4096\n"
				   "alloc    13 0 0x110000 1000/1024 0x5010 task=3\n"
				   "free     20 0 0x100000 0x6030 task=3\n";
	struct analysis analysis;
	struct capture capture;

	(void)state;
	run_analysis_with(&analysis, &capture, text, &settings);
	/* 1024 / (1 - exp(-1)) and 1024 / (1 - exp(-1/4)) */
	assert_int_equal(analysis.totals.bytes_allocated, 1620 + 4629);
	assert_int_equal(analysis.totals.live_bytes, 4629);
	assert_int_equal(analysis.estimates->interval_most, 4096);
	assert_int_equal(estimate_range_bytes(analysis.estimates, 0, 0, ESTIMATE_ALLOCATED).high,
			 18027);
	finish_analysis(&analysis, &capture);
}

/*
 * The second report can come too late to be recognised by its waiting first report. A page that was
 * a slab with the same stride before makes no difference.
 */
static void counts_late_second_report_once(void **state)
{
	static const struct analysis_settings settings = { .by = GROUP_BY_SITE, .findings = true };
	char *directory =
		scratch_capture("begin 5\nend 9000000000\n"
				"symbol 0x5000 __kmalloc_noprof\n"
				"symbol 0x6000 maker\n"
				"cache huge 0xd000 12288 12288\n"
				"calloc 10 0 0x300000 huge 0x6010 task=3\n"
				"cfree  20 0 0x300000 huge 0x6020 task=3\n"
				"alloc  30 0 0x300000 9000/12288 0x5010 task=3\n"
				"alloc  2000000000 0 0x300000 9000/12288 0x6010 task=3\n");
	struct analysis analysis;
	struct capture capture;

	(void)state;
	assert_int_equal(capture_open(&capture, directory), 0);
	assert_int_equal(analysis_run(&analysis, &capture, &settings), 0);
	assert_identities(&analysis);
	assert_int_equal(analysis.totals.repeated, 1);
	assert_int_equal(analysis.totals.missed_frees, 0);
	assert_int_equal(analysis.totals.allocations, 2);
	finish_analysis(&analysis, &capture);
	scratch_remove(directory);
}

/* Writes end, a number of 3 digits, into the status file instead of 210. */
static void set_end(const char *directory, unsigned int end)
{
	char *path = scratch_path(directory, "kernel/status"), text[4096], *found;
	FILE *file = fopen(path, "r+");
	size_t size;

	assert_non_null(file);
	size = fread(text, 1, sizeof(text) - 1, file);
	text[size] = '\0';
	found = strstr(text, "\nend 210\n");
	assert_non_null(found);
	assert_int_equal(fseek(file, found - text, SEEK_SET), 0);
	assert_true(fprintf(file, "\nend %u", end) == 8);
	assert_int_equal(fclose(file), 0);
	free(path);
}

static size_t count_findings(unsigned int end)
{
	static const struct analysis_settings settings = { .by = GROUP_BY_SITE, .findings = true };
	char *directory = scratch_capture("begin 5\nend 210\n"
					  "cache dentry 0xd000 192 192\n"
					  "alloc 10 0 0x1000 60/64 0x100\n"
					  "alloc 20 0 0x2000 60/64 0x100\n"
					  "cfree 200 0 0x1000 dentry 0x300\n"
					  "free  210 0 0x2000 0x300\n");
	struct analysis analysis;
	struct capture capture;
	size_t count;

	set_end(directory, end);
	assert_int_equal(capture_open(&capture, directory), 0);
	assert_int_equal(analysis_run(&analysis, &capture, &settings), 0);
	count = heap_findings_count(analysis.findings);
	finish_analysis(&analysis, &capture);
	scratch_remove(directory);
	return count;
}

/* After the end of a capture only some programs are still attached: no rule holds there. */
static void checks_no_rules_after_the_end(void **state)
{
	(void)state;
	assert_int_equal(count_findings(100), 0);
	assert_int_equal(count_findings(199), 0);
	assert_int_equal(count_findings(200), 1);
	assert_int_equal(count_findings(210), 1);
}

/* Records that the status file counts are lost if their stream is gone. */
static void counts_records_of_a_missing_stream_as_lost(void **state)
{
	char *directory = scratch_capture("begin 5\nend 500\n"
					  "alloc 10 0 0x1000 60/64 0x100\n"
					  "alloc 20 1 0x2000 60/64 0x100\n"
					  "free  30 1 0x2000 0x100\n");
	char *stream = scratch_path(directory, "cpu1");
	struct analysis analysis;
	struct capture capture;

	(void)state;
	assert_int_equal(unlink(stream), 0);
	assert_int_equal(capture_open(&capture, directory), 0);
	assert_int_equal(analysis_run(&analysis, &capture, NULL), 0);
	assert_int_equal(analysis.loss.recorded, 1);
	assert_int_equal(analysis.loss.lost, 2);
	assert_int_equal(analysis.cpu_count, 2);
	assert_int_equal(analysis.cpus[1].cpu, 1);
	assert_int_equal(analysis.cpus[1].lost, 2);
	finish_analysis(&analysis, &capture);
	scratch_remove(directory);
	free(stream);
}

static void reads_a_trace_file(void **state)
{
	char *directory = scratch_capture_file("sites.trace");
	struct analysis analysis;
	struct capture capture;

	(void)state;
	assert_int_equal(capture_open(&capture, directory), 0);
	assert_int_equal(analysis_run(&analysis, &capture, NULL), 0);
	assert_identities(&analysis);
	assert_int_equal(analysis.totals.allocations, 6);
	assert_int_equal(analysis.totals.live_objects, 3);
	assert_int_equal(analysis.loss.lost, 2);
	finish_analysis(&analysis, &capture);
	scratch_remove(directory);
}

static void computes_fragmentation(void **state)
{
	(void)state;
	assert_true(analysis_fragmentation(0, 0) == 0);
	assert_true(analysis_fragmentation(32, 128) == 25);
	assert_true(analysis_fragmentation(0, 128) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_by_call_site),
		cmocka_unit_test(modules_at_one_address_are_apart),
		cmocka_unit_test(counts_missed_frees),
		cmocka_unit_test(leaves_out_own_objects),
		cmocka_unit_test(reads_captures_that_were_cut_off),
		cmocka_unit_test(counts_repeated_kmalloc_once),
		cmocka_unit_test(waits_for_a_second_report_until_the_task_goes_on),
		cmocka_unit_test(counts_repeated_samples_once),
		cmocka_unit_test(weighs_samples_by_their_interval),
		cmocka_unit_test(counts_late_second_report_once),
		cmocka_unit_test(counts_records_of_a_missing_stream_as_lost),
		cmocka_unit_test(reads_a_trace_file),
		cmocka_unit_test(checks_no_rules_after_the_end),
		cmocka_unit_test(computes_fragmentation),
	};

	return cmocka_run_group_tests_name("analysis", tests, NULL, NULL);
}
