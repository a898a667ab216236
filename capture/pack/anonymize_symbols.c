// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Copies line by line. Addresses keep their number of digits, and the lists of each time stay a
 * gzip member of their own.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "base/text.h"
#include "base/unzip.h"
#include "capture/pack/anonymize_symbols.h"
#include "kernel/symbols.h"

#define FILE_NAME "kernel/symbols"
#define DIGITS_MAX 16
#define LINE_MAX_BYTES 1023 /* readers skip longer lines */

struct symbols_copy {
	struct substitutes *substitutes;
	struct directory *directory;
	gzFile file;
	char *text; /* read and not copied yet */
	size_t size, space;
	bool in_long_line; /* text continues a line that is left out */
	size_t left_out;
};

static int member_begin(struct symbols_copy *copy, bool first)
{
	copy->file = directory_open_gz(copy->directory, FILE_NAME, !first);
	return copy->file ? 0 : -EIO;
}

static int member_end(struct symbols_copy *copy)
{
	int code = copy->file ? gzclose(copy->file) : Z_OK;

	copy->file = NULL;
	if (code == Z_OK)
		return 0;
	return directory_fail(copy->directory, EIO, "%s/" FILE_NAME ": it could not be written",
			      copy->directory->path);
}

static int check_output(const struct symbols_copy *copy, int result)
{
	if (result > 0)
		return 0;
	return directory_fail(copy->directory, EIO, "%s/" FILE_NAME ": it could not be written",
			      copy->directory->path);
}

/* A module ends at the end of its range: its size may include data that lies elsewhere. */
static uint64_t module_size(const struct substitutes *substitutes, uint64_t address, uint64_t size)
{
	const struct code_range *range = code_ranges_find(&substitutes->code, address);

	return range ? MIN(size, range->end - address) : size;
}

/* A line that begins with #. -EINVAL: this version does not know it. */
static int copy_comment(struct symbols_copy *copy, const char *text)
{
	struct substitutes *substitutes = copy->substitutes;
	uint64_t time, address, size;
	struct line line;
	int name_size;

	if (!line_next(&line, &text) || !line_key(&line, "#"))
		return -EINVAL;
	if (line_key(&line, "trimmed"))
		return check_output(copy, gzputs(copy->file, "# trimmed\n"));
	if (line_key(&line, "modules"))
		return check_output(copy, gzputs(copy->file, "# modules\n"));
	if (line_key(&line, "since") && line_u64(&line, 10, &time)) {
		int err = member_end(copy);

		if (!err)
			err = member_begin(copy, false);
		return err ? err
			   : check_output(copy,
					  gzprintf(copy->file, "# since %" PRIu64 "\n", time));
	}
	if (!line_key(&line, "module") || !line_u64(&line, 16, &address) ||
	    !line_u64(&line, 10, &size))
		return -EINVAL;
	line.at += strspn(line.at, " \t");
	name_size = (int)strcspn(line.at, " \t\n");
	return check_output(copy,
			    gzprintf(copy->file, "# module %" PRIx64 " %" PRIu64 " %.*s\n",
				     substitute_code(substitutes, address),
				     module_size(substitutes, address, size), name_size, line.at));
}

/* ADDRESS TYPE NAME, and [MODULE] unless it is of the kernel itself. */
static int copy_symbol(struct symbols_copy *copy, char *line)
{
	const char *at = line, *module;
	char *name;
	size_t name_size, module_size;
	uint64_t address;
	int digits;

	if (!symbols_is_code(line) || !number_parse(&at, 16, &address))
		return -EINVAL;
	digits = (int)MIN(at - line, DIGITS_MAX);
	name = line + (at - line) + 3;
	substitute_in_name(copy->substitutes, name);
	name_size = strcspn(name, " \t\n");
	module = name + name_size + strspn(name + name_size, " \t");
	module_size = *module == '[' ? strcspn(module, "]\n") : 0;
	return check_output(copy, gzprintf(copy->file, "%0*" PRIx64 " %c %.*s%s%.*s%s\n", digits,
					   substitute_code(copy->substitutes, address), at[1],
					   (int)name_size, name, module_size ? "\t" : "",
					   (int)module_size, module, module_size ? "]" : ""));
}

/* The line ends with a newline. */
static int copy_line(struct symbols_copy *copy, char *line, size_t size)
{
	char after = line[size];
	int err = -EINVAL;

	line[size] = '\0';
	if (size <= LINE_MAX_BYTES && strlen(line) == size)
		err = *line == '#' ? copy_comment(copy, line) : copy_symbol(copy, line);
	line[size] = after;
	if (err != -EINVAL)
		return err;
	copy->left_out++;
	return 0;
}

/* last: a line without a newline is whole. */
static int copy_symbol_lines(struct symbols_copy *copy, bool last)
{
	char *line = copy->text, *end = copy->text + copy->size, *newline;
	int err = 0;

	if (last && copy->size && end[-1] != '\n')
		*end++ = '\n';
	while (!err && line < end && (newline = memchr(line, '\n', (size_t)(end - line)))) {
		if (!copy->in_long_line)
			err = copy_line(copy, line, (size_t)(newline - line) + 1);
		copy->in_long_line = false;
		line = newline + 1;
	}
	copy->size = (size_t)(end - line);
	memmove(copy->text, line, copy->size);
	if (copy->size > LINE_MAX_BYTES) {
		copy->left_out += !copy->in_long_line;
		copy->in_long_line = true;
		copy->size = 0;
	}
	return err ? err : copy->substitutes->error;
}

static int copy_pieces(struct symbols_copy *copy, struct unzip *unzip)
{
	size_t got = 1;
	int err = 0;

	while (!err && got) {
		size_t room = unzip_room(unzip);

		/* two more, for a newline and a NUL */
		if (copy->size + room + 2 > copy->space) {
			char *text = realloc(copy->text, copy->size + room + 2);

			if (!text)
				return -ENOMEM;
			copy->text = text;
			copy->space = copy->size + room + 2;
		}
		err = unzip_read(unzip, copy->text + copy->size, room, &got);
		copy->size += err ? 0 : got;
		if (!err)
			err = copy_symbol_lines(copy, !got && !unzip->damaged);
	}
	return err;
}

/* gzclose() leaves the file in memory. */
static int sync_file(struct directory *directory)
{
	int fd = directory_read(directory, FILE_NAME), err = 0;

	if (fd < 0)
		return fd;
	if (fsync(fd))
		err = directory_fail(directory, errno, "%s/" FILE_NAME ": %s", directory->path,
				     strerror(errno));
	close(fd);
	return err;
}

int anonymize_symbols(struct substitutes *substitutes, const char *path,
		      struct directory *directory, size_t *left_out)
{
	struct symbols_copy copy = { .substitutes = substitutes, .directory = directory };
	struct unzip unzip;
	int failed, err = unzip_open(&unzip, path);

	if (err)
		return err;
	err = member_begin(&copy, true);
	if (!err)
		err = copy_pieces(&copy, &unzip);
	failed = member_end(&copy);
	unzip_close(&unzip);
	free(copy.text);
	*left_out = copy.left_out;
	err = err ? err : failed;
	return err ? err : sync_file(directory);
}
