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
	const struct rings *rings = &session->rings;
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
		if (session->draining[i])
			settings.ring_bytes += rings_bytes(rings->mib, rings->buffered);
	err = publish_start(&session->publish, &settings);
	if (err)
		return error_set(&session->error, err, session->publish.errmsg);
	err = status_add_own(&session->status, session->publish.task);
	return err ? error_set_at(&session->error, err, "the status") : 0;
}

/* Opening a capture needs at least one stream; without a capture on disk, it stays empty. */
static int make_stream(struct session *session)
{
	struct directory *directory = &session->directory;
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
	return error_format(&session->error, err, "%s%s", session->directory.path, errmsg + length);
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
			   directory_stable_path(&session->directory, path, sizeof(path)));
	return err ? fail_publishing(session, err, path) : 0;
}

int session_publish_initial_counts(struct session *session)
{
	char path[64];
	int err;

	if (!session_aggregates(session))
		return 0;
	err = publish_initial_counts(&session->publish, directory_stable_path(&session->directory,
									      path, sizeof(path)));
	return err ? error_set(&session->error, err, session->publish.errmsg) : 0;
}

/*
 * The watermark: all events before this time have been passed to the queue, or are lost. It is the
 * earliest of now, which was read before this round over the rings, and of the times that the CPUs
 * have reached:
 *
 * If the drain of a CPU has caught up, every event that took its number before now has been drained
 * or is lost. Any other event reads its time after it took its number, so after now. If the drain
 * has not caught up, the CPU has reached the time of its last record: the next event took its slots
 * later, and does not have an earlier time. If the clocks of CPUs differ, the writer clamps the
 * time of an event that would be before the watermark, as it does in the stream.
 *
 * A CPU without a ring loses its events until it gets a ring. It gets the ring during a round,
 * after the time now of that round.
 */
uint64_t session_watermark(struct session *session, uint64_t now)
{
	uint64_t watermark = now;

	for (unsigned int i = 0; i < session->rings.possible_cpus; i++) {
		struct drain *drain = &session->drains[i];
		uint64_t reached;

		if (!session->draining[i])
			continue;
		reached = writer_watermark(&drain->writer, drain->caught_up ? now : 0);
		if (reached < watermark)
			watermark = reached;
	}
	return watermark;
}

/* In the streams of earlier pieces. */
static uint64_t lost_before(const struct session *session, unsigned int cpu)
{
	return session->rotation.controls ? session->rotation.controls[cpu].lost : 0;
}

/*
 * The programs count an event that finds no slot, and a sample that finds no room, at once, before
 * a reader can see the gap in the numbers. The writer counts the records that it cannot write.
 */
uint64_t session_count_lost(const struct session *session)
{
	uint64_t lost = 0;

	for (unsigned int i = 0; i < session->rings.possible_cpus; i++) {
		const struct kmt_control *control = &session->rings.controls[i];
		const struct writer *writer = &session->drains[i].writer;

		if (session->draining[i] && writer->error)
			lost += loss_missing(&writer->loss) + lost_before(session, i);
		else
			lost += __atomic_load_n(&control->lost, __ATOMIC_RELAXED);
		lost += __atomic_load_n(&control->dropped, __ATOMIC_RELAXED);
	}
	return lost;
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
	const struct status *status = &session->status;
	struct session_sums sums;

	session_sums(session, &sums);
	watermark->missing.recorded = sums.recorded;
	watermark->stored = session->options->no_capture ? 0 : sums.bytes;
	watermark->missing.skipped = session->misses.upper_bound;
	watermark->missing.sampling = status->sampling.interval_most;
	watermark->missing.names_lost = session->programs.variant.totals->names_lost;
	watermark->missing.unobserved = status_count_unobserved(status);
}

static struct watermark make_watermark(const struct session *session, uint64_t time)
{
	struct watermark watermark = { .time = time, .begin = session->begin };

	watermark.missing.lost = session_count_lost(session);
	add_facts(session, &watermark);
	return watermark;
}

int session_publish_watermark(struct session *session, uint64_t now)
{
	struct watermark watermark;
	int err;

	if (!session_aggregates(session))
		return 0;
	watermark = make_watermark(session, session_watermark(session, now));
	err = publish_paths(&session->publish, &session->status);
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
	last = make_watermark(session, session->end);
	err = publish_end(&session->publish, session->begin ? &last : NULL);
	publish_report(&session->publish, report_failure, session);
	return err ? error_set(&session->error, err, session->publish.errmsg) : 0;
}
