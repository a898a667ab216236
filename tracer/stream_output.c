// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Copies what was appended to the files of the capture to standard output. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/stream_frame.h"
#include "cli/stop.h"
#include "tracer/publishing.h"
#include "tracer/stream_output.h"

#define BLOCK 65536
#define HANGS_AFTER 5 /* s: after a signal, a reader that takes nothing for so long hangs */

/*
 * The tables that are sent at the start. Names grow later. Tables that change are sent again at the
 * end.
 */
static const char *const first_tables[] = { "metadata", "kernel/status", "kernel/symbols",
					    "kernel/gfp", "kernel/topology" };
static const char *const last_tables[] = { "kernel/slabinfo", "kernel/process_memory",
					   "kernel/status" };

static const char *const grown_tables[STREAM_OUTPUT_TABLES] = { "kernel/caches", "kernel/tasks",
								"kernel/stacks", "kernel/cgroups" };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The capture ends when its reader has ended: this is not an error. */
static int check_output(struct stream_output *output, struct error *error, int err)
{
	output->hangs |= err == -ETIMEDOUT;
	if (err == -EPIPE || err == -ETIMEDOUT)
		output->ended = true;
	else if (err)
		return error_set_at(error, err, "standard output");
	return 0;
}

/* Waits until a write of PIPE_BUF bytes does not block. 0; -ETIMEDOUT: the reader hangs. */
static int wait_for_reader(void)
{
	struct pollfd output = { .fd = STDOUT_FILENO, .events = POLLOUT };

	for (int waited = 0; waited < HANGS_AFTER; waited += stop_signal() != 0) {
		int got = poll(&output, 1, 1000);

		if (got > 0 || (got < 0 && errno != EINTR))
			return 0;
	}
	return -ETIMEDOUT;
}

static int write_output(const char *bytes, size_t size)
{
	int err = 0;

	for (size_t at = 0; at < size && !err; at += PIPE_BUF) {
		err = wait_for_reader();
		if (!err)
			err = stream_frame_write(STDOUT_FILENO, bytes + at,
						 MIN(size - at, PIPE_BUF));
	}
	return err;
}

static int begin_frame(const struct stream_frame *frame)
{
	int err = wait_for_reader();

	return err ? err : stream_frame_begin(STDOUT_FILENO, frame);
}

/* Sends the bytes of the file from an offset to its end. *sent becomes the end. */
static int send_bytes(int fd, struct stream_frame *frame, uint64_t *sent, uint64_t end)
{
	char block[BLOCK];
	int err;

	if (end <= *sent && frame->kind == STREAM_FRAME_APPEND)
		return 0;
	frame->size = end - *sent;
	err = begin_frame(frame);
	while (!err && *sent < end) {
		size_t size = end - *sent < BLOCK ? (size_t)(end - *sent) : BLOCK;
		ssize_t got = pread(fd, block, size, (off_t)*sent);

		if (got <= 0)
			return got ? -errno : -EIO;
		err = write_output(block, (size_t)got);
		*sent += (uint64_t)got;
	}
	return err;
}

