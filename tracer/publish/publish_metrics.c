// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Counts by cache and by function, for --metrics and for triggers. A text also has what was not
 * counted.
 */
#include "config.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "base/text.h"
#include "live/stats/metrics.h"
#include "live/stats/metrics_file.h"
#include "live/stats/metrics_owners.h"
#include "tracer/host/host_facts.h"
#include "tracer/load/machine.h"
#include "tracer/publish/publish_metrics.h"

#define NSEC_PER_SEC 1e9

struct publish_metrics {
	struct metrics_file *file; /* NULL: no metrics */
	struct metrics metrics;
	struct metrics_owners owners;
	struct metrics_facts facts; /* of the last text: no counter is below them */
	uint64_t written;	    /* ns: when the last text was written; 0: never */
	int end_err;		    /* -errno of removing the file */
	/* for several threads, with atomic operations */
	uint64_t interval_ns; /* between two texts */
	int err;	      /* of the last text; 0: it was written */
	int reported;	      /* the err that was reported last */
};

static struct publish_metrics *metrics_of(const struct publish *publish)
{
	return publish_state(publish, ONLINE_metrics);
}

static int start_metrics(struct publish *publish, struct error *error)
{
	const struct publish_metrics_settings *settings = &publish->settings.metrics;
	struct publish_metrics *metrics = metrics_of(publish);

	metrics->interval_ns = settings->interval_ns;
	return settings->path ? metrics_file_open(&metrics->file, settings->path, error) : 0;
}

/* Without the capability, root writes only in a directory of his own. */
static bool find_place(const struct publish *publish, struct online_place *place)
{
	const struct metrics_file *file = metrics_of(publish)->file;

	if (!file)
		return false;
	*place = (struct online_place){ metrics_file_directory(file), CONFINE_REPLACE,
					(uint64_t)metrics_file_is_foreign(file)
						<< CAP_DAC_OVERRIDE };
	return true;
}

static bool needs_metrics(const struct publish *publish)
{
	return metrics_of(publish)->file || publish->figures.enabled;
}

static int open_metrics(struct publish *publish)
{
	if (publish->figures.enabled)
		publish->figures.pairs.tallies = &publish->tallies;
	return metrics_init(&metrics_of(publish)->metrics, &publish->capture,
			    publish->settings.metrics.top);
}

static int take_metrics_transition(struct publish *publish, const struct analysis *analysis,
				   const struct transition *transition)
{
	int err = metrics_on_transition(&metrics_of(publish)->metrics, analysis, transition);

	return err ? err : figures_pairs_take(&publish->figures.pairs, analysis, transition);
}

static int take_metrics_tally(struct publish *publish, const struct analysis *analysis,
			      const struct tally *tally, unsigned int cpu,
			      const struct tally_count *count)
{
	int err = metrics_add_tally(&metrics_of(publish)->metrics, analysis, tally, count);

	(void)cpu;
	return err ? err : figures_pairs_add(&publish->figures.pairs, tally, count);
}

static int take_metrics_reading(struct publish *publish, const struct heap_reading *reading)
{
	return metrics_take_reading(&metrics_of(publish)->metrics, reading);
}

static int reload_metrics_symbols(struct publish *publish)
{
	return metrics_reload_symbols(&metrics_of(publish)->metrics);
}

/*
 * The counters come from several sources, some of which are estimates that may become lower. facts:
 * of the last text.
 */
static void find_facts(struct metrics_facts *facts, const struct analysis *analysis,
		       const struct watermark *watermark, uint64_t time)
{
	const struct metadata *metadata = &analysis->capture->metadata;
	double offset = (double)metadata->wall_offset / NSEC_PER_SEC;
	struct missing now = watermark_missing(watermark, analysis);

	facts->version = PACKAGE_VERSION;
	facts->kernel_release = metadata->release;
	facts->begin = offset + (double)watermark->begin / NSEC_PER_SEC;
	facts->update = offset + (double)time / NSEC_PER_SEC;
	if (analysis->audit.time)
		facts->audit = offset + (double)analysis->audit.time / NSEC_PER_SEC;
	now.recorded = MAX(facts->missing.recorded, now.recorded);
	now.lost = MAX(facts->missing.lost, now.lost);
	now.skipped = MAX(facts->missing.skipped, now.skipped);
	now.uncounted = MAX(facts->missing.uncounted, now.uncounted);
	now.names_lost |= facts->missing.names_lost;
	facts->missing = now;
	facts->cpu_seconds = (double)process_cpu_ns() / NSEC_PER_SEC;
	facts->resident = process_resident_bytes();
	facts->capture = watermark->stored;
}

