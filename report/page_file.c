// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Writes a page that was made in memory. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "report/page_file.h"

int page_file_write(const char *path, const char *text, size_t size)
{
	FILE *file = path ? fopen(path, "w") : stdout;
	int err;

	if (!file)
		return error_msg("%s: %s", path, strerror(errno));
	errno = 0;
	err = fwrite(text, 1, size, file) != size;
	if ((path ? fclose(file) : fflush(file)) || err)
		return error_msg("%s: %s", path ? path : "standard output",
				 strerror(errno ? errno : EIO));
	if (path)
		info_msg("%s: written, %zu kB: open it in a web browser", path,
			 (size + 999) / 1000);
	return EXIT_OK;
}
