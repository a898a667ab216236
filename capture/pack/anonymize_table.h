/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Copies the tables of kernel/ that are lines of words, with substitutes for addresses and names.
 */
#ifndef CAPTURE_PACK_ANONYMIZE_TABLE_H
#define CAPTURE_PACK_ANONYMIZE_TABLE_H

#include <stddef.h>
#include <stdio.h>

#include "capture/pack/substitutes.h"

/* A line that starts with the key, and the meaning of the words behind it: see anonymize_table.c.
 */
struct table_line {
	const char *key, *words;
};

struct anonymize_table {
	const char *name; /* "kernel/caches" */
	struct table_line lines[7];
};

/* caches, tasks, slabinfo, process_memory, stacks, cgroups, topology, gfp. The name of the last
 * entry is NULL. */
extern const struct anonymize_table anonymize_tables[];

struct table_result {
	size_t left_out;  /* lines of another form */
	size_t with_host; /* names of tasks that stay, and have the name of the host as a word */
};

/*
 * Writes the lines of text that have the form of the table, and only the words that the form names.
 * 0 or -errno.
 */
int anonymize_table(struct substitutes *substitutes, const struct anonymize_table *table,
		    const char *text, FILE *file, struct table_result *result);

#endif
