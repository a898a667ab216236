// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Reads debugfs and sysfs. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files.h"
#include "base/inside.h"
#include "tracer/host/track_files.h"
#include "tracer/load/kernel_mount.h"

#define NSEC_PER_SEC UINT64_C(1000000000)
#define TEXT_BYTES_MAX ((size_t)256 << 20)

int track_files_open(void)
{
	int fd = open("/sys/kernel/debug", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0 && (!faccessat(fd, "slab", F_OK, 0) || !faccessat(fd, "kfence", F_OK, 0)))
		return fd;
	if (fd >= 0)
		close(fd);
	return kernel_mount("debugfs");
}

/* ns of a jiffy: the resolution of the coarse clocks. */
static uint64_t tick_length(void)
{
	struct timespec tick;

	if (clock_getres(CLOCK_MONOTONIC_COARSE, &tick))
		return TRACK_UNKNOWN;
	return (uint64_t)tick.tv_sec * NSEC_PER_SEC + (uint64_t)tick.tv_nsec;
}

static void end_reading(struct tracks *tracks, enum track_source source, size_t before,
			uint64_t time)
{
	if (tracks->count > before)
		tracks->readings[tracks->reading_count++] = (struct tracks_reading){ source, time };
}

static int read_kfence(int debugfs, uint64_t (*now)(void), struct tracks *tracks)
{
	__attribute__((cleanup(free_text))) char *text = NULL;
	uint64_t time = now();
	size_t before = tracks->count;
	int err = read_file(debugfs, "kfence/objects", TEXT_BYTES_MAX, &text, NULL);

	if (!err)
		err = tracks_parse_kfence(tracks, text, time);
	end_reading(tracks, TRACK_KFENCE, before, time);
	return err;
}

static uint64_t object_size_of(int sysfs, const char *cache)
{
	__attribute__((cleanup(free_text))) char *text = NULL;
	char path[NAME_MAX + sizeof("/object_size")];

	snprintf(path, sizeof(path), "%s/object_size", cache);
	return read_file(sysfs, path, 64, &text, NULL) ? TRACK_UNKNOWN : strtoull(text, NULL, 10);
}

/* file: of the folder of each cache in this directory. */
static int read_slub(DIR *dir, const char *file, int sysfs, struct tracks *tracks)
{
	uint64_t tick = tick_length();
	const char *cache;
	int err = 0;

	while (!err && (cache = inside_next(dir, &err))) {
		__attribute__((cleanup(free_text))) char *text = NULL;
		char path[NAME_MAX + sizeof("/alloc_traces")], target;

		/* another name of a merged cache, which has no tracks */
		if (readlinkat(dirfd(dir), cache, &target, 1) >= 0)
			continue;
		snprintf(path, sizeof(path), "%s/%s", cache, file);
		err = read_file(dirfd(dir), path, TEXT_BYTES_MAX, &text, NULL);
		if (!err)
			err = tracks_parse_slub(tracks, text, cache, object_size_of(sysfs, cache),
						tick);
		/* without slub_debug=U, -ENOSYS from sysfs; or the cache is gone */
		if (err == -ENOSYS || error_is_unavailable(err))
			err = 0;
	}
	return err;
}

static int read_all_slub(int debugfs, uint64_t (*now)(void), struct tracks *tracks)
{
	__attribute__((cleanup(close_fd))) int sysfs =
		open("/sys/kernel/slab", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int fd = debugfs < 0 ? -1 : openat(debugfs, "slab", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const char *file = fd < 0 ? "alloc_calls" : "alloc_traces";
	__attribute__((cleanup(close_directory))) DIR *dir = NULL;
	uint64_t time = now();
	size_t before = tracks->count;
	int err;

	if (fd < 0)
		fd = sysfs < 0 ? -1 : openat(sysfs, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	dir = fdopendir(fd);
	if (!dir) {
		err = -errno;
		close(fd);
		return err;
	}
	err = read_slub(dir, file, sysfs, tracks);
	end_reading(tracks, TRACK_SLUB, before, time);
	return err;
}

int track_files_read(int debugfs, uint64_t (*now)(void), struct tracks *tracks)
{
	int err = debugfs < 0 ? 0 : read_kfence(debugfs, now, tracks), failed;

	if (error_is_unavailable(err))
		err = 0;
	failed = read_all_slub(debugfs, now, tracks);
	tracks_merge(tracks);
	return err ? err : failed;
}
