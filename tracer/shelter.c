// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A tmpfs of one's own, or a temporary directory. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tracer/shelter.h"

static int mount_tmpfs(void)
{
	int context = syscall(SYS_fsopen, "tmpfs", FSOPEN_CLOEXEC), mounted = -1;

	if (context < 0)
		return -1;
	if (!syscall(SYS_fsconfig, context, FSCONFIG_SET_STRING, "mode", "0700", 0) &&
	    !syscall(SYS_fsconfig, context, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
		mounted = syscall(SYS_fsmount, context, FSMOUNT_CLOEXEC, 0);
	close(context);
	return mounted;
}

int shelter_open(struct shelter *shelter)
{
	const char *folder = secure_getenv("TMPDIR");

	shelter->mount = mount_tmpfs();
	if (shelter->mount >= 0) {
		snprintf(shelter->path, sizeof(shelter->path), "/proc/self/fd/%d", shelter->mount);
		return 0;
	}
	snprintf(shelter->path, sizeof(shelter->path), "%s/kmemtraced.XXXXXX",
		 folder && *folder ? folder : "/tmp");
	if (mkdtemp(shelter->path))
		return 0;
	*shelter->path = 0;
	return -errno;
}

void shelter_close(struct shelter *shelter)
{
	if (*shelter->path && shelter->mount >= 0)
		close(shelter->mount);
	else if (*shelter->path)
		rmdir(shelter->path);
	*shelter->path = 0;
}
