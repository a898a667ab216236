/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names of users by user id. */
#ifndef KERNEL_USERS_H
#define KERNEL_USERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct user_name {
	uint32_t uid;
	size_t order; /* of its line */
	char *name;
	bool written; /* users_write_once() has written its line */
};

struct users {
	struct user_name *list; /* by uid, once they are sorted */
	size_t count;
};

/* Adds a user, with a copy of the name. 0 or -ENOMEM. */
int users_add(struct users *users, uint32_t uid, const char *name);
void users_sort(struct users *users); /* of users with one id, the first stays */
void users_deinit(struct users *users);

/* NULL: not known. */
struct user_name *users_find(const struct users *users, uint32_t uid);

/* A line "user UID NAME" of kernel/tasks, escaped as in caches.h. 0 or -errno. */
int user_write(FILE *file, const struct user_name *user);

/* The same at the first call for this user; nothing if the user has no name. 0 or -errno. */
int users_write_once(FILE *file, const struct users *users, uint32_t uid);

/* Another table begins: no line was written to it yet. */
void users_clear_written(struct users *users);

#endif
