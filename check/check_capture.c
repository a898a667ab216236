// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What must hold in a whole capture: its parts are there, it was finished, and what it says about
 * itself is what its streams hold.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/files.h"
#include "check/check.h"

#define find(capture, ...) \
	findings_add((capture)->findings, (capture)->check, FINDING_NO_OFFSET, __VA_ARGS__)

int check_metadata_text(const struct metadata *metadata, const char *path)
{
	__attribute__((cleanup(free_text))) char *expected = NULL;
	__attribute__((cleanup(free_text))) char *text = NULL;
	size_t size, got;
	FILE *file;
	int err;

	file = open_memstream(&expected, &size);
	if (!file)
		return -ENOMEM;
	err = metadata_write(metadata, file);
	if (fclose(file) && !err)
		err = -ENOMEM;
	if (!err)
		err = read_file(AT_FDCWD, path, size, &text, &got);
	if (err)
		return err == -EFBIG ? -EBADMSG : err;
	return got == size && memcmp(text, expected, size) == 0 ? 0 : -EBADMSG;
}

/* Another version may write it otherwise. */
static void check_metadata(struct check_capture *capture)
{
	const struct metadata *metadata = &capture->capture->metadata;

	if (strcmp(metadata->tracer_version, PACKAGE_VERSION) == 0 &&
	    check_metadata_text(metadata, capture->findings->path))
		find(capture, "not as kmemtraced %s writes it", PACKAGE_VERSION);
}

/* Some kernels hide their addresses, or do not tell the names of GFP flags. */
static bool kernel_kept_it(const struct capture *capture, const struct capture_missing *missing)
{
	return strcmp(missing->key, "hidden") == 0 ||
	       (strcmp(missing->key, "gfp") == 0 && missing->err == -ENOENT &&
		capture->status.complete == STATUS_COMPLETE);
}

/* This version's own captures have nothing that it does not know, but by damage. */
static bool is_of_later(const struct capture *capture, const struct capture_missing *missing)
{
	return missing->err == -EPROTONOSUPPORT &&
	       strcmp(capture->metadata.tracer_version, PACKAGE_VERSION) != 0;
}

/* What a repaired capture has lost was said when it was repaired. */
static void check_tables(struct check_capture *capture)
{
	const struct capture *whole = capture->capture;

	if (whole->status.complete == STATUS_REPAIRED)
		return;
	for (size_t i = 0; i < whole->missing_count; i++) {
		/* What another version wrote is no fault: check_all() tells it. */
		if (kernel_kept_it(whole, &whole->missing[i]) ||
		    is_of_later(whole, &whole->missing[i]))
			continue;
		find(capture, "%s", whole->missing[i].sentence);
		/* Of all the tables, this one is made anew from the streams. */
		capture->findings->mendable += strcmp(whole->missing[i].key, "status") == 0;
	}
}

static void check_complete(struct check_capture *capture)
{
	if (capture->capture->being_written)
		find(capture, "kmemtraced is still writing it");
	else if (capture->capture->has_status &&
		 capture->capture->status.complete == STATUS_CUT_OFF)
		find(capture, "the capture was cut off: kmemtraced did not finish it");
}

static const struct check_stream *stream_of_cpu(const struct check_capture *capture,
						unsigned int cpu)
{
	for (size_t i = 0; i < capture->capture->stream_count; i++) {
		if (capture->capture->streams[i].cpu == cpu)
			return &capture->streams[i];
	}
	return NULL;
}

static const struct status_cpu *status_of_cpu(const struct status *status, unsigned int cpu)
{
	for (size_t i = 0; i < status->cpu_count; i++) {
		if (status->cpus[i].cpu == cpu)
			return &status->cpus[i];
	}
	return NULL;
}