/* Sends the new bytes of a table; or, if sent is NULL, all of it. A table may be missing. */
static int send_table(struct stream_output *output, struct pieces *pieces, const char *name,
		      uint64_t *sent)
{
	struct stream_frame frame = { .kind = sent ? STREAM_FRAME_APPEND : STREAM_FRAME_REPLACE };
	struct stat status;
	uint64_t whole = 0;
	int fd, err;

	if (output->ended)
		return 0;
	fd = openat(pieces->present.directory.fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return errno == ENOENT ? 0 : error_set_at(pieces->error, -errno, name);
	snprintf(frame.name, sizeof(frame.name), "%s", name);
	err = fstat(fd, &status)
		      ? -errno
		      : send_bytes(fd, &frame, sent ? sent : &whole, (uint64_t)status.st_size);
	close(fd);
	return check_output(output, pieces->error, err);
}

/* Sends the packets of a CPU that are new, and gives their space back. */
static int send_packets(struct stream_output *output, struct pieces *pieces, unsigned int cpu)
{
	const struct writer *writer = &pieces->streams->drains[cpu].writer;
	uint64_t *sent = &output->sent[cpu], first = *sent;
	struct stream_frame frame = { .kind = STREAM_FRAME_APPEND };
	int fd, err;

	if (output->ended || *sent == writer->size)
		return 0;
	snprintf(frame.name, sizeof(frame.name), "cpu%u", cpu);
	fd = directory_read(&pieces->present.directory, frame.name);
	if (fd < 0)
		return error_set(pieces->error, fd, pieces->present.directory.errmsg);
	err = send_bytes(fd, &frame, sent, writer->size);
	close(fd);
	/* a file system that cannot do it keeps the bytes until the end */
	if (!err && fallocate(writer->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)first,
			      (off_t)(*sent - first)))
		errno = 0;
	return check_output(output, pieces->error, err);
}

static int send_new(struct stream_output *output, struct pieces *pieces)
{
	int err = 0;

	for (size_t i = 0; i < STREAM_OUTPUT_TABLES && !err; i++)
		err = send_table(output, pieces, grown_tables[i], &output->tables[i]);
	for (unsigned int i = 0; i < pieces->streams->rings.possible_cpus && !err; i++)
		if (pieces->streams->draining[i])
			err = send_packets(output, pieces, i);
	return err;
}

static int send_mark(struct stream_output *output, struct pieces *pieces,
		     enum stream_frame_kind kind, uint64_t time)
{
	const struct stream_frame frame = { .kind = kind, .time = time };

	return output->ended ? 0 : check_output(output, pieces->error, begin_frame(&frame));
}

int stream_output_begin(struct stream_output *output, struct pieces *pieces)
{
	int err;

	if (!pieces->options->stream)
		return 0;
	output->sent = calloc(pieces->streams->rings.possible_cpus, sizeof(uint64_t));
	if (!output->sent)
		return error_set_at(pieces->error, -ENOMEM, "standard output");
	err = check_output(output, pieces->error,
			   write_output(STREAM_FRAME_FIRST, strlen(STREAM_FRAME_FIRST)));
	for (size_t i = 0; i < COUNT(first_tables) && !err; i++)
		err = send_table(output, pieces, first_tables[i], NULL);
	if (!err)
		err = send_new(output, pieces);
	return err ? err : send_mark(output, pieces, STREAM_FRAME_TIME, 0);
}

int stream_output_step(struct stream_output *output, struct pieces *pieces, uint64_t now)
{
	int err;

	if (!output->sent || output->ended)
		return 0;
	err = send_new(output, pieces);
	return err ? err
		   : send_mark(output, pieces, STREAM_FRAME_TIME,
			       streams_watermark(pieces->streams, now));
}

static int fail_hanging(const struct stream_output *output, const struct pieces *pieces)
{
	uint64_t left = 0;

	for (unsigned int i = 0; i < pieces->streams->rings.possible_cpus; i++)
		if (pieces->streams->draining[i])
			left += pieces->streams->drains[i].writer.size - output->sent[i];
	return error_format(pieces->error, -ETIMEDOUT,
			    "standard output: the reader took nothing for %d s: %" PRIu64
			    " bytes of events were not sent",
			    HANGS_AFTER, left);
}

int stream_output_end(struct stream_output *output, struct pieces *pieces)
{
	int err = 0;

	if (!output->sent)
		return 0;
	if (!output->ended)
		err = send_new(output, pieces);
	for (size_t i = 0; i < COUNT(last_tables) && !err; i++)
		err = send_table(output, pieces, last_tables[i], NULL);
	if (!err)
		err = send_mark(output, pieces, STREAM_FRAME_END, 0);
	return !err && output->hangs ? fail_hanging(output, pieces) : err;
}
