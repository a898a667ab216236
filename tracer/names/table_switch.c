// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Copies the end of a table of one piece to that of the next. */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "tracer/names/table_switch.h"

#define BLOCK 16384

uint64_t table_mark(FILE *file)
{
	struct stat about;

	if (!file || fflush(file) || fstat(fileno(file), &about))
		return 0;
	return (uint64_t)about.st_size;
}

static int copy_end(int from, FILE *to, uint64_t mark)
{
	char block[BLOCK];
	ssize_t got;

	while ((got = pread(from, block, sizeof(block), (off_t)mark)) > 0) {
		if (fwrite(block, 1, (size_t)got, to) != (size_t)got)
			return -errno;
		mark += (uint64_t)got;
	}
	return got < 0 || fflush(to) ? -errno : 0;
}

int table_switch(FILE **file, struct directory *from, struct directory *to, const char *name,
		 uint64_t mark)
{
	__attribute__((cleanup(close_fd))) int old = -1;
	int err;

	if (!*file)
		return 0;
	err = directory_close(from, *file, name);
	*file = NULL;
	if (err)
		return err;
	old = directory_read(from, name);
	if (old < 0)
		return old;
	*file = directory_open(to, name, true);
	if (!*file)
		return -errno;
	err = copy_end(old, *file, mark);
	return err ? directory_fail(to, -err, "%s/%s: %s", to->path, name, strerror(-err)) : 0;
}
