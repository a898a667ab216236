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

#include "fleet/summary/summary_count.h"
#include "fleet/summary/summary_file.h"
#include "tracer/host/host_facts.h"
#include "tracer/publish/publish_summaries.h"
#include "tracer/publish/summaries_file.h"
#include "tracer/publish/summaries_options.h"
#include "tracer/publish/summary_owners.h"

#define SECOND 1000000000ULL /* ns */
#define DAY (86400 * SECOND)
#define UNWRITTEN_MAX ((size_t)16 << 20) /* bytes */

struct publish_summaries {
	struct summaries_file *file; /* NULL: no summaries */
	struct summary_counter counter;
	struct summary_owners owners;
	bool by_owner; /* there are owners */
	char boot[BOOT_ID_SIZE];
	/* ns, of the events' clock: of the interval; end 0: tracing has not begun */
	uint64_t begin, end;
	struct summary_source source; /* of the next summary, without names */
	struct missing
		before;	 /* since the begin, at the end of the last summary; it never decreases */
	uint64_t cpu_ns; /* the same, of this process */
	uint64_t pruned; /* the day on which old files were removed last */
	/* texts of summaries that could not be written; or NULL */
	char *unwritten;
	size_t unwritten_size, unwritten_count;
	/* for several threads, with atomic operations */
	uint64_t keep_ns;   /* of the files; UINT64_MAX: for ever */
	uint64_t max_bytes; /* of the files; 0: no limit */
	int err;	    /* -errno of the last write; 0: it succeeded */
	int reported;	    /* the err that was reported last */
	uint64_t written;   /* summaries */
	uint64_t failed;    /* writes */
	uint64_t dropped;   /* summaries that found no room in `unwritten` */
	uint64_t last;	    /* ns since 1970: the end of the last summary that was written */
};

static struct publish_summaries *summaries_of(const struct publish *publish)
{
	return publish_state(publish, ONLINE_summaries);
}

static int start_summaries(struct publish *publish, struct error *error)
{
	const struct publish_summaries_settings *settings = &publish->settings.summaries;
	struct publish_summaries *summaries = summaries_of(publish);
	struct timespec now;
	struct utsname machine = { .nodename = "" };

	summaries->keep_ns = settings->keep_ns;
	summaries->max_bytes = settings->max_bytes;
	if (!settings->interval_ns)
		return 0;
	uname(&machine);
	clock_gettime(CLOCK_REALTIME, &now);
	/* of a directory that the user named, the parents must be there */
	if (!strcmp(settings->directory, SUMMARIES_DIRECTORY))
		mkdir(SUMMARIES_PARENT, 0700);
	host_boot_id(summaries->boot);
	return summaries_file_open(&summaries->file, settings->directory, machine.nodename,
				   (uint64_t)now.tv_sec * SECOND, error);
}

static bool find_place(const struct publish *publish, struct online_place *place)
{
	const struct summaries_file *file = summaries_of(publish)->file;

	if (file)
		*place = (struct online_place){ summaries_file_directory(file), CONFINE_WRITE, 0 };
	return file;
}

bool publish_writes_summaries(const struct publish *publish)
{
	return summaries_of(publish)->file;
}

bool publish_summaries_by_owner(const struct publish_summaries_settings *settings)
{
	return settings->interval_ns &&
	       (settings->by[SUMMARY_CGROUP] || settings->by[SUMMARY_COMM]);
}

static int open_summaries(struct publish *publish)
{
	const struct publish_summaries_settings *settings = &publish->settings.summaries;
	struct publish_summaries *summaries = summaries_of(publish);
	int err = summary_counter_init(&summaries->counter, &publish->capture);

	summaries->by_owner = publish_summaries_by_owner(settings);
	return err || !summaries->by_owner ? err
					   : summary_owners_init(&summaries->owners, settings->by);
}

