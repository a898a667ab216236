// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Collects the figures of a session, once a second. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "base/files.h"
#include "base/utc.h"
#include "cli/message.h"
#include "tracer/load/machine.h"
#include "tracer/options_text.h"
#include "tracer/pieces.h"
#include "tracer/publish/publish_summaries.h"
#include "tracer/service.h"
#include "tracer/session_ship.h"

#define SECOND 1000000000ULL
#define MIB (1024 * 1024.0)
#define WRITE_EVERY SECOND
#define NOTIFY_EVERY (5 * SECOND)

void session_service_open(struct session *session)
{
	session->status_file.directory = session->status_file.fd = -1;
	if (notify_open(&session->notify))
		error_msg("%s", session->notify.errmsg);
}

/* As a reader in another directory needs it. */
static char *path_of(const char *path)
{
	return path ? absolute_path(path) : NULL;
}

void session_service_make_file(struct session *session)
{
	const struct options *options = session->options;
	struct daemon_status *status = &session->daemon_status;
	int err = status_file_open(&session->status_file, STATUS_FILE_DIRECTORY);

	if (err && options->verbose)
		info_msg("%s: %s: kmemtraced --status will not list this process",
			 STATUS_FILE_DIRECTORY, strerror(-err));
	if (err)
		return;
	status->capture = options->stream ? strdup(options->output) : path_of(options->output);
	status->published = path_of(options->publish);
	status->options = options_text(options);
	status->fired = options->triggers.count ? 0 : STATUS_FILE_UNKNOWN;
}

/* The events that a profile only counts. */
static uint64_t count_events(const struct session *session)
{
	uint64_t events = 0;

	for (unsigned int i = 0; i < session->streams.rings.possible_cpus; i++) {
		const struct kmt_control *control = &session->streams.rings.controls[i];

		events += control->counted.kmalloc + control->counted.cache_alloc +
			  control->counted.kfree + control->counted.cache_free +
			  control->counted_elsewhere.allocations + control->counted_elsewhere.frees;
	}
	return events;
}

static void collect_summaries(const struct session *session, struct daemon_status *status)
{
	struct publish_summaries_counts counts;
	char text[40];

	status->summaries = status->summary_errors = STATUS_FILE_UNKNOWN;
	if (!session->options->summaries.interval_ns)
		return;
	publish_summaries_count(&session->publish, &counts);
	status->summaries = counts.written;
	status->summary_errors = counts.errors;
	if (!counts.last)
		return;
	utc_text(counts.last, text, sizeof(text));
	strcpy(strchrnul(text, '.'), "Z");
	free(status->last_summary);
	status->last_summary = strdup(text);
}

static void collect(struct session *session)
{
	const struct options *options = session->options;
	struct daemon_status *status = &session->daemon_status;
	struct stream_sums sums = streams_sums(&session->streams);
	struct statfs about;

	status->events = options->count.enabled ? STATUS_FILE_UNKNOWN : sums.recorded;
	status->lost = sums.lost;
	status->skipped = session->misses.reported;
	free(status->doubts);
	status->doubts = trigger_watch_doubts(&session->triggers);
	collect_summaries(session, status);
	session_ship_collect(session, status);
	status->counted = options->sampling.is_profile ? count_events(session)
						       : STATUS_FILE_UNKNOWN;
	status->disk = status->free = status->pieces = status->dumps = STATUS_FILE_UNKNOWN;
	if (options_is_temporary(options))
		return;
	status->disk = sums.bytes;
	if (options->rotation.enabled) {
		status->disk = pieces_disk_used(&session->pieces);
		status->pieces = pieces_count(&session->pieces);
		if (options->rotation.overwrite)
			status->dumps = session->pieces.keeper.dumps;
	}
	if (!fstatfs(session->pieces.present.directory.fd, &about))
		status->free = (uint64_t)about.f_bavail * (uint64_t)about.f_bsize;
}

static void send_status(const struct session *session)
{
	const struct daemon_status *status = &session->daemon_status;
	char counts[80], disk[100] = "";

	if (session->notify.fd < 0)
		return;
	if (status->events == STATUS_FILE_UNKNOWN)
		snprintf(counts, sizeof(counts), "counting");
	else
		snprintf(counts, sizeof(counts), "%" PRIu64 " events, %" PRIu64 " lost",
			 status->events, status->lost);
	if (status->disk != STATUS_FILE_UNKNOWN && status->free != STATUS_FILE_UNKNOWN)
		snprintf(disk, sizeof(disk), ", %.1f MiB on disk, %.1f MiB free",
			 (double)status->disk / MIB, (double)status->free / MIB);
	notify_status(&session->notify, "%s, %" PRIu64 " skipped%s", counts, status->skipped, disk);
}

static void update(struct session *session, uint64_t now)
{
	if (now < session->next_status)
		return;
	session->next_status = now + WRITE_EVERY;
	collect(session);
	status_file_write(&session->status_file, &session->daemon_status);
	if (now < session->next_notification)
		return;
	session->next_notification = now + NOTIFY_EVERY;
	send_status(session);
}

void session_service_ready(struct session *session)
{
	uint64_t now = machine_now();
	struct timespec time;

	clock_gettime(CLOCK_REALTIME, &time);
	session->daemon_status.since = (uint64_t)time.tv_sec * SECOND + (uint64_t)time.tv_nsec -
				       (now - session->pieces.begin);
	/* who waits for the message finds the process with --status */
	update(session, now);
	notify_ready(&session->notify, now);
}

void session_service_step(struct session *session, uint64_t now)
{
	notify_step(&session->notify, now);
	update(session, now);
}

void session_service_stopping(struct session *session)
{
	notify_stopping(&session->notify);
}

void session_service_failed(struct session *session, int err)
{
	notify_failed(&session->notify, err, session->error.text);
}
