// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Reads /proc. A file that this user may not read is left out. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files.h"
#include "tracer/host/where_files.h"

#define TEXT_BYTES_MAX ((size_t)64 << 20)

static char *read_proc(const char *path)
{
	char *text;

	return read_file(AT_FDCWD, path, TEXT_BYTES_MAX, &text, NULL) ? NULL : text;
}

int where_files_read(struct where_reading *reading, uint64_t (*now)(void))
{
	uint64_t time = now();
	__attribute__((cleanup(free_text))) char *meminfo = read_proc("/proc/meminfo");
	__attribute__((cleanup(free_text))) char *zoneinfo = read_proc("/proc/zoneinfo");
	__attribute__((cleanup(free_text))) char *vmstat = read_proc("/proc/vmstat");
	__attribute__((cleanup(free_text))) char *slabinfo = read_proc("/proc/slabinfo");
	__attribute__((cleanup(free_text))) char *vmallocinfo = read_proc("/proc/vmallocinfo");
	__attribute__((cleanup(free_text))) char *vmstat_after = read_proc("/proc/vmstat");
	__attribute__((cleanup(free_text))) char *zoneinfo_after = read_proc("/proc/zoneinfo");
	__attribute__((cleanup(free_text))) char *meminfo_after = read_proc("/proc/meminfo");
	const struct where_texts texts = {
		.meminfo = meminfo,
		.meminfo_after = meminfo_after,
		.zoneinfo = zoneinfo,
		.zoneinfo_after = zoneinfo_after,
		.slabinfo = slabinfo,
		.vmallocinfo = vmallocinfo,
		.vmstat = vmstat,
		.vmstat_after = vmstat_after,
		.page_size = (uint64_t)sysconf(_SC_PAGESIZE),
	};

	*reading = (struct where_reading){ 0 };
	return meminfo && meminfo_after ? where_parse_proc(reading, &texts, time) : -ENODATA;
}
