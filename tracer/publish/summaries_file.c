// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A block is appended with one write. Nothing is synced to the disk: a block that a crash of the
 * system cut off has a wrong checksum, and the next start removes it.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/param.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files.h"
#include "base/inside.h"
#include "base/number.h"
#include "base/utc.h"
#include "fleet/summary/summary_file.h"
#include "live/stats/trusted_directory.h"
#include "tracer/publish/summaries_file.h"

#define DAY (86400 * 1000000000ULL) /* ns */
#define MODE 0600
#define DATE_LENGTH 10		 /* 2026-11-25 */
#define PARTS 8			 /* of the limit: a file has one of them at most */
#define HOST_MAX 200		 /* bytes in a file's name */
#define TAIL_FIRST (64 << 10)	 /* bytes of the end of a file that are read first */
#define BLOCK_BEGIN "\nsummary " /* with the end of the line before */

struct summaries_file {
	int directory, fd; /* -1: none */
	uint64_t day;	   /* of the open file: days since 1970 */
	uint64_t part;	   /* of the day: the first is 0 */
	uint64_t max;	   /* bytes of all files; 0: no limit */
	char host[HOST_MAX + 1];
};

/* The values in the name of a file. */
struct named_file {
	uint64_t day, part;
};

static const char header[] = SUMMARY_FILE_HEADER;
#define HEADER_LENGTH (sizeof(header) - 1)

