// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Reads the names of the users of this machine. */
#include "config.h"

#include <pwd.h>
#include <stdio.h>

#include "tracer/host/user_names.h"

int user_names_read(struct users *users)
{
	FILE *file = fopen("/etc/passwd", "re");
	const struct passwd *user;
	int err = 0;

	if (!file)
		return 0;
	while (!err && (user = fgetpwent(file)))
		err = users_add(users, user->pw_uid, user->pw_name);
	fclose(file);
	users_sort(users);
	return err;
}
