// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Writes the details once a second. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "kernel/census.h"
#include "live/stats/details_file.h"
#include "live/stats/details_text.h"
#include "tracer/load/machine.h"
#include "tracer/publish/publish.h"
#include "tracer/publish/publish_metrics.h"
#include "tracer/publish/publish_summaries.h"
#include "tracer/publish/publish_types.h"

#define WRITE_EVERY 1000000000ULL /* ns */
#define WRITE_EARLY 50000000ULL	  /* a watermark may come a bit earlier than in this time */

struct publish_details {
	struct details_file *file; /* NULL: no details are published */
	struct details details;
	uint64_t written; /* ns: when the last text was written; 0: never */
	/* for several threads, with atomic operations: of the last text; 0: it was written */
	int err;
	int reported; /* the err that was reported last */
};

static struct publish_details *details_of(const struct publish *publish)
{
	return publish_state(publish, ONLINE_details);
}

static int create_file(struct publish *publish, struct error *error)
{
	const struct publish_settings *settings = &publish->settings;
	const char *path = settings->path;
	const char *slash = path ? strrchr(path, '/') : NULL;
	bool enabled = !settings->no_details;
	char *name;
	int directory, err;

	if (!path)
		return 0;
	directory = stats_file_directory(publish_stats_file(publish));
	if (asprintf(&name, "%s" DETAILS_FILE_SUFFIX, slash ? slash + 1 : path) < 0)
		name = NULL;
	if (!name)
		err = -ENOMEM;
	else if (enabled)
		err = details_file_create(&details_of(publish)->file, directory, name,
					  settings->group);
	else
		err = details_file_remove_earlier(directory, name);
	free(name);
	if (err == -EEXIST && !enabled)
		return 0;
	if (err)
		error_format(
			error, err, "%s" DETAILS_FILE_SUFFIX ": %s", path,
			err == -EEXIST
				? "exists and is not a file of kmemtraced, and is not replaced: remove it, or choose another path"
				: strerror(-err));
	return err;
}

static int start_details(struct publish *publish, struct error *error)
{
	int err = create_file(publish, error);

	if (details_of(publish)->file || publish_summaries_by_owner(&publish->settings.summaries) ||
	    publish_metrics_by_owner(&publish->settings))
		publish->details = &details_of(publish)->details;
	return err;
}

static bool needs_details(const struct publish *publish)
{
	return publish->details;
}

static int open_details(struct publish *publish)
{
	int err = details_init(publish->details, &publish->capture, &publish->tallies);

	publish->details->only_stacks = publish->settings.estimate;
	return err;
}

static int take_details_transition(struct publish *publish, const struct analysis *analysis,
				   const struct transition *transition)
{
	return details_on_transition(&details_of(publish)->details, analysis, transition);
}

static int take_details_tally(struct publish *publish, const struct analysis *analysis,
			      const struct tally *tally, unsigned int cpu,
			      const struct tally_count *count)
{
	(void)analysis;
	(void)cpu;
	return details_add_tally(&details_of(publish)->details, tally, count);
}

static int take_details_reading(struct publish *publish, const struct heap_reading *reading)
{
	struct census census;
	int err = census_init(&census, reading);

	if (err)
		return err;
	details_of(publish)->details.slabs = (struct details_slabs){
		.time = reading->begin,
		.given = census.all.given,
		.given_bytes = census.all.given_bytes,
		.room = census.all.room,
		.slab_bytes = census.all.slab_bytes,
		.spare_bytes = census.all.spare_bytes,
	};
	census_deinit(&census);
	return 0;
}

static int reload_details_symbols(struct publish *publish)
{
	details_symbols_changed(&details_of(publish)->details);
	return 0;
}

static int write_text(struct publish_details *details, const struct analysis *analysis,
		      const struct details_moment *moment)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = text_open(&text, &size);
	int err, failed;

	if (!file)
		return -ENOMEM;
	err = details_write(&details->details, analysis, moment, file);
	failed = text_close(file, &text);
	if (!err)
		err = failed;
	if (!err)
		__atomic_store_n(&details->err, details_file_write(details->file, text, size),
				 __ATOMIC_RELEASE);
	free(text);
	return err;
}

static int step_details(struct publish *publish, const struct watermark *watermark, uint64_t time)
{
	const struct analysis *analysis = online_analysis(publish->online);
	const struct details_moment moment = {
		.time = time,
		.begin = watermark->begin,
		.lost = publish_lost(publish, watermark),
		.interval_most = watermark_missing(watermark, analysis).sampling,
	};
	struct publish_details *details = details_of(publish);
	uint64_t now = machine_now();
	int err;

	if (!details->file ||
	    (details->written && now - details->written < WRITE_EVERY - WRITE_EARLY))
		return 0;
	details->written = now;
	err = details_flush(&details->details, time);
	if (!err)
		err = details_scan_live(&details->details, analysis, now);
	return err ? err : write_text(details, analysis, &moment);
}

static bool report_details_failure(struct publish *publish, struct error *error)
{
	struct publish_details *details = details_of(publish);
	int err = __atomic_load_n(&details->err, __ATOMIC_ACQUIRE);

	if (err == details->reported)
		return false;
	details->reported = err;
	error_format(
		error, err,
		"%s" DETAILS_FILE_SUFFIX
		": cannot be written: %s: kmemtrace-top shows no new figures by site, task or stack",
		publish->settings.path, strerror(-err));
	return err;
}

static int end_details(struct publish *publish, struct error *error)
{
	struct publish_details *details = details_of(publish);
	int err = details_file_remove(details->file);

	details->file = NULL;
	if (err)
		error_format(error, err, "%s: cannot be removed: %s", publish->settings.path,
			     strerror(-err));
	return err;
}

static void close_details(struct publish *publish)
{
	struct publish_details *details = details_of(publish);

	details_file_remove(details->file);
	details_deinit(&details->details);
}

const struct online_counter online_details = {
	.state_bytes = sizeof(struct publish_details),
	.start = start_details,
	.is_needed = needs_details,
	.open = open_details,
	.take = take_details_transition,
	.take_tally = take_details_tally,
	.symbols_changed = reload_details_symbols,
	.take_reading = take_details_reading,
	.step = step_details,
	.failed = report_details_failure,
	.end = end_details,
	.close = close_details,
};
