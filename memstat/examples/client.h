/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What memstat-malloc and memstat-uma share: all but which types they show, and how. */
#ifndef MEMSTAT_EXAMPLES_CLIENT_H
#define MEMSTAT_EXAMPLES_CLIENT_H

#include <stddef.h>

#include <memstat.h>

struct client {
	const char *name, *about; /* of --help */
	int (*live)(struct memory_type_list *list, int flags);
	int (*capture)(struct memory_type_list *list, void *handle);
	/* The types by name; width is that of the longest name. */
	void (*print)(const struct memory_type *const *types, size_t count, int width);
};

/* The program; returns its exit status: 0, or 2 if it could not do what it was asked for. */
int client_main(const struct client *client, int argc, char **argv);

#endif
