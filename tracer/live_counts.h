/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The events that the BPF programs counted by key, instead of recording them. Each count becomes
 * one record of a capture, of the first event with its key, so that the analysis and the fields
 * read it as any event; its weight is the number of events that it stands for.
 */
#ifndef TRACER_LIVE_COUNTS_H
#define TRACER_LIVE_COUNTS_H

#include <stddef.h>
#include <stdint.h>

#include "kernel/record.h"
#include "kernel/ring.h"
#include "kernel/tasks.h"
#include "tracer/load/programs.h"
#include "tracer/rings.h"

#define LIVE_COUNTS_GROUPS 16384 /* keys: default of --count-groups */

struct pieces;

struct live_count {
	uint64_t time; /* ns: of the first event with the key; later if another count has this time
			*/
	uint64_t events;
	uint32_t cpu; /* of the first event; if the query asks for CPUs, of all */
	uint64_t key[KMT_COUNT_WORDS];
};

struct live_counts {
	uint32_t parts;		 /* as counted_query() */
	struct live_count *list; /* by time */
	size_t count;
	uint64_t ungrouped, own; /* events, see struct kmt_control */
};

/* The settings of the BPF programs, except groups and own_tgid. */
void live_counts_set(struct count_settings *settings, uint32_t parts);

/* The slots of the table in the memory of a ring: at most one for each group. */
uint32_t live_counts_slots(const struct rings *rings, uint32_t groups);

/*
 * Reads the tables and the map, after the programs are detached. begin: ns; no count gets an
 * earlier time. 0 or -errno.
 */
int live_counts_read(struct live_counts *counts, const struct rings *rings, int map_fd,
		     uint64_t begin);
void live_counts_deinit(struct live_counts *counts);

/* The record of a count, without a sequence number; and its task. */
void live_counts_record(const struct live_counts *counts, size_t index, struct kmt_record *record);
void live_counts_describe_task(const struct live_counts *counts, size_t index, struct task *task);

/*
 * The counts become a capture, in a temporary directory, and the view count prints it. Functions
 * return 0, or -errno with the error of the pieces set.
 *
 * live_counts_store(): after the programs are detached: puts a record for each key in the streams.
 * live_counts_write_tasks(): writes the tasks of these records to kernel/tasks.
 * live_counts_print(): when the capture is finished: prints the groups.
 */
int live_counts_store(struct live_counts *counts, struct pieces *pieces);
int live_counts_write_tasks(struct live_counts *counts, struct pieces *pieces);
int live_counts_print(struct live_counts *counts, struct pieces *pieces);

/* The events of the count of this time; 0: there is none. */
uint64_t live_counts_weight(const struct live_counts *counts, uint64_t time);

#endif
