// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Makes a detached mount, which has no path. */
#include "config.h"

#include <errno.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tracer/load/kernel_mount.h"

int kernel_mount(const char *type)
{
	int context = syscall(SYS_fsopen, type, FSOPEN_CLOEXEC), mounted = -1, err;

	if (context < 0)
		return -errno;
	if (!syscall(SYS_fsconfig, context, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
		mounted = syscall(SYS_fsmount, context, FSMOUNT_CLOEXEC, 0);
	err = mounted < 0 ? -errno : 0;
	close(context);
	return err ? err : mounted;
}
