/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Hooks on kernel functions that fire no tracepoint (fentry and fexit programs). All of them are
 * optional: a function whose hook the kernel refuses stays unobserved, and reason says why.
 */
#ifndef TRACER_LOAD_HOOKS_H
#define TRACER_LOAD_HOOKS_H

#include <stdbool.h>
#include <stdint.h>

#include "tracer/load/bpf_objects.h"

struct bpf_link;
struct bpf_program;
struct btf;

enum hook_kind {
	HOOK_BULK_FREE,
	HOOK_REALLOC,
	HOOK_BULK_ALLOC,
	HOOK_KINDS,
};

struct hook {
	/* programs[0] records the objects; programs[1], or NULL, is attached before it */
	struct bpf_program *programs[2];
	struct bpf_link *links[2];
	char reason[160]; /* why it is not attached; empty: it is, or will be */
};

struct hooks {
	struct hook list[HOOK_KINDS];
	const struct bpf_variant *variant;
};

/*
 * Before loading: finds the functions, checks their parameters, and tries whether the kernel
 * accepts a hook. btf: NULL if the kernel has none. disabled_reason: NULL, or the reason not to use
 * hooks.
 */
void hooks_choose(struct hooks *hooks, struct bpf_variant *variant, const struct btf *btf,
		  const char *disabled_reason);

/* Attaches a hook if it was chosen. */
void hooks_attach(struct hooks *hooks, enum hook_kind kind);
void hooks_detach(struct hooks *hooks, enum hook_kind kind);

/*
 * Calls that the hook did not record: the kernel skipped them, or they were taken for frees of a
 * failed bulk allocation. The number of their objects is unknown.
 */
uint64_t hooks_skipped(const struct hooks *hooks, enum hook_kind kind);

#endif