static int take_summaries_transition(struct publish *publish, const struct analysis *analysis,
				     const struct transition *transition)
{
	return summary_count_transition(&summaries_of(publish)->counter, analysis, transition);
}

static int take_summaries_tally(struct publish *publish, const struct analysis *analysis,
				const struct tally *tally, unsigned int cpu,
				const struct tally_count *count)
{
	(void)cpu;
	return summary_count_tally(&summaries_of(publish)->counter, analysis, tally, count);
}

static int reload_summaries_symbols(struct publish *publish)
{
	return summary_count_reload_symbols(&summaries_of(publish)->counter);
}

static uint64_t wall_clock(const struct capture *capture, uint64_t time)
{
	return time + capture->metadata.wall_offset;
}

/* The next whole multiple of the interval, of wall-clock time. */
static void find_end(const struct publish *publish, struct publish_summaries *summaries)
{
	uint64_t interval = publish->settings.summaries.interval_ns;
	uint64_t wall = wall_clock(&publish->capture, summaries->begin);

	summaries->end = summaries->begin + interval - wall % interval;
}

uint64_t publish_summaries_next_end(struct publish *publish, const struct watermark *watermark)
{
	struct publish_summaries *summaries = summaries_of(publish);

	if (!summaries->file)
		return UINT64_MAX;
	if (!summaries->end) {
		summaries->begin = watermark->begin;
		summaries->source.run = wall_clock(&publish->capture, watermark->begin);
		summaries->cpu_ns = process_cpu_ns();
		find_end(publish, summaries);
	}
	return summaries->end;
}

static uint64_t take_increase(uint64_t *before, uint64_t now)
{
	uint64_t more = now > *before ? now - *before : 0;

	*before += more;
	return more;
}

/* Some counters are estimates that may become lower. */
static void set_missing(struct publish_summaries *summaries, struct missing *missing,
			const struct analysis *analysis, const struct watermark *watermark,
			uint64_t events)
{
	const struct missing now = watermark_missing(watermark, analysis);
	struct missing *before = &summaries->before;
	uint64_t recorded = events + analysis->totals.unknown + watermark->queue_dropped;

	*missing = now;
	missing->recorded = take_increase(&before->recorded, recorded);
	missing->lost = take_increase(&before->lost, now.lost);
	missing->skipped = take_increase(&before->skipped, now.skipped);
	missing->uncounted = take_increase(&before->uncounted, now.uncounted);
	if (!analysis->settings.estimate)
		missing->sampling = 0;
}

/* The casts are safe: summary_set_host() and summary_add_source() copy the texts. */
static int set_names(const struct publish *publish, struct publish_summaries *summaries,
		     struct summary *summary)
{
	const struct metadata *metadata = &publish->capture.metadata;
	struct summary_source source = summaries->source;
	struct summary_host host = { .kernel = (char *)metadata->release,
				     .arch = (char *)metadata->machine,
				     .role = (char *)publish->settings.summaries.role };
	int err;

	host_facts_find(&host);
	source.host = (char *)metadata->hostname;
	source.boot = summaries->boot;
	err = summary_set_host(summary, &host);
	return err ? err : summary_add_source(summary, &source);
}

static int fill_in(struct publish *publish, struct summary *summary,
		   const struct watermark *watermark, uint64_t time)
{
	struct publish_summaries *summaries = summaries_of(publish);

	summary->begin = wall_clock(&publish->capture, summaries->begin);
	summary->end = summary->live_at = wall_clock(&publish->capture, time);
	summary->live_hosts = 1;
	summary->cpu_ns = take_increase(&summaries->cpu_ns, process_cpu_ns());
	summary->resident = process_resident_bytes();
	set_missing(summaries, &summary->missing, online_analysis(publish->online), watermark,
		    online_events(publish->online));
	return set_names(publish, summaries, summary);
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
			       __atomic_load_n(&summaries->max_bytes, __ATOMIC_RELAXED));
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
static void prune_daily(struct publish_summaries *summaries, uint64_t now)
{
	uint64_t keep = __atomic_load_n(&summaries->keep_ns, __ATOMIC_RELAXED);

	summaries_file_bound(summaries->file);
	if (summaries->pruned == now / DAY || keep == UINT64_MAX)
		return;
	summaries->pruned = now / DAY;
	summaries_file_prune(summaries->file, now, keep);
}

