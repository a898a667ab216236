// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Finds the watermark and the number of lost events, and passes them to the publishing thread. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/message.h"
#include "live/stats/stats_file.h"
#include "tracer/publish/publish_types.h"
#include "tracer/publishing.h"

int publishing_start(struct pieces *pieces, int (*on_start)(void *data), void *data)
{
	const struct options *options = pieces->options;
	const struct rings *rings = &pieces->streams->rings;
	struct publish_settings settings = {
		.path = options->publish,
		.group = options->publish_group,
		.group_name = options->publish_group_name,
		.objects_max = options->publish_objects,
		.with_base = options->publish_base,
		.no_details = options->no_details,
		.metrics = { .path = options->metrics.path,
			     .interval_ns = options->metrics.interval_ns,
			     .top = options->metrics.top,
			     .owners = options->metrics.owners },
		.summaries = { .interval_ns = options->summaries.interval_ns,
			       .directory = options->summaries.directory,
			       .keep_ns = options->summaries.keep_ns,
			       .max_bytes = options_summaries_max(options),
			       .role = options->summaries.role,
			       .by = { [SUMMARY_CGROUP] = options->summaries.by[SUMMARY_CGROUP],
				       [SUMMARY_COMM] = options->summaries.by[SUMMARY_COMM] } },
		.figures = options->triggers.count,
		.estimate = options->sampling.is_profile,
		.cpus = rings->possible_cpus,
		.on_start = on_start,
		.data = data,
	};
	int err;

	if (!pieces->publish)
		return 0;
	for (unsigned int i = 0; i < rings->possible_cpus; i++)
		if (pieces->streams->draining[i])
			settings.ring_bytes += rings_bytes(rings->mib, rings->buffered);
	err = publish_start(pieces->publish, &settings, pieces->error);
	if (err)
		return err;
	err = status_add_own(&pieces->present.status, pieces->publish->task);
	return err ? error_set_at(pieces->error, err, "the status") : 0;
}

/* Opening a capture needs at least one stream; without a capture on disk, it stays empty. */
static int make_stream(struct pieces *pieces)
{
	struct directory *directory = &pieces->present.directory;
	FILE *file = directory_open(directory, "cpu0", false);

	if (!file || directory_close(directory, file, "cpu0"))
		return error_set(pieces->error, -EIO, directory->errmsg);
	return 0;
}

/* The capture is read by its stable path; a message has the path that the user named. */
static int fail_publishing(struct pieces *pieces, int err, const char *text,
			   const char *stable_path)
{
	size_t length = strlen(stable_path);

	if (strncmp(text, stable_path, length) != 0)
		return error_set(pieces->error, err, text);
	return error_format(pieces->error, err, "%s%s", pieces->present.directory.path,
			    text + length);
}

int publishing_open(struct pieces *pieces)
{
	struct error error = { 0 };
	char path[64];
	int err = 0;

	if (!pieces->publish)
		return 0;
	if (pieces->options->no_capture)
		err = make_stream(pieces);
	if (err)
		return err;
	err = publish_open(pieces->publish,
			   directory_stable_path(&pieces->present.directory, path, sizeof(path)),
			   &error);
	return err ? fail_publishing(pieces, err, error.text, path) : 0;
}

int publishing_initial_counts(struct pieces *pieces)
{
	char path[64];

	if (!pieces->publish)
		return 0;
	return publish_initial_counts(pieces->publish,
				      directory_stable_path(&pieces->present.directory, path,
							    sizeof(path)),
				      pieces->error);
}

static void report_failure(void *data, const char *message)
{
	const struct pieces *pieces = data;

	if (!pieces->options->quiet)
		info_msg("%s", message);
}

/* The publishing thread does not count these figures of the metrics. */
static void add_facts(const struct pieces *pieces, struct watermark *watermark)
{
	const struct status *status = &pieces->present.status;
	struct stream_sums sums = streams_sums(pieces->streams);

	watermark->missing.recorded = sums.recorded;
	watermark->stored = pieces->options->no_capture ? 0 : sums.bytes;
	watermark->missing.skipped = pieces->misses->upper_bound;
	watermark->missing.sampling = status->sampling.interval_most;
	watermark->missing.names_lost = pieces->programs->variant.totals->names_lost;
	watermark->missing.unobserved = status_count_unobserved(status);
}

static struct watermark make_watermark(const struct pieces *pieces, uint64_t time)
{
	struct watermark watermark = { .time = time, .begin = pieces->begin };

	watermark.missing.lost = streams_lost(pieces->streams);
	add_facts(pieces, &watermark);
	return watermark;
}

int publishing_watermark(struct pieces *pieces, uint64_t now)
{
	struct watermark watermark;
	int err;

	if (!pieces->publish)
		return 0;
	watermark = make_watermark(pieces, streams_watermark(pieces->streams, now));
	err = publish_paths(pieces->publish, &pieces->present.status, pieces->error);
	if (!err)
		err = publish_watermark(pieces->publish, &watermark, pieces->error);
	publish_report(pieces->publish, report_failure, pieces);
	return err;
}

void publishing_reading(struct pieces *pieces, const struct heap_reading *reading)
{
	/* if the queue is full, the next reading takes its place */
	if (pieces->publish && reading->slab_count)
		publish_reading(pieces->publish, reading);
}

bool publishing_takes_reading(const struct pieces *pieces)
{
	return pieces->publish && publish_takes_reading(pieces->publish);
}

int publishing_end(struct pieces *pieces)
{
	struct watermark last;
	int err;

	if (!pieces->publish)
		return 0;
	last = make_watermark(pieces, pieces->end);
	err = publish_end(pieces->publish, pieces->begin ? &last : NULL, pieces->error);
	publish_report(pieces->publish, report_failure, pieces);
	return err;
}
