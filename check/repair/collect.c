// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Reads a damaged capture. Packets have CRCs, so a whole packet is trusted. Texts have none: they
 * are trusted only where they agree with the packets, or where their counters add up.
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/parts.h"
#include "base/files.h"
#include "base/inside.h"
#include "base/number.h"
#include "check/repair/collect.h"

#define TEXT_BYTES_MAX ((size_t)64 << 20)

/* The text of a file of the capture, to be freed. 0 or -errno. */
static int read_part_text(const struct repair *repair, const char *name, char **text)
{
	char *path = join_path(repair->path, name);
	int err = path ? read_file(AT_FDCWD, path, TEXT_BYTES_MAX, text, NULL) : -ENOMEM;

	free(path);
	return err;
}

static struct repair_stream *add_stream(struct repair *repair, unsigned int cpu)
{
	struct repair_stream *streams =
		reallocarray(repair->streams, repair->stream_count + 1, sizeof(*streams));
	struct repair_stream *stream;

	if (!streams)
		return NULL;
	repair->streams = streams;
	stream = &streams[repair->stream_count++];
	memset(stream, 0, sizeof(*stream));
	stream->cpu = cpu;
	return stream;
}

static int compare_streams(const void *a, const void *b)
{
	const struct repair_stream *x = a, *y = b;

	return (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

static int find_streams(struct repair *repair)
{
	DIR *directory = opendir(repair->path);
	const char *entry;
	int err = 0;

	if (!directory)
		return error_set_at(repair->error, -errno, repair->path);
	while ((entry = inside_next(directory, &err))) {
		struct repair_stream *stream;
		const char *name = entry;
		unsigned int cpu;

		if (!cpu_name_parse(&name, UINT16_MAX, &cpu) || *name)
			continue;
		stream = add_stream(repair, cpu);
		if (stream)
			stream->path = join_path(repair->path, entry);
		if (!stream || !stream->path)
			err = -ENOMEM;
	}
	closedir(directory);
	if (err)
		return error_set_at(repair->error, err, repair->path);
	if (repair->stream_count)
		qsort(repair->streams, repair->stream_count, sizeof(*repair->streams),
		      compare_streams);
	return 0;
}

static int fail_stream(struct repair *repair, const struct repair_stream *stream, int err)
{
	const char *version = repair->metadata_read ? repair->metadata.tracer_version : "";
	char newer[METADATA_TEXT];

	if (err != -EPROTONOSUPPORT)
		return error_set_at(repair->error, err, stream->path);
	return error_format(
		repair->error, err,
		"%s: a packet of a version or codec that this program does not know; %s",
		stream->path, metadata_newer_text(version, newer, sizeof(newer)));
}

/* Packets have CRCs, so their uuid and byte order override those of the metadata. */
static int find_capture_id(struct repair *repair)
{
	bool found = false;

	for (size_t i = 0; i < repair->stream_count; i++) {
		struct capture_id id;
		int err = repair_stream_id(repair->streams[i].path, &id);

		if (err == -ENODATA)
			continue;
		if (err)
			return fail_stream(repair, &repair->streams[i], err);
		id.goes_on = repair->metadata.piece > 1;
		if (!found || (repair->metadata_read &&
			       memcmp(id.uuid, repair->metadata.uuid, sizeof(id.uuid)) == 0))
			repair->id = id;
		found = true;
	}
	if (!found)
		return error_format(
			repair->error, -EINVAL,
			"%s: no stream holds a whole packet: the capture cannot be repaired",
			repair->path);
	return 0;
}

static int read_metadata(struct repair *repair)
{
	struct error error = { 0 };
	char *text = NULL;
	int err = read_part_text(repair, "metadata", &text);

	if (error_is_shortage(err))
		return error_format(repair->error, err, "%s/metadata: %s", repair->path,
				    strerror(-err));
	if (!err)
		err = metadata_parse(&repair->metadata, text, &error);
	free(text);
	if (err == -EPROTONOSUPPORT)
		return error_format(repair->error, err, "%s/metadata: %s", repair->path,
				    error.text);
	repair->metadata_read = !err;
	if (err)
		repair->metadata =
			(struct metadata){ .piece = parts_piece_number(basename(repair->path)) };
	return 0;
}

static int rebuild_metadata(struct repair *repair)
{
	struct metadata *metadata = &repair->metadata;
	bool big_endian = (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) != repair->id.swap;
	char *path;
	int err = 0;

	if (!repair->metadata_read) {
		metadata->format = CAPTURE_FORMAT;
		metadata->page_size = 4096;
		strcpy(metadata->hostname, "unknown");
		strcpy(metadata->release, "unknown");
		strcpy(metadata->version, "unknown");
		strcpy(metadata->machine, "unknown");
		strcpy(metadata->tracer_version, PACKAGE_VERSION);
		repair->metadata_rebuilt = true;
		repair_print(
			repair,
			"/metadata: rebuilt: the host, its kernel and word size, and the date are unknown");
	} else {
		path = join_path(repair->path, "metadata");
		if (strcmp(metadata->tracer_version, PACKAGE_VERSION) == 0)
			err = path ? metadata_compare_file(metadata, path) : -ENOMEM;
		free(path);
		if (error_is_shortage(err))
			return error_format(repair->error, err, "%s/metadata: %s", repair->path,
					    strerror(-err));
		if (memcmp(metadata->uuid, repair->id.uuid, sizeof(metadata->uuid)) != 0 ||
		    metadata->big_endian != big_endian || err) {
			repair->metadata_rebuilt = true;
			repair_print(repair, "/metadata: rebuilt from the part that could be read");
		}
	}
	memcpy(metadata->uuid, repair->id.uuid, sizeof(metadata->uuid));
	metadata->big_endian = big_endian;
	return 0;
}

/* A text has no CRC: its counters are trusted only if all of them add up. */
static bool status_adds_up(const struct status *status)
{
	uint64_t skipped = 0;
	bool known = true;

	for (size_t i = 0; i < status->cpu_count; i++) {
		const struct status_cpu *cpu = &status->cpus[i];
		uint64_t part = cpu->skipped == STATUS_UNKNOWN ? 0 : cpu->skipped;

		if (cpu->seen != cpu->recorded + cpu->lost + part ||
		    cpu->seen > LOSS_SEQUENCE_MAX || cpu->cpu > UINT16_MAX)
			return false;
		known &= cpu->skipped != STATUS_UNKNOWN;
		skipped += part;
	}
	if (known && status->skipped != STATUS_UNKNOWN && skipped != status->skipped)
		return false;
	return status->complete != STATUS_CUT_OFF && status->cpu_count;
}

/* A status of a later version is an error: the repair would lose a part of it. */
static int read_status(struct repair *repair)
{
	const char *version = repair->metadata_read ? repair->metadata.tracer_version : "";
	char newer[METADATA_TEXT];
	char *text = NULL;
	int read_err = read_part_text(repair, "kernel/status", &text), err = 0;

	if (error_is_shortage(read_err))
		return error_format(repair->error, read_err, "%s/kernel/status: %s", repair->path,
				    strerror(-read_err));
	if (read_err)
		error_set(&repair->status_error, read_err, strerror(-read_err));
	else
		err = status_parse(&repair->status, text, &repair->status_error);
	free(text);
	if (err == -EPROTONOSUPPORT && strcmp(version, PACKAGE_VERSION) != 0)
		return error_format(repair->error, err, "%s/kernel/status: %s; %s", repair->path,
				    repair->status_error.text,
				    metadata_newer_text(version, newer, sizeof(newer)));
	if (err)
		memset(&repair->status, 0, sizeof(repair->status));
	repair->status_consistent = status_adds_up(&repair->status);
	return 0;
}

/* A consistent status counts the events of a missing stream: all of them are lost. */
static int add_missing_streams(struct repair *repair)
{
	size_t count = repair->stream_count;

	if (count)
		qsort(repair->streams, count, sizeof(*repair->streams), compare_streams);
	for (size_t i = 0, j = 0; repair->status_consistent && i < repair->status.cpu_count; i++) {
		unsigned int cpu = repair->status.cpus[i].cpu;

		while (j < count && repair->streams[j].cpu < cpu)
			j++;
		if (j < count && repair->streams[j].cpu == cpu)
			continue;
		if (!add_stream(repair, cpu))
			return error_set_at(repair->error, -ENOMEM, repair->path);
		loss_init(&repair->streams[repair->stream_count - 1].loss, repair->status.begin);
		repair_print(repair, "/cpu%u: the stream is missing", cpu);
	}
	if (repair->stream_count)
		qsort(repair->streams, repair->stream_count, sizeof(*repair->streams),
		      compare_streams);
	return 0;
}

/* The end of the capture, from all streams and from a consistent status. */
static void find_capture_end(struct repair *repair)
{
	struct status *status = &repair->status;
	struct repair_end *end = &repair->end;
	uint64_t first = UINT64_MAX;

	for (size_t i = 0; i < repair->stream_count; i++) {
		const struct repair_stream *stream = &repair->streams[i];
		const struct status_cpu *cpu = status_find_cpu(status, stream->cpu);

		/* The stream has more events than the status: the status is of another capture. */
		if (cpu &&
		    stream->first_sequence + cpu->recorded + cpu->lost < stream->last.sequence_end)
			repair->status_consistent = false;
		if (!stream->count)
			continue;
		if (stream->time_first < first)
			first = stream->time_first;
		if (stream->last.time_last > end->time)
			end->time = stream->last.time_last;
		if (stream->last.skipped > end->skipped)
			end->skipped = stream->last.skipped;
	}
	if (first != UINT64_MAX && (status->begin > first || !status->begin))
		status->begin = first;
	if (status->end < end->time)
		status->end = end->time;
	end->begin = status->begin;
	if (repair->status_consistent && status->skipped != STATUS_UNKNOWN) {
		if (status->skipped < end->skipped)
			repair->status_consistent = false;
		else
			end->skipped = status->skipped;
	}
}

static int scan_streams(struct repair *repair)
{
	for (size_t i = 0; i < repair->stream_count; i++) {
		struct repair_stream *stream = &repair->streams[i];
		int err = repair_stream_scan(stream, &repair->id, &repair->status);

		if (err)
			return fail_stream(repair, stream, err);
	}
	return add_missing_streams(repair);
}

int repair_collect(struct repair *repair)
{
	int err = find_streams(repair);

	if (!err)
		err = read_metadata(repair);
	if (!err)
		err = find_capture_id(repair);
	if (err)
		return err;
	err = read_status(repair);
	if (!err)
		err = scan_streams(repair);
	if (!err)
		err = rebuild_metadata(repair);
	if (!err)
		find_capture_end(repair);
	return err;
}
