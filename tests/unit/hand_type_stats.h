/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A tally that no event has made, but a test, and what it publishes of it. */
#ifndef TESTS_UNIT_HAND_TYPE_STATS_H
#define TESTS_UNIT_HAND_TYPE_STATS_H

#include "stats/stats_file.h"

#define HAND_TYPES_MAX 1024

/* Empty, of generation 1, with the size classes 8, 16 and 32. */
void hand_type_stats_init(struct type_stats *type_stats);
void hand_type_stats_deinit(struct type_stats *type_stats);

/*
 * A type that changed just now, with nothing to tell but the figures of so many CPUs, all 0. The
 * name is copied, aliases are not. The pointer stays valid.
 */
struct type_stats_type *hand_type_stats_add(struct type_stats *type_stats,
					    enum type_stats_kind kind, const char *name,
					    size_t cpus);

/* All figures, those of the CPUs too, become others, by a number that is not 0. */
void hand_type_stats_change(struct type_stats *type_stats, struct type_stats_type *type,
			    uint64_t number);

/* A publisher there, with room for two CPUs and four types of each kind; it must succeed. */
struct stats_file *hand_stats_file_create(const char *path);

/* Writes it as of that time, with nothing lost, and steps its generation. */
void hand_stats_file_write(struct stats_file *stats_file, struct type_stats *type_stats,
			   uint64_t time);

#endif
