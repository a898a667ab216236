// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The file: a line "kmemtraced CRC BYTES", then so many bytes of "key value" lines. Later versions
 * may add keys. Behind the lines, the rest of an earlier, longer text may stand.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/cleanup.h"
#include "base/files.h"
#include "base/inside.h"
#include "base/number.h"
#include "base/text.h"
#include "live/stats/trusted_directory.h"
#include "tracer/status_file.h"

#define PREFIX "status."
#define FILE_MAX 65536
#define TEXT_LENGTH 16384
#define TRIES 10
#define START_FIELD 20 /* of /proc/PID/stat, behind the name of the process */

/* The numbers in the file; one that is not known is left out. */
static const struct item {
	const char *key;
	size_t offset;
} numbers[] = {
	{ "pid", offsetof(struct daemon_status, pid) },
	{ "start", offsetof(struct daemon_status, start) },
	{ "since", offsetof(struct daemon_status, since) },
	{ "events", offsetof(struct daemon_status, events) },
	{ "lost", offsetof(struct daemon_status, lost) },
	{ "counted", offsetof(struct daemon_status, counted) },
	{ "skipped", offsetof(struct daemon_status, skipped) },
	{ "disk", offsetof(struct daemon_status, disk) },
	{ "free", offsetof(struct daemon_status, free) },
	{ "fired", offsetof(struct daemon_status, fired) },
	{ "pieces", offsetof(struct daemon_status, pieces) },
	{ "dumps", offsetof(struct daemon_status, dumps) },
	{ "summaries", offsetof(struct daemon_status, summaries) },
	{ "summary_errors", offsetof(struct daemon_status, summary_errors) },
	{ "shipped", offsetof(struct daemon_status, shipped) },
	{ "ship_dropped", offsetof(struct daemon_status, ship_dropped) },
	{ "ship_waiting", offsetof(struct daemon_status, ship_waiting) },
};
static const struct item texts[] = {
	{ "capture", offsetof(struct daemon_status, capture) },
	{ "published", offsetof(struct daemon_status, published) },
	{ "options", offsetof(struct daemon_status, options) },
	{ "doubts", offsetof(struct daemon_status, doubts) },
	{ "trigger", offsetof(struct daemon_status, trigger) },
	{ "dump", offsetof(struct daemon_status, dump) },
	{ "dump_time", offsetof(struct daemon_status, dump_time) },
	{ "dump_trigger", offsetof(struct daemon_status, dump_trigger) },
	{ "dump_failure", offsetof(struct daemon_status, dump_failure) },
	{ "last_summary", offsetof(struct daemon_status, last_summary) },
	{ "last_shipped", offsetof(struct daemon_status, last_shipped) },
	{ "shipping", offsetof(struct daemon_status, shipping) },
};
#define NUMBERS (sizeof(numbers) / sizeof(*numbers))
#define TEXTS (sizeof(texts) / sizeof(*texts))

static uint64_t *number_at(struct daemon_status *status, size_t i)
{
	return (uint64_t *)((char *)status + numbers[i].offset);
}

static char **text_at(struct daemon_status *status, size_t i)
{
	return (char **)((char *)status + texts[i].offset);
}

void daemon_status_deinit(struct daemon_status *status)
{
	for (size_t i = 0; i < TEXTS; i++)
		free(*text_at(status, i));
	memset(status, 0, sizeof(*status));
}

/* When the process started. 0, or -ENOENT: there is no process with this id. */
static int process_start(uint64_t pid, uint64_t *start)
{
	__attribute__((cleanup(free_text))) char *text = NULL;
	char path[64];
	const char *at;
	int err;

	snprintf(path, sizeof(path), "/proc/%" PRIu64 "/stat", pid);
	err = read_file(AT_FDCWD, path, FILE_MAX, &text, NULL);
	if (err)
		return err == -ESRCH ? -ENOENT : err;
	/* the name may have spaces and parentheses */
	at = strrchr(text, ')');
	for (int i = 0; at && i < START_FIELD; i++)
		at = strchr(at + 1, ' ');
	if (!at)
		return -EBADMSG;
	at++;
	return number_parse(&at, 10, start) ? 0 : -EBADMSG;
}

static bool has_ended(uint64_t pid, uint64_t start)
{
	uint64_t now;
	int err = process_start(pid, &now);

	return err == -ENOENT || (!err && start && now != start);
}

bool status_file_is_name(const char *name)
{
	return !strncmp(name, PREFIX, strlen(PREFIX));
}

/* A kmemtraced that was killed could not remove its file. */
static void remove_stale_files(int directory)
{
	__attribute__((cleanup(close_directory))) DIR *list = NULL;
	int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), err = 0;
	const char *name;

	list = fd < 0 ? NULL : fdopendir(fd);
	if (!list) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((name = inside_next(list, &err))) {
		struct daemon_status status = { 0 };
		uint64_t pid;

		if (!status_file_is_name(name) ||
		    !number_in_range(name + strlen(PREFIX), 1, INT32_MAX, &pid))
			continue;
		/* a file is empty until its process is ready */
		if (has_ended(pid, 0) || status_file_read(directory, name, &status) == -ENOENT)
			inside_unlink(directory, name);
		daemon_status_deinit(&status);
	}
}

