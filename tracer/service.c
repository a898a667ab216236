// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Collects the figures of a session, once a second. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/files.h"
#include "base/utc.h"
#include "cli/message.h"
#include "tracer/load/machine.h"
#include "tracer/options_text.h"
#include "tracer/publish/publish_summaries.h"
#include "tracer/service.h"

#define SECOND 1000000000ULL
#define MIB (1024 * 1024.0)
#define WRITE_EVERY SECOND
#define NOTIFY_EVERY (5 * SECOND)

void service_open(struct service *service)
{
	service->status_file.directory = service->status_file.fd = -1;
	if (notify_open(&service->notify))
		error_msg("%s", service->notify.errmsg);
}

void service_close(struct service *service)
{
	status_file_close(&service->status_file);
	daemon_status_deinit(&service->status);
	notify_close(&service->notify);
}

/* An absolute path, for readers in other directories. */
static char *path_of(const char *path)
{
	return path ? absolute_path(path) : NULL;
}

void service_make_file(struct service *service)
{
	const struct options *options = service->pieces->options;
	struct daemon_status *status = &service->status;
	int err = status_file_open(&service->status_file, STATUS_FILE_DIRECTORY);

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

/* To the second. */
static char *time_text(uint64_t time)
{
	char text[40];

	utc_text_second(time, text, sizeof(text));
	return strdup(text);
}

static void collect_summary_counts(const struct service *service, struct daemon_status *status)
{
	struct publish_summaries_counts counts;

	status->summaries = status->summary_errors = STATUS_FILE_UNKNOWN;
	if (!service->pieces->options->summaries.interval_ns)
		return;
	publish_summaries_count(service->pieces->publish, &counts);
	status->summaries = counts.written;
	status->summary_errors = counts.errors;
	if (!counts.last)
		return;
	free(status->last_summary);
	status->last_summary = time_text(counts.last);
}

static void collect_shipper(const struct service *service, struct daemon_status *status)
{
	const struct shipper_report *report = &service->shipper->report;
	char *since;

	status->shipped = status->ship_dropped = status->ship_waiting = STATUS_FILE_UNKNOWN;
	if (!service->pieces->options->ship.url)
		return;
	shipper_step(service->shipper);
	status->shipped = report->sent;
	status->ship_dropped = report->dropped;
	status->ship_waiting = report->waiting;
	free(status->last_shipped);
	status->last_shipped = report->last_sent ? time_text(report->last_sent) : NULL;
	free(status->shipping);
	status->shipping = NULL;
	if (!report->failing_since)
		return;
	since = time_text(report->failing_since);
	if (since && asprintf(&status->shipping, "since %s: %s", since, report->failure) < 0)
		status->shipping = NULL;
	free(since);
}

static void collect_status(struct service *service)
{
	const struct options *options = service->pieces->options;
	struct daemon_status *status = &service->status;
	const struct status_counted counted = pieces_counted(service->pieces);
	struct stream_sums sums = streams_sums(service->pieces->streams);
	struct statfs about;

	status->events = options->count.enabled ? STATUS_FILE_UNKNOWN : sums.recorded;
	status->lost = sums.lost;
	status->skipped = service->pieces->misses->reported;
	free(status->doubts);
	status->doubts = trigger_watch_doubts(service->triggers);
	collect_summary_counts(service, status);
	collect_shipper(service, status);
	status->counted = options->sampling.is_profile ? counted.allocations + counted.frees
						       : STATUS_FILE_UNKNOWN;
	status->disk = status->free = status->pieces = status->dumps = STATUS_FILE_UNKNOWN;
	if (options_is_temporary(options))
		return;
	status->disk = sums.bytes;
	if (options->rotation.enabled) {
		status->disk = pieces_disk_used(service->pieces);
		status->pieces = pieces_count(service->pieces);
		if (options->rotation.overwrite)
			status->dumps = service->pieces->keeper.dumps;
	}
	if (!fstatfs(service->pieces->present.directory.fd, &about))
		status->free = (uint64_t)about.f_bavail * (uint64_t)about.f_bsize;
}

static void send_status(const struct service *service)
{
	const struct daemon_status *status = &service->status;
	char counts[80], disk[100] = "";

	if (service->notify.fd < 0)
		return;
	if (status->events == STATUS_FILE_UNKNOWN)
		snprintf(counts, sizeof(counts), "counting");
	else
		snprintf(counts, sizeof(counts), "%" PRIu64 " events, %" PRIu64 " lost",
			 status->events, status->lost);
	if (status->disk != STATUS_FILE_UNKNOWN && status->free != STATUS_FILE_UNKNOWN)
		snprintf(disk, sizeof(disk), ", %.1f MiB on disk, %.1f MiB free",
			 (double)status->disk / MIB, (double)status->free / MIB);
	notify_status(&service->notify, "%s, %" PRIu64 " skipped%s", counts, status->skipped, disk);
}

static void write_status_if_due(struct service *service, uint64_t now)
{
	if (now < service->next_status)
		return;
	service->next_status = now + WRITE_EVERY;
	collect_status(service);
	status_file_write(&service->status_file, &service->status);
	if (now < service->next_notification)
		return;
	service->next_notification = now + NOTIFY_EVERY;
	send_status(service);
}

void service_ready(struct service *service)
{
	uint64_t now = machine_now();

	service->status.since = utc_now() - (now - service->pieces->begin);
	/* a program that waits for the message can then use --status */
	write_status_if_due(service, now);
	notify_ready(&service->notify, now);
}

void service_step(struct service *service, uint64_t now)
{
	notify_step(&service->notify, now);
	write_status_if_due(service, now);
}
