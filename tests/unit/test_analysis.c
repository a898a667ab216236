// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The analysis: small traces whose figures one can work out by hand, then many random ones
 * against a model that knows nothing but a list of live objects.
 */
#include "config.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/unit/scratch.h"
#include "trace/analysis.h"

#define EVENTS_MAX 400
#define TRACES 500
#define OWN_TASK 9

static void run(struct analysis *analysis, struct capture *capture, const char *text)
{
	char *directory, *whole;

	/* with one symbol: a capture without any lacks something */
	if (asprintf(&whole, "symbol 0x10 nothing\n%s", text) < 0)
		fail_msg("no memory");
	directory = scratch_capture(whole);
	free(whole);
	if (capture_open(capture, directory))
		fail_msg("%s", capture->why);
	assert_int_equal(capture->missing_count, 0);
	if (analysis_run(analysis, capture))
		fail_msg("%s", capture->why);
	scratch_remove(directory);
}

static void finish(struct analysis *analysis, struct capture *capture)
{
	analysis_deinit(analysis);
	capture_close(capture);
}

static void assert_identities(const struct analysis *analysis)
{
	const struct analysis_totals *totals = &analysis->totals;
	uint64_t missed = 0;

	assert_int_equal(totals->allocations + totals->failed + totals->frees + totals->null_frees +
				 totals->own_allocations + totals->own_frees + totals->unknown,
			 analysis->loss.recorded);
	assert_int_equal(totals->live_objects, totals->allocations -
						       (totals->frees - totals->frees_unmatched) -
						       totals->missed_frees);
	assert_int_equal(analysis->loss.seen,
			 analysis->loss.recorded + analysis->loss.lost + analysis->loss.skipped);
	for (size_t i = 0; i < analysis->site_count; i++) {
		const struct analysis_site *site = &analysis->sites[i];

		assert_int_equal(site->live_objects,
				 site->allocations - site->frees - site->missed_frees);
		missed += site->missed_frees;
	}
	assert_int_equal(totals->missed_frees, missed);
}

static void test_sites(void **state)
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
	const struct analysis_site *site;
	struct analysis analysis;
	struct capture capture;

	(void)state;
	run(&analysis, &capture, text);
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

	assert_int_equal(analysis.site_count, 3);
	site = analysis.sites;
	assert_int_equal(site[0].address, 0x100);
	assert_int_equal(site[0].first_time, 10);
	assert_int_equal(site[0].allocations, 2);
	assert_int_equal(site[0].failed, 1);
	assert_int_equal(site[0].frees, 1);
	assert_int_equal(site[0].cross_cpu_frees, 1);
	assert_int_equal(site[0].live_objects, 1);
	assert_int_equal(site[0].live_bytes, 128);
	assert_int_equal(site[1].address, 0x200);
	assert_int_equal(site[1].bytes_requested, 192);
	assert_int_equal(site[1].bytes_allocated, 200);
	assert_int_equal(site[1].cross_cpu_frees, 0);
	assert_int_equal(site[1].live_objects, 0);
	assert_int_equal(site[2].address, 0x400);

	assert_int_equal(analysis.loss.recorded, 11);
	assert_int_equal(analysis.loss.lost, 4);
	assert_int_equal(analysis.loss.skipped, 3);
	assert_false(analysis.loss.skipped_partial);
	assert_int_equal(analysis.begin, 5);
	assert_int_equal(analysis.end, 500);
	assert_int_equal(analysis.caches_unknown, 1);
	assert_int_equal(analysis.damaged_bytes, 0);
	assert_int_equal(analysis.cpu_count, 2);
	assert_int_equal(analysis.cpus[1].cpu, 1);
	assert_int_equal(analysis.cpus[1].recorded, 6);
	assert_int_equal(analysis.cpus[1].lost, 4);
	finish(&analysis, &capture);
}

