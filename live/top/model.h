/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Everything that is shown: a table for each key, read from what a kmemtraced publishes. */
#ifndef LIVE_TOP_MODEL_H
#define LIVE_TOP_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "live/stats/details_read.h"
#include "live/stats/stats_file.h"
#include "live/top/table.h"

enum top_key {
	KEY_SITE,
	KEY_FUNCTION,
	KEY_CACHE,
	KEY_COMM,
	KEY_PROCESS,
	KEY_CGROUP,
	KEY_STACK, /* this and those below: estimates from samples */
	KEY_SYSCALL,
	KEYS
};

extern const char *const top_keys[KEYS]; /* "site", … */

enum model_state {
	MODEL_WAITING, /* nothing was ever published */
	MODEL_RUNNING,
	MODEL_ENDED, /* the figures are of a kmemtraced that has ended */
};

struct model {
	const char *path; /* of the statistics file */
	struct stats_file_view view;
	struct details_view details;
	bool has_details; /* else there are tables by cache, and by function for kmalloc() only */
	struct top_table tables[KEYS];
	enum model_state state;
	uint64_t time, begin; /* ns, CLOCK_MONOTONIC: of the figures, and of tracing */
	uint64_t lost;	      /* events; STATS_FILE_LOST_UNKNOWN: not known */
	uint64_t sampled_drops[DETAILS_SAMPLED]; /* as in the details */
	unsigned int restarts;			 /* other kmemtraced than the first */
	char errmsg[400];			 /* why nothing can be read now; empty: it can */
};

int model_init(struct model *model, const char *path); /* 0 or -ENOMEM */
void model_deinit(struct model *model);

/*
 * Reads what is published now. 1: there are new figures; 0: there are none, see state; or -errno
 * with errmsg set: they cannot be read at all.
 */
int model_update(struct model *model);

/* Differences are counted from now on. */
void model_set_mark(struct model *model);

/* Does this kmemtraced publish rows of the key? */
bool model_has_key(const struct model *model, enum top_key key);

/* Why it does not, and what to do. */
const char *model_key_missing(const struct model *model, enum top_key key);

enum top_key model_default_key(const struct model *model);

/* Does this kmemtraced publish estimates only? */
static inline bool model_is_profile(const struct model *model)
{
	return model->has_details && model->details.is_profile;
}

/* Its rows add up to all. */
static inline const struct top_table *model_all(const struct model *model)
{
	return &model->tables[model_is_profile(model) ? KEY_STACK : KEY_CACHE];
}

/* For list_settings.types of a table by this key. */
static inline const struct stats_file_view *model_cache_types(const struct model *model,
							      enum top_key key)
{
	return key == KEY_CACHE ? &model->view : NULL;
}

static inline bool model_is_sampled(enum top_key key)
{
	return key >= KEY_STACK;
}

#endif