/* Any name of a host becomes part of a file's name. */
static void set_host(struct summaries_file *file, const char *host)
{
	snprintf(file->host, sizeof(file->host), "%s", *host ? host : "unknown");
	for (char *at = file->host; *at; at++)
		if (!((*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') ||
		      (*at >= '0' && *at <= '9') || *at == '-' || *at == '_' ||
		      (*at == '.' && at != file->host)))
			*at = '_';
}

static void name_of_part(const struct summaries_file *file, uint64_t day, uint64_t part, char *name,
			 size_t size)
{
	char date[40], number[24] = "";

	utc_text(day * DAY, date, sizeof(date));
	if (part)
		snprintf(number, sizeof(number), ".%" PRIu64, part);
	snprintf(name, size, "%s.%.*s%s" SUMMARY_FILE_SUFFIX, file->host, DATE_LENGTH, date,
		 number);
}

static int read_at(int fd, char *text, size_t size, uint64_t offset)
{
	while (size) {
		ssize_t got = pread(fd, text, size, (off_t)offset);

		if (got <= 0)
			return got ? -errno : -EIO;
		text += got;
		size -= (size_t)got;
		offset += (size_t)got;
	}
	return 0;
}

/* The text is NUL-terminated, and may have other NULs. NULL: there is no block. */
static const char *find_last_block(const char *text, size_t size)
{
	const size_t length = sizeof(BLOCK_BEGIN) - 1;

	for (size_t i = size; i >= length; i--)
		if (!memcmp(text + i - length, BLOCK_BEGIN, length))
			return text + i - length + 1;
	return NULL;
}

/* Finds the end of the last whole block in the last bytes of the file. 1; 0: none begins there. */
static int find_end(int fd, uint64_t size, size_t tail, uint64_t *end)
{
	__attribute__((cleanup(free_text))) char *text = malloc(tail + 1);
	struct summary summary;
	const char *block, *at;
	int result;

	if (!text)
		return -ENOMEM;
	result = read_at(fd, text, tail, size - tail);
	if (result)
		return result;
	text[tail] = '\0';
	at = block = find_last_block(text, tail);
	if (!block)
		return 0;
	result = summary_parse(&summary, &at, text + tail);
	if (result < 0 && result != -EBADMSG)
		return result;
	if (result > 0)
		summary_deinit(&summary);
	*end = size - tail + (uint64_t)((result > 0 ? at : block) - text);
	return 1;
}

/* Every block but the last was whole when the next one was written. 0 or -errno. */
static int cut_end(int fd, uint64_t size)
{
	uint64_t end = HEADER_LENGTH, tail = MIN(size, TAIL_FIRST);
	int found = find_end(fd, size, tail, &end);

	while (!found && tail < size && tail < 2 * SUMMARY_BLOCK_MAX) {
		tail = MIN(size, 2 * tail);
		found = find_end(fd, size, tail, &end);
	}
	if (found < 0)
		return found;
	/* another program wrote it */
	if (!found && tail < size)
		return -EBADMSG;
	return end < size && ftruncate(fd, (off_t)end) ? -errno : 0;
}

/*
 * An existing file must be a file of summaries: its name may be a hard link to another file of this
 * user.
 */
static int check_header(int fd, uint64_t size)
{
	char text[HEADER_LENGTH];
	size_t length = MIN(size, HEADER_LENGTH);
	int err = read_at(fd, text, length, 0);

	if (err)
		return err;
	if (memcmp(text, header, length) != 0)
		return -EBADMSG;
	if (length == HEADER_LENGTH)
		return cut_end(fd, size);
	if (ftruncate(fd, 0))
		return -errno;
	err = write_all(fd, header, HEADER_LENGTH);
	if (err && ftruncate(fd, 0))
		return -errno;
	return err;
}

/* The descriptor of a file that can be appended to, or -errno. */
static int open_part(const struct summaries_file *file, uint64_t day, uint64_t part)
{
	struct stat about;
	char name[NAME_MAX + 1];
	int fd, err = 0;

	name_of_part(file, day, part, name, sizeof(name));
	fd = inside_open(file->directory, name, O_RDWR | O_CREAT | O_APPEND, MODE);
	if (fd >= 0)
		fd = inside_keep_regular(fd);
	if (fd < 0)
		return fd;
	if (fstat(fd, &about))
		err = -errno;
	else if (about.st_uid != geteuid() || about.st_nlink != 1)
		err = -EPERM;
	else if (flock(fd, LOCK_EX | LOCK_NB))
		err = errno == EWOULDBLOCK ? -EBUSY : -errno;
	if (!err)
		err = check_header(fd, (uint64_t)about.st_size);
	if (!err)
		return fd;
	close(fd);
	return err;
}

static void fail_to_open(const struct summaries_file *file, int err, const char *path,
			 struct error *error)
{
	char name[NAME_MAX + 1];

	name_of_part(file, file->day, file->part, name, sizeof(name));
	error_format(
		error, err, "%s/%s: %s", path, name,
		err == -EBUSY
			? "another kmemtraced writes it: choose another directory with --summaries-dir"
		: err == -EBADMSG ? "is not a file of summaries: move it away"
		: err == -EPERM	  ? "belongs to another user, or has a second name: move it away"
				  : strerror(-err));
}

/* A name as of name_of_part(). */
static bool parse_file_name(const struct summaries_file *file, const char *name,
			    struct named_file *named)
{
	size_t length = strlen(file->host);
	char date[DATE_LENGTH + sizeof("T00:00")], again[NAME_MAX + 1];
	const char *part = name + length + 1 + DATE_LENGTH;
	uint64_t ns;

	if (strncmp(name, file->host, length) != 0 || name[length] != '.')
		return false;
	snprintf(date, sizeof(date), "%.*sT00:00", DATE_LENGTH, name + length + 1);
	if (!utc_parse(date, strlen(date), &ns))
		return false;
	named->day = ns / DAY;
	named->part = 0;
	if (*part == '.' && *++part >= '1' && *part <= '9')
		number_parse(&part, 10, &named->part);
	name_of_part(file, named->day, named->part, again, sizeof(again));
	return !strcmp(name, again);
}

/* NULL: *err is set. */
static DIR *open_list(const struct summaries_file *file, int *err)
{
	int fd = inside_open_directory(file->directory, ".");
	DIR *list = fd < 0 ? NULL : fdopendir(fd);

	*err = list ? 0 : fd < 0 ? fd : -errno;
	if (!list && fd >= 0)
		close(fd);
	return list;
}

/* The file of a day that is written last; 0: there is none, or only that. */
static uint64_t find_last_part(const struct summaries_file *file, uint64_t day)
{
	__attribute__((cleanup(close_directory))) DIR *list = NULL;
	uint64_t last = 0;
	struct named_file named;
	const char *name;
	int err;

	list = open_list(file, &err);
	while (!err && (name = inside_next(list, &err)))
		if (parse_file_name(file, name, &named) && named.day == day && named.part > last)
			last = named.part;
	return last;
}

/* A descriptor, or -errno with error set. */
static int open_directory(const char *directory, struct error *error)
{
	__attribute__((cleanup(free_text))) char *path = NULL;

	/* a name in it, for the messages */
	if (asprintf(&path, "%s/*" SUMMARY_FILE_SUFFIX, directory) < 0) {
		path = NULL;
		return error_set_at(error, -ENOMEM, directory);
	}
	return trusted_directory_open(path, error);
}

int summaries_file_open(struct summaries_file **result, const char *directory, const char *host,
			uint64_t time, struct error *error)
{
	struct summaries_file *file = calloc(1, sizeof(*file));
	int err;

	if (!file)
		return error_set_at(error, -ENOMEM, directory);
	set_host(file, host);
	file->fd = -1;
	file->day = time / DAY;
	err = file->directory = open_directory(directory, error);
	if (err >= 0) {
		file->part = find_last_part(file, file->day);
		err = file->fd = open_part(file, file->day, file->part);
		if (err < 0)
			fail_to_open(file, err, directory, error);
	}
	if (err >= 0) {
		*result = file;
		return 0;
	}
	summaries_file_close(file);
	return err;
}

/* A start that failed has written no summary. */
static void remove_empty(const struct summaries_file *file)
{
	struct stat about;
	char name[NAME_MAX + 1];

	if (file->fd < 0 || fstat(file->fd, &about) || about.st_nlink != 1 ||
	    about.st_size > (off_t)HEADER_LENGTH)
		return;
	name_of_part(file, file->day, file->part, name, sizeof(name));
	if (inside_is_same(file->directory, name, file->fd))
		inside_unlink(file->directory, name);
}

void summaries_file_close(struct summaries_file *file)
{
	if (!file)
		return;
	remove_empty(file);
	close_fd(&file->fd);
	close_fd(&file->directory);
	free(file);
}

static int go_to_part(struct summaries_file *file, uint64_t day, uint64_t part)
{
	int fd = open_part(file, day, part);

	if (fd < 0)
		return fd;
	close_fd(&file->fd);
	file->fd = fd;
	file->day = day;
	file->part = part;
	return 0;
}

/* The file of another day is opened when its first block comes. 0 or -errno. */
static int go_to_day(struct summaries_file *file, uint64_t day)
{
	if (file->fd >= 0 && file->day == day)
		return 0;
	return go_to_part(file, day, find_last_part(file, day));
}

static bool is_full(const struct summaries_file *file, uint64_t size, uint64_t more)
{
	return file->max && size > HEADER_LENGTH && size + more > file->max / PARTS;
}

int summaries_file_append(struct summaries_file *file, uint64_t time, const char *text, size_t size)
{
	struct stat about;
	int err = go_to_day(file, time / DAY);

	if (!err && fstat(file->fd, &about))
		err = -errno;
	if (!err && is_full(file, (uint64_t)about.st_size, size)) {
		err = go_to_part(file, file->day, file->part + 1);
		if (!err && fstat(file->fd, &about))
			err = -errno;
	}
	if (err)
		return err;
	err = write_all(file->fd, text, size);
	/* if this fails too, the file is opened again, which cuts off half a block */
	if (err && ftruncate(file->fd, about.st_size)) {
		close(file->fd);
		file->fd = -1;
	}
	return err;
}

int summaries_file_prune(const struct summaries_file *file, uint64_t time, uint64_t keep)
{
	__attribute__((cleanup(close_directory))) DIR *list = NULL;
	int err, failed = 0;
	struct named_file named;
	const char *name;

	list = open_list(file, &err);
	while (!err && time > keep && (name = inside_next(list, &err))) {
		if (!parse_file_name(file, name, &named) || (named.day + 1) * DAY > time - keep)
			continue;
		err = inside_unlink(file->directory, name);
		failed = failed ? failed : err;
		err = 0;
	}
	return err ? err : failed;
}

void summaries_file_set_max(struct summaries_file *file, uint64_t bytes)
{
	file->max = bytes;
}

static bool is_older(const struct named_file *one, const struct named_file *other)
{
	return one->day != other->day ? one->day < other->day : one->part < other->part;
}

/* The bytes of all files, and the name of the oldest but the open one; "": there is no other. */
static int find_oldest(const struct summaries_file *file, uint64_t *bytes,
		       char oldest[NAME_MAX + 1])
{
	__attribute__((cleanup(close_directory))) DIR *list = NULL;
	struct named_file named, first = { 0 };
	const char *name;
	int err;

	*bytes = 0;
	*oldest = '\0';
	list = open_list(file, &err);
	while (!err && (name = inside_next(list, &err))) {
		struct stat about;

		if (!parse_file_name(file, name, &named) ||
		    fstatat(file->directory, name, &about, AT_SYMLINK_NOFOLLOW) ||
		    !S_ISREG(about.st_mode))
			continue;
		*bytes += (uint64_t)about.st_size;
		if ((named.day == file->day && named.part == file->part) ||
		    (*oldest && is_older(&first, &named)))
			continue;
		first = named;
		snprintf(oldest, NAME_MAX + 1, "%s", name);
	}
	return err;
}

int summaries_file_bound(const struct summaries_file *file)
{
	char oldest[NAME_MAX + 1];
	uint64_t bytes;
	int err = 0;

	while (file->max && !err) {
		err = find_oldest(file, &bytes, oldest);
		if (err || bytes <= file->max || !*oldest)
			break;
		err = inside_unlink(file->directory, oldest);
	}
	return err;
}

int summaries_file_directory(const struct summaries_file *file)
{
	return file->directory;
}
