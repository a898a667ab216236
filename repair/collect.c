// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What is left of a damaged capture. The packets have CRCs and so are believed; texts have none,
 * and are believed where they agree with the packets or with themselves.
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files.h"
#include "check/check.h"
#include "repair/repair.h"

#define TEXT_BYTES_MAX ((size_t)64 << 20)

/* The whole of a text, to be freed, or NULL with errno. */
static char *read_text(const char *directory, const char *name)
{
	__attribute__((cleanup(free_text))) char *path = join_path(directory, name);
	char *text = NULL;
	int err = path ? read_file(AT_FDCWD, path, TEXT_BYTES_MAX, &text, NULL) : -ENOMEM;

	errno = -err;
	return text;
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

static int gather_streams(struct repair *repair)
{
	DIR *directory = opendir(repair->path);
	struct dirent *entry;
	int err = 0;

	if (!directory)
		return repair_fail(repair, -errno, "%s: %s", repair->path, strerror(errno));
	while (!err && (entry = readdir(directory))) {
		struct repair_stream *stream;
		unsigned int cpu;

		if (!check_cpu_of_path(entry->d_name, &cpu))
			continue;
		stream = add_stream(repair, cpu);
		if (stream)
			stream->path = join_path(repair->path, entry->d_name);
		if (!stream || !stream->path)
			err = repair_fail(repair, -ENOMEM, "%s: %s", repair->path,
					  strerror(ENOMEM));
	}
	closedir(directory);
	if (repair->stream_count)
		qsort(repair->streams, repair->stream_count, sizeof(*repair->streams),
		      compare_streams);
	return err;
}

static int fail_stream(struct repair *repair, const struct repair_stream *stream, int err)
{
	const char *version = repair->metadata_read ? repair->metadata.tracer_version : "";
	char newer[METADATA_TEXT];

	if (err != -EPROTONOSUPPORT)
		return repair_fail(repair, err, "%s: %s", stream->path, strerror(-err));
	return repair_fail(repair, err,
			   "%s: a packet of a version or codec that this program does not know; %s",
			   stream->path, metadata_newer_text(version, newer, sizeof(newer)));
}

/* What the packets tell, each under its own CRC, counts more than what the metadata tells. */
static int gather_identity(struct repair *repair)
{
	bool found = false;

	for (size_t i = 0; i < repair->stream_count; i++) {
		struct repair_identity identity;
		int err = repair_stream_identity(repair->streams[i].path, &identity);

		if (err == -ENODATA)
			continue;
		if (err)
			return fail_stream(repair, &repair->streams[i], err);
		if (!found || (repair->metadata_read && memcmp(identity.uuid, repair->metadata.uuid,
							       sizeof(identity.uuid)) == 0))
			repair->identity = identity;
		found = true;
	}
	if (!found)
		return repair_fail(repair, -EINVAL,
				   "%s: no stream holds a whole packet: nothing to repair from",
				   repair->path);
	return 0;
}

static int gather_metadata(struct repair *repair)
{
	char *text = read_text(repair->path, "metadata");
	char errmsg[200] = "";
	int err = -EINVAL;

	if (text)
		err = metadata_parse(&repair->metadata, text, errmsg, sizeof(errmsg));
	free(text);
	if (err == -EPROTONOSUPPORT)
		return repair_fail(repair, err, "%s/metadata: %s", repair->path, errmsg);
	repair->metadata_read = !err;
	return 0;
}

static void mend_metadata(struct repair *repair)
{
	struct metadata *metadata = &repair->metadata;
	bool big_endian = (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) != repair->identity.swap;
	char *path;

	if (!repair->metadata_read) {
		memset(metadata, 0, sizeof(*metadata));
		metadata->format = CAPTURE_FORMAT;
		metadata->page_size = 4096;
		strcpy(metadata->hostname, "unknown");
		strcpy(metadata->release, "unknown");
		strcpy(metadata->version, "unknown");
		strcpy(metadata->machine, "unknown");
		strcpy(metadata->tracer_version, PACKAGE_VERSION);
		repair->metadata_rebuilt = true;
		repair_say(repair,
			   "/metadata: made anew: the host, its kernel and word size, and the "
			   "date are unknown");
	} else {
		path = join_path(repair->path, "metadata");
		if (memcmp(metadata->uuid, repair->identity.uuid, sizeof(metadata->uuid)) != 0 ||
		    metadata->big_endian != big_endian ||
		    (strcmp(metadata->tracer_version, PACKAGE_VERSION) == 0 && path &&
		     check_metadata_text(metadata, path))) {
			repair->metadata_rebuilt = true;
			repair_say(repair, "/metadata: written anew from what could be read of it");
		}
		free(path);
	}
	memcpy(metadata->uuid, repair->identity.uuid, sizeof(metadata->uuid));
	metadata->big_endian = big_endian;
}

/* Text has no CRC: its figures are believed only if all of them add up. */
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

/* A status of a later version is not to be replaced by one that says less. */
static int gather_status(struct repair *repair)
{
	const char *version = repair->metadata_read ? repair->metadata.tracer_version : "";
	char *text = read_text(repair->path, "kernel/status");
	char newer[METADATA_TEXT];
	bool found = text;
	int err = 0;

	if (!found)
		snprintf(repair->status_errmsg, sizeof(repair->status_errmsg), "%s",
			 strerror(errno));
	else
		err = status_parse(&repair->status, text, repair->status_errmsg,
				   sizeof(repair->status_errmsg));
	free(text);
	if (err == -EPROTONOSUPPORT && strcmp(version, PACKAGE_VERSION) != 0)
		return repair_fail(repair, err, "%s/kernel/status: %s; %s", repair->path,
				   repair->status_errmsg,
				   metadata_newer_text(version, newer, sizeof(newer)));
	if (err)
		memset(&repair->status, 0, sizeof(repair->status));
	else if (found)
		repair->status_errmsg[0] = '\0';
	repair->status_sound = status_adds_up(&repair->status);
	return 0;
}

/* A stream that a sound status names and that is not there is lost as a whole, by its count. */
static int add_missing_streams(struct repair *repair)
{
	size_t count = repair->stream_count;

	for (size_t i = 0; repair->status_sound && i < repair->status.cpu_count; i++) {
		unsigned int cpu = repair->status.cpus[i].cpu;
		bool there = false;

		for (size_t j = 0; j < count; j++)
			there |= repair->streams[j].cpu == cpu;
		if (there)
			continue;
		if (!add_stream(repair, cpu))
			return repair_fail(repair, -ENOMEM, "%s: %s", repair->path,
					   strerror(ENOMEM));
		loss_init(&repair->streams[repair->stream_count - 1].loss, repair->status.begin);
		repair_say(repair, "/cpu%u: is missing", cpu);
	}
	qsort(repair->streams, repair->stream_count, sizeof(*repair->streams), compare_streams);
	return 0;
}

struct status_cpu *repair_status_cpu(const struct status *status, unsigned int cpu)
{
	for (size_t i = 0; i < status->cpu_count; i++) {
		if (status->cpus[i].cpu == cpu)
			return &status->cpus[i];
	}
	return NULL;
}

/* What the capture says in the end, all streams together. */
static void find_end(struct repair *repair)
{
	struct status *status = &repair->status;
	struct repair_end *end = &repair->end;
	uint64_t first = UINT64_MAX;

	for (size_t i = 0; i < repair->stream_count; i++) {
		const struct repair_stream *stream = &repair->streams[i];
		const struct status_cpu *cpu = repair_status_cpu(status, stream->cpu);

		/* More was written than the status ever knew of: it is not of this capture. */
		if (cpu && cpu->recorded + cpu->lost < stream->last.sequence_end)
			repair->status_sound = false;
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
	if (repair->status_sound && status->skipped != STATUS_UNKNOWN) {
		if (status->skipped < end->skipped)
			repair->status_sound = false;
		else
			end->skipped = status->skipped;
	}
}

static int survey(struct repair *repair)
{
	for (size_t i = 0; i < repair->stream_count; i++) {
		struct repair_stream *stream = &repair->streams[i];
		int err = repair_stream_survey(stream, &repair->identity, &repair->status);

		if (err)
			return fail_stream(repair, stream, err);
	}
	return add_missing_streams(repair);
}

int repair_gather(struct repair *repair)
{
	int err = gather_streams(repair);

	if (!err)
		err = gather_metadata(repair);
	if (!err)
		err = gather_identity(repair);
	if (err)
		return err;
	err = gather_status(repair);
	if (!err)
		err = survey(repair);
	if (err)
		return err;
	mend_metadata(repair);
	find_end(repair);
	return 0;
}
