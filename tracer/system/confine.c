// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Capabilities with libcap-ng; landlock, for which the C library has no functions. */
#include "config.h"

#include <cap-ng.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tracer/system/confine.h"

/* The headers of Debian 12 do not have them. */
#ifndef LANDLOCK_ACCESS_FS_REFER
#define LANDLOCK_ACCESS_FS_REFER (1ULL << 13)
#endif
#ifndef LANDLOCK_ACCESS_FS_TRUNCATE
#define LANDLOCK_ACCESS_FS_TRUNCATE (1ULL << 14)
#endif
#ifndef LANDLOCK_ACCESS_FS_IOCTL_DEV
#define LANDLOCK_ACCESS_FS_IOCTL_DEV (1ULL << 15)
#endif

#define READ (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define RENAME (LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_REMOVE_FILE)
#define CAPABILITIES 64

#define WRITE                                                                          \
	(READ | RENAME | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_TRUNCATE | \
	 LANDLOCK_ACCESS_FS_REMOVE_DIR)

static const uint64_t rights[] = {
	[CONFINE_READ] = READ,
	[CONFINE_WRITE] = WRITE,
	[CONFINE_RENAME] = RENAME,
	[CONFINE_REPLACE] = RENAME | LANDLOCK_ACCESS_FS_WRITE_FILE,
	[CONFINE_REMOVE] = LANDLOCK_ACCESS_FS_REMOVE_DIR,
	[CONFINE_SET] = WRITE | LANDLOCK_ACCESS_FS_MAKE_DIR,
	[CONFINE_KEEP] = WRITE | LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_REFER,
	[CONFINE_PRUNE] = LANDLOCK_ACCESS_FS_READ_DIR | LANDLOCK_ACCESS_FS_MAKE_DIR |
			  LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE,
};

/* All rights that this version of landlock's interface has. */
static uint64_t rights_of_version(long version)
{
	uint64_t all = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;

	if (version >= 2)
		all |= LANDLOCK_ACCESS_FS_REFER;
	if (version >= 3)
		all |= LANDLOCK_ACCESS_FS_TRUNCATE;
	if (version >= 5)
		all |= LANDLOCK_ACCESS_FS_IOCTL_DEV;
	return all;
}

static void open_ruleset(struct confinement *confinement)
{
	struct landlock_ruleset_attr attr;
	long version =
		syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);

	confinement->ruleset = -1;
	if (version > 0) {
		confinement->handled = rights_of_version(version);
		attr = (struct landlock_ruleset_attr){ .handled_access_fs = confinement->handled };
		confinement->ruleset =
			(int)syscall(SYS_landlock_create_ruleset, &attr, sizeof(attr), 0);
	}
	if (confinement->ruleset < 0)
		snprintf(confinement->no_landlock, sizeof(confinement->no_landlock), "landlock: %s",
			 strerror(errno));
}

void confinement_open(struct confinement *confinement)
{
	uint32_t action = SECCOMP_RET_ERRNO;

	memset(confinement, 0, sizeof(*confinement));
	if (syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action))
		snprintf(confinement->no_seccomp, sizeof(confinement->no_seccomp), "seccomp: %s",
			 strerror(errno));
	open_ruleset(confinement);
}

void confinement_close(struct confinement *confinement)
{
	if (confinement->ruleset >= 0)
		close(confinement->ruleset);
	confinement->ruleset = -1;
}

int confinement_allow(struct confinement *confinement, int directory, enum confine_use use)
{
	struct landlock_path_beneath_attr attr = {
		.allowed_access = rights[use] & confinement->handled,
		.parent_fd = directory,
	};

	if (confinement->ruleset < 0)
		return 0;
	return syscall(SYS_landlock_add_rule, confinement->ruleset, LANDLOCK_RULE_PATH_BENEATH,
		       &attr, 0)
		       ? -errno
		       : 0;
}

int confinement_allow_reading(struct confinement *confinement, const char *path)
{
	int err, fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return 0;
	err = confinement_allow(confinement, fd, CONFINE_READ);
	close(fd);
	return err;
}

/* libcap-ng has a state for each thread. */
static int keep_capabilities(uint64_t capabilities)
{
	bool may_bound;

	if (capng_get_caps_process())
		return -EINVAL;
	for (unsigned int i = 0; i < CAPABILITIES; i++)
		if (capabilities >> i & 1 && !capng_have_capability(CAPNG_PERMITTED, i))
			capabilities &= ~(1ULL << i);
	may_bound = capng_have_capability(CAPNG_EFFECTIVE, CAP_SETPCAP);
	capng_clear(CAPNG_SELECT_ALL);
	for (unsigned int i = 0; i < CAPABILITIES; i++)
		if (capabilities >> i & 1 &&
		    capng_update(CAPNG_ADD, CAPNG_EFFECTIVE | CAPNG_PERMITTED, i))
			return -EINVAL;
	/* with no_new_privs, a bounding set that stays as it is gives nothing */
	if (may_bound && capng_apply(CAPNG_SELECT_BOUNDS))
		return -EPERM;
	return capng_apply(CAPNG_SELECT_CAPS) || capng_apply(CAPNG_SELECT_AMBIENT) ? -EPERM : 0;
}

int confine_thread(const struct confinement *confinement, uint64_t capabilities)
{
	int err;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -errno;
	err = keep_capabilities(capabilities);
	if (err || confinement->ruleset < 0)
		return err;
	return syscall(SYS_landlock_restrict_self, confinement->ruleset, 0) ? -errno : 0;
}
