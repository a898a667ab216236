/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A map from 64-bit keys to small numbers, such as the index of what a key stands for. */
#ifndef TRACE_INDEX_H
#define TRACE_INDEX_H

#include <stddef.h>
#include <stdint.h>

struct index_entry {
	uint64_t key;
	uint32_t number; /* + 1; 0: an empty place */
};

struct index {
	struct index_entry *places;
	size_t mask; /* places - 1 */
	size_t count;
	uint64_t seed;
};

#define INDEX_NONE UINT32_MAX

int index_init(struct index *index); /* 0 or -ENOMEM */
void index_deinit(struct index *index);

/* The number of the key, or INDEX_NONE. */
uint32_t index_find(const struct index *index, uint64_t key);

/* Adds a key that is not there. 0 or -ENOMEM. */
int index_add(struct index *index, uint64_t key, uint32_t number);

#endif
