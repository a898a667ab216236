/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names of call sites, tasks, flags and caches for the view events. Each is looked up and quoted
 * once: doing it for every event would take most of the run time.
 */
#ifndef REPORT_VIEWS_EVENT_NAMES_H
#define REPORT_VIEWS_EVENT_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash_map.h"
#include "report/render/row_stream.h"
#include "report/views/view.h"

/* The name of a key in a range of time. */
struct event_name {
	struct stream_text name;
	uint64_t since, until; /* ns */
	uint32_t next;	       /* index of the key's name at another time, or 0 */
	int64_t number;	       /* of a task: its process, -1 if not known */
};

struct event_map {
	struct hash_map index;
	struct event_name *list;
	size_t count;
};

struct event_names {
	const struct report *report;
	struct event_map sites, tasks, flags, caches;
};

int event_names_init(struct event_names *names, const struct report *report); /* 0 or -ENOMEM */
void event_names_deinit(struct event_names *names);

/*
 * Each returns a name, or NULL: no memory. The struct is valid until the next call, its text until
 * event_names_deinit(). For people the name of a task is "comm/tid" as one word.
 */
const struct event_name *event_names_site(struct event_names *names, uint64_t address,
					  uint64_t time);
const struct event_name *event_names_task(struct event_names *names, uint32_t tid, uint64_t time);
const struct event_name *event_names_flags(struct event_names *names, uint32_t gfp);
const struct event_name *event_names_cache(struct event_names *names, uint32_t cache);
/* The name of a cache of the capture that an event names. */
const struct event_name *event_names_event_cache(struct event_names *names,
						 const struct cache *cache);

#endif
