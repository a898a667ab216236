/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The sampled allocations, in kernel/status: how they were chosen, and which have no stack. */
#ifndef CAPTURE_STATUS_SAMPLING_H
#define CAPTURE_STATUS_SAMPLING_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/text.h"

struct status_sampling {
	/*
	 * Bytes: an allocation of s bytes was sampled with the probability 1 - exp(-s / interval);
	 * 1: each allocation was sampled; 0: none was.
	 */
	uint64_t interval;
	uint64_t interval_most; /* bytes: it was doubled up to this, maybe without a sample */
	bool is_profile;	/* only sampled objects have records */
	uint64_t unwalked;	/* samples whose kernel stack could not be walked */
	uint64_t no_room;	/* samples whose stack found no room */
	bool user_stacks;	/* samples in tasks have the stack of the process too */
	uint64_t user_unwalked; /* samples whose user stack could not be walked */
	uint64_t mappings_lost; /* changes of the code of processes that were not recorded */
	uint64_t unsized; /* allocations that could not be sampled: their size was not known */
	uint64_t dropped; /* samples of a profile that were not recorded: there was no room */
};

/* Writes nothing if no allocation was sampled. */
void status_sampling_write(const struct status_sampling *sampling, FILE *file);

/* Takes a line with one of the keys; false: the key is another. */
bool status_sampling_parse(struct status_sampling *sampling, struct line *line);

#endif
