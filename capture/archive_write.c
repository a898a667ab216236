// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Writes a capture as one file. The metadata and the tables come before the streams: if the end of
 * the file is lost, the rest can be read.
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/inside.h"
#include "capture/archive.h"

#define NAME_MAX_BYTES (sizeof(((struct archive_header *)0)->name) - 1)
#define OCTAL_MAX ((uint64_t)077777777777) /* of the 11 digits of a size */
#define DEPTH_MAX 5
#define COPY_BYTES 65536
#define RECORD_BLOCKS 20 /* tar fills the last record */

struct writer_of_archive {
	FILE *file;
	uint64_t time, blocks;
	size_t files;
	struct error *error;
};

struct archive_names {
	char **list;
	size_t count;
};

static void names_deinit(struct archive_names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->list[i]);
	free(names->list);
}

static int rank_of_name(const char *name)
{
	static const char *const first[] = { "metadata", "kernel", "checkpoint" };
	int count = sizeof(first) / sizeof(*first);

	for (int i = 0; i < count; i++)
		if (!strcmp(name, first[i]))
			return i;
	return count;
}

/* Numbers in names by their value: cpu2 is before cpu10. */
static int compare_member_names(const void *left, const void *right)
{
	const char *a = *(char *const *)left, *b = *(char *const *)right;
	int order = rank_of_name(a) - rank_of_name(b);

	return order ? order : strverscmp(a, b);
}

static int add_member_name(struct archive_names *names, const char *name)
{
	char **list = reallocarray(names->list, names->count + 1, sizeof(*list));

	if (!list)
		return -ENOMEM;
	names->list = list;
	list[names->count] = strdup(name);
	return list[names->count++] ? 0 : -ENOMEM;
}

static int list_names(int directory, struct archive_names *names)
{
	__attribute__((cleanup(close_directory))) DIR *opened = NULL;
	int err = 0, fd = inside_open_directory(directory, ".");
	const char *entry;

	*names = (struct archive_names){ 0 };
	opened = fd < 0 ? NULL : fdopendir(fd);
	if (!opened) {
		err = fd < 0 ? fd : -errno;
		close_fd(&fd);
		return err;
	}
	while (!err && (entry = inside_next(opened, &err)))
		err = names->count < ARCHIVE_FILES_MAX ? add_member_name(names, entry) : -EFBIG;
	if (!err && names->count)
		qsort(names->list, names->count, sizeof(*names->list), compare_member_names);
	return err;
}

static int write_padded(struct writer_of_archive *writer, const void *bytes, size_t size)
{
	static const char zeros[ARCHIVE_BLOCK];
	size_t rest = (ARCHIVE_BLOCK - size % ARCHIVE_BLOCK) % ARCHIVE_BLOCK;

	errno = 0;
	writer->blocks += (size + rest) / ARCHIVE_BLOCK;
	if (fwrite(bytes, 1, size, writer->file) != size ||
	    fwrite(zeros, 1, rest, writer->file) != rest)
		return error_set_at(writer->error, errno ? -errno : -EIO,
				    "the file cannot be written");
	return 0;
}

static int write_header(struct writer_of_archive *writer, const char *name, char type,
			uint64_t size)
{
	struct archive_header header = { .type = type, .magic = "ustar", .version = { '0', '0' } };
	uint64_t time = writer->time < OCTAL_MAX ? writer->time : 0;

	if (strlen(name) > NAME_MAX_BYTES)
		return error_set_at(writer->error, -ENAMETOOLONG, name);
	if (type != ARCHIVE_PAX && ++writer->files > ARCHIVE_FILES_MAX)
		return error_set_at(writer->error, -EFBIG, "more than 1000000 files");
	memcpy(header.name, name, strlen(name));
	snprintf(header.mode, sizeof(header.mode), "%07o", type == ARCHIVE_DIRECTORY ? 0700 : 0600);
	snprintf(header.uid, sizeof(header.uid), "%07o", 0);
	snprintf(header.gid, sizeof(header.gid), "%07o", 0);
	snprintf(header.size, sizeof(header.size), "%011" PRIo64, size <= OCTAL_MAX ? size : 0);
	snprintf(header.mtime, sizeof(header.mtime), "%011" PRIo64, time);
	snprintf(header.checksum, sizeof(header.checksum), "%06o", archive_checksum(&header));
	header.checksum[7] = ' ';
	return write_padded(writer, &header, sizeof(header));
}

