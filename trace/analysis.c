// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The one pass: each allocation enters the heap with its call site, each free takes it out and
 * is counted where the object was allocated. Every record ends in exactly one count.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/analysis.h"
#include "trace/heap.h"
#include "trace/order.h"

#define BLOCK_OWN 1 /* heap_block.flags: kmemtraced's, left out */
#define SITES_FIRST 1024
#define PREFETCH 16 /* events ahead: about as long as memory takes */

/* A pass under way: call sites by address, and who is kmemtraced. */
struct pass {
	struct analysis *analysis;
	const struct status *status;
	struct heap heap;
	uint32_t *places; /* index of a site + 1; 0: an empty place */
	size_t mask;	  /* places - 1 */
	size_t site_space;
	uint64_t seed;
	uint32_t last_task;
	bool last_own;
};

static void pass_deinit(struct pass *pass)
{
	heap_deinit(&pass->heap);
	free(pass->places);
}

static int pass_init(struct pass *pass, struct analysis *analysis, const struct status *status)
{
	memset(pass, 0, sizeof(*pass));
	pass->analysis = analysis;
	pass->status = status;
	pass->seed = heap_seed();
	pass->last_own = !status->include_self && status_is_own(status, 0);
	pass->mask = SITES_FIRST * 2 - 1;
	pass->places = calloc(pass->mask + 1, sizeof(*pass->places));
	if (!pass->places || heap_init(&pass->heap)) {
		pass_deinit(pass);
		return -ENOMEM;
	}
	return 0;
}

/* Where the site of that address is, or would go. */
static uint32_t *find_place(const struct pass *pass, uint64_t address)
{
	size_t place = (size_t)heap_hash(pass->seed, address) & pass->mask;

	while (pass->places[place] &&
	       pass->analysis->sites[pass->places[place] - 1].address != address)
		place = (place + 1) & pass->mask;
	return &pass->places[place];
}

static int grow_sites(struct pass *pass)
{
	struct analysis *analysis = pass->analysis;
	size_t space = pass->site_space ? pass->site_space * 2 : SITES_FIRST;
	struct analysis_site *sites;
	uint32_t *places;

	if (space > UINT32_MAX / 2)
		return -ENOMEM;
	sites = reallocarray(analysis->sites, space, sizeof(*sites));
	if (!sites)
		return -ENOMEM;
	analysis->sites = sites;
	places = calloc(space * 2, sizeof(*places));
	if (!places)
		return -ENOMEM;
	free(pass->places);
	pass->places = places;
	pass->mask = space * 2 - 1;
	pass->site_space = space;
	for (size_t i = 0; i < analysis->site_count; i++)
		*find_place(pass, sites[i].address) = (uint32_t)i + 1;
	return 0;
}

/* The index of the event's call site, a new one if need be, or -ENOMEM. */
static int64_t find_site(struct pass *pass, const struct event *event)
{
	struct analysis *analysis = pass->analysis;
	uint32_t *place = find_place(pass, event->call_site);
	int err;

	if (*place)
		return *place - 1;
	if (analysis->site_count == pass->site_space) {
		err = grow_sites(pass);
		if (err)
			return err;
		place = find_place(pass, event->call_site);
	}
	analysis->sites[analysis->site_count] = (struct analysis_site){
		.address = event->call_site,
		.first_time = event->time,
	};
	*place = (uint32_t)++analysis->site_count;
	return *place - 1;
}

static bool is_own(struct pass *pass, uint32_t task)
{
	if (task != pass->last_task) {
		pass->last_task = task;
		pass->last_own = !pass->status->include_self && status_is_own(pass->status, task);
	}
	return pass->last_own;
}

static void forget_live(struct analysis *analysis, const struct heap_block *block)
{
	struct analysis_site *site = &analysis->sites[block->site];

	site->live_objects--;
	site->live_bytes -= block->allocated;
	analysis->totals.live_objects--;
	analysis->totals.live_bytes -= block->allocated;
}

static int put_block(struct pass *pass, const struct event *event, uint32_t site, bool own)
{
	struct heap_block old, block = {
		.address = event->pointer,
		.time = event->time,
		.requested = event->requested,
		.allocated = event->allocated,
		.site = site,
		.task = event->task,
		.cpu = event->cpu,
		.flags = own ? BLOCK_OWN : 0,
	};
	int got = heap_put(&pass->heap, &block, &old);

	if (got > 0 && !(old.flags & BLOCK_OWN)) {
		pass->analysis->totals.missed_frees++;
		pass->analysis->sites[old.site].missed_frees++;
		forget_live(pass->analysis, &old);
	}
	return got < 0 ? got : 0;
}

static int take_allocation(struct pass *pass, const struct event *event)
{
	struct analysis_totals *totals = &pass->analysis->totals;
	struct analysis_site *site;
	int64_t index;

	if (is_own(pass, event->task)) {
		totals->own_allocations++;
		return event_has_object(event) ? put_block(pass, event, 0, true) : 0;
	}
	index = find_site(pass, event);
	if (index < 0)
		return (int)index;
	site = &pass->analysis->sites[index];
	/* No kernel shows a kmalloc(0); if one did, that would be no object either. */
	if (!event_has_object(event)) {
		site->failed++;
		totals->failed++;
		return 0;
	}
	site->allocations++;
	site->bytes_requested += event->requested;
	site->bytes_allocated += event->allocated;
	site->live_objects++;
	site->live_bytes += event->allocated;
	totals->allocations++;
	totals->bytes_requested += event->requested;
	totals->bytes_allocated += event->allocated;
	totals->live_objects++;
	totals->live_bytes += event->allocated;
	return put_block(pass, event, (uint32_t)index, false);
}

