/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The parts of making a checkpoint: see checkpoint.h. */
#ifndef ANALYSIS_CHECKPOINT_PARTS_H
#define ANALYSIS_CHECKPOINT_PARTS_H

#include "analysis/model.h"
#include "base/error.h"
#include "capture/checkpoint_state.h"

struct checkpoint_threads;

struct checkpoint {
	struct capture *capture;   /* the piece before */
	struct analysis *analysis; /* of its events before begin */
	uint64_t begin;		   /* ns: of the piece */
	int directory;		   /* file descriptor: of the checkpoint */
	const struct checkpoint_threads *threads;
	struct checkpoint_state state;
	struct error *error;
};

/* Creates a file of the checkpoint: its descriptor, or -errno. */
int checkpoint_create(struct checkpoint *checkpoint, const char *name);

/*
 * Writes the streams: the records of live objects, and all records that are not before begin.
 * Counts state.events and state.objects. 0 or -errno.
 */
int checkpoint_write_streams(struct checkpoint *checkpoint);

/* Writes the tables, with the names that are needed from begin on. 0 or -errno. */
int checkpoint_write_tables(struct checkpoint *checkpoint);

/*
 * The events of each cache since the first reading of /proc/slabinfo: before the analysis, requests
 * the counts; after it, adds them to the state. 0 or -ENOMEM.
 */
void checkpoint_counts_request(struct analysis_settings *settings, const struct capture *capture);
int checkpoint_counts_add(struct checkpoint *checkpoint);

/* Is the object live, whatever counts it? */
static inline bool checkpoint_is_live(const struct slab_object *object)
{
	return object && !(object->flags & OBJECT_FREED);
}

#endif
