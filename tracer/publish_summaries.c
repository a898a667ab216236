// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A summary that cannot be written, since the disk is full, stays in memory as text, and is written
 * with the next one.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>

#include "fleet/summary/summary_file.h"
#include "tracer/publish_metrics.h"
#include "tracer/publish_summaries.h"
#include "tracer/summaries_options.h"

#define SECOND 1000000000ULL /* ns */
#define DAY (86400 * SECOND)
#define UNWRITTEN_MAX ((size_t)16 << 20) /* bytes */

int publish_summaries_start(struct publish_summaries *summaries,
			    const struct publish_summaries_settings *settings, char *errmsg,
			    size_t errmsg_size)
{
	struct timespec now;
	struct utsname machine = { .nodename = "" };

	summaries->settings = *settings;
	if (!settings->interval_ns)
		return 0;
	uname(&machine);
	clock_gettime(CLOCK_REALTIME, &now);
	/* of a directory that the user named, the parents must be there */
	if (!strcmp(settings->directory, SUMMARIES_DIRECTORY))
		mkdir(SUMMARIES_PARENT, 0700);
	host_boot_id(summaries->boot);
	return summaries_file_open(&summaries->file, settings->directory, machine.nodename,
				   (uint64_t)now.tv_sec * SECOND, errmsg, errmsg_size);
}

bool publish_summaries_by_owner(const struct publish_summaries_settings *settings)
{
	return settings->interval_ns &&
	       (settings->by[SUMMARY_CGROUP] || settings->by[SUMMARY_COMM]);
}

int publish_summaries_open(struct publish_summaries *summaries, const struct capture *capture,
			   struct details *details)
{
	int err = summaries->file ? summary_counter_init(&summaries->counter, capture) : 0;

	if (err || !summaries->file || !publish_summaries_by_owner(&summaries->settings))
		return err;
	summaries->details = details;
	return summary_owners_init(&summaries->owners, summaries->settings.by);
}

static uint64_t wall_clock(const struct capture *capture, uint64_t time)
{
	return time + capture->metadata.wall_offset;
}

/* The next whole multiple of the interval, of wall-clock time. */
static void find_end(struct publish_summaries *summaries, const struct capture *capture)
{
	uint64_t interval = summaries->settings.interval_ns;
	uint64_t wall = wall_clock(capture, summaries->begin);

	summaries->end = summaries->begin + interval - wall % interval;
}

uint64_t publish_summaries_end(struct publish_summaries *summaries, const struct capture *capture,
			       const struct watermark *watermark)
{
	if (!summaries->file)
		return UINT64_MAX;
	if (!summaries->end) {
		summaries->begin = watermark->begin;
		summaries->source.run = wall_clock(capture, watermark->begin);
		summaries->cpu_ns = process_cpu_ns();
		find_end(summaries, capture);
	}
	return summaries->end;
}

static uint64_t difference(uint64_t *before, uint64_t now)
{
	uint64_t more = now > *before ? now - *before : 0;

	*before += more;
	return more;
}

/* Some counters are estimates that may become lower. */
static void set_bound(struct publish_summaries *summaries, struct summary_bound *bound,
		      const struct analysis *analysis, const struct watermark *watermark,
		      uint64_t events)
{
	struct publish_losses *losses = &summaries->losses;
	uint64_t recorded = events + analysis->totals.unknown + watermark->queue_dropped;

	bound->recorded = difference(&losses->recorded, recorded);
	bound->lost = difference(&losses->lost, watermark->ring_lost);
	bound->skipped = difference(&losses->skipped, watermark->skipped);
	bound->uncounted = difference(&losses->uncounted, publish_uncounted(analysis, watermark));
	bound->unobserved = watermark->unobserved;
	bound->sampling = analysis->settings.estimate ? publish_interval_most(analysis, watermark)
						      : 0;
	bound->names_lost = watermark->names_lost;
}

/* Texts of others are only read: both functions copy them. */
static int set_names(struct publish_summaries *summaries, struct summary *summary,
		     const struct metadata *metadata)
{
	struct summary_source source = summaries->source;
	struct summary_host host = { .kernel = (char *)metadata->release,
				     .arch = (char *)metadata->machine,
				     .role = (char *)summaries->settings.role };
	int err;

	host_facts_find(&host);
	source.host = (char *)metadata->hostname;
	source.boot = summaries->boot;
	err = summary_set_host(summary, &host);
	return err ? err : summary_add_source(summary, &source);
}

static int fill_in(struct publish_summaries *summaries, struct summary *summary,
		   const struct analysis *analysis, const struct watermark *watermark,
		   uint64_t events, uint64_t time)
{
	const struct capture *capture = analysis->capture;

	summary->begin = wall_clock(capture, summaries->begin);
	summary->end = summary->live_at = wall_clock(capture, time);
	summary->live_hosts = 1;
	summary->cpu_ns = difference(&summaries->cpu_ns, process_cpu_ns());
	summary->resident = process_resident_bytes();
	set_bound(summaries, &summary->bound, analysis, watermark, events);
	return set_names(summaries, summary, &capture->metadata);
}