int status_file_open(struct status_file *file, const char *directory)
{
	__attribute__((cleanup(free_text))) char *path = NULL;
	int err;

	*file = (struct status_file){ .directory = -1, .fd = -1, .pid = (uint64_t)getpid() };
	snprintf(file->name, sizeof(file->name), PREFIX "%" PRIu64, file->pid);
	err = process_start(file->pid, &file->start);
	if (err)
		return err;
	path = join_path(directory, file->name);
	if (!path)
		return -ENOMEM;
	file->directory = trusted_directory_open(path, NULL);
	if (file->directory < 0)
		return file->directory;
	remove_stale_files(file->directory);
	inside_unlink(file->directory, file->name);
	file->fd = inside_open(file->directory, file->name, O_WRONLY | O_CREAT | O_EXCL, 0644);
	if (file->fd >= 0 && !fchmod(file->fd, 0644)) /* whatever the umask is */
		return 0;
	err = file->fd < 0 ? file->fd : -errno;
	status_file_close(file);
	return err;
}

void status_file_close(struct status_file *file)
{
	if (file->fd >= 0) {
		inside_unlink(file->directory, file->name);
		close(file->fd);
	}
	if (file->directory >= 0)
		close(file->directory);
	file->directory = file->fd = -1;
}

static void write_status_lines(FILE *stream, struct daemon_status *status)
{
	for (size_t i = 0; i < NUMBERS; i++)
		if (*number_at(status, i) != STATUS_FILE_UNKNOWN)
			fprintf(stream, "%s %" PRIu64 "\n", numbers[i].key, *number_at(status, i));
	for (size_t i = 0; i < TEXTS; i++)
		if (*text_at(status, i)) {
			fprintf(stream, "%s ", texts[i].key);
			text_write_rest(stream, *text_at(status, i));
			putc('\n', stream);
		}
}

int status_file_write(struct status_file *file, const struct daemon_status *status)
{
	__attribute__((cleanup(free_text))) char *lines = NULL, *text = NULL;
	struct daemon_status written = *status;
	size_t size = 0;
	FILE *stream;
	int length;

	if (file->fd < 0)
		return 0;
	written.pid = file->pid;
	written.start = file->start;
	stream = text_open(&lines, &size);
	if (!stream)
		return -errno;
	write_status_lines(stream, &written);
	if (text_close(stream, &lines))
		return -ENOMEM;
	length = asprintf(&text, "kmemtraced %08lx %zu\n%s",
			  crc32(0, (const unsigned char *)lines, (unsigned int)size), size, lines);
	if (length < 0) {
		text = NULL;
		return -ENOMEM;
	}
	return pwrite(file->fd, text, (size_t)length, 0) < 0 ? -errno : 0;
}

/* The lines of a whole text, and their end; NULL: the writer was writing it. */
static const char *find_lines(const char *text, size_t size, const char **end)
{
	struct line line;
	const char *at = text;
	uint64_t crc, bytes;

	if (!line_next(&line, &at) || !line_key(&line, "kmemtraced") ||
	    !line_u64(&line, 16, &crc) || !line_u64(&line, 10, &bytes) ||
	    bytes > size - (size_t)(at - text) ||
	    crc32(0, (const unsigned char *)at, (unsigned int)bytes) != crc)
		return NULL;
	*end = at + bytes;
	return at;
}

static int parse_text(struct line *line, char **text)
{
	char value[TEXT_LENGTH];

	free(*text);
	line_rest(line, value, sizeof(value));
	*text = strdup(value);
	return *text ? 0 : -ENOMEM;
}

static int parse_lines(const char *at, const char *end, struct daemon_status *status)
{
	struct line line;
	int err = 0;

	for (size_t i = 0; i < NUMBERS; i++)
		*number_at(status, i) = STATUS_FILE_UNKNOWN;
	while (!err && at < end && line_next(&line, &at)) {
		for (size_t i = 0; i < NUMBERS; i++)
			if (line_key(&line, numbers[i].key))
				line_u64(&line, 10, number_at(status, i));
		for (size_t i = 0; i < TEXTS && !err; i++)
			if (line_key(&line, texts[i].key))
				err = parse_text(&line, text_at(status, i));
	}
	return err;
}

static int read_once(int directory, const char *name, struct daemon_status *status)
{
	__attribute__((cleanup(free_text))) char *text = NULL;
	const char *lines, *end;
	size_t size;
	int err = read_file(directory, name, FILE_MAX, &text, &size);

	if (err)
		return err;
	if (!size)
		return -ENODATA;
	lines = find_lines(text, size, &end);
	return lines ? parse_lines(lines, end, status) : -EAGAIN;
}

int status_file_read(int directory, const char *name, struct daemon_status *status)
{
	int err = -EAGAIN;

	memset(status, 0, sizeof(*status));
	for (int i = 0; i < TRIES && err == -EAGAIN; i++) {
		if (i)
			sched_yield();
		err = read_once(directory, name, status);
	}
	if (!err && has_ended(status->pid, status->start))
		err = -ENOENT;
	if (err)
		daemon_status_deinit(status);
	return err;
}