static int add_owners(struct publish *publish, struct summary *summary, uint64_t time)
{
	struct publish_summaries *summaries = summaries_of(publish);
	struct details *details = publish->details;
	int err = summaries->by_owner ? details_flush(details, time) : 0;

	return err || !summaries->by_owner
		       ? err
		       : summary_owners_add(&summaries->owners, details, summary);
}

int publish_summaries_write(struct publish *publish, const struct watermark *watermark,
			    uint64_t time)
{
	struct publish_summaries *summaries = summaries_of(publish);
	struct summary summary;
	char *text = NULL;
	size_t size = 0;
	int err = summary_count_take(&summaries->counter, &summary);

	if (err)
		return err;
	err = add_owners(publish, &summary, time);
	if (!err)
		err = fill_in(publish, &summary, watermark, time);
	if (!err)
		err = summary_write_text(&summary, &text, &size);
	if (!err) {
		add_unwritten(summaries, text, size);
		write_texts(summaries, &summary);
		prune_daily(summaries, summary.end);
	}
	summary_deinit(&summary);
	if (err == -EFBIG) {
		__atomic_fetch_add(&summaries->dropped, 1, __ATOMIC_RELAXED);
		err = 0;
	}
	summaries->source.last = ++summaries->source.first;
	summaries->begin = time;
	find_end(publish, summaries);
	return err;
}

void publish_summaries_set_keep(struct publish *publish, uint64_t keep_ns)
{
	__atomic_store_n(&summaries_of(publish)->keep_ns, keep_ns, __ATOMIC_RELAXED);
}

void publish_summaries_set_max(struct publish *publish, uint64_t bytes)
{
	__atomic_store_n(&summaries_of(publish)->max_bytes, bytes, __ATOMIC_RELAXED);
}

void publish_summaries_count(const struct publish *publish, struct publish_summaries_counts *counts)
{
	const struct publish_summaries *summaries = summaries_of(publish);

	counts->written = __atomic_load_n(&summaries->written, __ATOMIC_RELAXED);
	counts->errors = __atomic_load_n(&summaries->failed, __ATOMIC_RELAXED) +
			 __atomic_load_n(&summaries->dropped, __ATOMIC_RELAXED);
	counts->last = __atomic_load_n(&summaries->last, __ATOMIC_RELAXED);
}

static bool report_summaries_failure(struct publish *publish, struct error *error)
{
	struct publish_summaries *summaries = summaries_of(publish);
	int err = __atomic_load_n(&summaries->err, __ATOMIC_ACQUIRE);

	if (err == summaries->reported)
		return false;
	summaries->reported = err;
	error_format(error, err,
		     "%s: summaries cannot be written: %s: they stay in memory until they can",
		     publish->settings.summaries.directory, strerror(-err));
	return err;
}

static void close_summaries(struct publish *publish)
{
	struct publish_summaries *summaries = summaries_of(publish);

	summaries_file_close(summaries->file);
	free(summaries->unwritten);
	summary_counter_deinit(&summaries->counter);
	summary_owners_deinit(&summaries->owners);
}

const struct online_counter online_summaries = {
	.state_bytes = sizeof(struct publish_summaries),
	.start = start_summaries,
	.find_place = find_place,
	.is_needed = publish_writes_summaries,
	.open = open_summaries,
	.take = take_summaries_transition,
	.take_tally = take_summaries_tally,
	.symbols_changed = reload_summaries_symbols,
	.failed = report_summaries_failure,
	.close = close_summaries,
};
