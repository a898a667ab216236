/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A group of users, as an option names it. */
#ifndef TRACER_SYSTEM_USER_GROUP_H
#define TRACER_SYSTEM_USER_GROUP_H

#include <stdbool.h>
#include <sys/types.h>

/* Finds a group by its name or its number. False: there is no such group. */
bool group_parse(const char *text, gid_t *group);

#endif
