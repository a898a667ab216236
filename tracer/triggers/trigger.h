/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A trigger: a condition on the figures of the running system.
 *
 *	live > 2G			live bytes
 *	live(dentry) > 500M		of a slab cache or a function
 *	growth(dentry) > 100M/10m	live bytes now minus those of 10 minutes ago
 *	lost > 0.1%			share of the events of the last 10 s
 *	skipped > 0.1%/1m		share of the events of the last minute
 *	oom				the kernel kills a process for lack of memory
 *
 * Of a function and a slab cache with one name, the cache is meant; function:NAME and cache:NAME
 * choose. Without a name, live and growth are those of all objects.
 */
#ifndef TRACER_TRIGGERS_TRIGGER_H
#define TRACER_TRIGGERS_TRIGGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRIGGERS_MAX 16
#define TRIGGER_LENGTH 200 /* bytes of a text */
#define TRIGGER_WINDOW_MIN 1000000000ULL
#define TRIGGER_WINDOW_MAX (24 * 3600 * 1000000000ULL)

enum trigger_kind {
	TRIGGER_LIVE,
	TRIGGER_GROWTH,
	TRIGGER_LOST,
	TRIGGER_SKIPPED,
	TRIGGER_OOM,
	TRIGGER_KINDS
};

enum trigger_scope {
	TRIGGER_OF_ALL,
	TRIGGER_OF_NAME, /* the cache, or if there is none, the function */
	TRIGGER_OF_CACHE,
	TRIGGER_OF_FUNCTION,
};

struct trigger {
	enum trigger_kind kind;
	enum trigger_scope scope;
	char text[TRIGGER_LENGTH]; /* as the user wrote it */
	char name[TRIGGER_LENGTH]; /* of the cache or function */
	uint64_t bytes;		   /* the limit of live and growth */
	double percent;		   /* that of lost and skipped */
	uint64_t window_ns;	   /* of growth, lost and skipped */
};

struct trigger_error {
	size_t column; /* from 1 */
	char text[200];
};

/* 0, or -EINVAL with error set. */
int trigger_parse(struct trigger *trigger, const char *text, struct trigger_error *error);

/* Does it compare live bytes? These are known only if a thread aggregates the events. */
static inline bool trigger_needs_figures(const struct trigger *trigger)
{
	return trigger->kind == TRIGGER_LIVE || trigger->kind == TRIGGER_GROWTH;
}

#endif
