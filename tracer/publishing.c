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
#include "tracer/session_confine.h"

int session_publish_start(struct session *session)
{
	const struct options *options = session->options;
	const struct rings *rings = &session->streams.rings;
	struct publish_settings settings = {
		.path = options->publish,
		.group = options->publish_group,
		.group_name = options->publish_group_name,
		.objects_max = options->publish_objects,
		.with_base = options->publish_base,
		.no_details = options->no_details,
		.metrics = { .path = options->metrics.path,
			     .interval_ns = options->metrics.interval_ns,
			     .top = options->metrics.top },
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
		.on_start = session_confine_publish,
		.data = session,
	};
	int err;

	if (!session_aggregates(session))
		return 0;
	for (unsigned int i = 0; i < rings->possible_cpus; i++)
		if (session->streams.draining[i])
			settings.ring_bytes += rings_bytes(rings->mib, rings->buffered);
	err = publish_start(&session->publish, &settings);
	if (err)
		return error_set(&session->error, err, session->publish.errmsg);
	err = status_add_own(&session->pieces.present.status, session->publish.task);
	return err ? error_set_at(&session->error, err, "the status") : 0;
}

/* Opening a capture needs at least one stream; without a capture on disk, it stays empty. */
static int make_stream(struct session *session)
{
	struct directory *directory = &session->pieces.present.directory;
	FILE *file = directory_open(directory, "cpu0", false);

	if (!file || directory_close(directory, file, "cpu0"))
		return error_set(&session->error, -EIO, directory->errmsg);
	return 0;
}

/* The capture is read by its stable path; a message has the path that the user named. */
static int fail_publishing(struct session *session, int err, const char *stable_path)
{
	const char *errmsg = session->publish.errmsg;
	size_t length = strlen(stable_path);

	if (strncmp(errmsg, stable_path, length) != 0)
		return error_set(&session->error, err, errmsg);
	return error_format(&session->error, err, "%s%s", session->pieces.present.directory.path,
			    errmsg + length);
}

int session_publish_open(struct session *session)
{
	char path[64];
	int err = 0;

	if (!session_aggregates(session))
		return 0;
	if (session->options->no_capture)
		err = make_stream(session);
	if (err)
		return err;
	err = publish_open(&session->publish,
			   directory_stable_path(&session->pieces.present.directory, path,
						 sizeof(path)));
	return err ? fail_publishing(session, err, path) : 0;
}

int session_publish_initial_counts(struct session *session)
{
	char path[64];
	int err;

	if (!session_aggregates(session))
		return 0;
	err = publish_initial_counts(&session->publish,
				     directory_stable_path(&session->pieces.present.directory, path,
							   sizeof(path)));
	return err ? error_set(&session->error, err, session->publish.errmsg) : 0;
}

static void report_failure(void *data, const char *message)
{
	const struct session *session = data;

	if (!session->options->quiet)
		info_msg("%s", message);
}

/* The publishing thread does not count these figures of the metrics. */
static void add_facts(const struct session *session, struct watermark *watermark)
{
	const struct status *status = &session->pieces.present.status;
	struct stream_sums sums = streams_sums(&session->streams);

	watermark->missing.recorded = sums.recorded;
	watermark->stored = session->options->no_capture ? 0 : sums.bytes;
	watermark->missing.skipped = session->misses.upper_bound;
	watermark->missing.sampling = status->sampling.interval_most;
	watermark->missing.names_lost = session->programs.variant.totals->names_lost;
	watermark->missing.unobserved = status_count_unobserved(status);
}

static struct watermark make_watermark(const struct session *session, uint64_t time)
{
	struct watermark watermark = { .time = time, .begin = session->pieces.begin };

	watermark.missing.lost = streams_lost(&session->streams);
	add_facts(session, &watermark);
	return watermark;
}

int session_publish_watermark(struct session *session, uint64_t now)
{
	struct watermark watermark;
	int err;

	if (!session_aggregates(session))
		return 0;
	watermark = make_watermark(session, streams_watermark(&session->streams, now));
	err = publish_paths(&session->publish, &session->pieces.present.status);
	if (!err)
		err = publish_watermark(&session->publish, &watermark);
	publish_report(&session->publish, report_failure, session);
	return err ? error_set(&session->error, err, session->publish.errmsg) : 0;
}

int session_publish_end(struct session *session)
{
	struct watermark last;
	int err;

	if (!session_aggregates(session))
		return 0;
	last = make_watermark(session, session->pieces.end);
	err = publish_end(&session->publish, session->pieces.begin ? &last : NULL);
	publish_report(&session->publish, report_failure, session);
	return err ? error_set(&session->error, err, session->publish.errmsg) : 0;
}
