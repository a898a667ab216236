// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Looks groups up in the system's group database. */
#include "config.h"

#include <errno.h>
#include <grp.h>
#include <stdlib.h>

#include "tracer/system/user_group.h"

bool group_parse(const char *text, gid_t *group)
{
	const struct group *named = getgrnam(text);
	unsigned long value;
	char *end;

	if (named) {
		*group = named->gr_gid;
		return true;
	}
	errno = 0;
	value = strtoul(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno || value >= (gid_t)-1)
		return false;
	*group = value;
	return true;
}