void publish_metrics_set_interval(struct publish *publish, uint64_t interval_ns)
{
	__atomic_store_n(&metrics_of(publish)->interval_ns, interval_ns, __ATOMIC_RELAXED);
}

/* A profile does not know the tasks of all objects. */
bool publish_metrics_by_owner(const struct publish_settings *settings)
{
	return settings->metrics.path && settings->metrics.owners && !settings->estimate;
}

static int write_owners(struct publish *publish, uint64_t time, FILE *file)
{
	int err;

	if (!publish_metrics_by_owner(&publish->settings))
		return 0;
	err = details_flush(publish->details, time);
	return err ? err
		   : metrics_owners_write(&metrics_of(publish)->owners, publish->details,
					  publish->settings.metrics.owners, file);
}

static int write_text(struct publish *publish, const struct analysis *analysis, uint64_t time)
{
	struct publish_metrics *metrics = metrics_of(publish);
	char *text = NULL;
	size_t size = 0;
	FILE *file = text_open(&text, &size);
	int err, failed;

	if (!file)
		return -ENOMEM;
	err = metrics_write(&metrics->metrics, analysis, &metrics->facts, file);
	if (!err)
		err = write_owners(publish, time, file);
	failed = text_close(file, &text);
	if (!err)
		err = failed;
	if (!err)
		__atomic_store_n(&metrics->err, metrics_file_write(metrics->file, text, size),
				 __ATOMIC_RELEASE);
	free(text);
	return err;
}

static int write_if_due(struct publish *publish, const struct analysis *analysis,
			const struct watermark *watermark, uint64_t time)
{
	struct publish_metrics *metrics = metrics_of(publish);
	uint64_t now = machine_now();
	int err;

	if (!metrics->file)
		return 0;
	if (metrics->written &&
	    now - metrics->written < __atomic_load_n(&metrics->interval_ns, __ATOMIC_RELAXED))
		return 0;
	metrics->written = now;
	err = metrics_choose(&metrics->metrics, analysis);
	if (err)
		return err;
	find_facts(&metrics->facts, analysis, watermark, time);
	return write_text(publish, analysis, time);
}

static int step_metrics(struct publish *publish, const struct watermark *watermark, uint64_t time)
{
	const struct analysis *analysis = online_analysis(publish->online);
	struct publish_metrics *metrics = metrics_of(publish);
	int err = write_if_due(publish, analysis, watermark, time);

	publish->figures.next.audited = analysis->audit.time;
	return err ? err
		   : publish_figures_step(&publish->figures, &metrics->metrics, publish->details,
					  time, watermark_missing(watermark, analysis).uncounted);
}

static bool report_metrics_failure(struct publish *publish, struct error *error)
{
	struct publish_metrics *metrics = metrics_of(publish);
	int err = __atomic_load_n(&metrics->err, __ATOMIC_ACQUIRE);

	if (err == metrics->reported)
		return false;
	metrics->reported = err;
	error_format(error, err, "%s: the metrics cannot be written: %s: the file stays as it was",
		     publish->settings.metrics.path, strerror(-err));
	return err;
}

static void end_thread(struct publish *publish)
{
	struct publish_metrics *metrics = metrics_of(publish);

	metrics->end_err = metrics_file_remove(metrics->file);
	metrics->file = NULL;
}

static int end_metrics(struct publish *publish, struct error *error)
{
	int err = metrics_of(publish)->end_err;

	if (err)
		error_format(error, err, "%s: cannot be removed: %s",
			     publish->settings.metrics.path, strerror(-err));
	return err;
}

static void close_metrics(struct publish *publish)
{
	struct publish_metrics *metrics = metrics_of(publish);

	metrics_file_remove(metrics->file);
	metrics_owners_deinit(&metrics->owners);
	metrics_deinit(&metrics->metrics);
}

const struct online_counter online_metrics = {
	.state_bytes = sizeof(struct publish_metrics),
	.start = start_metrics,
	.find_place = find_place,
	.is_needed = needs_metrics,
	.open = open_metrics,
	.take = take_metrics_transition,
	.take_tally = take_metrics_tally,
	.symbols_changed = reload_metrics_symbols,
	.take_reading = take_metrics_reading,
	.step = step_metrics,
	.failed = report_metrics_failure,
	.end_thread = end_thread,
	.end = end_metrics,
	.close = close_metrics,
};
