/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The copies of the programs, for kernels that preempt a task in a tracepoint (bpf/copies.bpf.h
 * explains how). Copy 1 is the first program of its tracepoint; programs.c attaches it.
 */
#ifndef TRACER_LOAD_COPIES_H
#define TRACER_LOAD_COPIES_H

#include <stdbool.h>

#include "kernel/ring.h"
#include "tracer/load/attach_plan.h"
#include "tracer/load/bpf_objects.h"

struct bpf_link;
struct bpf_program;

/*
 * The front programs, which run before the copies of the programs (bpf/front.bpf.h explains how).
 * They are optional: a kernel without fprobe has copies only.
 */

struct front {
	bool enabled; /* they are loaded */
	struct bpf_program *programs[KMT_COPIED_KINDS];
	struct bpf_link *links[KMT_COPIED_KINDS];
	const struct bpf_variant *variant;
	char reason[160]; /* why no front programs record events; else empty */
};

/* Before loading: chooses the front programs. disabled_reason: NULL, or why not to use them. */
void front_choose(struct front *front, struct bpf_variant *variant, const char *disabled_reason);

/* Attaches the front programs, after the copies, and lets them learn. Sets reason if that fails. */
void front_attach(struct front *front);

/*
 * Detaches the front programs, before the copies. When it returns, copy 1 has seen all events that
 * they recorded.
 */
void front_detach(struct front *front);

struct copies {
	unsigned int count; /* of each program; 0: this kernel needs none, or they are not used */
	struct bpf_program *programs[KMT_COPIES][KMT_COPIED_KINDS]; /* copy 1 is at index 0 */
	struct bpf_link *links[KMT_COPIES][KMT_COPIED_KINDS];	    /* none of copy 1 */
	const struct bpf_variant *variant;
	struct front front;
	char reason[160]; /* the kernel needs copies: why there are none; else empty */
};

/*
 * Before loading: chooses the copies, and the front programs. disabled_reason, no_front_reason:
 * NULL, or why not to use them.
 */
void copies_choose(struct copies *copies, struct bpf_variant *variant,
		   const struct attach_plan *plan, const char *disabled_reason,
		   const char *no_front_reason);

/* Do front programs record events, before the copies? */
bool copies_have_front(const struct copies *copies);

/* Attaches the later copies to a tracepoint, just after the first: 0 or -errno. */
int copies_attach(struct copies *copies, enum tracepoint_id id);

/* Detaches the later copies from a tracepoint, before the first. */
void copies_detach(struct copies *copies, enum tracepoint_id id);

/* At the end: the reason why the later copies of a tracepoint recorded nothing; else empty. */
const char *copies_reason(const struct copies *copies);

#endif