static void test_missed_free(void **state)
{
	static const char text[] = "alloc 10 0 0x1000 100/128 0x100\n"
				   "alloc 20 1 0x1000 50/64 0x200\n"
				   "free  30 0 0x1000 0x300\n"
				   "free  40 0 0x1000 0x300\n";
	struct analysis analysis;
	struct capture capture;

	(void)state;
	run(&analysis, &capture, text);
	assert_identities(&analysis);
	assert_int_equal(analysis.totals.missed_frees, 1);
	assert_int_equal(analysis.totals.frees_unmatched, 1);
	assert_int_equal(analysis.totals.live_bytes, 0);
	assert_int_equal(analysis.sites[0].frees, 0);
	assert_int_equal(analysis.sites[0].missed_frees, 1);
	assert_int_equal(analysis.sites[0].live_objects, 0);
	assert_int_equal(analysis.sites[1].missed_frees, 0);
	assert_int_equal(analysis.sites[1].frees, 1);
	assert_int_equal(analysis.totals.cross_cpu_frees, 1);
	finish(&analysis, &capture);
}

/* kmemtraced's own: left out with its frees, whoever frees; but not what it frees of others. */
static const char own_text[] = "alloc 10 0 0x1000 8/8 0x100 task=9\n"
			       "alloc 20 0 0x2000 8/8 0x100 task=9\n"
			       "alloc 25 0 0 8/8 0x100 task=9\n"
			       "alloc 30 0 0x3000 8/8 0x100 task=1\n"
			       "free  40 0 0x1000 0x300 task=1\n"
			       "free  50 0 0x3000 0x300 task=9\n"
			       "free  60 0 0x9000 0x300 task=9\n"
			       "free  65 0 0 0x300 task=9\n"
			       "alloc 70 0 0x2000 8/8 0x100 task=1\n";

static void test_own(void **state)
{
	char text[1000];
	struct analysis analysis;
	struct capture capture;

	(void)state;
	snprintf(text, sizeof(text), "own 9\n%s", own_text);
	run(&analysis, &capture, text);
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
	finish(&analysis, &capture);

	snprintf(text, sizeof(text), "own 9\ninclude_self\n%s", own_text);
	run(&analysis, &capture, text);
	assert_identities(&analysis);
	assert_int_equal(analysis.totals.own_allocations, 0);
	assert_int_equal(analysis.totals.allocations, 4);
	assert_int_equal(analysis.totals.failed, 1);
	assert_int_equal(analysis.totals.missed_frees, 1);
	assert_int_equal(analysis.loss.own, 6);
	finish(&analysis, &capture);
}

static void test_cut_off(void **state)
{
	struct analysis analysis;
	struct capture capture;

	(void)state;
	run(&analysis, &capture,
	    "complete no\nbegin 5\nalloc 10 0 0x1000 8/8 0x100\nskip 3\nflush\n"
	    "alloc 20 1 0x2000 8/8 0x100\nskip 7\n");
	assert_identities(&analysis);
	assert_int_equal(analysis.loss.skipped, 7);
	assert_true(analysis.loss.skipped_partial);
	assert_int_equal(analysis.begin, 5);
	assert_int_equal(analysis.end, 20);
	finish(&analysis, &capture);
}

static void test_fixture_file(void **state)
{
	char *directory = scratch_capture_file("sites.trace");
	struct analysis analysis;
	struct capture capture;

	(void)state;
	assert_int_equal(capture_open(&capture, directory), 0);
	assert_int_equal(analysis_run(&analysis, &capture), 0);
	assert_identities(&analysis);
	assert_int_equal(analysis.totals.allocations, 6);
	assert_int_equal(analysis.totals.live_objects, 3);
	assert_int_equal(analysis.loss.lost, 2);
	finish(&analysis, &capture);
	scratch_remove(directory);
}

static void test_fragmentation(void **state)
{
	(void)state;
	assert_true(analysis_fragmentation(0, 0) == 0);
	assert_true(analysis_fragmentation(96, 128) == 25);
	assert_true(analysis_fragmentation(256, 128) == -100);
}

/* The model: events as they are written, then what they must add up to. */
struct model_event {
	uint64_t time, pointer, site;
	uint32_t requested, allocated, cpu, task;
	size_t index;
	char kind; /* a, f: kmalloc, kfree; c, d: of a cache; l: lost; r: unknown */
};

