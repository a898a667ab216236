// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What a session that publishes does besides: up to which time all is drained, and what is lost. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/message.h"
#include "tracer/session.h"
#include "tracer/session_parts.h"

int session_choose_directory(struct session *session)
{
	const struct options *options = session->options;
	const char *target = options->output;
	char path[400];
	int err;

	if (options->no_capture) {
		err = tempdir_open(&session->tempdir);
		if (err) {
			snprintf(session->errmsg, sizeof(session->errmsg),
				 "no temporary directory can be made: %s: name another with TMPDIR",
				 strerror(-err));
			return err;
		}
		snprintf(path, sizeof(path), "%s/capture", session->tempdir.path);
		target = path;
	}
	err = directory_probe(&session->directory, target);
	return err ? session_fail(session, err, session->directory.errmsg) : 0;
}

int session_publish_start(struct session *session)
{
	const struct options *options = session->options;
	const struct rings *rings = &session->rings;
	struct publish_settings settings = {
		.path = options->publish,
		.group = options->publish_group,
		.group_name = options->publish_group_name,
		.objects_max = options->publish_objects,
		.cpus = rings->possible_cpus,
	};
	int err;

	if (!options->publish)
		return 0;
	for (unsigned int i = 0; i < rings->possible_cpus; i++)
		if (session->draining[i])
			settings.ring_bytes += rings_bytes(rings->mib, rings->buffered);
	err = publish_start(&session->publish, &settings);
	if (err)
		return session_fail(session, err, session->publish.errmsg);
	err = status_add_own(&session->status, session->publish.task);
	return err ? session_fail(session, err, strerror(-err)) : 0;
}

/* A capture has streams; in a shelter there is one to be seen, which stays empty. */
static int make_stream(struct session *session)
{
	struct directory *directory = &session->directory;
	FILE *file = directory_open(directory, "cpu0", "we");

	if (!file || directory_close(directory, file, "cpu0"))
		return session_fail(session, -EIO, directory->errmsg);
	return 0;
}

int session_publish_open(struct session *session)
{
	int err = 0;

	if (!session->options->publish)
		return 0;
	if (session->options->no_capture)
		err = make_stream(session);
	if (err)
		return err;
	err = publish_open(&session->publish, session->directory.path);
	return err ? session_fail(session, err, session->publish.errmsg) : 0;
}

int session_publish_initial_counts(struct session *session)
{
	int err;

	if (!session->options->publish)
		return 0;
	err = publish_initial_counts(&session->publish, session->directory.path);
	return err ? session_fail(session, err, session->publish.errmsg) : 0;
}

/*
 * Before which time has every event been handed over that ever will be? Never after now, which was
 * read before the first ring of this round was looked at, and before each CPU's own time:
 *
 * Where the drain was quiet, every event that took its number before now has been taken out, or is
 * lost; and any other takes its time after its number, so after now. Else what comes next took its
 * slot after the last record, and cannot be earlier than that. Should clocks differ all the same,
 * the writer raises the time of what comes too late, here as in the stream.
 *
 * A CPU without a ring loses its events, until it gets one: in a round, so after its now.
 */
static uint64_t find_watermark(struct session *session, uint64_t now)
{
	uint64_t watermark = now;

	for (unsigned int i = 0; i < session->rings.possible_cpus; i++) {
		struct drain *drain = &session->drains[i];
		uint64_t reached;

		if (!session->draining[i])
			continue;
		reached = writer_reach(&drain->writer, drain->quiet ? now : 0);
		if (reached < watermark)
			watermark = reached;
	}
	return watermark;
}

/*
 * Events that are in no stream. The programs count what finds no room at once, so before its gap
 * shows; what cannot be written is counted by the writer.
 */
static uint64_t count_lost(struct session *session)
{
	uint64_t lost = 0;

	for (unsigned int i = 0; i < session->rings.possible_cpus; i++) {
		const struct kmt_control *control = &session->rings.controls[i];
		const struct writer *writer = &session->drains[i].writer;

		if (session->draining[i] && writer->error)
			lost += loss_missing(&writer->loss);
		else
			lost += __atomic_load_n(&control->lost, __ATOMIC_RELAXED);
	}
	return lost;
}

static void tell_room(struct session *session)
{
	char errmsg[400];

	if (!publish_no_space(&session->publish, errmsg, sizeof(errmsg)) || session->options->quiet)
		return;
	info_msg("%s", errmsg);
}

int session_publish_watermark(struct session *session, uint64_t now)
{
	struct watermark watermark = { .begin = session->begin };
	int err;

	if (!session->options->publish)
		return 0;
	watermark.time = find_watermark(session, now);
	watermark.lost = count_lost(session) + session->misses.upper_bound;
	/* objects of a cache that was not told may count for one that lay there before */
	if (session->programs.variant.totals->names_lost)
		watermark.lost = STATS_FILE_LOST_UNKNOWN;
	err = publish_watermark(&session->publish, &watermark);
	tell_room(session);
	return err ? session_fail(session, err, session->publish.errmsg) : 0;
}

int session_publish_end(struct session *session)
{
	int err;

	if (!session->options->publish)
		return 0;
	err = publish_end(&session->publish);
	tell_room(session);
	return err ? session_fail(session, err, session->publish.errmsg) : 0;
}
