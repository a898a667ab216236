/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads the names that the BPF programs send, and writes them to kernel/caches,
 * kernel/tasks and kernel/cgroups.
 */
#ifndef TRACER_NAMES_NAME_MESSAGES_H
#define TRACER_NAMES_NAME_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/hash_map.h"
#include "capture/directory.h"
#include "kernel/users.h"
#include "tracer/load/cgroup_hierarchy.h"

struct kmt_message;
struct modules;
struct publish;
struct ring_buffer;
struct task;

/* Writes kernel/cgroups: the cgroups that exist, their tasks, and each change. */

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

struct name_messages {
	struct directory *directory;
	struct publish *publish; /* gets the names too; NULL: nothing is published */
	struct modules *modules; /* gets the messages about modules */
	const uint64_t *lost;	 /* messages that found no room */
	struct ring_buffer *buffer;
	struct cgroup_messages cgroups; /* hierarchy: set before _open() */
	struct users users;		/* of this machine */
	FILE *caches, *tasks;		/* NULL: nothing is written */
	uint64_t unknown_caches;	/* caches without name and sizes */
	int err;			/* the first error of a message */
	char errmsg[400];
};

/*
 * directory: NULL, or where to open the files, which stay open until the end. 0 or -errno with
 * errmsg set, as all functions below.
 */
int name_messages_open(struct name_messages *names, struct directory *directory, int names_fd);

/* Adds the tasks and the cgroups that exist now. */
int name_messages_add_tasks(struct name_messages *names);

/* Writes the messages that came since the last call to the files, and flushes these. */
int name_messages_read(struct name_messages *names);

/*
 * On a kernel without BTF, after the programs are detached: adds the caches that were not sent,
 * from the map of struct kmt_partial_cache. Their name or their sizes are not known, or their
 * message found no room.
 */
int name_messages_add_incomplete(struct name_messages *names, int map_fd);

/*
 * Goes on in another directory, which gets the caches that existed at the time begin (ns), too.
 * marks: of kernel/caches, kernel/tasks and kernel/cgroups, see table_switch().
 */
int name_messages_switch(struct name_messages *names, struct directory *to, uint64_t begin,
			 const uint64_t marks[3]);

/* Writes the task and, at its first task, its user to kernel/tasks. 0 or -errno. */
int name_messages_write_task(struct name_messages *names, FILE *file, const struct task *task);

/* Closes the files. 0, or -errno: not all was written. Does nothing if they are not open. */
int name_messages_close(struct name_messages *names);

#endif
