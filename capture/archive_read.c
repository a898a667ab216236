// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Reads a capture in one file. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/files.h"
#include "base/inside.h"
#include "capture/archive.h"

#define PATH_BYTES 257	    /* prefix, slash, name, NUL */
#define PAX_BYTES_MAX 65536 /* of one record list: a capture has short names */
#define DEPTH_MAX 6
#define SIZE_MAX_BYTES ((uint64_t)1 << 62)

struct archive_reader {
	FILE *file;
	const char *name;
	uint64_t offset; /* bytes that are read */
	uint64_t end;	 /* of the file; UINT64_MAX: not known */
	int directory;
	char top[PATH_BYTES]; /* the archive's own directory; "": not known yet */
	unsigned int files;
	bool has_size; /* from a pax record, for the next file */
	uint64_t size;
	struct error *error;
};

__attribute__((format(printf, 3, 4))) static int fail_reader(struct archive_reader *reader, int err,
							     const char *format, ...)
{
	char text[sizeof(reader->error->text)];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	return error_format(reader->error, err, "%s: %s", reader->name, text);
}

static int fail_cut(struct archive_reader *reader, const char *what)
{
	return fail_reader(reader, -EBADMSG, "the file is cut off at byte %" PRIu64 ", in %s",
			   reader->offset, what);
}

/* Reads up to size bytes. Their number, or -errno. */
static ssize_t read_some(struct archive_reader *reader, void *bytes, size_t size)
{
	size_t got = fread(bytes, 1, size, reader->file);

	if (got < size && ferror(reader->file))
		return fail_reader(reader, -EIO, "byte %" PRIu64 ": %s", reader->offset,
				   strerror(EIO));
	reader->offset += got;
	return (ssize_t)got;
}

static bool is_zero(const void *bytes, size_t size)
{
	const unsigned char *at = bytes;

	for (size_t i = 0; i < size; i++)
		if (at[i])
			return false;
	return true;
}

/* An octal number, or GNU tar's binary one. False: it is neither. */
static bool parse_number(const char *field, size_t size, uint64_t *value)
{
	size_t i = 0;

	*value = 0;
	if ((unsigned char)field[0] == 0x80) {
		for (i = 1; i < size; i++) {
			if (*value >> 54)
				return false;
			*value = *value << 8 | (unsigned char)field[i];
		}
		return true;
	}
	while (i < size && field[i] == ' ')
		i++;
	for (; i < size && field[i] >= '0' && field[i] <= '7'; i++)
		*value = *value << 3 | (uint64_t)(field[i] - '0');
	return i == size || field[i] == '\0' || field[i] == ' ';
}

/* 1; 0: the end of the archive; or -errno. */
static int read_header(struct archive_reader *reader, struct archive_header *header)
{
	uint64_t begin = reader->offset, sum;
	ssize_t got = read_some(reader, header, sizeof(*header));

	if (got < 0)
		return (int)got;
	if (!got)
		return fail_reader(reader, -EBADMSG,
				   "the file is cut off at byte %" PRIu64
				   ": the end of the archive is missing",
				   begin);
	if ((size_t)got < sizeof(*header))
		return fail_cut(reader, "the header of a file");
	if (is_zero(header, sizeof(*header)))
		return 0;
	if (!begin && !archive_has_magic(header, sizeof(*header)))
		return fail_reader(
			reader, -EINVAL,
			"neither a stream of this version of kmemtraced -o - nor a capture from kmemtrace-pack -o FILE" ARCHIVE_SUFFIX);
	if (!archive_has_magic(header, sizeof(*header)) ||
	    !parse_number(header->checksum, sizeof(header->checksum), &sum) ||
	    sum != archive_checksum(header))
		return fail_reader(reader, -EBADMSG,
				   "byte %" PRIu64
				   ": the file is damaged: the checksum of a header is wrong",
				   begin);
	return 1;
}

static void read_header_path(const struct archive_header *header, char path[PATH_BYTES])
{
	int prefix = (int)strnlen(header->prefix, sizeof(header->prefix));
	int name = (int)strnlen(header->name, sizeof(header->name));

	/* GNU tar has other fields in place of the prefix */
	if (memcmp(header->magic, "ustar", sizeof(header->magic)) != 0)
		prefix = 0;
	snprintf(path, PATH_BYTES, "%.*s%s%.*s", prefix, header->prefix, prefix ? "/" : "", name,
		 header->name);
}

/* A message has names of the archive: what is not printable becomes '?'. */
static const char *printable_path(char *path)
{
	for (char *at = path; *at; at++)
		if (*at < ' ' || *at > '~')
			*at = '?';
	return path;
}

static int refuse_file(struct archive_reader *reader, char *path, const char *why)
{
	return fail_reader(reader, -EINVAL, "refused: its file \"%s\" %s", printable_path(path),
			   why);
}

