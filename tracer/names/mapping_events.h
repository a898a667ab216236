/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The changes of the code that is mapped in all processes, as perf events report them: mappings,
 * with the build id of the file since Linux 5.12, new programs, forks and ends of processes.
 */
#ifndef TRACER_NAMES_MAPPING_EVENTS_H
#define TRACER_NAMES_MAPPING_EVENTS_H

#include <stddef.h>
#include <stdint.h>

#include "tracer/host/process_maps.h"

enum mapping_event_kind {
	MAPPING_ADDED,
	MAPPING_FORK,
	MAPPING_EXEC,
	MAPPING_EXIT,
};

struct mapping_event {
	uint64_t time;	/* ns */
	uint64_t order; /* of events with one time */
	enum mapping_event_kind kind;
	uint32_t pid, parent;
	struct mapping mapping;
};

struct mapping_events {
	struct process_maps *maps;  /* gets the files */
	struct mapping_ring *rings; /* of each CPU; NULL: not open */
	unsigned int count;
	char *record;		    /* that wraps around the end of a ring */
	struct mapping_event *list; /* of the last read, in the order of time */
	size_t event_count;
	uint64_t lost; /* records that found no room */
};

/* 0 or -errno. */
int mapping_events_open(struct mapping_events *events, struct process_maps *maps,
			unsigned int possible_cpus);
void mapping_events_close(struct mapping_events *events);

/* Replaces the list by the events since the last call. 0 or -ENOMEM. */
int mapping_events_read(struct mapping_events *events);

#endif
