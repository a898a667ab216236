/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The names that events bear, each looked up and quoted once: a line for every event leaves no
 * time for more.
 */
#ifndef REPORT_VIEWS_EVENT_NAMES_H
#define REPORT_VIEWS_EVENT_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash_map.h"
#include "report/render/row_stream.h"
#include "report/views/view.h"

/* What a key is called from one time up to another. */
struct event_name {
	struct stream_text name;
	uint64_t since, until; /* ns */
	uint32_t next;	       /* the key's name at another time: index, or 0 */
	int64_t number;	       /* of a task, its process; -1: not known */
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
 * Each returns a name, or NULL: no memory. What it points to is valid until the next call, but the
 * text until event_names_deinit(). Of a task in a text it is "comm/tid" as one word, else the
 * name alone.
 */
const struct event_name *event_names_site(struct event_names *names, uint64_t address,
					  uint64_t time);
const struct event_name *event_names_task(struct event_names *names, uint32_t tid, uint64_t time);
const struct event_name *event_names_flags(struct event_names *names, uint32_t gfp);
const struct event_name *event_names_cache(struct event_names *names, uint32_t cache);
/* Of the cache that the event itself names. */
const struct event_name *event_names_event_cache(struct event_names *names,
						 const struct cache *cache);

#endif
