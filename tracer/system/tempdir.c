// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Mounts a private tmpfs or, if that is not possible, names a directory in $TMPDIR. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tracer/system/tempdir.h"

static int set_option(int context, const char *name, const char *value)
{
	return (int)syscall(SYS_fsconfig, context, FSCONFIG_SET_STRING, name, value, 0);
}

static int mount_tmpfs(uint64_t bytes)
{
	char size[24];
	int context = syscall(SYS_fsopen, "tmpfs", FSOPEN_CLOEXEC), mounted = -1;

	if (context < 0)
		return -1;
	snprintf(size, sizeof(size), "%" PRIu64, bytes);
	if (!set_option(context, "mode", "0700") &&
	    (!bytes || !set_option(context, "size", size)) &&
	    !syscall(SYS_fsconfig, context, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
		mounted = syscall(SYS_fsmount, context, FSMOUNT_CLOEXEC, 0);
	close(context);
	return mounted;
}

void tempdir_open(struct tempdir *tempdir, uint64_t bytes)
{
	const char *folder = secure_getenv("TMPDIR");

	tempdir->mount = mount_tmpfs(bytes);
	if (tempdir->mount >= 0) {
		snprintf(tempdir->path, sizeof(tempdir->path), "/proc/self/fd/%d/kmemtraced",
			 tempdir->mount);
		return;
	}
	snprintf(tempdir->path, sizeof(tempdir->path), "%s/kmemtraced",
		 folder && *folder ? folder : "/tmp");
}

void tempdir_close(struct tempdir *tempdir)
{
	if (*tempdir->path && tempdir->mount >= 0)
		close(tempdir->mount);
	*tempdir->path = 0;
}
