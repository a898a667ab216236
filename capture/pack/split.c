// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Copies the packets of each piece, and the tables; then makes the checkpoints. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <libdeflate.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/checkpoint.h"
#include "base/cleanup.h"
#include "base/deflate_setup.h"
#include "base/files.h"
#include "base/inside.h"
#include "capture/byteorder.h"
#include "capture/pack/split.h"
#include "capture/pack/split_plan.h"
#include "capture/parts.h"
#include "capture/reader.h"
#include "cli/progress.h"
#include "cli/stop.h"
#include "kernel/record_kinds.h"

struct split {
	const struct capture *capture;
	const struct split_settings *settings;
	struct split_plan plan;
	const char *path; /* of the set */
	int set;	  /* its file descriptor */
	uint64_t bytes, done;
	struct error *error;
};

/* The tables that do not change while a capture is recorded. */
static const char *const static_tables[] = { "kernel/symbols", "kernel/gfp", "kernel/topology" };

static int fail_split_file(struct split *split, int err, size_t piece, const char *name)
{
	return error_format(split->error, err, "%s/" PARTS_PIECE_NAME "/%s: %s", split->path,
			    (unsigned int)piece + 1, name, strerror(-err));
}

static int open_piece(struct split *split, size_t piece)
{
	char name[32];

	snprintf(name, sizeof(name), PARTS_PIECE_NAME, (unsigned int)piece + 1);
	return inside_open_directory(split->set, name);
}

/* Writes a packet with the numbers of its piece. bytes: the packet, with its header. */
static int write_packet(int fd, struct packet_header header, bool swap, unsigned char *bytes,
			size_t size)
{
	struct packet_header disk;

	header.content_bits = header.packet_bits = (uint64_t)size * 8;
	header.crc = 0;
	for (int i = 0; i < 2; i++) {
		disk = header;
		if (swap)
			packet_header_swap(&disk);
		memcpy(bytes, &disk, sizeof(disk));
		if (!i)
			header.crc = libdeflate_crc32(0, bytes, size);
	}
	return write_all(fd, bytes, size);
}

/* The packet without records that begins or ends a stream. */
static int write_empty(int fd, struct packet_header header, bool swap, uint64_t time,
		       uint64_t sequence)
{
	unsigned char bytes[sizeof(header)];

	header.time_first = header.time_last = time;
	header.sequence_first = header.sequence_end = sequence;
	header.records = 0;
	header.codec = PACKET_RAW;
	return write_packet(fd, header, swap, bytes, sizeof(bytes));
}

static void count_records(const struct split *split, struct split_part *part,
			  const struct packet *packet)
{
	struct kmt_record record;
	struct cursor cursor;

	cursor_init(&cursor, packet);
	while (cursor_next(&cursor, &record) == 1) {
		part->own += status_is_own(&split->capture->status, record.task);
		part->from_backup +=
			record_kind_is_known(record.id) &&
			record_kind_is_one_of(record.id, RECORD_KINDS_WITH(RECORD_BACKUP));
	}
}

/* Copies a packet. header: as it shall be, but for its lengths. */
static int copy_packet(const struct stream *file, const struct packet *packet,
		       struct packet_header header, int fd)
{
	size_t size = header.packet_bits / 8;
	unsigned char *bytes = malloc(size);
	int err;

	if (!bytes)
		return -ENOMEM;
	if (pread(file->fd, bytes, size, (off_t)packet->offset) != (ssize_t)size)
		err = -EIO;
	else
		err = write_packet(fd, header, packet->swap, bytes, size);
	free(bytes);
	return err;
}

/* Copies the packets of one piece to fd. lost_before: of the stream, in the pieces before. */
static int copy_part(struct split *split, size_t piece, size_t stream, struct stream *file, int fd,
		     uint64_t lost_before)
{
	const struct split_stream *about = &split->plan.streams[stream];
	struct split_part *part = &about->parts[piece];
	uint64_t skipped_before = split->plan.pieces[piece].skipped_before, number = 1;
	struct packet_header header = { .magic = PACKET_MAGIC,
					.cpu = about->cpu,
					.version = PACKET_VERSION };
	struct packet packet;
	int err;

	memcpy(header.uuid, split->capture->metadata.uuid, sizeof(header.uuid));
	err = write_empty(fd, header, file->swap, part->begin, part->sequence_first);
	for (size_t i = part->first; i < part->end && !err; i++) {
		int got = stream_next(file, &packet);

		if (got != 1)
			return got < 0 ? got : -EIO;
		progress_line_bytes(split->settings->line, split->done + file->offset,
				    split->bytes);
		if (stop_signal())
			return -EINTR;
		count_records(split, part, &packet);
		header = packet.header;
		header.number = number;
		header.lost = header.lost > lost_before ? header.lost - lost_before : 0;
		header.skipped = header.skipped > skipped_before ? header.skipped - skipped_before
								 : 0;
		if (header.records) {
			err = copy_packet(file, &packet, header, fd);
			number++;
		}
	}
	header.number = number;
	header.lost = part->sequence_end - part->sequence_first - part->recorded;
	return err ? err : write_empty(fd, header, file->swap, part->until, part->sequence_end);
}