static void take_free(struct pass *pass, const struct event *event)
{
	struct analysis_totals *totals = &pass->analysis->totals;
	struct analysis_site *site;
	struct heap_block block;

	if (event_has_object(event) && heap_take(&pass->heap, event->pointer, &block)) {
		if (block.flags & BLOCK_OWN) {
			totals->own_frees++;
			return;
		}
		site = &pass->analysis->sites[block.site];
		site->frees++;
		totals->frees++;
		if (block.cpu != event->cpu) {
			site->cross_cpu_frees++;
			totals->cross_cpu_frees++;
		}
		forget_live(pass->analysis, &block);
	} else if (event_has_object(event)) {
		totals->frees++;
		totals->frees_unmatched++;
	} else {
		totals->null_frees++;
	}
}

static int take_events(struct pass *pass, const struct event *events, int count)
{
	int err = 0;

	for (int i = 0; i < PREFETCH && i < count; i++)
		heap_prefetch(&pass->heap, events[i].pointer);
	for (int i = 0; i < count && !err; i++) {
		if (i + PREFETCH < count)
			heap_prefetch(&pass->heap, events[i + PREFETCH].pointer);
		if (event_is_allocation(&events[i]))
			err = take_allocation(pass, &events[i]);
		else
			take_free(pass, &events[i]);
	}
	return err;
}

/*
 * A repaired status still has what the finished one knew of the capture's end; of a capture that
 * was cut off nobody knew the skips, and repair says so CPU by CPU.
 */
static bool skips_are_known(const struct status *status)
{
	if (status->complete == STATUS_CUT_OFF || status->skipped == STATUS_UNKNOWN)
		return false;
	for (size_t i = 0; status->complete == STATUS_REPAIRED && i < status->cpu_count; i++) {
		if (status->cpus[i].skipped == STATUS_UNKNOWN)
			return false;
	}
	return status->complete == STATUS_COMPLETE || status->cpu_count;
}

/* What the streams told, once all are read. */
static int add_figures(struct analysis *analysis, const struct order *order,
		       const struct capture *capture)
{
	const struct status *status = &capture->status;
	struct analysis_loss *loss = &analysis->loss;

	analysis->cpus = calloc(order_stream_count(order), sizeof(*analysis->cpus));
	if (!analysis->cpus)
		return -ENOMEM;
	analysis->begin = UINT64_MAX;
	for (size_t i = 0; i < order_stream_count(order); i++) {
		const struct order_stream *stream = order_stream(order, i);

		analysis->cpus[analysis->cpu_count++] = (struct analysis_cpu){
			.cpu = stream->cpu,
			.recorded = stream->recorded,
			.lost = stream->loss.settled,
			.own = stream->own,
		};
		loss->recorded += stream->recorded;
		loss->lost += stream->loss.settled;
		loss->own += stream->own;
		if (stream->skipped > loss->skipped)
			loss->skipped = stream->skipped;
		if (stream->packets && stream->time_first < analysis->begin)
			analysis->begin = stream->time_first;
		if (stream->time_last > analysis->end)
			analysis->end = stream->time_last;
		analysis->totals.unknown += stream->unknown;
		analysis->damaged_bytes += stream->damaged_bytes;
		analysis->caches_unknown += stream->caches_unknown;
	}
	if (status->complete == STATUS_COMPLETE ||
	    (status->complete == STATUS_REPAIRED && status->begin && status->end)) {
		analysis->begin = status->begin;
		analysis->end = status->end;
	}
	if (analysis->begin > analysis->end)
		analysis->begin = analysis->end;
	loss->skipped_partial = !skips_are_known(status);
	if (!loss->skipped_partial)
		loss->skipped = status->skipped;
	loss->own_known = capture_knows_own(capture);
	loss->seen = loss->recorded + loss->lost + loss->skipped;
	return 0;
}

int analysis_run(struct analysis *analysis, struct capture *capture)
{
	const struct event *events;
	struct order *order;
	struct pass pass;
	int got, err;

	memset(analysis, 0, sizeof(*analysis));
	err = order_open(&order, capture);
	if (err)
		return err;
	err = pass_init(&pass, analysis, &capture->status);
	if (!err) {
		while ((got = order_next(order, &events)) > 0 && !err)
			err = take_events(&pass, events, got);
		pass_deinit(&pass);
		if (got < 0)
			err = got;
		else if (!err)
			err = add_figures(analysis, order, capture);
	}
	if (err == -ENOMEM)
		snprintf(capture->why, sizeof(capture->why), "%s: %s", capture->path,
			 strerror(ENOMEM));
	order_close(order);
	if (err)
		analysis_deinit(analysis);
	return err;
}

void analysis_deinit(struct analysis *analysis)
{
	free(analysis->sites);
	free(analysis->cpus);
	analysis->sites = NULL;
	analysis->cpus = NULL;
	analysis->site_count = analysis->cpu_count = 0;
}

double analysis_fragmentation(uint64_t requested, uint64_t allocated)
{
	if (!allocated)
		return 0;
	return ((double)allocated - (double)requested) / (double)allocated * 100;
}