struct model {
	struct model_event events[EVENTS_MAX];
	size_t count;
	struct model_event *live[EVENTS_MAX];
	size_t live_count;
	struct analysis expected;
	struct analysis_site sites[EVENTS_MAX];
	bool include_self;
};

static unsigned int below(unsigned int limit)
{
	return (unsigned int)rand() % limit;
}

static void make_events(struct model *model)
{
	unsigned int cpus = 2 + below(3);
	uint64_t time = 1000;

	model->count = below(EVENTS_MAX);
	for (size_t i = 0; i < model->count; i++) {
		struct model_event *event = &model->events[i];

		time += below(3);
		*event = (struct model_event){
			.time = time,
			.pointer = below(20) ? 0x10000 + below(40) * 64 : below(2) * 16,
			.site = 0xffffffff81000000 + below(12) * 16,
			.requested = below(100),
			.cpu = below(cpus),
			.task = below(5) ? 1 + below(5) : OWN_TASK,
			.kind = "aaafffccdlr"[below(11)],
		};
		event->allocated = event->requested + below(28);
		if (event->kind == 'c') {
			event->requested = 192;
			event->allocated = 200;
		}
		if (event->kind == 'r' && below(3))
			event->kind = 'f';
	}
}

/* Some neighbours of one CPU change places: an interrupt came between slot and time. */
static void displace_some(struct model *model)
{
	for (size_t i = 1; i < model->count; i++) {
		struct model_event *before = &model->events[i - 1], *event = &model->events[i];
		struct model_event moved = *event;

		if (before->cpu == event->cpu && !below(4)) {
			*event = *before;
			*before = moved;
			i++;
		}
	}
	for (size_t i = 0; i < model->count; i++)
		model->events[i].index = i;
}

static char *write_text(const struct model *model)
{
	char *text = NULL;
	size_t size;
	FILE *lines = open_memstream(&text, &size);

	fprintf(lines, "endian %s\n", below(2) ? "big" : "little");
	fprintf(lines, "own %d\ncache dentry 0xd000 192 200\n", OWN_TASK);
	if (model->include_self)
		fprintf(lines, "include_self\n");
	for (size_t i = 0; i < model->count; i++) {
		const struct model_event *event = &model->events[i];

		if (event->kind == 'l')
			fprintf(lines, "lose %u 1\n", event->cpu);
		else if (event->kind == 'r')
			fprintf(lines, "raw %" PRIu64 " %u 77 ", event->time, event->cpu);
		else
			fprintf(lines, "%s %" PRIu64 " %u 0x%" PRIx64 " ",
				event->kind == 'a'   ? "alloc"
				: event->kind == 'c' ? "calloc"
				: event->kind == 'd' ? "cfree"
						     : "free",
				event->time, event->cpu, event->pointer);
		if (event->kind == 'a')
			fprintf(lines, "%u/%u ", event->requested, event->allocated);
		if (event->kind == 'c' || event->kind == 'd')
			fprintf(lines, "dentry ");
		if (event->kind != 'l')
			fprintf(lines, "0x%" PRIx64 " task=%u\n", event->site, event->task);
	}
	fclose(lines);
	return text;
}

static int compare_events(const void *a, const void *b)
{
	const struct model_event *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return x->index < y->index ? -1 : 1;
}

static struct analysis_site *model_site(struct model *model, const struct model_event *event)
{
	struct analysis *expected = &model->expected;
	struct analysis_site *site;

	for (size_t i = 0; i < expected->site_count; i++)
		if (model->sites[i].address == event->site)
			return &model->sites[i];
	site = &model->sites[expected->site_count++];
	*site = (struct analysis_site){ .address = event->site, .first_time = event->time };
	return site;
}

static bool model_own(const struct model *model, const struct model_event *event)
{
	return !model->include_self && event->task == OWN_TASK;
}

static struct model_event *model_take(struct model *model, uint64_t pointer)
{
	for (size_t i = 0; i < model->live_count; i++) {
		struct model_event *live = model->live[i];

		if (live->pointer == pointer) {
			model->live[i] = model->live[--model->live_count];
			return live;
		}
	}
	return NULL;
}

