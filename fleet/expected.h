/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The hosts that an answer should have: those of a file, or those that the store knows. */
#ifndef FLEET_EXPECTED_H
#define FLEET_EXPECTED_H

#include <stddef.h>

struct scope;

struct expected {
	char **names; /* each once */
	size_t count;
};

/* 0 or -errno with errmsg of the store set, or -ENOMEM. */
int expected_init(struct expected *expected, const struct scope *scope);
void expected_deinit(struct expected *expected);

#endif
