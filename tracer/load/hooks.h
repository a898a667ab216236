/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Hooks on kernel functions that fire no tracepoint (fentry and fexit programs). All of them are
 * optional: what a kernel refuses stays unobserved, and reason says why.
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
	/* the first tells the objects; the other, or NULL, is attached before it */
	struct bpf_program *programs[2];
	struct bpf_link *links[2];
	char reason[160]; /* why it is not there; empty: it is */
};

struct hooks {
	struct hook list[HOOK_KINDS];
	const struct bpf_variant *variant;
};

/*
 * Before loading: finds the functions, looks at what they take, and tries whether the kernel
 * lets itself be hooked. btf is NULL where the kernel has none; unwanted: NULL, or why none are to
 * be there.
 */
void hooks_choose(struct hooks *hooks, struct bpf_variant *variant, const struct btf *btf,
		  const char *disabled_reason);

void hooks_attach(struct hooks *hooks, enum hook_kind kind); /* if it was chosen */
void hooks_detach(struct hooks *hooks, enum hook_kind kind);

/* Calls that the kernel kept from a hook: nobody knows of how many objects. */
uint64_t hooks_skipped(const struct hooks *hooks, enum hook_kind kind);

#endif
