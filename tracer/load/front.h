/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The front programs, which run before the copies of the programs (bpf/front.bpf.h explains how).
 * They are optional: a kernel without fprobe has copies only.
 */
#ifndef TRACER_LOAD_FRONT_H
#define TRACER_LOAD_FRONT_H

#include <stdbool.h>

#include "kernel/ring.h"
#include "tracer/load/bpf_objects.h"

struct bpf_link;
struct bpf_program;

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

#endif
