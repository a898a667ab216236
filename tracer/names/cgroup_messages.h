/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Writes kernel/cgroups: the cgroups that exist, their tasks, and each change. */
#ifndef TRACER_NAMES_CGROUP_MESSAGES_H
#define TRACER_NAMES_CGROUP_MESSAGES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/hash_map.h"
#include "tracer/load/cgroup_hierarchy.h"

struct kmt_message;

struct known_cgroup {
	uint64_t id;
	char *path;
};

struct cgroup_messages {
	struct cgroup_hierarchy hierarchy;
	FILE *file;	  /* NULL: nothing is written */
	FILE **published; /* *published gets the lines too; NULL, or *published NULL: no text does
			   */
	/* the cgroups that exist; their order changes */
	struct known_cgroup *list;
	size_t count;
	struct hash_map by_path; /* hash of a path: index in list, only while tasks are added */
	uint64_t tasks_added;	 /* ns: when the snapshot was complete; 0: not yet */
};

/*
 * Begins a snapshot: adds the cgroups that exist now. The programs are attached before, so that no
 * later change is missed. 0 or -errno, as all functions below.
 */
int cgroup_messages_add_all(struct cgroup_messages *cgroups);

/* Adds a task of the snapshot; between cgroup_messages_add_all() and _end_snapshot(). */
int cgroup_messages_add_task(struct cgroup_messages *cgroups, unsigned long pid, unsigned long tid);

/* All tasks that existed are added. */
void cgroup_messages_end_snapshot(struct cgroup_messages *cgroups);

/* size: of the whole message. Messages of other kinds than those of cgroups are ignored. */
int cgroup_messages_take(struct cgroup_messages *cgroups, const struct kmt_message *message,
			 size_t size);

void cgroup_messages_deinit(struct cgroup_messages *cgroups);

#endif
