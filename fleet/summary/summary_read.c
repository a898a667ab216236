// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Reads files of summaries, block by block. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>
#include <unistd.h>

#include "base/files.h"
#include "fleet/summary/summary_block.h"

#define BUFFER_FIRST ((size_t)1 << 16)
#define HEADER_WORD "kmemtrace-summaries "

static int fail_summary_reader(struct summary_reader *reader, int err)
{
	snprintf(reader->errmsg, sizeof(reader->errmsg), "%s: %s", reader->path, strerror(-err));
	return err;
}

static int check_header(struct summary_reader *reader)
{
	char line[sizeof(SUMMARY_FILE_HEADER)] = "";

	if (!fgets(line, sizeof(line), reader->file) && ferror(reader->file))
		return fail_summary_reader(reader, errno ? -errno : -EIO);
	if (!strcmp(line, SUMMARY_FILE_HEADER))
		return 0;
	if (strncmp(line, HEADER_WORD, strlen(HEADER_WORD)) != 0) {
		snprintf(reader->errmsg, sizeof(reader->errmsg), "%s: not a file of summaries",
			 reader->path);
		return -EBADMSG;
	}
	snprintf(reader->errmsg, sizeof(reader->errmsg),
		 "%s: another version of the format: read it with that version of kmemtrace",
		 reader->path);
	return -EPROTONOSUPPORT;
}

/* Takes the descriptor. */
static int open_stream(struct summary_reader *reader, int fd)
{
	int err;

	if (fd < 0)
		return fail_summary_reader(reader, fd);
	reader->file = fdopen(fd, "r");
	if (!reader->file) {
		err = fail_summary_reader(reader, -errno);
		close(fd);
		return err;
	}
	err = check_header(reader);
	if (err) {
		summary_reader_close(reader);
		return err;
	}
	reader->offset = reader->buffer_offset = strlen(SUMMARY_FILE_HEADER);
	return 0;
}

int summary_reader_open(struct summary_reader *reader, const char *path)
{
	*reader = (struct summary_reader){ .path = path };
	return open_stream(reader, open_regular_file(AT_FDCWD, path));
}

int summary_reader_open_fd(struct summary_reader *reader, int fd, const char *path)
{
	int copy;

	*reader = (struct summary_reader){ .path = path };
	if (lseek(fd, 0, SEEK_SET) < 0)
		return fail_summary_reader(reader, -errno);
	copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	return open_stream(reader, copy < 0 ? -errno : copy);
}

void summary_reader_close(struct summary_reader *reader)
{
	if (reader->file)
		fclose(reader->file);
	free(reader->buffer);
	reader->file = NULL;
	reader->buffer = NULL;
}

int summary_reader_seek(struct summary_reader *reader, uint64_t offset)
{
	if (fseeko(reader->file, (off_t)offset, SEEK_SET))
		return fail_summary_reader(reader, -errno);
	reader->offset = reader->buffer_offset = offset;
	reader->at = reader->filled = 0;
	reader->ended = false;
	return 0;
}

/* Reads more behind what is not parsed yet. 1; 0: that is SUMMARY_BLOCK_MAX already; or -errno. */
static int fill_buffer(struct summary_reader *reader)
{
	size_t left = reader->filled - reader->at, space, got;
	char *buffer;

	if (left)
		memmove(reader->buffer, reader->buffer + reader->at, left);
	reader->buffer_offset += reader->at;
	reader->at = 0;
	reader->filled = left;
	if (left == reader->space) {
		if (left == SUMMARY_BLOCK_MAX)
			return 0;
		space = MIN(MAX(2 * left, BUFFER_FIRST), SUMMARY_BLOCK_MAX);
		buffer = realloc(reader->buffer, space);
		if (!buffer)
			return fail_summary_reader(reader, -ENOMEM);
		reader->buffer = buffer;
		reader->space = space;
	}
	errno = 0;
	got = fread(reader->buffer + left, 1, reader->space - left, reader->file);
	if (!got && ferror(reader->file))
		return fail_summary_reader(reader, errno ? -errno : -EIO);
	reader->filled += got;
	reader->ended = !got;
	return 1;
}

static uint64_t block_offset(const struct summary_reader *reader)
{
	return reader->buffer_offset + reader->at;
}

static int report_damage(struct summary_reader *reader, uint64_t offset, const char *what)
{
	snprintf(reader->errmsg, sizeof(reader->errmsg), "%s: the summary at byte %" PRIu64 " %s",
		 reader->path, offset, what);
	return -EBADMSG;
}

/* Drops all but the bytes that may be the begin of a block's first line. */
static void drop_buffer(struct summary_reader *reader)
{
	reader->at = reader->filled - MIN(reader->filled, strlen("\nsummary ") - 1);
}

/*
 * Finds the next block, at reader->at. 1, 0 at the end, -EBADMSG or -errno. Of a block that goes on
 * behind the buffer, more is read.
 */
static int find_block(struct summary_reader *reader, struct summary_block *block)
{
	uint64_t offset = block_offset(reader);
	bool is_too_long = false;
	int more;

	for (;;) {
		enum summary_block_state state = SUMMARY_BLOCK_NONE;

		if (reader->filled > reader->at)
			state = summary_block_find(reader->buffer + reader->at,
						   reader->buffer + reader->filled, block);
		if (state == SUMMARY_BLOCK_WHOLE && !is_too_long)
			return 1;
		if (state == SUMMARY_BLOCK_DAMAGED) {
			more = report_damage(reader, offset,
					     is_too_long ? "is too long" : "is damaged");
			reader->at = (size_t)(block->next - reader->buffer);
			return more;
		}
		if (reader->ended) {
			if (state == SUMMARY_BLOCK_NONE)
				return 0;
			more = report_damage(reader, offset,
					     "is cut off or damaged: the file ends in it");
			reader->at = reader->filled;
			return more;
		}
		more = fill_buffer(reader);
		if (more < 0)
			return more;
		is_too_long |= !more;
		if (!more)
			drop_buffer(reader);
	}
}

static void pass_block(struct summary_reader *reader, const struct summary_block *block, int err)
{
	reader->at = (size_t)(block->next - reader->buffer);
	if (!err)
		reader->offset = reader->buffer_offset + reader->at;
}

int summary_reader_next(struct summary_reader *reader, struct summary *summary)
{
	struct summary_block block;
	int err, found = find_block(reader, &block);

	if (found <= 0)
		return found;
	err = summary_block_parse(reader->buffer + reader->at, &block, summary);
	if (err == -EBADMSG)
		report_damage(reader, block_offset(reader), "has a wrong line");
	else if (err)
		fail_summary_reader(reader, err);
	pass_block(reader, &block, err);
	return err ? err : 1;
}

int summary_reader_skip(struct summary_reader *reader, struct summary_head *head)
{
	struct summary_block block;
	int err, found = find_block(reader, &block);

	if (found <= 0)
		return found;
	err = summary_block_head(reader->buffer + reader->at, &block, head);
	head->offset = block_offset(reader);
	if (err)
		report_damage(reader, block_offset(reader), "has a wrong line");
	pass_block(reader, &block, err);
	return err ? err : 1;
}