static int copy_stream(struct split *split, size_t stream)
{
	const struct split_stream *about = &split->plan.streams[stream];
	uint64_t lost = 0;
	struct stream file;
	char name[24];
	int err = stream_open(&file, split->capture->streams[stream].path);

	if (err)
		return error_set_at(split->error, err, split->capture->streams[stream].path);
	/* the byte order is that of the first packet */
	file.swap = split->capture->metadata.big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	snprintf(name, sizeof(name), "cpu%u", about->cpu);
	for (size_t piece = 0; piece < split->plan.piece_count && !err; piece++) {
		const struct split_part *part = &about->parts[piece];
		int directory = open_piece(split, piece);
		int fd = directory < 0
				 ? directory
				 : inside_open(directory, name, O_WRONLY | O_CREAT | O_EXCL, 0600);

		err = fd < 0 ? fd : copy_part(split, piece, stream, &file, fd, lost);
		lost += part->sequence_end - part->sequence_first - part->recorded;
		if (fd >= 0 && close(fd) && !err)
			err = -errno;
		if (directory >= 0)
			close(directory);
		if (err == -EBADMSG)
			error_format(
				split->error, err,
				"%s is damaged: kmemtrace-check --repair makes a whole capture of it",
				split->capture->streams[stream].path);
		else if (err == -EINTR)
			error_format(split->error, err,
				     "stopped by a signal: nothing is left in %s", split->path);
		else if (err)
			fail_split_file(split, err, piece, name);
	}
	split->done += file.size;
	stream_close(&file);
	return err;
}

/* The counters of one piece. */
static int make_status(const struct split *split, size_t piece, struct status *status)
{
	const struct split_piece *about = &split->plan.pieces[piece];
	bool is_last = piece + 1 == split->plan.piece_count;
	uint64_t lost = 0, skipped_until = is_last ? status->skipped : about[1].skipped_before;
	size_t spans = 0;
	int err = 0;

	status->cpu_count = status->span_count = status->lost_task_count = 0;
	status->begin = piece ? about->begin : status->begin;
	status->end = is_last ? status->end : about->end;
	status->until = is_last ? 0 : about[1].begin;
	status->skipped = skipped_until == STATUS_UNKNOWN ? STATUS_UNKNOWN
							  : skipped_until - about->skipped_before;
	status->from_backup = 0;
	/* the time at which names were lost is not known: only the last piece counts them */
	if (!is_last)
		status->names_lost = status->hook_calls_skipped = status->clamped = 0;
	for (size_t i = 0; i < status->skip_span_count; i++) {
		uint64_t before = status->skip_spans[i].before;

		if (before > about->begin && (is_last || before <= about[1].begin))
			status->skip_spans[spans++] = status->skip_spans[i];
	}
	status->skip_span_count = spans;
	for (size_t i = 0; i < split->plan.stream_count && !err; i++) {
		const struct split_part *part = &split->plan.streams[i].parts[piece];
		struct status_cpu *cpu = status_add_cpu(status, split->plan.streams[i].cpu);

		if (!cpu)
			return -ENOMEM;
		cpu->recorded = part->recorded;
		cpu->lost = part->sequence_end - part->sequence_first - part->recorded;
		cpu->skipped = status->skipped ? STATUS_UNKNOWN : 0;
		cpu->seen = cpu->recorded + cpu->lost;
		cpu->own = part->own;
		cpu->from_backup = part->from_backup;
		status->from_backup += part->from_backup;
		lost += cpu->lost;
	}
	status->lost_unattributed = lost;
	return err;
}

