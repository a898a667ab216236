// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Writes the kept packets, a status that counts all others as lost, and the metadata. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/inside.h"
#include "capture/parts.h"
#include "check/repair/rebuild.h"

#define NSEC_PER_SEC 1000000000ULL

static struct repair_end stream_end(const struct repair *repair, const struct repair_stream *stream)
{
	const struct status_cpu *cpu = status_find_cpu(&repair->status, stream->cpu);
	struct repair_end end = repair->end;

	end.sequence_end = stream->last.sequence_end;
	if (repair->status_consistent && cpu)
		end.sequence_end = stream->first_sequence + cpu->recorded + cpu->lost;
	else
		end.skipped = stream->last.skipped;
	return end;
}

static void print_last_time(const struct repair *repair, const struct repair_stream *stream)
{
	uint64_t time = stream->count ? stream->last.time_last : repair->end.begin;

	time = time > repair->end.begin ? time - repair->end.begin : 0;
	repair_print(repair, "/cpu%u: holds no packet after %" PRIu64 ".%09u s", stream->cpu,
		     (uint64_t)(time / NSEC_PER_SEC), (unsigned int)(time % NSEC_PER_SEC));
}

/* lost_before: the lost events that the stream stated before the repair. */
static void print_lost(const struct repair *repair, const struct repair_stream *stream,
		       uint64_t lost_before)
{
	uint64_t lost = loss_missing(&stream->loss);

	if (stream->dropped_ranges)
		repair_print(repair,
			     "/cpu%u: dropped %" PRIu64 " bytes that are not packets, in %" PRIu64
			     " range%s",
			     stream->cpu, stream->dropped_bytes, stream->dropped_ranges,
			     stream->dropped_ranges == 1 ? "" : "s");
	if (lost > lost_before)
		repair_print(repair, "/cpu%u: events lost by the damage: %" PRIu64, stream->cpu,
			     lost - lost_before);
	if (!repair->status_consistent &&
	    (stream->tail_dropped || repair->status.complete == STATUS_CUT_OFF))
		print_last_time(repair, stream);
}

/* Puts the counters of the kept packets into the old status. */
static int update_status(struct repair *repair)
{
	struct status *status = &repair->status;
	struct status_cpu *old = status->cpus;
	size_t old_count = status->cpu_count;
	struct status old_status = { .cpus = old, .cpu_count = old_count };
	uint64_t lost = 0, lost_of_tasks = 0, skipped = 0;
	int err = 0;

	status->cpus = NULL;
	status->from_backup = 0;
	status->cpu_count = status->span_count = 0;
	for (size_t i = 0; !err && i < repair->stream_count; i++) {
		struct repair_stream *stream = &repair->streams[i];
		const struct status_cpu *old_cpu = status_find_cpu(&old_status, stream->cpu);
		struct status_cpu *cpu = status_add_cpu(status, stream->cpu);

		if (!cpu) {
			err = -ENOMEM;
			break;
		}
		cpu->recorded = stream->records;
		cpu->lost = loss_missing(&stream->loss);
		cpu->own = stream->own;
		/* without a consistent status, only the records that are kept count */
		cpu->from_backup = repair->status_consistent && old_cpu ? old_cpu->from_backup
									: stream->from_backup;
		status->from_backup += cpu->from_backup;
		cpu->skipped = repair->status_consistent && old_cpu ? old_cpu->skipped
								    : STATUS_UNKNOWN;
		cpu->seen = cpu->recorded + cpu->lost;
		if (cpu->skipped != STATUS_UNKNOWN)
			cpu->seen += cpu->skipped;
		lost += cpu->lost;
		err = status_add_spans(status, stream->cpu, &stream->loss);
	}
	free(old);
	for (size_t i = 0; i < status->lost_task_count; i++)
		lost_of_tasks += status->lost_tasks[i].count;
	if (lost_of_tasks > lost) {
		status->lost_task_count = 0;
		lost_of_tasks = 0;
	}
	status->lost_unattributed = lost - lost_of_tasks;
	status->complete = STATUS_REPAIRED;
	if (!repair->status_consistent || status->skipped != STATUS_UNKNOWN)
		status->skipped = repair->end.skipped;
	for (size_t i = 0; i < status->skip_span_count; i++)
		skipped += status->skip_spans[i].count;
	if (skipped != status->skipped)
		status->skip_span_count = 0;
	return err;
}

static int write_streams(struct repair *repair)
{
	for (size_t i = 0; i < repair->stream_count; i++) {
		struct repair_stream *stream = &repair->streams[i];
		struct repair_end end = stream_end(repair, stream);
		uint64_t lost_before = stream->last.lost;
		char name[20];
		int err, fd;

		snprintf(name, sizeof(name), "cpu%u", stream->cpu);
		fd = directory_create(&repair->directory, name);
		if (fd < 0)
			return error_set(repair->error, fd, repair->directory.errmsg);
		err = repair_stream_close_loss(stream, &end);
		if (err)
			close(fd);
		else
			err = repair_stream_write(stream, &repair->id, &end, fd);
		if (err)
			return error_format(repair->error, err, "%s/%s: %s", repair->directory.path,
					    name, strerror(-err));
		print_lost(repair, stream, lost_before);
	}
	return 0;
}

/* Copies a part of the capture with one of the functions of base/files.h. */
static int copy_part(struct repair *repair, const char *name,
		     int (*copy_function)(struct file_copy *copy, const char *name))
{
	struct file_copy copy = { .from = repair->original,
				  .to = repair->directory.fd,
				  .mode = 0666,
				  .except = "status" };
	int err = copy_function(&copy, name);

	if (!err)
		return 0;
	return error_format(repair->error, err, "%s/%s: %s",
			    copy.failed_in == copy.from ? repair->path : repair->directory.path,
			    copy.failed, strerror(-err));
}

/* A piece of a set may have one. */
static int copy_checkpoint(struct repair *repair)
{
	int fd = inside_open_directory(repair->original, PARTS_CHECKPOINT);

	if (fd < 0)
		return 0;
	close(fd);
	return copy_part(repair, PARTS_CHECKPOINT, copy_folder);
}

static int write_text_file(struct repair *repair, const char *name,
			   int (*write_function)(const struct repair *repair, FILE *file))
{
	FILE *file = directory_open(&repair->directory, name, false);
	int err, close_err;

	if (!file)
		return error_set(repair->error, -EIO, repair->directory.errmsg);
	err = write_function(repair, file);
	close_err = close_synced(file);
	err = err ? err : close_err;
	return err ? error_format(repair->error, err, "%s/%s: %s", repair->directory.path, name,
				  strerror(-err))
		   : 0;
}

static int write_rebuilt_status(const struct repair *repair, FILE *file)
{
	return status_write(&repair->status, file);
}

static int write_rebuilt_metadata(const struct repair *repair, FILE *file)
{
	return metadata_write(&repair->metadata, file);
}

int repair_rebuild(struct repair *repair)
{
	int err = write_streams(repair);

	if (!err)
		err = copy_part(repair, "kernel", copy_folder);
	if (!err)
		err = copy_checkpoint(repair);
	if (err)
		return err;
	err = update_status(repair);
	if (err)
		return error_format(repair->error, err, "%s/kernel/status: %s",
				    repair->directory.path, strerror(-err));
	err = write_text_file(repair, "kernel/status", write_rebuilt_status);
	if (err)
		return err;
	return repair->metadata_rebuilt
		       ? write_text_file(repair, "metadata", write_rebuilt_metadata)
		       : copy_part(repair, "metadata", copy_file);
}
