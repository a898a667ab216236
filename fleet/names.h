/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The names of hosts, kernels and roles that a user gave: a wrong one must not look like good news.
 */
#ifndef FLEET_NAMES_H
#define FLEET_NAMES_H

#include "fleet/scope.h"

/* 0; or -ENOENT, with errmsg of the store set: the store does not have a name, in any time. */
int names_check(const struct scope *scope);

#endif