/* A pax record holds a size that has more than 11 octal digits. */
static int write_large_size(struct writer_of_archive *writer, uint64_t size)
{
	char record[40];
	int length = snprintf(record, sizeof(record), "00 size=%" PRIu64 "\n", size), err;

	snprintf(record, sizeof(record), "%02d size=%" PRIu64 "\n", length, size);
	err = write_header(writer, "size", ARCHIVE_PAX, (uint64_t)length);
	return err ? err : write_padded(writer, record, (size_t)length);
}

static int copy_content(struct writer_of_archive *writer, int fd, const char *name, uint64_t size)
{
	char bytes[COPY_BYTES];
	int err = 0;

	while (size && !err) {
		size_t wanted = size < sizeof(bytes) ? (size_t)size : sizeof(bytes);
		ssize_t got = read(fd, bytes, wanted);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return error_set_at(writer->error, got ? -errno : -EIO, name);
		/* whole blocks, but at the end */
		while ((uint64_t)got < size && got % ARCHIVE_BLOCK) {
			ssize_t more = read(fd, bytes + got,
					    (size_t)(ARCHIVE_BLOCK - got % ARCHIVE_BLOCK));

			if (more <= 0)
				return error_set_at(writer->error, -EIO, name);
			got += more;
		}
		size -= (uint64_t)got;
		err = write_padded(writer, bytes, (size_t)got);
	}
	return err;
}

static int write_file(struct writer_of_archive *writer, int directory, const char *entry,
		      const char *name)
{
	__attribute__((cleanup(close_fd))) int fd = inside_open_regular(directory, entry);
	struct stat about;
	uint64_t size;
	int err = 0;

	if (fd < 0 || fstat(fd, &about))
		return error_set_at(writer->error, fd < 0 ? fd : -errno, name);
	size = (uint64_t)about.st_size;
	if (size > OCTAL_MAX)
		err = write_large_size(writer, size);
	if (!err)
		err = write_header(writer, name, ARCHIVE_FILE, size);
	return err ? err : copy_content(writer, fd, name, size);
}

static int write_directory(struct writer_of_archive *writer, int directory, const char *name,
			   unsigned int depth)
{
	struct archive_names names;
	char path[NAME_MAX_BYTES + 2];
	int err;

	if (snprintf(path, sizeof(path), "%s/", name) >= (int)sizeof(path) || depth > DEPTH_MAX)
		return error_set_at(writer->error, -ENAMETOOLONG, name);
	err = write_header(writer, path, ARCHIVE_DIRECTORY, 0);
	if (err)
		return err;
	err = list_names(directory, &names);
	if (err)
		error_set_at(writer->error, err, name);
	for (size_t i = 0; i < names.count && !err; i++) {
		__attribute__((cleanup(close_fd))) int fd = -1;

		if (snprintf(path, sizeof(path), "%s/%s", name, names.list[i]) >= (int)sizeof(path))
			err = error_set_at(writer->error, -ENAMETOOLONG, name);
		else if ((fd = inside_open_directory(directory, names.list[i])) >= 0)
			err = write_directory(writer, fd, path, depth + 1);
		else
			err = write_file(writer, directory, names.list[i], path);
	}
	names_deinit(&names);
	return err;
}

int archive_write(FILE *file, int directory, const char *root, uint64_t time, struct error *error)
{
	struct writer_of_archive writer = { .file = file, .time = time, .error = error };
	static const char end[2 * ARCHIVE_BLOCK];
	int err = write_directory(&writer, directory, root, 0);

	if (!err)
		err = write_padded(&writer, end, sizeof(end));
	while (!err && writer.blocks % RECORD_BLOCKS)
		err = write_padded(&writer, end, ARCHIVE_BLOCK);
	return err;
}
