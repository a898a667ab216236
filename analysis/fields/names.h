/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names of call sites, tasks, flags and caches as numbers of texts. Each is made once: doing it for
 * every event would take most of the run time. A name may change with time: an address may belong
 * to several modules, one after another, and a task may get a new name.
 */
#ifndef ANALYSIS_FIELDS_NAMES_H
#define ANALYSIS_FIELDS_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/model.h"
#include "base/hash_map.h"
#include "base/texts.h"

#define NAMES_MEMO_BITS 12

/* The names of a key in a range of time: numbers of texts, 0: not known. */
struct named {
	uint64_t key;
	uint64_t since, until; /* ns */
	uint32_t next;	       /* index of the key's names at another time, or 0 */
	union {
		struct {
			uint32_t site, function, module;
		};
		struct {
			uint32_t comm, task, thread, user;
		};
		struct {
			uint32_t stack, syscall;
		};
		struct {
			uint32_t cgroup, container;
		};
		uint32_t text;
	};
	int64_t pid, uid; /* of a task; -1: not known */
};

struct named_map {
	struct hash_map index;
	struct named *list;
	size_t count;
	uint32_t memo[1 << NAMES_MEMO_BITS]; /* by hash of a key: an index, + 1; 0: empty */
};

struct names {
	const struct capture *capture;
	struct texts *texts;
	struct named_map sites, tasks, flags, caches, stacks, user_stacks, cgroups;
	unsigned int changes; /* capture->changes when they were made */
};

int names_init(struct names *names, struct texts *texts); /* 0 or -ENOMEM */
void names_deinit(struct names *names);

/* Forgets names that a live capture has changed. 0 or -ENOMEM. */
int names_refresh(struct names *names);

/* Each returns an entry, or NULL: no memory. Valid until the next call. */
const struct named *names_site(struct names *names, uint64_t address, uint64_t time);
const struct named *names_task(struct names *names, uint32_t tid, uint64_t time);
/* Of the cgroup of a task. */
const struct named *names_cgroup(struct names *names, uint32_t tid, uint64_t time);
const struct named *names_flags(struct names *names, uint32_t gfp);
/* Of a kernel stack of an allocation at the call site. */
const struct named *names_stack(struct names *names, uint64_t id, uint64_t call_site,
				uint64_t time);
/* Of a user stack: its text; 0 if the capture does not have the stack. */
const struct named *names_user_stack(struct names *names, uint64_t id);
const struct named *names_cache(struct names *names, const struct analysis *analysis,
				uint32_t cache);
/* Of a cache of the capture that an event names. */
const struct named *names_event_cache(struct names *names, const struct cache *cache);

#endif
