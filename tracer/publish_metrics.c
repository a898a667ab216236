// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Collects what a text has besides counted events, and writes it. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "analysis/estimate.h"
#include "base/text.h"
#include "tracer/host_facts.h"
#include "tracer/load/machine.h"
#include "tracer/publish_metrics.h"

#define NSEC_PER_SEC 1e9

int publish_metrics_start(struct publish_metrics *metrics,
			  const struct publish_metrics_settings *settings, char *errmsg,
			  size_t errmsg_size)
{
	metrics->settings = *settings;
	return settings->path
		       ? metrics_file_open(&metrics->file, settings->path, errmsg, errmsg_size)
		       : 0;
}

uint64_t publish_uncounted(const struct analysis *analysis, const struct watermark *watermark)
{
	const struct analysis_totals *totals = &analysis->totals;

	return watermark->queue_dropped + totals->untracked + totals->unknown +
	       analysis->caches_unknown;
}

uint64_t publish_interval_most(const struct analysis *analysis, const struct watermark *watermark)
{
	uint64_t most = watermark->interval_most;

	return analysis->estimates ? MAX(most, analysis->estimates->interval_most) : most;
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

	facts->version = PACKAGE_VERSION;
	facts->kernel_release = metadata->release;
	facts->begin = offset + (double)watermark->begin / NSEC_PER_SEC;
	facts->update = offset + (double)time / NSEC_PER_SEC;
	facts->recorded = MAX(facts->recorded, watermark->recorded);
	facts->lost = MAX(facts->lost, watermark->ring_lost);
	facts->skipped = MAX(facts->skipped, watermark->skipped);
	facts->uncounted = MAX(facts->uncounted, publish_uncounted(analysis, watermark));
	facts->names_lost |= watermark->names_lost;
	facts->unobserved = watermark->unobserved;
	facts->cpu_seconds = (double)process_cpu_ns() / NSEC_PER_SEC;
	facts->resident = process_resident_bytes();
	facts->capture = watermark->stored;
}

void publish_metrics_set_interval(struct publish_metrics *metrics, uint64_t interval_ns)
{
	__atomic_store_n(&metrics->settings.interval_ns, interval_ns, __ATOMIC_RELAXED);
}

static int write_text(struct publish_metrics *metrics, const struct analysis *analysis)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);
	int err;

	if (!file)
		return -ENOMEM;
	metrics_write(&metrics->metrics, analysis, &metrics->facts, file);
	err = text_close(file, &text);
	if (!err)
		__atomic_store_n(&metrics->err, metrics_file_write(metrics->file, text, size),
				 __ATOMIC_RELEASE);
	free(text);
	return err;
}

int publish_metrics_step(struct publish_metrics *metrics, const struct analysis *analysis,
			 const struct watermark *watermark, uint64_t time)
{
	uint64_t now = machine_now();
	int err;

	if (!metrics->file)
		return 0;
	if (metrics->written &&
	    now - metrics->written <
		    __atomic_load_n(&metrics->settings.interval_ns, __ATOMIC_RELAXED))
		return 0;
	metrics->written = now;
	err = metrics_choose(&metrics->metrics, analysis);
	if (err)
		return err;
	find_facts(&metrics->facts, analysis, watermark, time);
	return write_text(metrics, analysis);
}

bool publish_metrics_failed(struct publish_metrics *metrics, char *errmsg, size_t errmsg_size)
{
	int err = __atomic_load_n(&metrics->err, __ATOMIC_ACQUIRE);

	if (err == metrics->reported)
		return false;
	metrics->reported = err;
	snprintf(errmsg, errmsg_size,
		 "%s: the metrics cannot be written: %s: the file stays as it was",
		 metrics->settings.path, strerror(-err));
	return err;
}

void publish_metrics_end(struct publish_metrics *metrics)
{
	metrics->end_err = metrics_file_remove(metrics->file);
	metrics->file = NULL;
}

int publish_metrics_result(const struct publish_metrics *metrics, char *errmsg, size_t errmsg_size)
{
	int err = metrics->end_err;

	if (err)
		snprintf(errmsg, errmsg_size, "%s: cannot be removed: %s", metrics->settings.path,
			 strerror(-err));
	return err;
}

void publish_metrics_close(struct publish_metrics *metrics)
{
	metrics_file_remove(metrics->file);
	metrics->file = NULL;
	metrics_deinit(&metrics->metrics);
}