/* Is a part of a path this word? */
static bool is_part(const char *part, size_t size, const char *word)
{
	return size == strlen(word) && !memcmp(part, word, size);
}

/* Checks each part of a path. The reason to refuse it, or NULL. */
static const char *find_fault(const char *path)
{
	unsigned int depth = 0;

	if (!*path || *path == '/')
		return "has an absolute name, or none";
	for (const char *at = path; *at; at++)
		if (*at < '!' || *at > '~')
			return "has a character in its name that no file of a capture has";
	for (const char *at = path; *at;) {
		size_t size = strcspn(at, "/");

		if (!size || is_part(at, size, "..") || is_part(at, size, "."))
			return "has a part \"..\" or \".\" in its name";
		if (++depth > DEPTH_MAX)
			return "is in too many directories for a capture";
		at += size + (at[size] == '/');
	}
	return NULL;
}

/*
 * Removes the top directory, which all must have. The name in the capture, "" for the top itself;
 * or NULL with *err.
 */
static char *name_inside(struct archive_reader *reader, char *path, int *err)
{
	size_t top, length;
	const char *fault;

	if (!strncmp(path, "./", 2) && path[2])
		path += 2;
	length = strlen(path);
	if (length && path[length - 1] == '/')
		path[--length] = '\0';
	fault = find_fault(path);
	top = strcspn(path, "/");
	if (!fault && !*reader->top)
		snprintf(reader->top, sizeof(reader->top), "%.*s", (int)top, path);
	if (!fault && !is_part(path, top, reader->top))
		fault = "is in another directory than the first: it must hold one capture";
	*err = fault ? refuse_file(reader, path, fault) : 0;
	return fault ? NULL : path + top + (path[top] == '/');
}

/* Makes the directories of a name; those that are there stay. last: the name itself, too. */
static int make_directories(struct archive_reader *reader, const char *name, bool last)
{
	char path[PATH_BYTES];
	const char *at = name;
	int err = 0;

	while (*at && (!err || err == -EEXIST)) {
		at += strcspn(at, "/");
		if (!*at && !last)
			break;
		snprintf(path, sizeof(path), "%.*s", (int)(at - name), name);
		err = inside_make_directory(reader->directory, path, 0700);
		at += *at == '/';
	}
	return err == -EEXIST ? 0 : err;
}

static int copy_content(struct archive_reader *reader, int fd, const char *name, uint64_t size)
{
	uint64_t rest = size + (ARCHIVE_BLOCK - size % ARCHIVE_BLOCK) % ARCHIVE_BLOCK;
	char bytes[128 * ARCHIVE_BLOCK];

	while (rest) {
		size_t wanted = rest < sizeof(bytes) ? (size_t)rest : sizeof(bytes);
		ssize_t got = read_some(reader, bytes, wanted);
		size_t used = got > 0 && size < (uint64_t)got ? (size_t)size : (size_t)got;
		int err;

		if (got < 0)
			return (int)got;
		err = write_all(fd, bytes, used);
		if (err)
			return fail_reader(
				reader, err,
				"cannot unpack %s to a temporary file: %s: set TMPDIR to a directory with more space",
				name, strerror(-err));
		size -= used;
		rest -= (uint64_t)got;
		if ((size_t)got < wanted && (size || !feof(reader->file)))
			return fail_cut(reader, name);
		if ((size_t)got < wanted)
			return 0; /* only the padding is missing: read_header() reports it */
	}
	return 0;
}

/* Compares the size with the file and with the free space, before anything is written. */
static int check_size(struct archive_reader *reader, const char *name, uint64_t size)
{
	struct statvfs space;
	uint64_t left = reader->end - reader->offset;

	if (reader->end != UINT64_MAX && size > left)
		return 0; /* it is cut off: the part that is there is read */
	if (fstatvfs(reader->directory, &space) ||
	    size <= (uint64_t)space.f_bavail * space.f_frsize)
		return 0;
	return fail_reader(
		reader, -ENOSPC,
		"%s needs %" PRIu64
		" bytes of temporary space, more than is free: set TMPDIR to a directory with more space",
		name, size);
}

static int make_member_file(struct archive_reader *reader, const char *name, uint64_t size)
{
	int fd = -1, err = make_directories(reader, name, false);

	if (!err)
		err = check_size(reader, name, size);
	if (err == -ENOSPC)
		return err;
	if (!err) {
		fd = inside_open(reader->directory, name, O_WRONLY | O_CREAT | O_EXCL, 0600);
		err = fd < 0 ? fd : 0;
	}
	if (err == -EEXIST)
		return fail_reader(reader, -EINVAL, "refused: it has the file %s twice", name);
	if (err)
		return fail_reader(reader, err, "cannot unpack %s to a temporary file: %s", name,
				   strerror(-err));
	err = copy_content(reader, fd, name, size);
	close(fd);
	return err;
}