/* Takes over the text of a summary. */
static void add_unwritten(struct publish_summaries *summaries, char *text, size_t size)
{
	char *all = NULL;

	if (!summaries->unwritten) {
		summaries->unwritten = text;
		summaries->unwritten_size = size;
		summaries->unwritten_count = 1;
		return;
	}
	if (summaries->unwritten_size + size <= UNWRITTEN_MAX)
		all = realloc(summaries->unwritten, summaries->unwritten_size + size);
	if (all) {
		memcpy(all + summaries->unwritten_size, text, size);
		summaries->unwritten = all;
		summaries->unwritten_size += size;
		summaries->unwritten_count++;
	} else {
		__atomic_fetch_add(&summaries->dropped, 1, __ATOMIC_RELAXED);
	}
	free(text);
}

static void write_texts(struct publish_summaries *summaries, const struct summary *last)
{
	int err;

	summaries_file_set_max(summaries->file,
			       __atomic_load_n(&summaries->settings.max_bytes, __ATOMIC_RELAXED));
	err = summaries_file_append(summaries->file, last->begin, summaries->unwritten,
				    summaries->unwritten_size);

	__atomic_store_n(&summaries->err, err, __ATOMIC_RELEASE);
	if (err) {
		__atomic_fetch_add(&summaries->failed, 1, __ATOMIC_RELAXED);
		return;
	}
	__atomic_fetch_add(&summaries->written, summaries->unwritten_count, __ATOMIC_RELAXED);
	__atomic_store_n(&summaries->last, last->end, __ATOMIC_RELAXED);
	free(summaries->unwritten);
	summaries->unwritten = NULL;
	summaries->unwritten_size = summaries->unwritten_count = 0;
}

/* Once a day; a file that cannot be removed is tried again on the next day. */
static void prune(struct publish_summaries *summaries, uint64_t now)
{
	uint64_t keep = __atomic_load_n(&summaries->settings.keep_ns, __ATOMIC_RELAXED);

	summaries_file_bound(summaries->file);
	if (summaries->pruned == now / DAY || keep == UINT64_MAX)
		return;
	summaries->pruned = now / DAY;
	summaries_file_prune(summaries->file, now, keep);
}

static int add_owners(struct publish_summaries *summaries, struct summary *summary, uint64_t time)
{
	int err;

	if (!summaries->details)
		return 0;
	err = details_flush(summaries->details, time);
	return err ? err : summary_owners_add(&summaries->owners, summaries->details, summary);
}

int publish_summaries_write(struct publish_summaries *summaries, const struct analysis *analysis,
			    const struct watermark *watermark, uint64_t events, uint64_t time)
{
	struct summary summary;
	char *text = NULL;
	size_t size = 0;
	int err = summary_count_take(&summaries->counter, &summary);

	if (err)
		return err;
	err = add_owners(summaries, &summary, time);
	if (!err)
		err = fill_in(summaries, &summary, analysis, watermark, events, time);
	if (!err)
		err = summary_write_text(&summary, &text, &size);
	if (!err) {
		add_unwritten(summaries, text, size);
		write_texts(summaries, &summary);
		prune(summaries, summary.end);
	}
	summary_deinit(&summary);
	if (err == -EFBIG) {
		__atomic_fetch_add(&summaries->dropped, 1, __ATOMIC_RELAXED);
		err = 0;
	}
	summaries->source.last = ++summaries->source.first;
	summaries->begin = time;
	find_end(summaries, analysis->capture);
	return err;
}

void publish_summaries_set_keep(struct publish_summaries *summaries, uint64_t keep_ns)
{
	__atomic_store_n(&summaries->settings.keep_ns, keep_ns, __ATOMIC_RELAXED);
}

void publish_summaries_set_max(struct publish_summaries *summaries, uint64_t bytes)
{
	__atomic_store_n(&summaries->settings.max_bytes, bytes, __ATOMIC_RELAXED);
}

bool publish_summaries_failed(struct publish_summaries *summaries, char *errmsg, size_t errmsg_size)
{
	int err = __atomic_load_n(&summaries->err, __ATOMIC_ACQUIRE);

	if (err == summaries->reported)
		return false;
	summaries->reported = err;
	snprintf(errmsg, errmsg_size,
		 "%s: summaries cannot be written: %s: they stay in memory until they can",
		 summaries->settings.directory, strerror(-err));
	return err;
}

void publish_summaries_close(struct publish_summaries *summaries)
{
	summaries_file_close(summaries->file);
	summaries->file = NULL;
	free(summaries->unwritten);
	summaries->unwritten = NULL;
	summary_counter_deinit(&summaries->counter);
	summary_owners_deinit(&summaries->owners);
}
