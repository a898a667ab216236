// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A resource limit, rather than a count of our own: it includes the memory of the libraries, and
 * every allocation in this tree handles a failure. The limit counts writable private memory when it
 * is reserved, not when it is used: a thread counts with its stack of 8 MiB.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/files.h"
#include "base/number.h"
#include "cli/memory_limit.h"

#define MIB ((uint64_t)1 << 20)
#define FILE_MAX 65536 /* bytes: /proc/self/cgroup */

/* clang does not define the names of gcc */
#ifndef __has_feature
#define __has_feature(feature) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
	__has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_SANITIZER 1
#else
#define HAS_SANITIZER 0
#endif

static uint64_t limit_bytes; /* of this process, for messages; 0: none was set */

/* The lower one of the limit and that in the file memory.max of a control group ("max": none). */
static uint64_t lower_by_group(uint64_t limit, const char *group)
{
	char path[4096], *text;
	uint64_t bytes;

	snprintf(path, sizeof(path), "/sys/fs/cgroup%s/memory.max", group);
	if (read_file(AT_FDCWD, path, FILE_MAX, &text, NULL))
		return limit;
	text[strcspn(text, "\n")] = '\0';
	if (number_in_range(text, 0, limit, &bytes))
		limit = bytes;
	free(text);
	return limit;
}

/* The memory of this machine, or that of the control groups (version 2) of this process. */
static uint64_t available_bytes(void)
{
	uint64_t bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	char *text, *group, *end;

	if (read_file(AT_FDCWD, "/proc/self/cgroup", FILE_MAX, &text, NULL))
		return bytes;
	group = strstr(text, "0::/");
	if (group) {
		group += strlen("0::");
		group[strcspn(group, "\n")] = '\0';
		/* the limit of each group above holds, too */
		while ((end = strrchr(group, '/'))) {
			bytes = lower_by_group(bytes, group);
			*end = '\0';
		}
		bytes = lower_by_group(bytes, "");
	}
	free(text);
	return bytes;
}

void memory_limit_set(uint64_t bytes)
{
	struct rlimit limit;

	if (HAS_SANITIZER || !bytes || getrlimit(RLIMIT_DATA, &limit))
		return;
	if (bytes == MEMORY_LIMIT_DEFAULT)
		bytes = MIN(available_bytes() / 2 / MIB * MIB, limit.rlim_cur);
	limit.rlim_cur = MIN(bytes, limit.rlim_max);
	if (limit.rlim_cur != RLIM_INFINITY && !setrlimit(RLIMIT_DATA, &limit))
		limit_bytes = limit.rlim_cur;
}

const char *memory_limit_hint(const char *text, char *hint, size_t size)
{
	*hint = '\0';
	if (!limit_bytes || !strstr(text, strerror(ENOMEM)))
		return hint;
	if (limit_bytes % MIB)
		snprintf(hint, size, ": the limit is %" PRIu64 " bytes", limit_bytes);
	else
		snprintf(hint, size, ": the limit is %" PRIu64 " MiB", limit_bytes / MIB);
	return strncat(hint, ": allow more with --max-memory=SIZE", size - strlen(hint) - 1);
}