/* Writes a file of a piece by a function. */
static int write_piece_file(struct split *split, size_t piece, int directory, const char *name,
			    int (*write_function)(struct split *split, size_t piece, FILE *file))
{
	int fd = inside_open(directory, name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
	int err;

	if (!file) {
		err = fd < 0 ? fd : -ENOMEM;
		if (fd >= 0)
			close(fd);
		return fail_split_file(split, err, piece, name);
	}
	err = write_function(split, piece, file);
	if (fclose(file) && !err)
		err = -errno;
	return err ? fail_split_file(split, err, piece, name) : 0;
}

static int write_piece_metadata(struct split *split, size_t piece, FILE *file)
{
	struct metadata metadata = split->capture->metadata;

	metadata.piece = (unsigned int)piece + 1;
	return metadata_write(&metadata, file);
}

static int write_piece_status(struct split *split, size_t piece, FILE *file)
{
	__attribute__((cleanup(free_text))) char *path =
		join_path(split->capture->path, "kernel/status");
	__attribute__((cleanup(free_text))) char *text = NULL;
	struct status status;
	int err = path ? read_file(AT_FDCWD, path, (size_t)64 << 20, &text, NULL) : -ENOMEM;

	if (!err)
		err = status_parse(&status, text, NULL);
	if (err)
		return err;
	err = make_status(split, piece, &status);
	if (!err)
		err = status_write(&status, file);
	status_deinit(&status);
	return err;
}

/* All tables go to the first piece; the next ones have them in their checkpoints. */
static int copy_tables(struct split *split, size_t piece, int directory)
{
	struct file_copy copy = { .to = directory, .mode = 0600 };
	int err = 0;

	copy.from = open(split->capture->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (copy.from < 0)
		return error_set_at(split->error, -errno, split->capture->path);
	if (!piece)
		err = copy_folder(&copy, "kernel");
	else
		err = inside_make_directory(directory, "kernel", 0700);
	for (size_t i = 0; piece && !err && i < sizeof(static_tables) / sizeof(*static_tables);
	     i++) {
		err = copy_file(&copy, static_tables[i]);
		if (err == -ENOENT)
			err = 0;
	}
	close(copy.from);
	return err ? fail_split_file(split, err, piece, *copy.failed ? copy.failed : "kernel") : 0;
}

static int make_pieces(struct split *split,
		       int (*make)(struct split *split, size_t piece, int directory))
{
	int err = 0;

	for (size_t piece = 0; piece < split->plan.piece_count && !err; piece++) {
		int directory = open_piece(split, piece);

		if (directory < 0)
			return fail_split_file(split, directory, piece, "");
		err = make(split, piece, directory);
		close(directory);
	}
	return err;
}

static int make_directories(struct split *split)
{
	int err = 0;

	for (size_t piece = 0; piece < split->plan.piece_count && !err; piece++) {
		char name[32];

		snprintf(name, sizeof(name), PARTS_PIECE_NAME, (unsigned int)piece + 1);
		err = inside_make_directory(split->set, name, 0700);
		if (err)
			fail_split_file(split, err, piece, "");
	}
	return err;
}

static int write_status_file(struct split *split, size_t piece, int directory)
{
	int err = write_piece_file(split, piece, directory, "kernel/status", write_piece_status);

	/* the last file: a piece begins with its metadata */
	return err ? err
		   : write_piece_file(split, piece, directory, "metadata", write_piece_metadata);
}

static int make_checkpoints(struct split *split)
{
	int err = 0;

	for (unsigned int piece = 1; piece < split->plan.piece_count && !err; piece++) {
		__attribute__((cleanup(free_text))) char *from =
			parts_piece_path(split->path, piece);
		__attribute__((cleanup(free_text))) char *to =
			parts_piece_path(split->path, piece + 1);

		if (!from || !to)
			return error_set_at(split->error, -ENOMEM, split->path);
		if (stop_signal())
			return error_set(split->error, -EINTR, "stopped by a signal");
		err = checkpoint_make(from, to, NULL, split->error);
	}
	return err;
}

static int fill_pieces(struct split *split)
{
	int err = make_directories(split);

	if (!err)
		err = make_pieces(split, copy_tables);
	for (size_t i = 0; i < split->plan.stream_count && !err; i++)
		err = copy_stream(split, i);
	if (!err)
		err = make_pieces(split, write_status_file);
	return err ? err : make_checkpoints(split);
}

/* The directory of the set: a new one, or one that is empty. Its descriptor or -errno. */
static int open_set(struct split *split)
{
	DIR *list;
	int fd, err = 0;

	if (mkdir(split->path, 0777) && errno != EEXIST)
		return error_set_at(split->error, -errno, split->path);
	list = opendir(split->path);
	if (!list)
		return error_set_at(split->error, -errno, split->path);
	if (inside_next(list, &err))
		err = error_format(split->error, -ENOTEMPTY,
				   "%s is not empty: name a new directory", split->path);
	fd = err ? err : fcntl(dirfd(list), F_DUPFD_CLOEXEC, 3);
	closedir(list);
	return fd;
}

int split_capture(const struct capture *capture, const char *set,
		  const struct split_settings *settings, size_t *count, struct error *error)
{
	struct split split = { .capture = capture,
			       .settings = settings,
			       .path = set,
			       .bytes = stream_files_all_bytes(
				       capture->streams, capture->stream_count, &capture->parts),
			       .error = error };
	int err = split_plan_make(&split.plan, capture, settings, error);

	deflate_setup();
	split.set = err ? err : open_set(&split);
	if (!err && split.set < 0)
		err = split.set;
	if (!err) {
		err = fill_pieces(&split);
		if (err)
			inside_remove_all(split.set);
		close(split.set);
	}
	*count = split.plan.piece_count;
	split_plan_deinit(&split.plan);
	return err;
}
