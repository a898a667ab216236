/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Groups of users. */
#ifndef TRACER_GROUP_H
#define TRACER_GROUP_H

#include <stdbool.h>
#include <sys/types.h>

/* By name, or by number. False: there is none. */
bool group_parse(const char *text, gid_t *group);

#endif
