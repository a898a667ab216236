/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Type statistics that a test fills in by hand, and writes to a statistics file. */
#ifndef TESTS_UNIT_HAND_TYPE_STATS_H
#define TESTS_UNIT_HAND_TYPE_STATS_H

#include "live/stats/stats_file.h"

#define HAND_TYPES_MAX 1024

/* Empty, of generation 1, with the size classes 8, 16 and 32. */
void hand_type_stats_init(struct type_stats *type_stats);
void hand_type_stats_deinit(struct type_stats *type_stats);

/*
 * Adds a type that changed in this generation, with this number of CPUs and all counters 0. The
 * name is copied, aliases are not. The pointer stays valid.
 */
struct type_stats_type *hand_type_stats_add(struct type_stats *type_stats,
					    enum type_stats_kind kind, const char *name,
					    size_t cpus);

/* Sets all counters, also by CPU, to values that depend on a number other than 0. */
void hand_type_stats_change(struct type_stats *type_stats, struct type_stats_type *type,
			    uint64_t number);

/* Creates a file for two CPUs and four types of each kind; it must succeed. */
struct stats_file *hand_stats_file_create(const char *path);

/* Writes a snapshot of that time without lost events, and increments the generation. */
void hand_stats_file_write(struct stats_file *stats_file, struct type_stats *type_stats,
			   uint64_t time);

#endif
