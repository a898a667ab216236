// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Reads all streams, adds up their counters, and then runs the checks of the whole capture. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/number.h"
#include "capture/stream_frame.h"
#include "check/check.h"
#include "check/check_capture.h"
#include "check/check_packet.h"
#include "check/check_record.h"
#include "check/check_stream.h"

static void add_result(struct check_result *result, const struct stream_state *stream)
{
	result->cpus++;
	result->records += stream->records;
	result->lost += loss_missing(&stream->loss);
	result->own += stream->own;
	result->unknown += stream->unknown;
	if (stream->last.skipped > result->skipped)
		result->skipped = stream->last.skipped;
}

static int check_all_streams(struct capture_state *state, struct stream_state *streams,
			     struct check_result *result, struct error *error)
{
	const struct capture *capture = state->capture;
	int err = 0;

	state->problems->bytes =
		stream_files_all_bytes(capture->streams, capture->stream_count, &capture->parts);
	for (size_t i = 0; !err && i < capture->stream_count; i++) {
		streams[i].problems = state->problems;
		streams[i].capture = capture;
		streams[i].cpu = capture->streams[i].cpu;
		streams[i].cpu_known = true;
		err = check_stream_run(&streams[i], capture->streams[i].path, error);
		if (!err)
			add_result(result, &streams[i]);
	}
	return err;
}

/* Keeps the streams that the capture has itself; a checkpoint may have those of other CPUs. */
static int keep_own_streams(struct capture *capture)
{
	const struct capture_part *own = &capture->parts.list[capture->parts.count - 1];
	size_t kept = 0;

	for (size_t i = 0; i < capture->stream_count; i++) {
		char *path = capture_stream_path(own, capture->streams[i].cpu);

		if (!path)
			return -ENOMEM;
		free(capture->streams[i].path);
		capture->streams[i].path = path;
		if (access(path, F_OK)) {
			free(path);
			free(capture->streams[i].parts);
			continue;
		}
		capture->streams[kept++] = capture->streams[i];
	}
	capture->stream_count = kept;
	return 0;
}

/* Tables of a checkpoint belong to the piece; its streams are made by another program. */
static int open_checked_capture(struct capture *capture, const char *path)
{
	int err = capture_open(capture, path);

	if (err)
		return err;
	err = keep_own_streams(capture);
	if (err) {
		snprintf(capture->error.text, sizeof(capture->error.text), "%s: %s", path,
			 strerror(-err));
		capture_close(capture);
	}
	return err;
}

static int check_open_capture(const struct capture *capture, struct check_problems *problems,
			      struct check_result *result, struct error *error)
{
	struct stream_state *streams = calloc(capture->stream_count, sizeof(*streams));
	struct capture_state state = { .problems = problems,
				       .capture = capture,
				       .streams = streams };
	int err;

	if (!streams)
		return error_set_at(error, -ENOMEM, capture->path);
	err = check_all_streams(&state, streams, result, error);
	if (!err)
		err = check_capture_run(&state);
	for (size_t i = 0; i < capture->stream_count; i++)
		check_stream_deinit(&streams[i]);
	free(streams);
	return err ? error_set_at(error, err, capture->path) : 0;
}

int check_capture(const char *path, struct check_problems *problems, struct check_result *result,
		  struct error *error)
{
	struct capture capture;
	int err;

	err = open_checked_capture(&capture, path);
	if (err)
		return error_set(error, err, capture.error.text);
	result->own_known = capture_knows_own(&capture);
	result->being_written = capture.being_written;
	memcpy(result->tracer_version, capture.metadata.tracer_version,
	       sizeof(result->tracer_version));
	for (size_t i = 0; i < capture.unread_count; i++)
		result->status_unknown |= check_table_is_newer(&capture, &capture.unread[i]);
	err = check_open_capture(&capture, problems, result, error);
	capture_close(&capture);
	return err;
}

/* The CPU in the file name, which is cpuN for the stream of a capture. */
static bool find_stream_cpu(const char *path, unsigned int *cpu)
{
	const char *name = strrchr(path, '/');

	name = name ? name + 1 : path;
	return cpu_name_parse(&name, UINT16_MAX, cpu) && !*name;
}

/* Is it a file that kmemtraced -o - wrote? The open of a pipe would wait. */
static bool is_streamed_capture(const char *path)
{
	char first[sizeof(STREAM_FRAME_FIRST) - 1];
	struct stat about;
	FILE *file;
	bool is_one;

	if (stat(path, &about) || !S_ISREG(about.st_mode))
		return false;
	file = fopen(path, "re");
	is_one = file && fread(first, sizeof(first), 1, file) == 1 &&
		 !memcmp(first, STREAM_FRAME_FIRST, sizeof(first));
	if (file)
		fclose(file);
	return is_one;
}

int check_stream(const char *path, struct check_problems *problems, struct check_result *result,
		 struct error *error)
{
	struct stream_state stream = { .problems = problems };
	int err;

	if (is_streamed_capture(path))
		return error_format(
			error, -EINVAL,
			"%s: a capture from kmemtraced -o - has no checks: record a directory",
			path);
	stream.cpu_known = find_stream_cpu(path, &stream.cpu);
	err = check_stream_run(&stream, path, error);
	if (!err)
		add_result(result, &stream);
	check_stream_deinit(&stream);
	return err;
}

void check_list(void (*print)(const struct check_info *check))
{
	for (size_t i = 0; i < packet_check_count; i++)
		print(&packet_checks[i].info);
	for (size_t i = 0; i < record_check_count; i++)
		print(&record_checks[i].info);
	for (size_t i = 0; i < capture_check_count; i++)
		print(&capture_checks[i].info);
}
