/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads the names of the users of this machine. */
#ifndef TRACER_HOST_USER_NAMES_H
#define TRACER_HOST_USER_NAMES_H

#include "kernel/users.h"

/*
 * The names of /etc/passwd: other sources, such as LDAP, would need a connection to a server.
 * Without the file there are none. 0 or -ENOMEM.
 */
int user_names_read(struct users *users);

#endif
