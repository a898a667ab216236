// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Names of users by user id. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "kernel/users.h"

static int compare_users(const void *left, const void *right)
{
	const struct user_name *a = left, *b = right;

	if (a->uid != b->uid)
		return a->uid < b->uid ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

int users_add(struct users *users, uint32_t uid, const char *name)
{
	struct user_name *list, user = { .uid = uid, .order = users->count, .name = strdup(name) };

	list = user.name ? array_grow(users->list, users->count, sizeof(*list)) : NULL;
	if (!list) {
		free(user.name);
		return -ENOMEM;
	}
	users->list = list;
	list[users->count++] = user;
	return 0;
}

void users_sort(struct users *users)
{
	size_t kept = 0;

	if (users->count)
		qsort(users->list, users->count, sizeof(*users->list), compare_users);
	for (size_t i = 0; i < users->count; i++)
		if (!kept || users->list[kept - 1].uid != users->list[i].uid)
			users->list[kept++] = users->list[i];
		else
			free(users->list[i].name);
	users->count = kept;
}

void users_deinit(struct users *users)
{
	for (size_t i = 0; i < users->count; i++)
		free(users->list[i].name);
	free(users->list);
	*users = (struct users){ 0 };
}

struct user_name *users_find(const struct users *users, uint32_t uid)
{
	size_t low = 0, high = users->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (users->list[middle].uid < uid)
			low = middle + 1;
		else
			high = middle;
	}
	return low < users->count && users->list[low].uid == uid ? &users->list[low] : NULL;
}

void users_clear_written(struct users *users)
{
	for (size_t i = 0; i < users->count; i++)
		users->list[i].written = false;
}

int user_write(FILE *file, const struct user_name *user)
{
	fprintf(file, "user %" PRIu32 " ", user->uid);
	text_write_word(file, user->name);
	putc('\n', file);
	return text_write_result(file);
}

int users_write_once(FILE *file, const struct users *users, uint32_t uid)
{
	struct user_name *user = users_find(users, uid);

	if (!user || user->written)
		return 0;
	user->written = true;
	return user_write(file, user);
}