static void check_streams(struct check_capture *capture)
{
	const struct capture *whole = capture->capture;
	const struct status *status = &whole->status;

	if (!whole->has_status)
		return;
	for (size_t i = 0; i < status->cpu_count; i++) {
		unsigned int cpu = status->cpus[i].cpu;

		if (!stream_of_cpu(capture, cpu))
			find(capture, "the stream of cpu%u is missing", cpu);
	}
	for (size_t i = 0; status->complete != STATUS_CUT_OFF && i < whole->stream_count; i++) {
		if (!status_of_cpu(status, whole->streams[i].cpu))
			find(capture, "there is a stream of cpu%u, which it does not name",
			     whole->streams[i].cpu);
	}
}

static void check_number(struct check_capture *capture, unsigned int cpu, const char *what,
			 uint64_t stated, uint64_t found)
{
	if (stated != found)
		find(capture, "cpu%u: %s %" PRIu64 ", its stream has %" PRIu64, cpu, what, stated,
		     found);
}

static void check_figures(struct check_capture *capture)
{
	const struct status *status = &capture->capture->status;
	uint64_t skipped_sum = 0, skipped_most = 0, lost = 0, lost_of_tasks;
	bool skipped_known = true;

	/* The figures of a capture that was cut off are of some time before. */
	if (!capture->capture->has_status || status->complete == STATUS_CUT_OFF)
		return;
	for (size_t i = 0; i < status->cpu_count; i++) {
		const struct status_cpu *cpu = &status->cpus[i];
		const struct check_stream *stream = stream_of_cpu(capture, cpu->cpu);
		uint64_t skipped = cpu->skipped == STATUS_UNKNOWN ? 0 : cpu->skipped;

		skipped_known &= cpu->skipped != STATUS_UNKNOWN;
		skipped_sum += skipped;
		lost += cpu->lost;
		if (cpu->seen != cpu->recorded + cpu->lost + skipped)
			find(capture,
			     "cpu%u: seen %" PRIu64 " is not recorded %" PRIu64 " + lost %" PRIu64
			     " + skipped %" PRIu64,
			     cpu->cpu, cpu->seen, cpu->recorded, cpu->lost, skipped);
		if (!stream)
			continue;
		check_number(capture, cpu->cpu, "recorded", cpu->recorded, stream->records);
		check_number(capture, cpu->cpu, "lost", cpu->lost, loss_missing(&stream->loss));
		check_number(capture, cpu->cpu, "own", cpu->own, stream->own);
	}
	lost_of_tasks = status->lost_unattributed;
	for (size_t i = 0; i < status->lost_task_count; i++)
		lost_of_tasks += status->lost_tasks[i].count;
	if (lost != lost_of_tasks)
		find(capture, "lost %" PRIu64 " of all CPUs, %" PRIu64 " by tasks and of none",
		     lost, lost_of_tasks);
	for (size_t i = 0; i < capture->capture->stream_count; i++) {
		if (capture->streams[i].last.skipped > skipped_most)
			skipped_most = capture->streams[i].last.skipped;
	}
	if (status->skipped == STATUS_UNKNOWN)
		return;
	if (skipped_known && skipped_sum != status->skipped)
		find(capture, "skipped %" PRIu64 " in all, %" PRIu64 " of its CPUs together",
		     status->skipped, skipped_sum);
	if (skipped_most != status->skipped)
		find(capture, "skipped %" PRIu64 ", the streams have %" PRIu64, status->skipped,
		     skipped_most);
}

const struct check capture_checks[] = {
	{ .name = "metadata",
	  .mendable = true,
	  .sentence = "the metadata is as kmemtraced writes it",
	  .file = "metadata",
	  .whole = check_metadata },
	{ .name = "tables",
	  .sentence = "the tables of kernel/ are there and can be read",
	  .file = "kernel",
	  .whole = check_tables },
	{ .name = "complete",
	  .mendable = true,
	  .sentence = "kmemtraced finished the capture",
	  .file = "kernel/status",
	  .whole = check_complete },
	{ .name = "streams",
	  .mendable = true,
	  .sentence = "each CPU that kernel/status names has a stream, and no other",
	  .file = "kernel/status",
	  .whole = check_streams },
	{ .name = "status",
	  .mendable = true,
	  .sentence = "kernel/status adds up and agrees with the streams",
	  .file = "kernel/status",
	  .whole = check_figures },
};
const size_t capture_check_count = sizeof(capture_checks) / sizeof(capture_checks[0]);