/* "LENGTH KEYWORD=VALUE\n", as often as they fit. */
static int parse_pax(struct archive_reader *reader, const char *text, size_t size)
{
	while (size) {
		char *after;
		unsigned long length = strtoul(text, &after, 10);

		if (length > size || !length || *after != ' ' || text[length - 1] != '\n')
			return fail_reader(reader, -EBADMSG,
					   "byte %" PRIu64
					   ": the file is damaged: a pax record is wrong",
					   reader->offset);
		if (!strncmp(after, " path=", 6) || !strncmp(after, " linkpath=", 10) ||
		    !strncmp(after, " GNU.sparse", 11))
			return fail_reader(
				reader, -EINVAL,
				"refused: it has a long name, a link or a sparse file, which no capture has");
		if (!strncmp(after, " size=", 6)) {
			reader->size = strtoull(after + 6, NULL, 10);
			reader->has_size = true;
		}
		text += length;
		size -= length;
	}
	return 0;
}

static int read_pax(struct archive_reader *reader, uint64_t size, bool is_global)
{
	size_t whole = (size_t)(size + ARCHIVE_BLOCK - 1) / ARCHIVE_BLOCK * ARCHIVE_BLOCK;
	ssize_t got;
	char *text;
	int err;

	if (size > PAX_BYTES_MAX)
		return fail_reader(reader, -EINVAL,
				   "refused: it has a pax record of %" PRIu64 " bytes", size);
	text = calloc(1, whole + 1);
	if (!text)
		return fail_reader(reader, -ENOMEM, "%s", strerror(ENOMEM));
	got = read_some(reader, text, whole);
	if (got < 0)
		err = (int)got;
	else if ((size_t)got < whole)
		err = fail_cut(reader, "a pax record");
	else
		err = is_global ? 0 : parse_pax(reader, text, (size_t)size);
	free(text);
	return err;
}

static const char *text_of_type(char type)
{
	switch (type) {
	case ARCHIVE_HARD_LINK:
		return "is a hard link: a capture has files and directories only";
	case ARCHIVE_LINK:
		return "is a symbolic link: a capture has files and directories only";
	case ARCHIVE_CHARACTER_DEVICE:
	case ARCHIVE_BLOCK_DEVICE:
		return "is a device: a capture has files and directories only";
	case ARCHIVE_FIFO:
		return "is a pipe: a capture has files and directories only";
	default:
		return "is of a kind that no capture has";
	}
}

static int read_entry(struct archive_reader *reader, const struct archive_header *header)
{
	bool is_file = header->type == ARCHIVE_FILE || header->type == ARCHIVE_OLD_FILE ||
		       header->type == ARCHIVE_CONTIGUOUS_FILE;
	char path[PATH_BYTES], *name;
	uint64_t size;
	int err;

	read_header_path(header, path);
	if (!parse_number(header->size, sizeof(header->size), &size))
		return refuse_file(reader, path, "has a size that is not a number");
	if (header->type == ARCHIVE_PAX || header->type == ARCHIVE_PAX_GLOBAL)
		return read_pax(reader, size, header->type == ARCHIVE_PAX_GLOBAL);
	if (reader->has_size)
		size = reader->size;
	reader->has_size = false;
	if (!is_file && header->type != ARCHIVE_DIRECTORY)
		return refuse_file(reader, path, text_of_type(header->type));
	if (size > SIZE_MAX_BYTES)
		return refuse_file(reader, path, "has an impossible size");
	if (++reader->files > ARCHIVE_FILES_MAX)
		return fail_reader(reader, -EINVAL, "refused: it has more than %d files",
				   ARCHIVE_FILES_MAX);
	name = name_inside(reader, path, &err);
	if (!name)
		return err;
	if (is_file)
		return *name ? make_member_file(reader, name, size)
			     : refuse_file(
				       reader, path,
				       "is not in a directory: it must hold one directory, the capture");
	err = make_directories(reader, name, true);
	return err ? fail_reader(reader, err, "cannot unpack %s: %s", name, strerror(-err)) : 0;
}

int archive_unpack(FILE *file, const char *name, int directory, struct error *error)
{
	struct archive_reader reader = {
		.file = file,
		.name = name,
		.end = UINT64_MAX,
		.directory = directory,
		.error = error,
	};
	struct archive_header header;
	struct stat about;
	int more, err = 0;

	if (!fstat(fileno(file), &about) && S_ISREG(about.st_mode))
		reader.end = (uint64_t)about.st_size;
	while (!err && (more = read_header(&reader, &header)))
		err = more < 0 ? more : read_entry(&reader, &header);
	return err;
}
