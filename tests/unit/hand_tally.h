/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A tally that no event has made, but a test, and what it publishes of it. */
#ifndef TESTS_HAND_TALLY_H
#define TESTS_HAND_TALLY_H

#include "trace/published.h"

#define HAND_TYPES_MAX 1024

/* Empty, of generation 1, with the size classes 8, 16 and 32. */
void hand_tally_init(struct tally *tally);
void hand_tally_deinit(struct tally *tally);

/*
 * A type that changed just now, with nothing to tell but the figures of so many CPUs, all 0. The
 * name is copied, aliases are not. The pointer stays valid.
 */
struct tally_type *hand_tally_add(struct tally *tally, enum tally_kind kind, const char *name,
				  size_t cpus);

/* All figures, those of the CPUs too, become others, by a number that is not 0. */
void hand_tally_change(struct tally *tally, struct tally_type *type, uint64_t number);

/* A publisher there, with room for two CPUs and four types of each kind; it must succeed. */
struct published *hand_tally_publish(const char *path);

/* Writes it as of that time, with nothing lost, and steps its generation. */
void hand_tally_write(struct published *published, struct tally *tally, uint64_t time);

#endif