static void model_allocation(struct model *model, struct model_event *event)
{
	struct analysis_totals *totals = &model->expected.totals;
	bool own = model_own(model, event), object = event->pointer > 16;
	struct model_event *old = object ? model_take(model, event->pointer) : NULL;
	struct analysis_site *site;

	if (old && !model_own(model, old)) {
		totals->missed_frees++;
		model_site(model, old)->missed_frees++;
	}
	if (object)
		model->live[model->live_count++] = event;
	totals->own_allocations += own;
	if (own)
		return;
	site = model_site(model, event);
	site->failed += !object;
	totals->failed += !object;
	if (!object)
		return;
	site->allocations++;
	site->bytes_requested += event->requested;
	site->bytes_allocated += event->allocated;
	totals->allocations++;
	totals->bytes_requested += event->requested;
	totals->bytes_allocated += event->allocated;
}

static void model_free(struct model *model, struct model_event *event)
{
	struct analysis_totals *totals = &model->expected.totals;
	struct model_event *old = event->pointer > 16 ? model_take(model, event->pointer) : NULL;
	struct analysis_site *site;

	if (old && !model_own(model, old)) {
		site = model_site(model, old);
		totals->frees++;
		site->frees++;
		totals->cross_cpu_frees += old->cpu != event->cpu;
		site->cross_cpu_frees += old->cpu != event->cpu;
	} else if (old) {
		totals->own_frees++;
	} else if (event->pointer > 16) {
		totals->frees++;
		totals->frees_unmatched++;
	} else {
		totals->null_frees++;
	}
}

static void model_run(struct model *model)
{
	struct analysis *expected = &model->expected;

	qsort(model->events, model->count, sizeof(*model->events), compare_events);
	for (size_t i = 0; i < model->count; i++) {
		struct model_event *event = &model->events[i];

		if (event->kind == 'l') {
			expected->loss.lost++;
			continue;
		}
		expected->loss.recorded++;
		expected->loss.own += event->task == OWN_TASK;
		if (event->kind == 'r')
			expected->totals.unknown++;
		else if (event->kind == 'a' || event->kind == 'c')
			model_allocation(model, event);
		else
			model_free(model, event);
	}
	for (size_t i = 0; i < model->live_count; i++) {
		struct model_event *live = model->live[i];

		if (model_own(model, live))
			continue;
		model_site(model, live)->live_objects++;
		model_site(model, live)->live_bytes += live->allocated;
		expected->totals.live_objects++;
		expected->totals.live_bytes += live->allocated;
	}
}

static void test_against_model(void **state)
{
	struct model *model = calloc(1, sizeof(*model));

	(void)state;
	assert_non_null(model);
	srand(5);
	for (int trace = 0; trace < TRACES; trace++) {
		struct analysis analysis;
		struct capture capture;
		char *text;

		memset(model, 0, sizeof(*model));
		model->include_self = !below(5);
		make_events(model);
		displace_some(model);
		/* One event at least: a capture needs a stream. */
		model->events[0].kind = 'a';
		model->count += !model->count;
		text = write_text(model);
		run(&analysis, &capture, text);
		free(text);
		model_run(model);
		assert_identities(&analysis);
		assert_memory_equal(&analysis.totals, &model->expected.totals,
				    sizeof(analysis.totals));
		assert_int_equal(analysis.loss.recorded, model->expected.loss.recorded);
		assert_int_equal(analysis.loss.lost, model->expected.loss.lost);
		assert_int_equal(analysis.loss.own, model->expected.loss.own);
		assert_int_equal(analysis.site_count, model->expected.site_count);
		if (analysis.site_count)
			assert_memory_equal(analysis.sites, model->sites,
					    analysis.site_count * sizeof(*model->sites));
		finish(&analysis, &capture);
	}
	free(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sites),	      cmocka_unit_test(test_missed_free),
		cmocka_unit_test(test_own),	      cmocka_unit_test(test_cut_off),
		cmocka_unit_test(test_fixture_file),  cmocka_unit_test(test_fragmentation),
		cmocka_unit_test(test_against_model),
	};

	return cmocka_run_group_tests_name("analysis", tests, NULL, NULL);
}
