/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The common part of memstat-malloc and memstat-uma: options, queries, errors. */
#ifndef LIVE_MEMSTAT_EXAMPLES_CLIENT_H
#define LIVE_MEMSTAT_EXAMPLES_CLIENT_H

#include <stddef.h>

#include <memstat.h>

struct client {
	const char *name, *about; /* for --help */
	int (*live)(struct memory_type_list *list, int flags);
	int (*capture)(struct memory_type_list *list, void *handle);
	/* Prints the types, which are sorted by name; width is the length of the longest name. */
	void (*print)(const struct memory_type *const *types, size_t count, int width);
};

/* Runs the program and returns its exit status: 0, or 2 if something could not be done. */
int client_main(const struct client *client, int argc, char **argv);

#endif
