// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Reads /proc. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>

#include "base/cleanup.h"
#include "base/files.h"
#include "tracer/host/allocinfo_file.h"

#define TEXT_BYTES_MAX ((size_t)64 << 20)

int allocinfo_file_read(struct allocinfo_reading *reading, uint64_t time)
{
	__attribute__((cleanup(free_text))) char *text = NULL;
	int err = read_file(AT_FDCWD, "/proc/allocinfo", TEXT_BYTES_MAX, &text, NULL);

	*reading = (struct allocinfo_reading){ 0 };
	if (!err)
		err = allocinfo_parse_proc(reading, text, time);
	return err == -ENOENT ? -ENODATA : err;
}

int allocinfo_file_is_on(void)
{
	__attribute__((cleanup(free_text))) char *text = NULL;

	if (read_file(AT_FDCWD, "/proc/sys/vm/mem_profiling", 64, &text, NULL))
		return -1;
	return *text == '1';
}