static int check_whole(struct check_capture *capture)
{
	for (size_t i = 0; i < capture_check_count; i++) {
		char *path;

		capture->check = &capture_checks[i];
		if (asprintf(&path, "%s/%s", capture->capture->path, capture->check->file) < 0)
			return -ENOMEM;
		findings_begin(capture->findings, path);
		capture->check->whole(capture);
		findings_end(capture->findings);
		free(path);
	}
	return 0;
}

static void add_result(struct check_result *result, const struct check_stream *stream)
{
	result->cpus++;
	result->records += stream->records;
	result->lost += loss_missing(&stream->loss);
	result->own += stream->own;
	result->unknown += stream->unknown;
	if (stream->last.skipped > result->skipped)
		result->skipped = stream->last.skipped;
}

static int check_open_capture(const struct capture *capture, struct check_findings *findings,
			      struct check_result *result, char *errmsg, size_t errmsg_size)
{
	struct check_stream *streams = calloc(capture->stream_count, sizeof(*streams));
	struct check_capture whole = { .findings = findings,
				       .capture = capture,
				       .streams = streams };
	int err = streams ? 0 : -ENOMEM;

	if (err)
		snprintf(errmsg, errmsg_size, "%s: %s", capture->path, strerror(-err));
	findings->bytes = capture_stream_bytes(capture);
	for (size_t i = 0; !err && i < capture->stream_count; i++) {
		streams[i].findings = findings;
		streams[i].capture = capture;
		streams[i].cpu = capture->streams[i].cpu;
		streams[i].cpu_known = true;
		err = check_stream_run(&streams[i], capture->streams[i].path);
		if (err == -EPROTONOSUPPORT)
			snprintf(errmsg, errmsg_size, "%s", streams[i].errmsg);
		else if (err)
			snprintf(errmsg, errmsg_size, "%s: %s", capture->streams[i].path,
				 strerror(-err));
		else
			add_result(result, &streams[i]);
	}
	if (!err) {
		err = check_whole(&whole);
		if (err)
			snprintf(errmsg, errmsg_size, "%s: %s", capture->path, strerror(-err));
	}
	for (size_t i = 0; streams && i < capture->stream_count; i++)
		check_stream_deinit(&streams[i]);
	free(streams);
	return err;
}

int check_all(const char *path, struct check_findings *findings, struct check_result *result,
	      char *errmsg, size_t errmsg_size)
{
	struct capture capture;
	int err;

	err = capture_open(&capture, path);
	if (err) {
		snprintf(errmsg, errmsg_size, "%s", capture.errmsg);
		return err;
	}
	result->own_known = capture_knows_own(&capture);
	result->being_written = capture.being_written;
	memcpy(result->tracer_version, capture.metadata.tracer_version,
	       sizeof(result->tracer_version));
	for (size_t i = 0; i < capture.missing_count; i++)
		result->status_unknown |= is_of_later(&capture, &capture.missing[i]);
	err = check_open_capture(&capture, findings, result, errmsg, errmsg_size);
	capture_close(&capture);
	return err;
}

int check_alone(const char *path, struct check_findings *findings, struct check_result *result,
		char *errmsg, size_t errmsg_size)
{
	struct check_stream stream = { .findings = findings };
	int err;

	stream.cpu_known = check_cpu_of_path(path, &stream.cpu);
	err = check_stream_run(&stream, path);
	if (err == -EINVAL)
		snprintf(errmsg, errmsg_size,
			 "%s: holds no whole packet: not a stream of a capture", path);
	else if (err == -EPROTONOSUPPORT)
		snprintf(errmsg, errmsg_size, "%s", stream.errmsg);
	else if (err)
		snprintf(errmsg, errmsg_size, "%s: %s", path, strerror(-err));
	else
		add_result(result, &stream);
	check_stream_deinit(&stream);
	return err;
}
